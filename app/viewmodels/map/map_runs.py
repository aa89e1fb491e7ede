"""How long the runs of a tree are, in tokens, which of them have a label, and which are told together as a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import branch_row
from app.viewmodels.branches.run_groups import LEAST_FOLDED, can_fold, group_title
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import title_apart_in

# Runs up to which all of them have a label, and of which the engine is asked for all; characters of a label.
MOST_LABELLED, MOST_ASKED, _LONGEST = 40, 300, 28
# Where nothing has counted the tokens of a text: characters to a token, and what a template puts around a message.
_CHARACTERS, _AROUND = 4, 6
_LOOKED_AT = 32  # messages
_SLICE = 40
_GROUP = "+"


class MapItem(NamedTuple):
    """A run, or a group of them, before it has a place.

    id, last_id: of its first and last message. parent: its number, -1 for the first. end: tokens from the beginning of
    the conversation to its end. label: its name or first words; detail: a second line, or "". apart: words in which it
    differs from the branches it follows and those beside it, where those are not its first, or "". is_leaf: nothing
    hangs below it. is_labelled: there is to be room for its label. versions: 0, or how many versions this group has, of
    which only the one that is open, if any, stands beside it until the group is opened; is_open: all of them do.
    """

    id: str
    last_id: str
    parent: int
    end: int
    label: str
    detail: str
    is_leaf: bool
    is_labelled: bool
    is_named: bool
    is_favourite: bool
    versions: int = 0
    is_open: bool = False
    apart: str = ""


def map_items(
    tree: MessageTree, count: Callable[[str], int | None], opened: Set[str] = frozenset()
) -> Iterator[list[MapItem]]:
    """Yield the runs of a tree in slices, each after the one above it. opened: groups of which all runs are told.

    count: returns the tokens up to the end of a message, None where the engine has not counted them. Not asked where
    there are too many runs.

    Many versions of one message that nobody has gone on from or named are a group, as they are in the outline.
    """
    runs = tree.runs()
    shown: list[_Group | Run] = []
    for some in _shown(tree, runs, opened):
        shown += some
        yield []
    numbers: dict[str | None, int] = {None: -1}
    ends = [0]
    made: list[MapItem] = []
    has_all, asked = len(shown) <= MOST_LABELLED, count if len(runs) <= MOST_ASKED else _count_nothing
    for number, one in enumerate(shown):
        numbers[one.first_id] = number
        parent = numbers[one.parent_id]
        start = ends[parent + 1]
        if isinstance(one, _Group):
            end = max(_end(tree, run, start, asked) for run in one.runs[:_LOOKED_AT])
            made.append(_group_item(tree, one, parent, max(start, end)))
        else:
            end = max(start, _end(tree, one, start, asked))
            made.append(_item(tree, one, parent, end, end - start, has_all=has_all))
        ends.append(made[-1].end)
        if len(made) == _SLICE:
            yield made
            made = []
    yield made


class _Group(NamedTuple):
    """Versions beside each other that are told as one. first_id: its own id."""

    first_id: str
    parent_id: str
    runs: Sequence[Run]
    is_open: bool


def _shown(tree: MessageTree, runs: Runs, opened: Set[str]) -> Iterator[list[_Group | Run]]:
    """Yield what is told, in slices: runs, and groups of those that are beside each other."""
    found: list[_Group | Run] = []
    beside: list[Run] = []
    for number, run in enumerate(list(runs.values())):
        above = None if run.parent_id is None else runs[run.parent_id]
        is_one_of_many = above is not None and can_fold(tree, run, len(above.children))
        if beside and not (is_one_of_many and run.parent_id == beside[0].parent_id):
            found += _unfolded(tree, beside, opened)
            beside = []
        if is_one_of_many:
            beside.append(run)
        else:
            found.append(run)
        if number % _SLICE == 0:
            yield found
            found = []
    yield [*found, *_unfolded(tree, beside, opened)]


def _unfolded(tree: MessageTree, beside: Sequence[Run], opened: Set[str]) -> Iterator[_Group | Run]:
    """Yield what is told of versions beside each other: their group, and those of them that stand by themselves."""
    parent_id = beside[0].parent_id if beside else None
    if parent_id is None or len(beside) < LEAST_FOLDED:
        yield from beside
        return
    group = _Group(_GROUP + beside[0].first_id, parent_id, beside, _GROUP + beside[0].first_id in opened)
    yield group
    yield from (run for run in beside if group.is_open or tree.is_on_path(run.first_id))


def _group_item(tree: MessageTree, group: _Group, parent: int, end: int) -> MapItem:
    first = group.runs[0]
    label = group_title(tree, first.first_id, len(group.runs))
    return MapItem(
        *(group.first_id, first.last_id, parent, end, label, ""),
        is_leaf=True,
        is_labelled=True,
        is_named=False,
        is_favourite=False,
        versions=len(group.runs),
        is_open=group.is_open,
    )


def _item(tree: MessageTree, run: Run, parent: int, end: int, tokens: int, *, has_all: bool) -> MapItem:
    row = branch_row(tree, run)
    is_labelled = bool(row.name) or has_all or len(run.children) > 1
    apart = _short(title_apart_in(tree, run.first_id)) if is_labelled and not row.name else ""
    detail = f"{formatting.plural(row.count, 'message')}, {formatting.tokens(tokens)}" if parent < 0 else ""
    return MapItem(
        *(run.first_id, run.last_id, parent, end, _short(row.title), detail),
        is_leaf=not run.children,
        is_labelled=is_labelled,
        is_named=bool(row.name),
        is_favourite=row.is_favourite,
        apart=apart,
    )


def _short(title: str) -> str:
    label = formatting.first_words(title, _LONGEST)
    return f"{label}”" if label.startswith("“") and not label.endswith("”") else label


def _count_nothing(_message_id: str) -> None:
    return None


def _end(tree: MessageTree, run: Run, start: int, count: Callable[[str], int | None]) -> int:
    """Return the tokens up to the end of a run: as the engine counts them, or told with an answer, else about."""
    counted = count(run.last_id)
    if counted is not None:
        return counted
    last = tree.message(run.last_id)
    told = _told(last)
    if told is not None:
        return told
    for below in tree.children(last.id):  # what was read for an answer ends with its question
        read = _figure(below, "request", "total")
        if read is not None:
            return read
    return start + _about(tree, run)


def _about(tree: MessageTree, run: Run) -> int:
    """Return about how many tokens a run has, by the texts of its last messages."""
    looked_at, characters = min(run.length, _LOOKED_AT), 0
    message = tree.message(run.last_id)
    for _ in range(looked_at - 1):
        characters += len(message.text) + len(message.thinking)
        assert message.parent_id is not None
        message = tree.message(message.parent_id)
    characters += len(message.text) + len(message.thinking)
    return run.length * (_AROUND + characters // _CHARACTERS // looked_at)


def _told(message: Message) -> int | None:
    """Return the tokens up to the end of an answer that has figures."""
    read, written = _figure(message, "request", "total"), _figure(message, "tokens")
    return None if read is None or written is None else read + written


def _figure(message: Message, *names: str) -> int | None:
    """Return a count among an answer's figures; files of other programs may hold anything there."""
    found: object = message.stats
    for name in names:
        found = found.get(name) if hasattr(found, "get") else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 40 else None
