"""Versions of one message that nobody has gone on from or named: many of them beside each other are told as one."""

from __future__ import annotations

from app.conversation.runs import Run
from app.conversation.tree import MessageTree
from app.viewmodels.text import formatting

MOST_BESIDE, LEAST_FOLDED = 12, 4
"""Branches at one fork from which on those beside each other are a group, and how many a group has at least."""


def is_plain(tree: MessageTree, run: Run) -> bool:
    """Return whether nobody has gone on from a run, named it or made it a favourite."""
    first = tree.message(run.first_id)
    has_more = bool(run.children) or run.length > (2 if first.role == "user" else 1)
    return not (has_more or first.name or first.is_favourite)


def group_title(tree: MessageTree, first_id: str, count: int) -> str:
    """Say how many messages a group has, and of which kind: "20 answers"."""
    kind = "question" if tree.message(first_id).role == "user" else "answer"
    return formatting.plural(count, kind)
