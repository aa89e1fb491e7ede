"""Where the text that a block is set from stands in its message, character by character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from app.widgets.chat.markdown.blocks import Block, Kind, replacements
from app.widgets.chat.markdown.document import shown

_CARRIAGE_RETURN = re.compile(r"\r(?=\n)|\r\Z")


class PlacedText:
    """A text whose characters stand somewhere in another one.

    starts, ends: from and to of each in the other text; the same twice for what stands only in this one.
    """

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self.text, self.starts, self.ends = text, starts, ends

    @classmethod
    def slice(cls, text: str, start: int) -> PlacedText:
        """Return a text as it stands from a character of the other one on."""
        first = list(range(start, start + len(text) + 1))
        return cls(text, first[:-1], first[1:])

    def replaced(self, pattern: re.Pattern[str], by: str) -> PlacedText:
        """Return the text with other words in the place of each match, which stand where the match ends."""
        pieces, starts, ends, done = list[str](), list[int](), list[int](), 0
        for found in pattern.finditer(self.text):
            at = [self.ends[found.end() - 1]] * len(by)
            pieces += [self.text[done : found.start()], by]
            starts += self.starts[done : found.start()] + at
            ends += self.ends[done : found.start()] + at
            done = found.end()
        if not done:
            return self
        return PlacedText("".join([*pieces, self.text[done:]]), starts + self.starts[done:], ends + self.ends[done:])

    def below(self, head: str) -> PlacedText:
        """Return the text after one that stands only here."""
        at = [self.starts[0] if self.starts else 0] * len(head)
        return PlacedText(head + self.text, at + self.starts, at + self.ends)


def set_text(message: str, block: Block) -> PlacedText:
    """Return the Markdown that a block is set from. message: the segment that the block was cut from."""
    placed = _cut(message, block)
    for pattern, by in replacements(block):
        placed = placed.replaced(pattern, by)
    return _as_shown(placed.below(f"{block.state.head}\n") if block.state.head else placed)


def plain_text(message: str, block: Block) -> PlacedText:
    """Return the text of a block that is shown as it was written."""
    return _as_shown(_cut(message, block))


def _as_shown(placed: PlacedText) -> PlacedText:
    placed = placed.replaced(_CARRIAGE_RETURN, "")
    return PlacedText(shown(placed.text), placed.starts, placed.ends)  # which has as many characters


def _cut(message: str, block: Block) -> PlacedText:
    """Return a block’s own text, without blank lines before it; code without its fence and what it is moved in by."""
    start = block.start
    if block.kind is Kind.CODE and not block.continues_code:
        start = message.find("\n", start) + 1
    elif not message.startswith(block.text, start):
        while message.startswith("\n", start):
            start += 1
    if message.startswith(block.text, start):
        return PlacedText.slice(block.text, start)
    starts = list(_lines(message, start, block.text.split("\n")))[:-1]
    return PlacedText(block.text, starts, [at + 1 for at in starts])


def _lines(message: str, at: int, lines: Iterable[str]) -> Iterator[int]:
    """Yield where the characters of lines stand, and their ends, that may have lost blanks at their beginnings."""
    for line in lines:
        end = message.find("\n", at)
        end = len(message) if end < 0 else end
        yield from range(end - len(line), end + 1)
        at = end + 1
