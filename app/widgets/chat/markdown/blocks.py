"""Text cut into the blocks that are laid out one by one: runs of Markdown, fenced code, and text as it was typed.

A block ends at a fence, or at a blank line that is followed by a line without indentation, so that nested lists stay
whole, and that is not within a displayed formula; and before it grows too large to be laid out at once. A text that
grows only ever changes its last block; all blocks before it are laid out once.

Cutting takes time in proportion to the text's length, whatever stands in it, and every block takes a bounded time to
lay out: a long line is cut within the line, code and typed text after some lines, and Markdown at the end of a line.
Of a very long message only the beginning is read as Markdown; the rest is shown as it was typed. Of what a person typed
only code between fences is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto

from app.protocol.dataclass import dataclass
from app.protocol.fences import Fence, fence_of
from app.widgets.chat.markdown.inlines import end_of_display

# Characters of a piece of code or of typed text, and lines of one of code.
_PIECE, _CODE_LINES = 4000, 64
# What laying out costs, counted in characters of prose: of one block at most, and of what is read as Markdown at all.
_MOST_OF_BLOCK, _MOST_OF_MARKDOWN = 6000, 400_000
_PER_LINE, _PER_CELL, _PER_BLOCK = 24, 24, 200
# Characters of the head of a table that is repeated where the table is cut.
_LONGEST_HEAD = 2000
# Characters of one piece of code that are read for its colours.
_COLOURED = 32_000
_TAB = 4  # columns
_ITEM = re.compile(r"^(\d{1,9})([.)])(?=[ \t]|$)", re.MULTILINE)
_FIRST_NUMBER = re.compile(r"\A\d{1,9}")
_ENDS_LIST = re.compile(r"^[-*+#>|]", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r" {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*")
_TICKS = re.compile("`+")
# Qt leaves out images that describe themselves with nothing.
_BARE_IMAGE, _PICTURE = re.compile(r"!\[\s*\]\("), "![picture]("


class Kind(Enum):
    """Kinds of blocks, each laid out in its own way."""

    MARKDOWN = auto()
    CODE = auto()
    PLAIN = auto()
    THOUGHT = auto()


@dataclass(frozen=True, slots=True)
class State:
    """The state in which cutting goes on where a block begins.

    fence: of the code that the block continues. before: that code from its beginning, as far as it is read for colours;
    None beyond. joint: what stood between the block before and this one. spent: what was read as Markdown so far. head:
    the first two lines of the table that the block goes on with, "" for none. item: the number and the sign of the last
    item of a list that may go on here, "" for none.
    """

    fence: Fence | None = None
    before: str | None = ""
    joint: str = "\n\n"
    spent: int = 0
    head: str = ""
    item: str = ""


_START = State()


@dataclass(frozen=True, slots=True)
class Block:
    """A run of Markdown, code or a piece of it without the fence, or text as it was typed.

    start: where its source begins in the message, in characters. language: as the fence names it. is_closed: whether
    more of the message can no longer change it. state: with which cutting can begin again at `start`.
    """

    start: int
    text: str
    kind: Kind = Kind.MARKDOWN
    language: str = ""
    is_closed: bool = True
    state: State = _START

    @property
    def joint(self) -> str:
        """The characters that a copy of the text puts between the block before and this one."""
        return self.state.joint

    @property
    def continues_code(self) -> bool:
        """Whether the block before is of the same piece of code."""
        return self.kind is Kind.CODE and self.state.fence is not None


def split(text: str, start: int = 0, state: State = _START) -> list[Block]:
    """Return the blocks of a message, the last one open; or of its rest, with the `start` and `state` of a block."""
    return list(_Splitter(text, start, state).run())


def split_plain(text: str) -> list[Block]:
    """Return text as it was typed, in pieces of some lines, so that a long paste is laid out only where it is seen."""
    blocks, joint = [], "\n"
    for first, end, following in _pieces(text, 0, len(text)):
        blocks.append(Block(first, text[first:end], Kind.PLAIN, state=State(joint=joint)))
        joint = following
    return blocks or [Block(0, "", Kind.PLAIN)]


def split_typed(text: str) -> list[Block]:
    """Return text as it was typed, with what stands between fences as code; a fence without its end is typed text."""
    if "```" not in text and "~~~" not in text:
        return split_plain(text)
    blocks, done = list[Block](), 0
    for first, end in (*_fenced(text), (len(text), len(text))):
        before = text[done:first].strip("\n")
        if before:
            start = text.index(before, done)
            blocks += [replace(block, start=start + block.start) for block in split_plain(before)]
        blocks += split(text[first:end], first)
        done = end
    return blocks


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield where code begins with its fence, and where it ends with another."""
    fence, first, at = None, 0, 0
    for line in text.splitlines(keepends=True):
        if fence is not None:
            if fence.is_closed_by(line):
                yield first, at + len(line)
                fence = None
        elif len(line) <= _MOST_OF_BLOCK and line.endswith("\n"):
            fence, first = fence_of(line), at
        at += len(line)


