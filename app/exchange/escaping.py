"""The escaping of a message's text as Markdown that brings no HTML and no script. https://spec.commonmark.org/0.31.2/

A `<` that could begin a tag, and the sign after a `]` that could lead to something other than a page, get a backslash:
it is seen in code only. So code is left alone, but only where every reader must take it for code: in a fence whose
place in lists is beyond doubt, and between backticks of one line. What is in doubt is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.protocol.fences import Fence, fence_of

_FENCE = re.compile(r"`{3}|~{3}")
_ITEM = re.compile(r"([*+-]|([0-9]{1,9})[.)])( {1,4})(?=[^ \t])")
_MAYBE_ITEM = re.compile(r"(?:[*+-]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_BREAK = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_CODE_MARK = re.compile("`+")
_ROW = re.compile(r"(?=[^-]*-)[ \t>*+0-9.)|:-]*$")  # such as stands below the head of a table
_DEEPEST = 30  # lists in lists that are followed
_TAG = r"<(?=[A-Za-z/!?])(?!(?:https?://|mailto:)[^\s<>`]*>)"
_PAGE = r"[ \t]*(?:<?https?://|<?mailto:|[A-Za-z0-9_./#-]+(?:[ \t)]|$)|\))"  # an address without a scheme is harmless
_RISKY = re.compile(rf"{_TAG}|(?<=\])[(:](?!{_PAGE})")
_BLANKS = " \t"


def harmless(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one text, each escaped; tabs that indent become spaces where they could end a fence."""
    has_table = any(map(_ROW.match, lines))
    blocks = _Blocks()
    is_open = False  # a row of backticks, which a later line of the paragraph may close
    for line in lines:
        line = blocks.untabbed(line)
        if blocks.follow(line):
            yield line if blocks.is_content else line.replace("|", " ")  # some readers take it for a table's head
            continue
        spans = code_spans(line)
        is_open = bool(line.strip(_BLANKS)) and (is_open or spans is None)
        sure = [] if is_open or spans is None else spans
        yield _escaped(line, [span for span in sure if not (has_table and "|" in line[slice(*span)])])


class _Blocks:
    """Follows fences and lists through a text, line by line.

    items: columns where the contents of the open list items begin, the outermost first. may_be_listed: there may be
    others. inside: the column at which the item with the open fence begins. is_content: the line that was taken last
    was in a fence already.
    """

    def __init__(self) -> None:
        self._fence: Fence | None = None
        self._inside = 0
        self._items: list[int] = []
        self._may_be_listed = False
        self._is_after_blank = True
        self.is_content = False

    def untabbed(self, line: str) -> str:
        """Indent a line by spaces. In a fence outside of lists tabs stay, unless they stand before a fence."""
        words = line.lstrip(_BLANKS)
        if "\t" not in line[: len(line) - len(words)]:
            return line
        if self._fence and not self._inside and not _FENCE.match(words):
            return line
        return line[: len(line) - len(words)].expandtabs(4) + words

    def follow(self, line: str) -> bool:
        """Follow one line; return whether it is surely code, or begins or ends it."""
        words = line.lstrip(" ")
        indent = len(line) - len(words)
        if not words.strip(_BLANKS):
            self._is_after_blank = True
            self.is_content = self._fence is not None
            return self.is_content
        self.is_content = False
        if self._fence and indent >= self._inside:
            if indent - self._inside < 4 and self._fence.is_closed_by(words):
                self._fence = None
                self._is_after_blank = True  # no paragraph goes on after it
            self.is_content = True
            return True
        if self._fence:  # the list item has ended here, and the fence with it
            self._fence = None
            self._is_after_blank = True
        is_code = self._open(words, indent)
        self._is_after_blank = False
        return is_code

    def _open(self, words: str, indent: int) -> bool:
        """Take the first line of something, or a line of a paragraph; whether a fence begins with it and is sure."""
        if self._is_after_blank:
            if indent == 0:
                self._may_be_listed = False
            self._leave(indent)
        while item := self._item(words, indent):
            self._leave(indent)
            if indent == 0:
                self._may_be_listed = False
            indent += item.end()
            words = words[item.end() :]
            self._items.append(indent)
            self._is_after_blank = True
        fence = fence_of(words)
        if fence is not None:
            return self._open_fence(fence, indent)
        if indent < self._innermost or _MAYBE_ITEM.match(words):
            self._items, self._may_be_listed = [], True  # a paragraph may go on from within an item
        return False

    def _open_fence(self, fence: Fence, indent: int) -> bool:
        self._leave(indent)
        if indent == 0:
            self._may_be_listed = False
        if self._may_be_listed or indent - self._innermost > 3:
            return False
        self._fence, self._inside = fence, self._innermost
        return True

    def _item(self, words: str, indent: int) -> re.Match[str] | None:
        """Return the sign of a list item, where it is one for certain."""
        above = max((column for column in self._items if column <= indent), default=0)
        item = _ITEM.match(words)
        if (
            item is None
            or len(self._items) > _DEEPEST
            or _BREAK.match(words)
            or indent - above > 3
            or (self._may_be_listed and indent > 0)
        ):
            return None
        interrupts = item[2] is None or int(item[2]) == 1 or indent < self._innermost
        return item if self._is_after_blank or interrupts else None

    def _leave(self, indent: int) -> None:
        """End the items that begin right of this column."""
        self._items = [column for column in self._items if column <= indent]

    @property
    def _innermost(self) -> int:
        return self._items[-1] if self._items else 0


def code_spans(line: str) -> list[tuple[int, int]] | None:
    """Find the code between backticks, in order; None when a row of them is left open."""
    marks = [(mark.start(), mark.end()) for mark in _CODE_MARK.finditer(line)]
    following: dict[int, int] = {}
    partner: list[int | None] = [None] * len(marks)
    for place in range(len(marks) - 1, -1, -1):
        length = marks[place][1] - marks[place][0]
        partner[place] = following.get(length)
        following[length] = place
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(marks):
        other = partner[place]
        if other is None or _is_escaped(line, marks[place][0]):
            return None
        spans.append((marks[place][0], marks[other][1]))
        place = other + 1
    return spans


def _escaped(line: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the line with its backslashes, but none within the spans."""
    pieces: list[str] = []
    at = 0
    for start, end in (*spans, (len(line), len(line))):
        words = line[at:start]
        pieces += (_RISKY.sub(_after_backslash, words), line[start:end])
        at = end
    return "".join(pieces)


def _after_backslash(sign: re.Match[str]) -> str:
    return sign[0] if _is_escaped(sign.string, sign.start()) else f"\\{sign[0]}"


def _is_escaped(words: str, at: int) -> bool:
    """Return whether an odd number of backslashes stands before this place."""
    first = at
    while first and words[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
