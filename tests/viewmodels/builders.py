"""What tests of the chat's rows share."""

from __future__ import annotations

from collections.abc import Mapping

from app.conversation.tree import MessageTree
from app.protocol.trie_view import Residency
from app.viewmodels.chat.chat_rows import ChatRows
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.rows import MessageRow


def rows_of(
    tree: MessageTree, question: Question | None, residencies: Mapping[str, Residency] | None
) -> list[MessageRow]:
    """Return one row to each message of the selected path, all of them made anew."""
    return list(ChatRows().of(tree, question, residencies))
