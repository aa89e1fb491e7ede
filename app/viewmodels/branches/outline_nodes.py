"""Which rows the outline of branches has, in which order, and how far to the right each stands."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence, Set
from dataclasses import field
from itertools import groupby
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.viewmodels.branches.run_groups import LEAST_FOLDED, can_fold
from app.viewmodels.text.branch_titles import telling_message

LONG = 8
MOST_STEPS = 6
_LOOKED_THROUGH = 400
_SLICE = 100  # rows
_GROUP = "+"


class OutlineNode(NamedTuple):
    """A row's place in the outline. level: steps from the left at which it stands.

    trunks: a bit to each level whose line goes past this row. has_below: rows hang below it; is_closed: and are put
    away. is_turn: a question within a run that is unfolded, and not a run. is_met: False for a row that a filter leaves
    only because one below it is met. folded: the runs that this row stands for, which is none itself. A named run that
    goes on without a fork stands under the one before it.
    """

    id: str
    parent_id: str | None
    level: int
    trunks: int = 0
    has_below: bool = False
    is_closed: bool = False
    is_turn: bool = False
    is_met: bool = True
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineChoice:
    """The part of a tree that a person wants to see.

    top: only what hangs below this run, "" for all. words: of which each is in a row. unfolded: runs whose questions
    are listed, one by one, and groups whose runs are. collapsed: runs below which nothing is listed.
    """

    top: str = ""
    words: str = ""
    unfolded: frozenset[str] = frozenset()
    collapsed: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Listing:
    """Rows in the making. waiting: what comes next, the first last; groups among the runs."""

    tree: MessageTree
    choice: OutlineChoice
    runs: Runs
    heavy: Set[str]
    waiting: list[str | _Group]
    nodes: list[OutlineNode] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=dict)

    @property
    def is_filtered(self) -> bool:
        return bool(self.choice.words)


class _Group(NamedTuple):
    """Versions beside each other that one row stands for."""

    parent_id: str
    members: tuple[str, ...]


def outline_nodes(tree: MessageTree, choice: OutlineChoice) -> list[OutlineNode]:
    """Return the rows in order, each before those below it. A top that is no run of the tree is passed over.

    Branches stand one step to the right of where they fork, the oldest first. Where that would be more than
    `MOST_STEPS` for one of them, the branch with most below it goes on under its fork, after the others: then the
    steps grow with the logarithm of the number of branches. Of many branches at one fork, those that nobody has gone on
    from or named are one row together.
    """
    steps = outline_steps(tree, choice)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


def outline_steps(tree: MessageTree, choice: OutlineChoice) -> Generator[None, None, Sequence[OutlineNode]]:
    """Find the rows as `outline_nodes` does, in small steps between which the tree has the same runs."""
    runs = tree.runs()
    tops = [choice.top] if choice.top in runs else [one for one, run in runs.items() if run.parent_id is None]
    yield
    heavy = _heavy(runs) if _has_many_steps(runs, tops) else frozenset[str]()
    listing = _Listing(tree, choice, runs, heavy, [*reversed(tops)])
    while listing.waiting:
        yield
        for _ in range(_SLICE):
            if listing.waiting:
                _list_next(listing, listing.waiting.pop())
    nodes: Sequence[OutlineNode] = listing.nodes
    if listing.is_filtered:
        yield
        nodes = _met(tree, listing.nodes, choice.words.casefold().split())
    return (yield from _with_trunks(nodes))


def _list_next(listing: _Listing, one: str | _Group) -> None:
    """Add the row of a run, or of a group of them, and have what hangs below it come next."""
    choice = listing.choice
    if isinstance(one, _Group):
        group_id, level = _GROUP + one.members[0], listing.levels[one.parent_id] + 1
        is_open = group_id in choice.unfolded
        listing.nodes.append(OutlineNode(group_id, one.parent_id, level, is_closed=not is_open, folded=one.members))
        shown = one.members if is_open else [each for each in one.members if listing.tree.is_on_path(each)]
        listing.waiting += reversed(shown)
        return
    run = listing.runs[one]
    above = run.parent_id if run.parent_id in listing.levels else None
    level = 0 if above is None else listing.levels[above] + _steps(listing.runs, run, listing.heavy)
    listing.levels[one] = level
    turns = turns_of(listing.tree, run) if one in choice.unfolded and not listing.is_filtered else []
    is_closed = one in choice.collapsed and not listing.is_filtered and bool(run.children or turns)
    listing.nodes.append(OutlineNode(one, above, level, has_below=is_closed, is_closed=is_closed))
    if not is_closed:
        listing.nodes += [OutlineNode(turn.id, one, level, is_turn=True) for turn in turns]
        listing.waiting += reversed(_below(listing, run))


def _below(listing: _Listing, run: Run) -> list[str | _Group]:
    """Return what stands below a run: many versions that nobody has gone on from or named as one."""
    light = [one for one in run.children if one not in listing.heavy]
    heavy = [one for one in run.children if one in listing.heavy]
    beside = len(run.children)
    if beside < LEAST_FOLDED or listing.is_filtered:
        return [*light, *heavy]
    found: list[str | _Group] = []
    for can_be_one, some in groupby(light, lambda one: can_fold(listing.tree, listing.runs[one], beside)):
        together = tuple(some)
        has_group = can_be_one and len(together) >= LEAST_FOLDED
        found += [_Group(run.first_id, together)] if has_group else together
    return [*found, *heavy]


def _with_trunks(nodes: Sequence[OutlineNode]) -> Generator[None, None, Sequence[OutlineNode]]:
    """Note for each row which lines go past it, from the last row up: each ends at the row that it comes from."""
    levels = {node.id: node.level for node in nodes}
    found: list[OutlineNode] = []
    below = 0  # a bit to each level on whose line a later row hangs
    for number, node in enumerate(reversed(nodes)):
        past = below & ((2 << node.level) - 1 if node.is_turn else (1 << node.level) - 1)
        has_below = node.is_closed or (not node.is_turn and bool(below >> node.level & 1))
        found.append(node._replace(trunks=past, has_below=has_below and not node.folded))
        below = past if node.parent_id is None else past | 1 << levels[node.parent_id]
        if number % _SLICE == 0:
            yield
    return found[::-1]


def with_others_below(runs: Runs, row_id: str) -> Iterator[str]:
    """Yield a run and all below it that others hang below."""
    waiting = [row_id] if row_id in runs else []
    while waiting:
        run = runs[waiting.pop()]
        if run.children:
            yield run.first_id
            waiting += run.children


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
    """Return the nodes in whose name or first message, or what tells them apart, all words are.

    Of those above, one to each step.
    """
    by_id = {node.id: node for node in nodes}
    lower: dict[str, str | None] = {}  # the nearest above that stands further to the left
    kept: set[str] = set()
    for node in nodes:
        above = node.parent_id
        is_beside = above is not None and by_id[above].level < node.level
        lower[node.id] = above if above is None or is_beside else lower[above]
    met = {node.id for node in nodes if _has(tree, node.id, words)}
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


def _has(tree: MessageTree, message_id: str, words: list[str]) -> bool:
    first, told = tree.message(message_id), telling_message(tree, message_id)[0]
    text = f"{first.name or ''} {first.text[:_LOOKED_THROUGH]} {told.text[:_LOOKED_THROUGH]}".casefold()
    return all(word in text for word in words)
