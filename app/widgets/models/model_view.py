"""The list of models: rows of two lines, greyed where a model cannot be opened."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.drawing import draw_text, fill_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.two_line_list import RowColors, TwoLineDelegate, TwoLineList
from app.widgets.kit.typography import TextRole

_BETWEEN = 16
_MARK, _BAR = 14, 96
_LEAST_FIT = 60
_RIGHT = Qt.AlignmentFlag.AlignRight


class ModelDelegate(TwoLineDelegate[ModelRow]):
    """Paints the name with the source, and below them the details, or what is wrong, with what the model leaves."""

    def paint_lines(self, painter: QPainter, first: QRectF, second: QRectF, row: ModelRow, colors: RowColors) -> None:
        self._paint_name(painter, first, row, colors.faint if row.reason else colors.title, colors.faint)
        self._paint_details(painter, second, row, colors.faint)

    def _paint_name(self, painter: QPainter, rect: QRectF, row: ModelRow, color: QColor, faint: QColor) -> None:
        """Paint the name, marked where the model is in use, and at the right where it lies and when it was used."""
        name = self._style.text_style(TextRole.UI_MEDIUM)
        if row.is_current:
            at = QPointF(rect.left() + _MARK / 2 - 1, rect.center().y())
            self._style.icons.paint(painter, Icon.CHECK, at, self._style.theme.accentgfx, _MARK)
            rect = rect.adjusted(_MARK + 4, 0, 0, 0)
        taken = draw_text(painter, name, rect, row.name, color)
        side = "  ·  ".join(part for part in (row.source, row.age) if part)
        room = rect.adjusted(taken + _BETWEEN, 0, 0, 0)
        if room.width() >= _LEAST_FIT:
            draw_text(painter, self._style.text_style(TextRole.CAP), room, side, faint, _RIGHT)

    def _paint_details(self, painter: QPainter, rect: QRectF, row: ModelRow, faint: QColor) -> None:
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        if row.stage:
            self._paint_progress(painter, rect, row)
        elif row.reason:
            draw_text(painter, small, rect, row.reason, faint)
        else:
            color = theme.warn if row.is_too_large else theme.text2
            wanted = min(
                small.width(row.fit), max(rect.width() / 2, rect.width() - small.width(row.details) - _BETWEEN)
            )
            fit = QRectF(rect.right() - wanted, rect.top(), wanted, rect.height())
            taken = draw_text(painter, small, fit, row.fit, color, _RIGHT) if row.fit else 0
            rest = rect.adjusted(0, 0, -taken - _BETWEEN, 0)
            draw_text(painter, small, rest, whole_parts(small, row.details, rest.width(), DOT), theme.text2)

    def _paint_progress(self, painter: QPainter, rect: QRectF, row: ModelRow) -> None:
        """Paint how far the opening is, with a bar where that can be measured."""
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        if row.done is not None:
            bar = QRectF(rect.left(), rect.center().y() - 2, _BAR, 4)
            fill_rounded(painter, bar, 2, theme.track)
            bar.setWidth(max(4.0, _BAR * row.done))
            fill_rounded(painter, bar, 2, theme.accentgfx)
            rect = rect.adjusted(_BAR + 12, 0, 0, 0)
        draw_text(painter, small, rect, row.stage, theme.text2)


class ModelView(TwoLineList[ModelRow]):
    """Return, and a double click or else a click, choose a model that can be opened."""

    def __init__(
        self, style: Style, rows: ModelRows, parent: QWidget | None = None, *, is_chosen_by_click: bool = False
    ) -> None:
        super().__init__(style, rows, ModelDelegate, "Models", parent, is_chosen_by_click=is_chosen_by_click)

    def can_choose(self, row: ModelRow) -> bool:
        return not row.reason
