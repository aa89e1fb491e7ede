"""The Edit menu: in the text field that has the focus, and in no other; Undo without one is about the conversations.

A text field ends at its own undo: while one has the focus, no key that edits text reaches the menus. Only where nothing
is left to take back in the composer, and the banner offers to undo what was done to conversations, Undo does that.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMetaObject, QObject, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library_state import LibraryState
from app.widgets.chat.composer_edit import ComposerEdit

Field = QTextEdit | QPlainTextEdit | QLineEdit
Act = Callable[[str], None]
_Key = QKeySequence.StandardKey
_EDITS = (_Key.Undo, _Key.Redo, _Key.Cut, _Key.Copy, _Key.Paste, _Key.SelectAll)
_DELETES = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)


class TextCommands(QObject):
    """Cut, copy, paste, select all, undo and redo.

    Undo takes back what was typed in the field that has the focus, and nothing when the field has nothing to take back.
    Without a field it takes back what was done to conversations, and then the menu says what that is.
    """

    def __init__(
        self,
        composer: QTextEdit,
        state: LiveState[LibraryState],
        notices: Notices,
        undo: QAction,
        redo: QAction,
        act: Act,
    ) -> None:
        """act: carries out "undo" and "redo" among the conversations."""
        super().__init__(composer)
        self._composer = composer
        self._state = state
        self._notices = notices
        self._actions = {"undo": undo, "redo": redo}
        self._act = act
        self._watched: Field | None = None
        self._heard: list[QMetaObject.Connection] = []  # of which a field that is gone has taken its own away
        state.changed.connect(self.renew)
        notices.changed.connect(self.renew)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)
        self._follow(None, QApplication.focusWidget())

    def cut(self) -> None:
        """Cut the selected text."""
        field = self._focused
        if field is None:
            self._notices.refuse("Nothing was cut: select text in a field first.")
        else:
            field.cut()

    def copy(self) -> bool:
        """Copy what is selected in the field that has the focus; False where nothing is."""
        field = self._focused
        if field is None or not _has_selection(field):
            return False
        field.copy()
        return True

    def paste(self) -> None:
        """Paste in the field that has the focus; without one in the composer, which takes it, if that is in sight."""
        field = self._focused
        if field is None and self._composer.isVisible():
            self._composer.setFocus(Qt.FocusReason.ShortcutFocusReason)
            field = self._composer
        if field is None:
            self._notices.refuse("Nothing was pasted: go to a field for text first.")
        else:
            field.paste()

    def select_all(self) -> None:
        """Select all that is written in the field that has the focus."""
        field = self._focused
        if field is None:
            self._notices.refuse("Nothing was selected: go to a message or a field for text first.")
        else:
            field.selectAll()

    def undo(self) -> None:
        """Take back the last change to the text, or without a text field the last one to the conversations."""
        field = self._undo_field
        if field is None:
            self._act("undo")
        else:
            field.undo()

    def redo(self) -> None:
        """Do again what was taken back last."""
        field = self._focused
        if field is None:
            self._act("redo")
        else:
            field.redo()

    def renew(self) -> None:
        """Say in the menu what the two would do now."""
        undone, field, now = self._undo_field, self._focused, self._state.now
        self._show("undo", "Undo", None if undone is None else _can_undo(undone), now.undo)
        self._show("redo", "Redo", None if field is None else _can_redo(field), now.redo)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim the keys that edit text for the field that has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _edits_text(event):
            event.setAccepted(not (event.matches(_Key.Undo) and self._undo_field is None))
            return True
        return False

    def _show(self, verb_id: str, title: str, can_in_text: bool | None, words: str) -> None:
        """can_in_text: whether the text field that has the focus could do it; None without a field."""
        action = self._actions[verb_id]
        action.setText(f"{title} {words}" if can_in_text is None and words else title)
        action.setEnabled(bool(words) if can_in_text is None else can_in_text)

    def _follow(self, old: QObject | None, now: QObject | None) -> None:
        """Listen to the text field that has the focus, and to no other. One that was deleted is heard no more."""
        if isinstance(old, Field) and old is self._watched:
            old.removeEventFilter(self)
        for connection in self._heard:
            QObject.disconnect(connection)
        self._heard = []
        self._watched = now if isinstance(now, Field) else None
        if self._watched is not None:
            self._watched.installEventFilter(self)
            self._heard = [signal.connect(self.renew) for signal in _signals(self._watched)]
        self.renew()

    @property
    def _focused(self) -> Field | None:
        focused = QApplication.focusWidget()
        return focused if isinstance(focused, Field) else None

    @property
    def _undo_field(self) -> Field | None:
        """The field that Undo is about, if it is about text."""
        field = self._focused
        has_none = isinstance(field, ComposerEdit) and not field.can_undo and self._notices.offers_undo
        return None if has_none else field


def _signals(field: Field) -> tuple[SignalInstance, ...]:
    """Return the signals of a field that may have more or less to take back."""
    return (field.textChanged,) if isinstance(field, QLineEdit) else (field.undoAvailable, field.redoAvailable)


def _has_selection(field: Field) -> bool:
    return field.hasSelectedText() if isinstance(field, QLineEdit) else field.textCursor().hasSelection()


def _edits_text(event: QKeyEvent) -> bool:
    return event.key() in _DELETES or any(event.matches(key) for key in _EDITS)


def _can_undo(field: Field) -> bool:
    if isinstance(field, ComposerEdit):
        return field.can_undo
    return field.isUndoAvailable() if isinstance(field, QLineEdit) else field.document().isUndoAvailable()


def _can_redo(field: Field) -> bool:
    return field.isRedoAvailable() if isinstance(field, QLineEdit) else field.document().isRedoAvailable()
