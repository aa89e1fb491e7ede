"""From stored conversations to the rows of the sidebar."""

from __future__ import annotations

from collections.abc import Iterable

from app.conversation.message import Conversation
from app.viewmodels import words
from app.viewmodels.rows import ConversationRow


def blank_title(is_first: bool, is_guide: bool) -> str:
    """What a conversation is called before anything is said in it. is_first: there is no other."""
    return "Welcome to Espalier" if is_first and is_guide else "New conversation"


def conversation_rows(
    conversations: Iterable[Conversation], open_id: str, writing_id: str | None, blank: str, now: float
) -> list[ConversationRow]:
    """Rows in the order given; a blank conversation is shown only while it is open.

    blank: its title. now: seconds since the epoch.
    """
    return [
        ConversationRow(
            id=one.id,
            title=one.title or blank,
            age=words.age(one.updated_at, now),
            section="Today" if words.is_today(one.updated_at, now) else "Earlier",
            is_open=one.id == open_id,
            is_writing=one.id == writing_id,
        )
        for one in conversations
        if one.title or one.id == open_id
    ]
