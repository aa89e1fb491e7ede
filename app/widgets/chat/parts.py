"""Markdown cut into the parts that are laid out one by one: runs of text, and fenced code.

A part ends at a fence, or at a blank line that is followed by a line without indentation, so that nested lists stay
whole. A text that grows only ever changes its last part; all parts before it are laid out once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_PLAIN_LINES = 64
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$")
_LEADING_INDENT = re.compile(r"\A(?:[ \t]+)|(?<=\n)[ \t]{1,3}(?=\S)")
# Qt leaves out images that describe themselves with nothing.
_BARE_IMAGE = re.compile(r"!\[\s*\]\(")
_INLINE_MATH = re.compile(r"\\\((.+?)\\\)")
_DISPLAY_MATH = re.compile(r"\\\[(.+?)\\\]|\$\$(.+?)\$\$", re.DOTALL)


class Kind(Enum):
    """How a part is laid out."""

    MARKDOWN = auto()
    CODE = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Part:
    """A run of Markdown, a piece of code without its fence, or text as it was typed.

    start: where its source begins in the message, in characters. language: as the fence names it. is_closed: whether
    more of the message can no longer change it.
    """

    start: int
    text: str
    kind: Kind = Kind.MARKDOWN
    language: str = ""
    is_closed: bool = True


@dataclass(slots=True)
class _Fence:
    indent: str
    mark: str
    language: str

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip()
        return len(bare) >= len(self.mark) and set(bare) == {self.mark[0]}


def split(text: str, start: int = 0) -> list[Part]:
    """The parts of a message, or of its rest from `start` on (counted in `Part.start`). The last one is left open."""
    return list(_Splitter(start).run(text))


def split_plain(text: str) -> list[Part]:
    """Text as it was typed, in pieces of some lines, so that a long paste is laid out only where it is seen."""
    lines = text.split("\n")
    parts, at = [], 0
    for first in range(0, len(lines), _PLAIN_LINES):
        piece = "\n".join(lines[first : first + _PLAIN_LINES])
        parts.append(Part(at, piece, Kind.PLAIN))
        at += len(piece) + 1
    return parts


def markdown(part: Part) -> str:
    """The part's text as Markdown that Qt can show: formulas stand as code, since Qt has no way to set them."""
    text = _LEADING_INDENT.sub("", part.text) if part.text[:1] in (" ", "\t") else part.text
    text = _BARE_IMAGE.sub("![picture](", text)
    text = _INLINE_MATH.sub(lambda found: f"`{found[1]}`", text)
    return _DISPLAY_MATH.sub(lambda found: f"`{' '.join((found[1] or found[2]).split())}`", text)


class _Splitter:
    """Walks the lines once. `_first` is where the part being gathered begins."""

    def __init__(self, start: int) -> None:
        self._first = start
        self._lines: list[str] = []
        self._fence: _Fence | None = None
        self._is_after_blank = False

    def run(self, text: str) -> Iterator[Part]:
        at = self._first
        for line in text.splitlines(keepends=True):
            yield from self._take(line, at)
            at += len(line)
        yield from self._close(at, is_last=True)

    def _take(self, line: str, at: int) -> Iterator[Part]:
        if self._fence is not None:
            if self._fence.is_closed_by(line) and line.endswith("\n"):
                yield from self._close(at + len(line))
            else:
                self._lines.append(line.removeprefix(self._fence.indent))
            return
        opening = _FENCE.match(line.rstrip("\n"))
        if opening and line.endswith("\n"):
            yield from self._close(at)
            self._fence = _Fence(opening[1], opening[2], opening[3])
            return
        is_blank = not line.strip()
        if self._is_after_blank and not is_blank and line[0] not in " \t":
            yield from self._close(at)
        self._lines.append(line)
        self._is_after_blank = is_blank

    def _close(self, end: int, *, is_last: bool = False) -> Iterator[Part]:
        text = "".join(self._lines)
        if self._fence is not None:
            lines = self._lines
            if is_last and lines and self._fence.is_closed_by(lines[-1]):
                lines = lines[:-1]
            code = "".join(lines).removesuffix("\n")
            yield Part(self._first, code, kind=Kind.CODE, language=self._fence.language, is_closed=not is_last)
        elif text.strip():
            yield Part(self._first, text.strip("\n"), is_closed=not is_last)
        self._first, self._lines, self._fence, self._is_after_blank = end, [], None, False
