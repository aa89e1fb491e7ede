"""How conversations are left: words that were not sent, where the chat is scrolled to, which one is open."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.records import ViewState
from app.conversation.store import Store
from app.protocol.reports import Problem
from app.viewmodels.chat.chat_settings import AllSettings
from app.viewmodels.chat.drafts import Draft, Drafts
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library

SAVE_EVERY_MS = 1000


class ViewStates(QObject):
    """Keeps what is stored of each conversation's view at most a second behind what is shown.

    The blank conversation is stored without an id until something is said in it.

    Signal: changed(), a conversation is left in another way: also its draft is another one.
    """

    changed = Signal()

    def __init__(
        self, store: StoreLink, library: Library, drafts: Drafts, settings: AllSettings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store, self._library, self._drafts, self._settings = store, library, drafts, settings
        self._anchors: dict[str, tuple[str, float]] = {}
        self._open_id = ""
        self._is_closed = False
        self._dirty: dict[str | None, None] = {}  # None: what was stored without an id is stored under one now
        self._blank = ""  # the conversation that was last stored without an id
        self._timer = QTimer(self, singleShot=True, interval=SAVE_EVERY_MS)
        self._timer.timeout.connect(self.save)
        drafts.changed = settings.changed = self.change
        library.changed.connect(self._follow_blank)

    def restore(self, states: tuple[ViewState, ...], blank_id: str) -> str | None:
        """Take over how everything was left. Returns the conversation that was open, the blank one too, or None."""
        open_id = None
        for state in states:
            conversation_id = state.conversation_id or blank_id
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
            if state.conversation_id is None:
                self._blank = blank_id
            if state.is_open:
                open_id = conversation_id
        return open_id

    def anchor(self, conversation_id: str) -> tuple[str, float] | None:
        """Return the message at the top when a conversation was left and its points above; None at the end."""
        return self._anchors.get(conversation_id)

    def show(self, conversation_id: str) -> None:
        """Remember which conversation is open."""
        if conversation_id != self._open_id:
            self._open_id = conversation_id
            self.change(conversation_id)

    def scroll(self, conversation_id: str, anchor: tuple[str, float] | None) -> None:
        """Remember where a conversation is scrolled to, None at its end."""
        if anchor != self._anchors.get(conversation_id):
            if anchor is None:
                del self._anchors[conversation_id]
            else:
                self._anchors[conversation_id] = anchor
            self.change(conversation_id)

    def change(self, conversation_id: str) -> None:
        """Have a conversation's view stored within a second."""
        self._dirty[conversation_id] = None
        self.changed.emit()
        if not self._is_closed and not self._timer.isActive():
            self._timer.start()

    def _follow_blank(self) -> None:
        """Something was said in the blank conversation: it is stored under its own id from now on."""
        if self._blank and self._library.is_stored(self._blank):
            self.change(self._blank)

    def save(self) -> None:
        """Store what has changed. Without a word about a disk that refuses: the next change is another try, and the
        end of the program.
        """
        self._timer.stop()
        if self._is_closed:
            return
        if self._blank and self._library.is_stored(self._blank):
            self._dirty[None] = self._dirty[self._blank] = None
            self._blank = ""
        dirty, self._dirty = self._dirty, {}
        if None in dirty:
            del dirty[None]
            if not self._blank:
                self._submit(None, ViewState(None))
        for conversation_id in dirty:
            if conversation_id is not None:
                self._submit(conversation_id, self._state(conversation_id))

    @property
    def unsaved(self) -> tuple[ViewState, ...]:
        """The conversations whose words in the composer the database has not taken, as they stand."""
        states = (self._state(conversation_id) for conversation_id in self._dirty if conversation_id is not None)
        return tuple(state for state in states if state.draft or state.aside or state.attachments or state.settings)

    def close(self) -> None:
        """Store what has changed; later changes are not."""
        self.save()
        self._is_closed = True

    def _state(self, conversation_id: str) -> ViewState:
        draft = self._drafts.of(conversation_id)
        is_stored = self._library.is_stored(conversation_id)
        if not is_stored:
            self._blank = conversation_id
        anchor, offset = self._anchors.get(conversation_id) or (None, 0.0)
        return ViewState(
            conversation_id if is_stored else None,
            *(draft.text, draft.editing, draft.aside),
            *(anchor, offset),
            conversation_id == self._open_id,
            draft.attachments,
            draft.attachments_aside,
            settings=self._settings.of(conversation_id).written(),
            is_after=draft.is_after,
        )

    def _submit(self, changed: str | None, state: ViewState) -> None:
        def save(store: Store) -> None:
            with suppress(LookupError):  # deleted for ever meanwhile
                store.view_states.save(state)

        def keep(_problem: Problem) -> None:
            self._dirty[changed] = None

        self._store.do(save, None, keep)
