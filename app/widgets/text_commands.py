"""The Edit menu: in the text field that has the focus, and for Undo in the conversations where the text has none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit, QTextEdit

from app.viewmodels.status import Status

Field = QTextEdit | QLineEdit
Act = Callable[[str], None]


class TextCommands(QObject):
    """Cut, copy, paste, select all, undo and redo.

    Undo takes back what was typed while the field that has the focus knows something to take back; else what was done
    to conversations, and then the menu says what that is.
    """

    def __init__(self, composer: QTextEdit, status: Status, undo: QAction, redo: QAction, act: Act) -> None:
        """act: carries out "undo" and "redo" among the conversations."""
        super().__init__(composer)
        self._composer = composer
        self._status = status
        self._actions = {"undo": undo, "redo": redo}
        self._act = act
        composer.undoAvailable.connect(self.renew)
        composer.redoAvailable.connect(self.renew)
        status.changed.connect(self.renew)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)
        self.renew()

    def cut(self) -> None:
        """Cut the selected text."""
        self._field.cut()

    def copy(self) -> None:
        """Copy the selected text."""
        self._field.copy()

    def paste(self) -> None:
        """Paste where one writes."""
        self._field.paste()

    def select_all(self) -> None:
        """Select all that is written there."""
        self._field.selectAll()

    def undo(self) -> None:
        """Take back the last change to the text, else the last one to the conversations."""
        field = self._focused
        if field is not None and _can_undo(field):
            field.undo()
        else:
            self._act("undo")

    def redo(self) -> None:
        """Do it again."""
        field = self._focused
        if field is not None and _can_redo(field):
            field.redo()
        else:
            self._act("redo")

    def renew(self) -> None:
        """Say in the menu what the two would do now."""
        field, now = self._focused, self._status.now
        self._show("undo", "Undo", field is not None and _can_undo(field), now.undo)
        self._show("redo", "Redo", field is not None and _can_redo(field), now.redo)

    def _show(self, verb_id: str, title: str, is_text: bool, words: str) -> None:
        action = self._actions[verb_id]
        action.setText(title if is_text or not words else f"{title} {words}")
        action.setEnabled(is_text or bool(words))

    def _follow(self, old: QObject | None, now: QObject | None) -> None:
        if isinstance(now, QLineEdit):
            now.textChanged.connect(self.renew)
        if isinstance(old, QLineEdit):
            old.textChanged.disconnect(self.renew)
        self.renew()

    @property
    def _focused(self) -> Field | None:
        focused = QApplication.focusWidget()
        return focused if isinstance(focused, QTextEdit | QLineEdit) else None

    @property
    def _field(self) -> Field:
        return self._focused or self._composer


def _can_undo(field: Field) -> bool:
    return field.document().isUndoAvailable() if isinstance(field, QTextEdit) else field.isUndoAvailable()


def _can_redo(field: Field) -> bool:
    return field.document().isRedoAvailable() if isinstance(field, QTextEdit) else field.isRedoAvailable()
