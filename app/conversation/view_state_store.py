"""How each conversation was left: what stood in its composer, and what of it was in sight."""

from __future__ import annotations

from app.conversation.attachment_rows import AttachmentRows
from app.conversation.database import Database
from app.conversation.records import ViewState

_VIEW_STATES = """SELECT view_state.number, conversation.id, draft, editing, aside, anchor, offset, is_open, settings,
    is_after FROM view_state LEFT JOIN conversation ON conversation.number = view_state.conversation
    WHERE conversation.trash IS NULL ORDER BY view_state.number"""
_SAVE_VIEW_STATE = """INSERT INTO view_state (conversation, draft, editing, aside, anchor, offset, is_open, settings,
    is_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_CHANGE_VIEW_STATE = """UPDATE view_state SET draft = ?, editing = ?, aside = ?, anchor = ?, offset = ?, is_open = ?,
    settings = ?, is_after = ? WHERE number = ?"""
# Words that are sent are a draft no longer, of their conversation or of the blank one that became it.
_SENT = "SELECT number FROM view_state WHERE draft = ? AND (conversation = ? OR conversation IS NULL)"
_DRAFT_SENT = "UPDATE view_state SET draft = aside, editing = NULL, is_after = 0, aside = '' WHERE number = ?"
# Where a conversation begins, it is the blank one no longer that was open.
_BLANK_NO_MORE = """UPDATE view_state SET conversation = ?1 WHERE conversation IS NULL AND is_open = 1 AND draft = ''
    AND NOT EXISTS (SELECT 1 FROM view_state WHERE conversation = ?1)"""


class ViewStateStore:
    """View states of the conversations that can be seen, and of the blank one."""

    def __init__(self, database: Database, attachments: AttachmentRows) -> None:
        self._db = database
        self._attachments = attachments

    def all(self) -> tuple[ViewState, ...]:
        """Return how the conversations that can be seen were left, and the blank one."""
        return tuple(
            ViewState(
                *(conversation_id, draft, editing, aside, anchor, offset, bool(is_open)),
                *self._attachments.of_draft(number),
                settings=settings,
                is_after=bool(is_after),
            )
            for number, conversation_id, draft, editing, aside, *view in self._db.rows(_VIEW_STATES)
            for anchor, offset, is_open, settings, is_after in (view,)
        )

    def save(self, state: ViewState) -> None:
        """Remember how a conversation was left; where it was open, no other was. LookupError for one that is gone."""
        with self._db.writing():
            conversation = (
                None if state.conversation_id is None else self._db.conversation_number(state.conversation_id)
            )
            if state.is_open:
                self._db.execute("UPDATE view_state SET is_open = 0 WHERE is_open = 1")
            if state == ViewState(state.conversation_id):
                self._db.execute("DELETE FROM view_state WHERE conversation IS ?", conversation)
            else:
                self._attachments.put_draft(self._put(conversation, state), state.attachments, state.attachments_aside)

    def follow(self, conversation: int, question: str, is_first: bool) -> None:
        """Let a draft that was sent be one no longer, inside a transaction. is_first: it begins its conversation."""
        for (number,) in self._db.execute(_SENT, question, conversation).fetchall():
            self._db.execute(_DRAFT_SENT, number)
            self._attachments.bring_back_aside(number)
        if is_first:
            self._db.execute(_BLANK_NO_MORE, conversation)

    def _put(self, conversation: int | None, state: ViewState) -> int:
        """Write the row of a view state; returns its number."""
        words = (state.draft, state.editing, state.aside)
        values = (*words, state.anchor, state.offset, state.is_open, state.settings, state.is_after)
        query = "SELECT number FROM view_state WHERE conversation IS ? ORDER BY number DESC LIMIT 1"
        for (number,) in self._db.execute(query, conversation):
            self._db.execute(_CHANGE_VIEW_STATE, *values, number)
            return int(number)
        return int(self._db.execute(_SAVE_VIEW_STATE, conversation, *values).lastrowid or 0)
