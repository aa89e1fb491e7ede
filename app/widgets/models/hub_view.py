"""The list of models that can be had: rows of two lines, with how each stands with this machine at the right."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.viewmodels.hub.hub_rows import HubRow, HubRows
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.drawing import draw_text, whole_parts
from app.widgets.kit.style import Style
from app.widgets.kit.two_line_list import RowColors, TwoLineDelegate, TwoLineList
from app.widgets.kit.typography import TextRole

_APART = 12
_RIGHT = Qt.AlignmentFlag.AlignRight


class HubDelegate(TwoLineDelegate[HubRow]):
    """Paints the name with its author, and below them what the model is."""

    def paint_lines(self, painter: QPainter, first: QRectF, second: QRectF, row: HubRow, colors: RowColors) -> None:
        theme = self._style.theme
        mark_color = theme.warn if row.is_warning else theme.accent if row.is_here else colors.faint
        mark = draw_text(painter, self._style.text_style(TextRole.CAP), first, row.mark, mark_color, _RIGHT)
        title = first.adjusted(0, 0, -mark - _APART if mark else 0, 0)
        taken = draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), title, row.title, colors.title)
        room = title.adjusted(taken + _APART, 0, 0, 0)
        if room.width() > 2 * _APART:
            draw_text(painter, self._style.text_style(TextRole.CAP), room, row.author, colors.faint)
        small = self._style.text_style(TextRole.SMALL)
        draw_text(painter, small, second, whole_parts(small, row.line, second.width(), DOT), theme.text2)


class HubView(TwoLineList[HubRow]):
    """Return or a click chooses a row."""

    def __init__(self, style: Style, rows: HubRows, parent: QWidget | None = None) -> None:
        super().__init__(style, rows, HubDelegate, "Models to download", parent)
