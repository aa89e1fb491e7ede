"""How each conversation was left: what stood in its composer, what of it was in sight, and in which window."""

from __future__ import annotations

from contextlib import suppress

from app.conversation.attachment_rows import AttachmentRows
from app.conversation.database import Database
from app.conversation.records import ViewState

_VIEW_STATES = """SELECT view_state.number, ifnull(conversation.id, blank), conversation.id IS NULL, draft, editing,
    aside, anchor, offset, is_open AND conversation.trash IS NULL, settings, is_after,
    CASE WHEN conversation.trash IS NULL THEN window END FROM view_state
    LEFT JOIN conversation ON conversation.number = view_state.conversation ORDER BY view_state.number"""
_SAVE_VIEW_STATE = """INSERT INTO view_state (conversation, blank, draft, editing, aside, anchor, offset, is_open,
    settings, is_after, window) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_CHANGE_VIEW_STATE = """UPDATE view_state SET draft = ?, editing = ?, aside = ?, anchor = ?, offset = ?, is_open = ?,
    settings = ?, is_after = ?, window = ? WHERE number = ?"""
_OPEN_NO_MORE = """UPDATE view_state SET is_open = 0, window = CASE WHEN conversation IS NULL THEN window END
    WHERE is_open = 1 AND window = ?"""
# Words that are sent are a draft no longer.
_SENT = "SELECT number FROM view_state WHERE draft = ? AND conversation = ?"
_DRAFT_SENT = "UPDATE view_state SET draft = aside, editing = NULL, is_after = 0, aside = '' WHERE number = ?"
# Where a conversation begins, it is a blank one no longer.
_BLANK_NO_MORE = """UPDATE view_state SET conversation = ?1, blank = NULL, window = CASE is_open WHEN 1 THEN window END
    WHERE blank = (SELECT id FROM conversation WHERE number = ?1)"""


class ViewStateStore:
    """View states of conversations, also of those in the trash, and of blank ones.

    Properties: a window shows one conversation, and a conversation is shown in one window, at most. No window shows one
    that lies in the trash.
    """

    def __init__(self, database: Database, attachments: AttachmentRows) -> None:
        self._db = database
        self._attachments = attachments

    def all(self) -> tuple[ViewState, ...]:
        """Return how conversations were left, those in the trash and blank ones too, those saved first first."""
        return tuple(
            ViewState(
                *(conversation_id, draft, editing, aside, anchor, offset, bool(is_open)),
                *self._attachments.of_draft(number),
                settings=settings,
                is_after=bool(is_after),
                window=window,
                is_blank=bool(is_blank),
            )
            for number, conversation_id, is_blank, draft, editing, aside, *view in self._db.rows(_VIEW_STATES)
            for anchor, offset, is_open, settings, is_after, window in (view,)
        )

    def save(self, *states: ViewState) -> None:
        """Remember how conversations were left, all or none of them.

        A window that shows one of these shows no other. Those that are not there any more are forgotten.
        """
        with self._db.writing():
            for state in states:
                self._save(state)

    def follow(self, conversation: int, question: str, is_first: bool) -> None:
        """Let a draft that was sent be one no longer, inside a transaction. is_first: it begins its conversation."""
        if is_first:
            self._db.execute(_BLANK_NO_MORE, conversation)
        for (number,) in self._db.execute(_SENT, question, conversation).fetchall():
            self._db.execute(_DRAFT_SENT, number)
            self._attachments.bring_back_aside(number)

    def _save(self, state: ViewState) -> None:
        conversation: int | None = None
        with suppress(LookupError):  # blank, or gone for ever
            conversation = self._db.conversation_number(state.conversation_id)
        blank = state.conversation_id if conversation is None else None
        is_there = conversation is not None or state.is_blank
        if is_there and state.is_open:
            self._db.execute(_OPEN_NO_MORE, state.window)
        if is_there and not state.is_empty:
            row = self._put(conversation, blank, state)
            self._attachments.put_draft(row, state.attachments, state.attachments_aside)
        else:
            self._db.execute("DELETE FROM view_state WHERE conversation = ? OR blank = ?", conversation, blank)

    def _put(self, conversation: int | None, blank: str | None, state: ViewState) -> int:
        """Write the row of a view state; returns its number."""
        window = state.window if state.is_open or conversation is None else None
        words = (state.draft, state.editing, state.aside)
        values = (*words, state.anchor, state.offset, state.is_open, state.settings, state.is_after, window)
        query = "SELECT number FROM view_state WHERE conversation = ? OR blank = ?"
        for (number,) in self._db.execute(query, conversation, blank):
            self._db.execute(_CHANGE_VIEW_STATE, *values, number)
            return int(number)
        return int(self._db.execute(_SAVE_VIEW_STATE, conversation, blank, *values).lastrowid or 0)
