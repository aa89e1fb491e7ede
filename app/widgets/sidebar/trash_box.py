"""What was deleted, in a window of its own: to be brought back, or to go for ever."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.viewmodels.library import trash_list
from app.viewmodels.library.line_model import LineRow
from app.viewmodels.library.trash_list import TrashList
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import ask_to_delete, close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.refused import refuse
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.sidebar.line_list import LineList

_EDGE, _GROUP, _APART = 20, 16, 8
_SIZE = QSize(560, 440)


class TrashBox(QDialog):
    """Reads the trash when it is opened. Attributes: list, restore_button, empty_button, close_button."""

    def __init__(self, style: Style, trash: TrashList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._trash = trash
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Trash")
        self.list = LineList(style, trash.rows, "Trash", self, is_chosen_by_click=False)
        self.empty_button = Button(style, "Empty Trash…", parent=self)
        self.close_button = Button(style, "Close", parent=self)
        self.restore_button = Button(style, "Restore", is_default=True, parent=self)
        self._ring = FocusRing(style, self)
        self._stack()
        self.restore_button.clicked.connect(self.list.choose)
        self.empty_button.clicked.connect(self.ask_to_empty)
        self.close_button.clicked.connect(self.accept)
        self.list.chosen.connect(self._restore)
        self.list.selectionModel().currentChanged.connect(self._refresh)
        trash.changed.connect(self._on_read)
        close_on_command(self)
        self.resize(_SIZE)
        self._refresh()
        trash.read()

    def ask_to_empty(self) -> None:
        """Say that this cannot be taken back, and do it only when the person says so."""
        trash = self._trash
        ask_to_delete(trash_list.EMPTY_TITLE, trash.empty_sentence, "Empty Trash", trash.empty, self)

    def _stack(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, _EDGE, 0, 0)
        column.setSpacing(0)
        hint = QHBoxLayout()
        hint.setContentsMargins(_EDGE, 0, _EDGE, _APART)
        hint.addWidget(TextLabel(self._style, trash_list.EMPTY_HINT, TextRole.SMALL, True, self))
        column.addLayout(hint)
        column.addWidget(self.list, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(_EDGE, _GROUP, _EDGE, _GROUP)
        foot.setSpacing(_APART)
        foot.addWidget(self.empty_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.restore_button)
        column.addLayout(foot)

    def _on_read(self) -> None:
        """Make the first row of a new list the current one, so that Restore means something."""
        if self._trash.rows.rows and not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self._trash.rows.index(0))
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh()

    def _refresh(self) -> None:
        self.restore_button.setEnabled(self.list.row is not None)
        self.empty_button.setEnabled(bool(self._trash.rows.rows))
        for button in (self.restore_button, self.empty_button):
            refuse(button, self._trash.refusal)
        self.list.show_hint("" if self._trash.rows.rows else trash_list.EMPTY)
        if not self._trash.rows.rows:
            self.close_button.setFocus()

    def _restore(self, row: LineRow) -> None:
        self._trash.restore(row.id)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._style.theme.panel)
        painter.fillRect(0, self.list.geometry().bottom() + 1, self.width(), 1, self._style.theme.line)
        painter.end()


def show_trash(style: Style, trash: TrashList, parent: QWidget) -> TrashBox:
    """Show the trash; the window goes when it is closed."""
    box = TrashBox(style, trash, parent)
    box.open()
    return box
