"""How each conversation was left: what stood in its composer, and what of it was in sight."""

from __future__ import annotations

from app.conversation.database import Database
from app.conversation.records import ViewState

_VIEW_STATES = """SELECT conversation.id, draft, editing, aside, anchor, offset, is_open
    FROM view_state LEFT JOIN conversation ON conversation.number = view_state.conversation
    WHERE conversation.trash IS NULL ORDER BY view_state.number"""
_SAVE_VIEW_STATE = """INSERT INTO view_state (conversation, draft, editing, aside, anchor, offset, is_open)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
# Words that are sent are a draft no longer, of their conversation or of the blank one that became it.
_DRAFT_SENT = """UPDATE view_state SET draft = aside, editing = NULL, aside = ''
    WHERE draft = ? AND (conversation = ? OR conversation IS NULL)"""
# Where a conversation begins, it is the blank one no longer that was open.
_BLANK_NO_MORE = """UPDATE view_state SET conversation = ?1 WHERE conversation IS NULL AND is_open = 1 AND draft = ''
    AND NOT EXISTS (SELECT 1 FROM view_state WHERE conversation = ?1)"""


class ViewStateStore:
    """View states of the conversations that can be seen, and of the blank one."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[ViewState, ...]:
        """Return how the conversations that can be seen were left, and the blank one."""
        return tuple(
            ViewState(conversation_id, draft, editing, aside, anchor, offset, bool(is_open))
            for conversation_id, draft, editing, aside, anchor, offset, is_open in self._db.rows(_VIEW_STATES)
        )

    def save(self, state: ViewState) -> None:
        """Remember how a conversation was left; where it was open, no other was. LookupError for one that is gone."""
        with self._db.writing():
            conversation = (
                None if state.conversation_id is None else self._db.conversation_number(state.conversation_id)
            )
            if state.is_open:
                self._db.execute("UPDATE view_state SET is_open = 0 WHERE is_open = 1")
            self._db.execute("DELETE FROM view_state WHERE conversation IS ?", conversation)
            if state != ViewState(state.conversation_id):
                values = (conversation, state.draft, state.editing, state.aside, state.anchor, state.offset)
                self._db.execute(_SAVE_VIEW_STATE, *values, state.is_open)

    def follow(self, conversation: int, question: str, is_first: bool) -> None:
        """Let a draft that was sent be one no longer, inside a transaction. is_first: it begins its conversation."""
        self._db.execute(_DRAFT_SENT, question, conversation)
        if is_first:
            self._db.execute(_BLANK_NO_MORE, conversation)
