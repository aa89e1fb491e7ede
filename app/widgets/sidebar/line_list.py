"""A list of rows of two lines, with marked words in the second: search results, the trash."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.library.line_model import LineModel, LineRow
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.item_views import RowDelegate, set_up_view
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole, TextStyle

_INNER, _ABOVE = 12, 2
_BEFORE = 10


class LineDelegate(RowDelegate):
    """Paints title and age, and below them the line with its marked words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row + 2 * _ABOVE)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: LineRow = index.data(RowRole.ROW)
        rect.adjust(_INNER, _ABOVE + 3, -_INNER, -_ABOVE - 3)
        theme = self._style.theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        first = QRectF(rect.left(), rect.top(), rect.width(), rect.height() / 2)
        second = first.translated(0, first.height())
        faint = theme.text2 if is_selected else theme.text3
        age = self._style.text_style(TextRole.CAP)
        title = QRectF(first)
        title.setRight(title.right() - draw_text(painter, age, first, row.age, faint, Qt.AlignmentFlag.AlignRight) - 10)
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), title, row.title, color)
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


class LineList(QListView):
    """Return or a click opens a row.

    Signals: opened(LineRow); enteredRow(LineRow), with Return alone; left, Up was pressed in the first row.
    """

    opened = Signal(object)
    enteredRow = Signal(object)
    left = Signal()

    def __init__(self, style: Style, model: LineModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = LineDelegate(style, self)
        self.row_focus = self._delegate.focus
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        set_up_view(self, style, name)
        self.setModel(model)
        self.clicked.connect(self._open)

    @property
    def row(self) -> LineRow | None:
        """The current row, if there is one."""
        index = self.currentIndex()
        row: LineRow | None = index.data(RowRole.ROW) if index.isValid() else None
        return row

    def take_focus(self) -> None:
        """Come here by the keyboard, to the row one was on or to the first."""
        if not self.currentIndex().isValid() and self.model().rowCount():
            self.setCurrentIndex(self.model().index(0, 0))
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
            if self.row is not None:
                self.enteredRow.emit(self.row)
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(index.data(RowRole.ROW))
