"""Which rows an outline of branches has: all of them, those that a filter leaves, or those below one of them."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree

LONG = 8
DEEPEST = 200
MOST_STEPS = 6
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
    """Return the rows in order, each before those below it. A top that is no run of the tree is passed over.

    Branches stand one step to the right of where they fork, the oldest first. Where that would be more than
    `MOST_STEPS` for one of them, the branch with most below it goes on under its fork, after the others: then the
    steps grow with the logarithm of the number of branches. What lies deeper than `DEEPEST` rows hangs side by side:
    views go down by recursion.
    """
    runs = tree.runs()
    words = choice.words.casefold().split()
    tops = [choice.top] if choice.top in runs else [one for one, run in runs.items() if run.parent_id is None]
    heavy = _heavy(runs) if _has_many_steps(runs, tops) else frozenset[str]()
    nodes: list[OutlineNode] = []
    levels: dict[str, int] = {}
    hung: dict[str, str | None] = {}  # below which row what is too deep hangs
    waiting = tops[::-1]
    top_level = runs[tops[0]].level if tops else 0
    while waiting:
        run = runs[waiting.pop()]
        above = run.parent_id if run.parent_id in levels else None
        level = 0 if above is None else levels[above] + _steps(runs, run, heavy)
        levels[run.first_id] = level
        if above is not None and run.level - top_level > DEEPEST:
            above = hung[run.first_id] = hung.get(above) or runs[above].parent_id
        nodes.append(OutlineNode(run.first_id, above, level))
        if run.first_id in choice.unfolded and not words:
            nodes += [OutlineNode(one.id, run.first_id, level, is_turn=True) for one in turns_of(tree, run)]
        waiting += [one for one in run.children if one in heavy]
        waiting += [one for one in reversed(run.children) if one not in heavy]
    return _met(tree, nodes, words) if words else nodes


def _steps(runs: Runs, run: Run, heavy: Set[str]) -> int:
    """Return how many steps a run stands to the right of the one above it."""
    is_beside = run.parent_id is not None and len(runs[run.parent_id].children) > 1
    return int(is_beside and run.first_id not in heavy)


def _has_many_steps(runs: Runs, tops: list[str]) -> bool:
    steps: dict[str, int] = {}
    for one, run in runs.items():
        above = None if one in tops else run.parent_id
        if above in steps:
            steps[one] = steps[above] + _steps(runs, run, frozenset())
        elif one in tops:
            steps[one] = 0
    return max(steps.values(), default=0) > MOST_STEPS


def _heavy(runs: Runs) -> Set[str]:
    """Return the runs that have more below them than all others of their fork together."""
    below = dict.fromkeys(runs, 1)
    for one, run in reversed(list(runs.items())):
        if run.parent_id is not None:
            below[run.parent_id] += below[one]
    return {one for one, run in runs.items() if run.parent_id is not None and 2 * below[one] > below[run.parent_id] - 1}


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
    """Return the nodes in whose name or first message all words are, and of those above one to each step."""
    by_id = {node.id: node for node in nodes}
    lower: dict[str, str | None] = {}  # the nearest above that stands further to the left
    kept: set[str] = set()
    for node in nodes:
        above = node.parent_id
        is_beside = above is not None and by_id[above].level < node.level
        lower[node.id] = above if above is None or is_beside else lower[above]
    met = {node.id for node in nodes if _has(tree.message(node.id), words)}
    for node_id in met:
        at: str | None = node_id
        while at is not None and at not in kept:
            kept.add(at)
            at = lower[at]
    found: list[OutlineNode] = []
    nearest: dict[str, str | None] = {}  # of those above, the nearest that is kept
    for node in nodes:
        above = node.parent_id
        nearest[node.id] = above if above is None or above in kept else nearest[above]
        if node.id in kept:
            found.append(node._replace(parent_id=nearest[node.id], is_met=node.id in met))
    return found


def _has(message: Message, words: list[str]) -> bool:
    text = f"{message.name or ''} {message.text[:_LOOKED_THROUGH]}".casefold()
    return all(word in text for word in words)
