"""How conversations are left: words that were not sent, where the chat is scrolled to, which window each is open in."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.records import ViewState
from app.protocol.reports import Problem
from app.viewmodels.chat.chat_settings import AllSettings
from app.viewmodels.chat.drafts import Draft, Drafts
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.stored_conversations import OpenWindow, StoredConversations

SAVE_EVERY_MS = 1000


class ViewStates(QObject):
    """Keeps what is stored of each conversation's view at most a second behind what is shown.

    Everything that has changed is stored together: whenever the program ends, the windows come back as they stood at
    one moment. A window that its person closes does not; what stands in its blank conversation does.

    Signal: changed(str), this conversation is left in another way: also its draft is another one.
    """

    changed = Signal(str)

    def __init__(
        self,
        store: StoreLink,
        stored: StoredConversations,
        drafts: Drafts,
        settings: AllSettings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._stored, self._drafts, self._settings = store, stored, drafts, settings
        self._anchors: dict[str, tuple[str, float]] = {}
        self._is_closed = False
        self._shown: dict[int, str] = {}  # in each window, when that was stored last
        self._dirty: dict[str, None] = {}
        self._timer = QTimer(self, singleShot=True, interval=SAVE_EVERY_MS)
        self._timer.timeout.connect(self.save)
        drafts.changed = settings.changed = self.change
        stored.left.connect(self._leave)

    def restore(self, states: tuple[ViewState, ...], numbers: Mapping[int, int]) -> None:
        """Take over how everything was left. numbers: of the windows that come back, by those that they had."""
        for state in states:
            conversation_id = state.conversation_id
            if state.is_blank:
                number = None if state.window is None else numbers.get(state.window)
                conversation_id = self._stored.take_over_blank(conversation_id, number)
            self._drafts.restore(
                conversation_id,
                Draft(
                    *(state.draft, state.editing, state.aside),
                    attachments=state.attachments,
                    attachments_aside=state.attachments_aside,
                    is_after=state.is_after,
                ),
            )
            self._settings.restore(conversation_id, state.settings)
            if state.anchor is not None:
                self._anchors[conversation_id] = state.anchor, state.offset
            if state.window is not None:
                self.change(state.conversation_id)
                self.change(conversation_id)

    def anchor(self, conversation_id: str) -> tuple[str, float] | None:
        """Return the message at the top when a conversation was left and its points above; None at the end."""
        return self._anchors.get(conversation_id)

    def scroll(self, conversation_id: str, anchor: tuple[str, float] | None) -> None:
        """Remember where a conversation is scrolled to, None at its end."""
        if anchor != self._anchors.get(conversation_id):
            if anchor is None:
                del self._anchors[conversation_id]
            else:
                self._anchors[conversation_id] = anchor
            self.change(conversation_id)

    def change(self, conversation_id: str) -> None:
        """Have a conversation's view stored within a second: also where another window shows it, or none."""
        self._dirty[conversation_id] = None
        self.changed.emit(conversation_id)
        if not self._is_closed and not self._timer.isActive():
            self._timer.start()

    def save(self) -> None:
        """Store what has changed. Without a word about a disk that refuses: the next change is another try, and the
        end of the program.
        """
        self._timer.stop()
        if self._is_closed:
            return
        shown, before = dict(self._stored.shown), self._shown
        dirty = self._dirty | {one: None for number, one in shown.items() if one != before.get(number)}
        if not dirty:
            return
        self._dirty, self._shown = {}, shown
        states = tuple(map(self._state, dirty))

        def keep(_problem: Problem) -> None:
            self._dirty |= dirty

        self._store.do(lambda store: store.view_states.save(*states), None, keep)

    @property
    def unsaved(self) -> tuple[ViewState, ...]:
        """The conversations whose words in the composer the database has not taken, as they stand."""
        states = (self._state(conversation_id) for conversation_id in self._dirty)
        return tuple(state for state in states if state.draft or state.aside or state.attachments or state.settings)

    def close(self) -> None:
        """Store what has changed; later changes are not."""
        self.save()
        self._is_closed = True

    def _leave(self, window: OpenWindow, blank: str) -> None:
        """Store that a window shows nothing any more; its blank conversation is kept where words stand in it."""
        for conversation_id in window.open_ids | {blank}:
            self.change(conversation_id)
        if not self._state(blank).is_empty:
            self._stored.keep_blank(blank)

    def _state(self, conversation_id: str) -> ViewState:
        draft, stored = self._drafts.of(conversation_id), self._stored
        number = next((number for number, one in stored.shown.items() if one == conversation_id), None)
        anchor, offset = self._anchors.get(conversation_id) or (None, 0.0)
        return ViewState(
            conversation_id,
            *(draft.text, draft.editing, draft.aside),
            *(anchor, offset),
            number is not None,
            draft.attachments,
            draft.attachments_aside,
            settings=self._settings.of(conversation_id).written(),
            is_after=draft.is_after,
            window=stored.owner_of(conversation_id) if number is None else number,
            is_blank=stored.library.is_unstored(conversation_id),
        )
