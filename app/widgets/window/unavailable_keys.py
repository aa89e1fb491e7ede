"""Keys of commands that would do nothing now: they say why, and do nothing else either."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from app.viewmodels.app import App
from app.viewmodels.unavailable import why_unavailable
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.window.menus import Menus

_TOLD_ELSEWHERE = {"send"}  # by the foot of the message field


class UnavailableKeys:
    """Looks at keys that no command took. A key that edits the text of the field with the focus is left to it."""

    def __init__(self, app: App, menus: Menus) -> None:
        self._app, self._menus = app, menus

    def take(self, event: QKeyEvent) -> bool:
        """Say why the command of these keys does nothing now. False where there is none, or the key is for others."""
        keys = QKeySequence(event.keyCombination())
        if event.key() == Qt.Key.Key_Escape or self._is_for_field(event):
            return False
        named = (one for one, entry in self._menus.actions.items() if keys in entry.shortcuts())
        action_id = next(named, "")
        why = why_unavailable(action_id, self._app.state.now) if action_id else ""
        if not why or (action_id in _TOLD_ELSEWHERE and isinstance(QApplication.focusWidget(), ComposerEdit)):
            return False
        if not event.isAutoRepeat():
            self._app.notices.refuse(why)
        return True

    def tell(self, action_id: str) -> None:
        """Say why a command does nothing now that was asked for by a key of a pane's own."""
        why = why_unavailable(action_id, self._app.state.now)
        if why:
            self._app.notices.refuse(why)

    def _is_for_field(self, event: QKeyEvent) -> bool:
        field = QApplication.focusWidget()
        if field is None:
            return False
        claim = QKeyEvent(QEvent.Type.ShortcutOverride, event.key(), event.modifiers(), event.text())
        claim.ignore()
        QApplication.sendEvent(field, claim)
        return claim.isAccepted()
