"""Versions of one message that nobody has gone on from or named: many of them beside each other are told as one."""

from __future__ import annotations

from app.conversation.runs import Run
from app.conversation.tree import MessageTree
from app.viewmodels.text import formatting

MOST_ANSWERS, MOST_BESIDE, LEAST_FOLDED = 4, 12, 5
"""Answers to one question, and other branches at one fork, up to which each is told by itself; the least of a group.

A question may get eight answers at once, of which one is gone on from. Versions of a question differ by more.
"""


def can_fold(tree: MessageTree, run: Run, beside: int) -> bool:
    """Return whether a run is one of many versions that nobody has gone on from, named or made a favourite.

    beside: how many runs begin at its fork, itself included.
    """
    is_answer = tree.message(run.first_id).role == "assistant"
    return beside > (MOST_ANSWERS if is_answer else MOST_BESIDE) and _is_plain(tree, run)


def _is_plain(tree: MessageTree, run: Run) -> bool:
    first = tree.message(run.first_id)
    has_more = bool(run.children) or run.length > (2 if first.role == "user" else 1)
    return not (has_more or first.name or first.is_favourite)


def group_title(tree: MessageTree, first_id: str, count: int) -> str:
    """Say how many messages a group has, and of which kind: "20 answers"."""
    kind = "question" if tree.message(first_id).role == "user" else "answer"
    return formatting.plural(count, kind)
