"""Which messages commands are about: told to the app whenever the keyboard, or what is in sight, moves."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.chat.looked_at import LookedAt
from app.widgets.window.chat_pane import ChatPane


class LookedAtMessages(QObject):
    """Finds them for commands, and has what can be chosen be judged by the same ones.

    A move is told of in the next turn of the event loop; `tell` does it at once.
    """

    def __init__(self, chat: ChatPane, region: ChatRegion, parent: QObject) -> None:
        super().__init__(parent)
        self._chat, self._region = chat, region
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.tell)
        model, bar = region.chat_model, chat.view.verticalScrollBar()
        for change in (model.rowsInserted, model.rowsRemoved, model.modelReset, model.dataChanged):
            change.connect(self._note)
        for move in (bar.valueChanged, bar.rangeChanged, chat.view.currentMessageChanged):
            move.connect(self._note)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._note)

    @property
    def fork(self) -> str | None:
        """The message with versions that the keyboard is on; None lets the last one be taken."""
        view = self._chat.messages
        row = view.current_row() if view.keyboard_row >= 0 else None
        return row.id if row is not None and row.versions > 1 else None

    @property
    def answer(self) -> str | None:
        """The answer that is looked at; None where there is none."""
        return self._chat.messages.answer_to_edit

    def tell(self) -> None:
        """Tell the app of them now."""
        self._timer.stop()
        self._region.look_at(LookedAt(self.fork, self.answer))

    def _note(self) -> None:
        if not self._timer.isActive():
            self._timer.start()
