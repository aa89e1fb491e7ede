"""Lists whose rows have two lines: what is called, and below it what is said of it.

    class FruitDelegate(TwoLineDelegate[FruitRow]):
        def paint_lines(self, painter, first, second, row, colors):
            draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), first, row.name, colors.title)

    fruits = TwoLineList[FruitRow](style, rows, FruitDelegate, "Fruits", parent)
    fruits.chosen.connect(eat)
    fruits.set_field(field)

The model is a `ListModel` of such rows. What a row shows is to be said under Qt's AccessibleTextRole too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem, QWidget

from app.viewmodels.kit.lists import AnyIndex, ListModel, RowRole
from app.widgets.kit.drawing import draw_text, smooth, wrapped
from app.widgets.kit.item_views import RowDelegate, menu_target, set_up_view
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INNER, _LEADING = 12, 3
_HINT_SIDE, _HINT_ABOVE = 20, 12
Row = TypeVar("Row")


class RowColors(NamedTuple):
    """Colours of a row's words, selected or not. title: of its name. faint: of what is least important."""

    title: QColor
    faint: QColor


class TwoLineDelegate(RowDelegate, Generic[Row]):
    """Places the two lines of a row. A subclass paints them. `above`: points between a row's ground and the next."""

    above = 4

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row + 2 * self.above)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme = self._style.theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        title = theme.accent if is_selected and is_in_active_window(option) else theme.text
        colors = RowColors(title, theme.text2 if is_selected else theme.text3)
        edge = self.above + _LEADING
        first = rect.adjusted(_INNER, edge, -_INNER, -edge)
        first.setHeight(first.height() / 2)
        row: Row = index.data(RowRole.ROW)
        self.paint_lines(painter, first, first.translated(0, first.height()), row, colors)

    def paint_lines(self, painter: QPainter, first: QRectF, second: QRectF, row: Row, colors: RowColors) -> None:
        """Paint both lines of a row, each in its rectangle."""
        raise NotImplementedError


class TwoLineList(QListView, Generic[Row]):
    """A list in which Return and a click, or else a double click, choose a row. A sentence can stand below its rows.

    Letters and Escape are left to the pane; a field that was set takes the letters. Attributes: row_focus.

    Signals: chosen(Row); menuAsked(Row, QPoint), the place on screen; left, Up was pressed in the first row.
    """

    chosen = Signal(object)
    menuAsked = Signal(object, QPoint)
    left = Signal()

    def __init__(
        self,
        style: Style,
        model: ListModel[Row],
        delegate: Callable[[Style, QAbstractItemView], TwoLineDelegate[Row]],
        name: str,
        parent: QWidget | None = None,
        *,
        is_chosen_by_click: bool = True,
    ) -> None:
        """name: for screen readers. is_chosen_by_click: one click chooses a row, not two."""
        super().__init__(parent)
        self._style, self._rows = style, model
        self._hint = ""
        painted_by = delegate(style, self)
        self.row_focus = painted_by.focus
        self.setItemDelegate(painted_by)
        self.setUniformItemSizes(True)
        set_up_view(self, style, name)
        self.setModel(model)
        (self.clicked if is_chosen_by_click else self.doubleClicked).connect(self._choose)

    @property
    def row(self) -> Row | None:
        """The current row, if there is one."""
        index = self.currentIndex()
        row: Row | None = index.data(RowRole.ROW) if index.isValid() else None
        return row

    def can_choose(self, row: Row) -> bool:
        """Return whether a row can be chosen, as all can where a subclass does not say otherwise."""
        return True

    def select(self, number: int) -> None:
        """Make a row the current one and bring it into sight; without effect beyond the last."""
        if number < len(self._rows.rows):
            self.setCurrentIndex(self._rows.index(number))

    def choose(self) -> None:
        """Choose the current row, if there is one that can be chosen."""
        self._choose(self.currentIndex())

    def set_field(self, field: SearchField, *, is_chosen_from: bool = False) -> None:
        """Join the list to a field above it: Down leads here, Up in the first row leads back, and letters do.

        is_chosen_from: Return in the field chooses the current row, and Down goes on from there.
        """
        field.wentDown.connect(self._go_on if is_chosen_from else self.take_focus)
        if is_chosen_from:
            field.entered.connect(self.choose)
        self.left.connect(field.take_focus)
        self.row_focus.take_letter = field.take_letter

    def take_focus(self) -> None:
        """Come here by the keyboard, to the row one was on or to the first; without effect where there is none."""
        if self._rows.rows:
            if not self.currentIndex().isValid():
                self.select(0)
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _go_on(self) -> None:
        row = self.currentIndex().row()
        self.take_focus()
        self.select(row + 1)

    def show_hint(self, hint: str) -> None:
        """Say something below the last row, "" for nothing."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._hint:
            return
        count = len(self._rows.rows)
        top = self.visualRect(self._rows.index(count - 1)).bottom() + 1 if count else 0
        text_style, width = self._style.text_style(TextRole.UI), self.viewport().width() - 2 * _HINT_SIDE
        painter = smooth(QPainter(self.viewport()))
        for number, line in enumerate(wrapped(text_style, self._hint, width)):
            rect = QRectF(_HINT_SIDE, top + _HINT_ABOVE + number * text_style.line, width, text_style.line)
            draw_text(painter, text_style, rect, line, self._style.theme.text2)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, at = menu_target(self, event)
        if index.isValid():
            self.menuAsked.emit(index.data(RowRole.ROW), at)

    def _choose(self, index: QModelIndex) -> None:
        row: Row | None = index.data(RowRole.ROW) if index.isValid() else None
        if row is not None and self.can_choose(row):
            self.chosen.emit(row)
