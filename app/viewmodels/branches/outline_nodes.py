"""Which rows an outline of branches has: all of them, those that a filter leaves, or those below one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree

LONG = 8
_LOOKED_THROUGH = 400


class OutlineNode(NamedTuple):
    """A row's place in the outline. level: steps from the left at which it stands.

    is_turn: a question within a run that is unfolded, and not a run. is_met: False for a row that a filter leaves only
    because one below it is met. A named run that goes on without a fork stands under the one before it.
    """

    id: str
    parent_id: str | None
    level: int
    is_turn: bool = False
    is_met: bool = True


@dataclass(frozen=True, slots=True)
class OutlineChoice:
    """The part of a tree that a person wants to see.

    top: only what hangs below this run, "" for all. words: of which each is in a row. unfolded: runs whose questions
    are listed, one by one.
    """

    top: str = ""
    words: str = ""
    unfolded: frozenset[str] = frozenset()


def outline_nodes(tree: MessageTree, choice: OutlineChoice) -> list[OutlineNode]:
    """Return the rows in order, each before those below it. A top that is no run of the tree is passed over."""
    runs = tree.runs()
    words = choice.words.casefold().split()
    nodes: list[OutlineNode] = []
    levels: dict[str, int] = {}
    waiting = [choice.top] if choice.top in runs else [one for one, run in runs.items() if run.parent_id is None][::-1]
    while waiting:
        run = runs[waiting.pop()]
        above = run.parent_id if run.parent_id in levels else None
        level = 0 if above is None else levels[above] + (len(runs[above].children) > 1)
        levels[run.first_id] = level
        nodes.append(OutlineNode(run.first_id, above, level))
        if run.first_id in choice.unfolded and not words:
            nodes += [OutlineNode(one.id, run.first_id, level, is_turn=True) for one in turns_of(tree, run)]
        waiting += reversed(run.children)
    return _met(tree, nodes, words) if words else nodes


def turns_of(tree: MessageTree, run: Run) -> list[Message]:
    """Return the questions of a run, but for one that it begins with."""
    if run.length == 1:
        return []
    path = tree.path_to(run.last_id)[-run.length + 1 :]
    return [message for message in path if message.role == "user"]


def count_ends(runs: Runs) -> int:
    """Count the branches: the runs that nothing follows."""
    return sum(not run.children for run in runs.values())


def _met(tree: MessageTree, nodes: list[OutlineNode], words: list[str]) -> list[OutlineNode]:
    """Return the nodes in whose name or first message all words are, and those above them."""
    kept: dict[str, OutlineNode] = {}
    needed: set[str | None] = set()
    for node in reversed(nodes):
        is_met = _has(tree.message(node.id), words)
        if is_met or node.id in needed:
            needed.add(node.parent_id)
            kept[node.id] = node._replace(is_met=is_met)
    return list(kept.values())[::-1]


def _has(message: Message, words: list[str]) -> bool:
    text = f"{message.name or ''} {message.text[:_LOOKED_THROUGH]}".casefold()
    return all(word in text for word in words)
