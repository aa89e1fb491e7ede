"""From the messages that are compared to rows, each a head or a paragraph of both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from app.viewmodels.comparison.alignment import aligned
from app.viewmodels.comparison.comparison import ComparedMessage, Pair
from app.viewmodels.comparison.word_differences import differences, marked_words
from app.viewmodels.text import formatting
from app.widgets.chat.markdown.blocks import Block, split, split_plain, split_thought, split_typed

# Characters of a message that is read as Markdown; a longer one is shown as it was written.
_MOST_OF_MARKDOWN = 64_000
# What a screen reader is told of a paragraph, in characters, and of the words that differ in it.
_SPOKEN, _SPOKEN_WORDS, _SPOKEN_WORD = 400, 6, 40
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


class RowKind(Enum):
    """Kinds of rows. SHARED: the line for the messages that both sides begin with. THOUGHT: that for their thoughts."""

    SHARED = auto()
    HEAD = auto()
    THOUGHT = auto()
    BLOCK = auto()


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonRow:
    """One row. messages: those of both sides that it is of. left, right: paragraphs, None where one side has none.

    is_shared: it belongs to both sides and stands across both columns. is_of_thought: the paragraphs are of what was
    thought. count: messages of a SHARED row.
    """

    kind: RowKind
    messages: Pair = (None, None)
    left: Block | None = None
    right: Block | None = None
    is_shared: bool = False
    is_of_thought: bool = False
    count: int = 0

    @property
    def titles(self) -> tuple[str, str]:
        """Return what a THOUGHT row says at both sides, "" where a side has no thought."""
        left, right = self._thoughts
        title = f"Thought{formatting.DOT}differs" if left and right and self.is_different else "Thought"
        return title if left else "", title if right else ""

    @property
    def _thoughts(self) -> tuple[str, str]:
        left, right = (message.thought if message else "" for message in self.messages)
        return left, right

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of both speakers, "" where a side has no message."""
        left, right = (message.name if message else "" for message in self.messages)
        return left, right

    @property
    def is_different(self) -> bool:
        """Return whether this is a paragraph or a thought that does not read the same at both sides."""
        if self.kind is RowKind.THOUGHT:
            left, right = self._thoughts
            return left != right
        if self.kind is not RowKind.BLOCK or self.is_shared:
            return False
        return self.left is None or self.right is None or self.left.text != self.right.text

    @property
    def size(self) -> int:
        """Return about what it costs to lay out, in characters."""
        return sum(len(block.text) for block in (self.left, self.right) if block is not None)


def shared_title(count: int) -> str:
    """Say how many messages both sides begin with: "14 messages in common"."""
    return f"{formatting.plural(count, 'message')} in common" if count else "No message in common"


def shared_rows(messages: Iterator[ComparedMessage]) -> Iterator[ComparisonRow]:
    """Make the rows of the messages that both sides begin with, one after the other."""
    for message in messages:
        both = (message, message)
        yield ComparisonRow(RowKind.HEAD, both, is_shared=True)
        if message.thought:
            yield ComparisonRow(RowKind.THOUGHT, both, is_shared=True)
        for block in _blocks(message):
            yield ComparisonRow(RowKind.BLOCK, both, left=block, right=block, is_shared=True)


def pair_rows(pairs: Iterator[Pair]) -> Iterator[ComparisonRow]:
    """Make the rows of messages that stand beside each other; their thoughts are one row, from which others open."""
    for left, right in pairs:
        yield ComparisonRow(RowKind.HEAD, (left, right))
        if (left and left.thought) or (right and right.thought):
            yield ComparisonRow(RowKind.THOUGHT, (left, right))
        yield from _beside((left, right), _blocks(left), _blocks(right))


def thought_rows(row: ComparisonRow) -> Iterator[ComparisonRow]:
    """Make the rows of what was thought, which a THOUGHT row opens."""
    ours, theirs = (_thought_blocks(message) for message in row.messages)
    if not row.is_shared:
        yield from _beside(row.messages, ours, theirs, is_of_thought=True)
        return
    for block in ours:
        yield ComparisonRow(RowKind.BLOCK, row.messages, block, block, is_shared=True, is_of_thought=True)


def _beside(
    messages: Pair, left: list[Block], right: list[Block], *, is_of_thought: bool = False
) -> Iterator[ComparisonRow]:
    for a, b in aligned([block.text for block in left], [block.text for block in right]):
        block, other = None if a is None else left[a], None if b is None else right[b]
        yield ComparisonRow(RowKind.BLOCK, messages, block, other, is_of_thought=is_of_thought)


def spoken_row(row: ComparisonRow, *, is_open: bool) -> str:
    """Say a row to a screen reader. is_open: of one that opens, what it stands for is shown."""
    if row.kind is RowKind.SHARED:
        return f"{shared_title(row.count)}, {'expanded' if is_open else 'collapsed'}"
    if row.kind is RowKind.THOUGHT:
        title = "Thought" if row.is_shared else _both(*row.titles)
        return f"{title}, {'expanded' if is_open else 'collapsed'}"
    if row.kind is RowKind.HEAD:
        left, right = row.names
        if row.is_shared:
            return left
        return _both(left, right)
    if row.left is None or row.right is None:
        side, block = ("left", row.left) if row.right is None else ("right", row.right)
        return f"only {side}: {_spoken(block)}"
    if row.left.text == row.right.text:
        return f"{'' if row.is_shared else 'same: '}{_spoken(row.left)}"
    found = differences(row.left.text, row.right.text)
    beside = f"left: {_spoken(row.left)}, right: {_spoken(row.right)}"
    if not found:
        return f"different, {beside}"
    sides = (("left", row.left, found.left), ("right", row.right, found.right))
    told = [
        f"{side} alone {marked_words(block.text, spans, _SPOKEN_WORDS, _word)}" for side, block, spans in sides if spans
    ]
    return f"differs, {'; '.join(told)}; {beside}"


def _both(left: str, right: str) -> str:
    return ", ".join([f"left: {left}"] * bool(left) + [f"right: {right}"] * bool(right))


def _word(text: str) -> str:
    return formatting.first_words(text, _SPOKEN_WORD)


def _spoken(block: Block | None) -> str:
    return "" if block is None else formatting.first_words(block.text, _SPOKEN)


def _blocks(message: ComparedMessage | None) -> list[Block]:
    if message is None or not message.text:
        return []
    if len(message.text) > _MOST_OF_MARKDOWN:
        return split_plain(message.text)
    blocks = split_typed(message.text) if message.role == "user" else split(message.text)
    return [replace(block, is_closed=True) for block in blocks]


def _thought_blocks(message: ComparedMessage | None) -> list[Block]:
    """Return what was thought by its paragraphs."""
    paragraphs = _PARAGRAPHS.split(message.thought) if message else []
    return [block for paragraph in paragraphs for block in split_thought(paragraph)]