def split_source(text: str, language: str) -> list[Block]:
    """Return source code that stands between no fences, in pieces of one card."""
    mark = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    first, *others = split(text, 0, State(Fence("", mark, language), joint="\n")) or [Block(0, "", Kind.CODE)]
    return [replace(first, state=_START), *others]


def split_thought(text: str, start: int = 0, state: State = _START) -> list[Block]:
    """Return what a model thought, in pieces of some lines, the last one open; or its rest, as `split` does."""
    blocks, joint = [], state.joint
    for first, end, following in _pieces(text, 0, len(text)):
        is_closed = end + len(following) < len(text) or bool(following)
        own = State(joint=joint)
        blocks.append(Block(start + first, text[first:end], Kind.THOUGHT, is_closed=is_closed, state=own))
        joint = following
    return blocks


def markdown(block: Block) -> str:
    """Return the block's text as Markdown that Qt can show: rows of a table that was cut have its head again."""
    text = block.text
    for pattern, by in replacements(block):
        text = pattern.sub(by, text)
    return f"{block.state.head}\n{text}" if block.state.head else text


def replacements(block: Block) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield what is replaced in a block's text before Qt reads it: it stands alone, and not in the list it is of."""
    if block.state.head:
        return
    width = len(_indent_of(block.text).expandtabs(_TAB))
    if width:
        yield re.compile(rf"^(?: {{1,{width}}}|\t{{1,{-(-width // _TAB)}}})", re.MULTILINE), ""
    found = _ITEM.match(block.text)
    if found is not None and _goes_on(found, block.state.item):
        yield _FIRST_NUMBER, str(_numbered(found, block.state.item))
    yield _BARE_IMAGE, _PICTURE


def _indent_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t"))]


def _goes_on(item: re.Match[str], before: str) -> bool:
    """Return whether an item belongs to the list that ended before it."""
    return bool(before) and before[-1] == item[2]


def _numbered(item: re.Match[str], before: str) -> int:
    """Return the number of an item: that after the one before, whatever is written, unless more is."""
    return max(int(item[1]), int(before[:-1]) + 1) if _goes_on(item, before) else int(item[1])


def _last_item(text: str, before: str) -> str:
    """Return the number and the sign of the item that a run of Markdown ends with, "" where its list cannot go on."""
    if _indent_of(text):
        return before
    items = list(_ITEM.finditer(text))
    if not items or _ENDS_LIST.search(text) or len({item[2] for item in items}) > 1:
        return ""
    first = _numbered(items[0], before if items[0].start() == 0 else "")
    return f"{first + len(items) - 1}{items[0][2]}"


