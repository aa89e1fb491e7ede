"""The list of models that can be had: rows of two lines, with how each stands with this machine at the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem, QWidget

from app.viewmodels.hub.hub_rows import HubRow, HubRows
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.widgets.kit.drawing import draw_text, smooth, wrapped
from app.widgets.kit.item_views import RowDelegate, set_up_view
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INNER, _ABOVE, _APART, _HINT = 12, 4, 12, 20
_RIGHT = Qt.AlignmentFlag.AlignRight


class HubDelegate(RowDelegate):
    """Paints the name with its author, and below them what the model is."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row + 2 * _ABOVE)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: HubRow = index.data(RowRole.ROW)
        theme = self._style.theme
        rect.adjust(_INNER, _ABOVE + 3, -_INNER, -_ABOVE - 3)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        faint = theme.text2 if is_selected else theme.text3
        first = QRectF(rect.left(), rect.top(), rect.width(), rect.height() / 2)
        mark_color = theme.warn if row.is_warning else theme.accent if row.is_here else faint
        mark = draw_text(painter, self._style.text_style(TextRole.CAP), first, row.mark, mark_color, _RIGHT)
        title = first.adjusted(0, 0, -mark - _APART if mark else 0, 0)
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        taken = draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), title, row.title, color)
        room = title.adjusted(taken + _APART, 0, 0, 0)
        if room.width() > 2 * _APART:
            draw_text(painter, self._style.text_style(TextRole.CAP), room, row.author, faint)
        second = first.translated(0, first.height())
        draw_text(painter, self._style.text_style(TextRole.SMALL), second, row.line, theme.text2)


class HubView(QListView):
    """Return or a click chooses a row. Signals: chosen(HubRow); left, Up was pressed in the first row."""

    chosen = Signal(object)
    left = Signal()

    def __init__(self, style: Style, rows: HubRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._rows = style, rows
        self._hint = ""
        self.setItemDelegate(HubDelegate(style, self))
        self.setUniformItemSizes(True)
        set_up_view(self, style, "Models to download")
        self.setModel(rows)
        self.clicked.connect(self._choose)

    def take_focus(self) -> None:
        """Come here by the keyboard, to the row one was on or to the first."""
        if self._rows.rows:
            if not self.currentIndex().isValid():
                self.setCurrentIndex(self._rows.index(0))
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_hint(self, hint: str) -> None:
        """Say something in place of rows, "" for nothing."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._hint:
            return
        text_style, width = self._style.text_style(TextRole.UI), self.viewport().width() - 2 * _HINT
        painter = smooth(QPainter(self.viewport()))
        for number, line in enumerate(wrapped(text_style, self._hint, width)):
            rect = QRectF(_HINT, _INNER + number * text_style.line, width, text_style.line)
            draw_text(painter, text_style, rect, line, self._style.theme.text2)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(RowRole.ROW))
