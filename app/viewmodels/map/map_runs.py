"""How long the runs of a tree are, in tokens, and which of them have a label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.runs import Run
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import BranchRow, branch_row
from app.viewmodels.text import formatting
from app.viewmodels.warmth.warmth import Warmth

# Runs up to which all of them have a label, and of which the engine is asked for all; characters of a label.
MOST_LABELLED, MOST_ASKED, _LONGEST = 40, 300, 28
# Where nothing has counted the tokens of a text: characters to a token, and what a template puts around a message.
_CHARACTERS, _AROUND = 4, 6
_LOOKED_AT = 32  # messages
_SLICE = 40


class MapItem(NamedTuple):
    """A run before it has a place. id, last_id: of its first and last message. parent: its number, -1 for the first.

    end: tokens from the beginning of the conversation to its end. label: its name or first words; detail: a second
    line, or "". is_leaf: nothing hangs below it. is_labelled: there is to be room for its label.
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


def map_items(tree: MessageTree, warmth_of: Callable[[str], Warmth | None]) -> Iterator[list[MapItem]]:
    """Yield the runs of a tree in slices, each after the one above it."""
    runs = tree.runs()
    numbers: dict[str | None, int] = {None: -1}
    ends = [0]
    made: list[MapItem] = []
    has_all, is_asked = len(runs) <= MOST_LABELLED, len(runs) <= MOST_ASKED
    for number, run in enumerate(list(runs.values())):
        numbers[run.first_id] = number
        parent = numbers[run.parent_id]
        start = ends[parent + 1]
        ends.append(max(start, _end(tree, run, start, warmth_of(run.last_id) if is_asked else None)))
        made.append(_item(branch_row(tree, run), run, parent, ends[-1], ends[-1] - start, has_all=has_all))
        if len(made) == _SLICE:
            yield made
            made = []
    yield made


def _item(row: BranchRow, run: Run, parent: int, end: int, tokens: int, *, has_all: bool) -> MapItem:
    is_labelled = bool(row.name) or has_all or len(run.children) > 1
    label = formatting.first_words(row.title, _LONGEST)
    if label.startswith("“") and not label.endswith("”"):
        label += "”"
    detail = f"{formatting.plural(row.count, 'message')}, {formatting.tokens(tokens)}" if parent < 0 else ""
    return MapItem(
        *(run.first_id, run.last_id, parent, end, label, detail),
        is_leaf=not run.children,
        is_labelled=is_labelled,
        is_named=bool(row.name),
        is_favourite=row.is_favourite,
    )


def _end(tree: MessageTree, run: Run, start: int, warmth: Warmth | None) -> int:
    """Return the tokens up to the end of a run: as the engine counts them, or told with an answer, else about."""
    if warmth is not None and warmth.total and not warmth.is_far_too_long:
        return warmth.total
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