def _pieces(text: str, first: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield (from, to, what stands before the next) of pieces that end with a line where there is one."""
    joint = ""
    while end - first > _PIECE:
        line_end = text.rfind("\n", first, first + _PIECE)
        stop, joint = (line_end, "\n") if line_end >= 0 else (first + _PIECE, "")
        yield first, stop, joint
        first = stop + len(joint)
    if first < end or joint:
        yield first, end, ""


def _head_of(text: str, before: str) -> str:
    """Return the first two lines of the table that a text ends with, "" for none. before: that it begins with."""
    lines = text.splitlines()
    at = len(lines)
    while at and lines[at - 1].startswith("|"):
        at -= 1
    rule = next((one for one in range(at + 1, len(lines)) if _RULE_OF_TABLE.fullmatch(lines[one])), 0)
    head = f"{lines[rule - 1]}\n{lines[rule]}" if rule else before if not at else ""
    return head if len(head) <= _LONGEST_HEAD else ""


class _Splitter:
    """Goes through the text once. `_at`: how far it has come; the rest is the state in which the next block begins.

    Each step ends with a block at most, so that going on from any block's state gives the same blocks.
    """

    def __init__(self, text: str, start: int, state: State) -> None:
        self._text = text
        self._start = start
        self._at = 0
        self._fence, self._before, self._joint, self._spent = state.fence, state.before, state.joint, state.spent
        self._head, self._item = state.head, state.item

    def run(self) -> Iterator[Block]:
        while self._at < len(self._text):
            if self._is_spent:
                yield from self._rest()
            elif not self._joint:
                yield from self._rest_of_line()
            elif self._fence is not None:
                yield from self._code(self._fence)
            else:
                yield from self._markdown()

    @property
    def _is_spent(self) -> bool:
        return self._spent >= _MOST_OF_MARKDOWN

    def _line(self) -> str:
        end = self._text.find("\n", self._at)
        return self._text[self._at : end + 1] if end >= 0 else self._text[self._at :]

    def _block(self, first: int, text: str, kind: Kind, cost: int, fence: Fence | None = None) -> Block:
        """Return the block that ends where the text was read to, closed if there is more. fence: of code."""
        head, self._head = self._head if kind is Kind.MARKDOWN and text.startswith("|") else "", ""
        state = State(self._fence, self._before, self._joint, self._spent, head, self._item)
        if kind is Kind.MARKDOWN:
            self._item = _last_item(text, self._item)
        elif fence is None or not fence.indent:
            self._item = ""
        is_closed = self._at < len(self._text)
        self._spent += cost + _PER_BLOCK
        if fence is not None and self._before is not None:
            self._before = f"{self._before}{text}\n" if len(self._before) + len(text) < _COLOURED else None
        self._fence = fence
        return Block(self._start + first, text, kind, fence.language if fence else "", is_closed, state)

    def _markdown(self) -> Iterator[Block]:
        """Yield what stands before the next blank line, fence or long line; else the code or the long line itself."""
        first, cost, is_after_blank, is_too_much = self._at, 0, False, False
        display_end = -1
        while self._at < len(self._text):
            line = self._line()
            fence = fence_of(line) if line.endswith("\n") and len(line) <= _MOST_OF_BLOCK else None
            if fence is not None or len(line) > _MOST_OF_BLOCK:
                if self._text[first : self._at].strip():
                    break
                self._spent += cost
                if not self._is_spent:
                    yield from self._rest_of_line() if fence is None else self._code(fence, len(line))
                return
            is_blank = not line.strip()
            its_cost = len(line) + _PER_LINE + _PER_CELL * line.count("|")
            is_too_much = cost > 0 and cost + its_cost > _MOST_OF_BLOCK
            is_in_display = self._at < display_end
            if is_too_much or (is_after_blank and not is_blank and not is_in_display and line[0] not in " \t"):
                break
            if not is_in_display:
                display_end = end_of_display(self._text, self._at)
            cost += its_cost
            self._at += len(line)
            is_after_blank = is_blank
        text = self._text[first : self._at]
        if text.strip():
            # Such rows are no table by themselves.
            has_no_head = self._joint == "\n" and text.startswith("|") and not self._head
            head = _head_of(text, self._head) if is_too_much else ""
            yield self._block(first, text.strip("\n"), Kind.PLAIN if has_no_head else Kind.MARKDOWN, cost)
            self._head = head
            self._joint = "\n\n" if is_after_blank else "\n"
        elif is_too_much and is_blank and line.endswith("\n"):
            yield self._block(first, text.removesuffix("\n"), Kind.PLAIN, cost)
            self._joint = "\n"
        else:
            self._spent += cost

    def _pieces_to(self, end: int) -> Iterator[Block]:
        """Text as it was typed, or code, without a look at what stands in it."""
        kind, was_spent = Kind.PLAIN if self._fence is None else Kind.CODE, self._is_spent
        for first, stop, joint in _pieces(self._text, self._at, end):
            self._at = stop + len(joint)
            if first == end and end < len(self._text):
                return
            yield self._block(first, self._text[first:stop], kind, stop - first, self._fence)
            self._joint = joint
            if self._is_spent and not was_spent:
                return

    def _rest_of_line(self) -> Iterator[Block]:
        """Pieces of a long line, of which some may have been cut off already."""
        line = self._line()
        end = self._at + len(line.removesuffix("\n"))
        yield from self._pieces_to(end)
        if self._at == end and line.endswith("\n"):
            self._at, self._joint = end + 1, "\n"

    def _rest(self) -> Iterator[Block]:
        """Pieces of all that is left; in code up to the line that ends it, which is looked for in one form only."""
        if self._fence is None:
            yield from self._pieces_to(len(self._text))
            return
        mark = f"\n{self._fence.indent}{self._fence.mark}\n"
        is_here = bool(self._joint) and self._text.startswith(mark[1:], self._at)
        end = self._at - 1 if is_here else self._text.find(mark, self._at)
        yield from self._pieces_to(end if end >= 0 or is_here else len(self._text))
        if end >= 0 or is_here:
            self._end_code(end + len(mark))

    def _code(self, fence: Fence, opening: int = 0) -> Iterator[Block]:
        """One piece of code, or its end. opening: length of the line of the fence, where the code begins with it."""
        first, lines, size = self._at, list[str](), 0
        self._at += opening
        is_end, line = False, ""
        while self._at < len(self._text):
            line = self._line()
            if len(lines) == _CODE_LINES or size + len(line) > _PIECE:
                break
            is_end = fence.is_closed_by(line)
            if is_end:
                break
            lines.append(line.removeprefix(fence.indent))
            size += len(line)
            self._at += len(line)
        if lines or opening:
            text = "".join(lines).removesuffix("\n")
            yield self._block(first, text, Kind.CODE, size + _PER_LINE * len(lines), fence)
            self._joint = "\n"
        elif not is_end:
            yield from self._rest_of_line()
        if is_end:
            self._end_code(self._at + len(line))

    def _end_code(self, at: int) -> None:
        self._at, self._fence, self._before, self._joint = at, None, "", "\n\n"
