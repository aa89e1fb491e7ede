"""A list of rows of two lines, with marked words in the second: search results, the trash."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.viewmodels.library.line_model import LineModel, LineRow
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.two_line_list import RowColors, TwoLineDelegate, TwoLineList
from app.widgets.kit.typography import TextRole, TextStyle

_APART = 10
_BEFORE = 10


class LineDelegate(TwoLineDelegate[LineRow]):
    """Paints title and age, and below them the line with its marked words."""

    above = 2

    def paint_lines(self, painter: QPainter, first: QRectF, second: QRectF, row: LineRow, colors: RowColors) -> None:
        age = self._style.text_style(TextRole.CAP)
        taken = draw_text(painter, age, first, row.age, colors.faint, Qt.AlignmentFlag.AlignRight)
        title = first.adjusted(0, 0, -taken - _APART, 0)
        draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), title, row.title, colors.title)
        self._paint_line(painter, second, row)

    def _paint_line(self, painter: QPainter, rect: QRectF, row: LineRow) -> None:
        """Paint the second line, from where its first marked word can be seen."""
        theme, text_style = self._style.theme, self._style.text_style(TextRole.SMALL)
        text, ranges = in_sight(row.line, row.ranges, text_style, rect.width())
        shown = text_style.metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width() + 0.5)
        for start, end in ranges:
            left, right = text_style.width(shown[:start]), text_style.width(shown[: min(end, len(shown))])
            if start < len(shown):
                mark = QRectF(rect.left() + left - 1, rect.top() + 1, right - left + 2, rect.height() - 2)
                fill_rounded(painter, mark, 3, theme.softline)
        draw_text(painter, text_style, rect, shown, theme.text if row.ranges else theme.text2)


def in_sight(
    text: str, ranges: tuple[tuple[int, int], ...], text_style: TextStyle, width: float
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut so much of a text's beginning that its first marked place lies within this width."""
    if not ranges or text_style.width(text[: ranges[0][1]]) <= width * 0.8:
        return text, ranges
    cut = max(0, ranges[0][0] - _BEFORE)
    space = text.find(" ", cut, ranges[0][0])
    cut = cut if space < 0 else space + 1
    return f"…{text[cut:]}", tuple((start - cut + 1, end - cut + 1) for start, end in ranges)


class LineList(TwoLineList[LineRow]):
    """Return, and a click or else a double click, choose a row."""

    def __init__(
        self,
        style: Style,
        rows: LineModel,
        name: str,
        parent: QWidget | None = None,
        *,
        is_chosen_by_click: bool = True,
    ) -> None:
        super().__init__(style, rows, LineDelegate, name, parent, is_chosen_by_click=is_chosen_by_click)
