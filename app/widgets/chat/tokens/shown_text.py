"""Where the characters of a message are shown in the document of one of its blocks.

Qt does not say where it took the characters of a document from. So the Markdown is set once more with another letter
in the place of each letter and digit, one that stands nowhere else in it. Markdown reads one letter like another, and
so where these come to stand is where the others are shown. The marks between them are found in their order. Should
Markdown ever read a text otherwise that is set so, its letters are found in their order too.

Properties: what is shown stands in the order of the message; a formula is shown for all that it was written with.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from app.widgets.chat.markdown.blocks import Block, Kind
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.footnotes import Footnotes
from app.widgets.chat.markdown.formula_object import placed_runs
from app.widgets.chat.markdown.inlines import STAND_IN, Inline, exchanged
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.tables import below_head
from app.widgets.chat.tokens.block_source import PlacedText, plain_text, set_text
from app.widgets.kit.style import Style

# Letters of one script, of which there are more than characters in a block.
_LETTERS = range(0x4E00, 0xA000)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
# What Markdown reads by its very letters: how a line begins, entities, addresses between angles.
_KEPT = re.compile(
    rf"^[ \t]*(?:(?:>|[-*+][ \t]|\d{{1,9}}[.)][ \t])[ \t]*)*(?:\[[ xX]\])?|{_ENTITY.pattern}|<[^<>\s]*>", re.MULTILINE
)
# What ends an address that is not shown; a blank.
_LEAVES, _BLANK = re.compile(r"[)\n]"), re.compile(r"\s")
_FAR = 400  # characters that marks are looked for in


class ShownText:
    """The characters that a document shows of its message, by their numbers there."""

    def __init__(self, starts: list[int], ends: list[int], breaks: frozenset[int]) -> None:
        """starts, ends: of each position of the document, in the message. breaks: positions where a line ends."""
        self._starts, self._ends, self._breaks = starts, ends, breaks

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the first position of the document that shows something of these characters, and the one after it.

        Twice the same where nothing of them is seen: what follows them stands there.
        """
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        while first < last and (first in self._breaks or self._starts[first] == self._ends[first]):
            first += 1
        while first < last and (last - 1 in self._breaks or self._starts[last - 1] == self._ends[last - 1]):
            last -= 1
        return (first, last) if first < last else (bisect_left(self._starts, end),) * 2

    @property
    def range(self) -> tuple[int, int]:
        """From and to of the characters that the document was set from, as far as they are shown."""
        return (self._starts[0], self._ends[-1]) if self._ends else (0, 0)

    def character(self, position: int) -> int:
        """Return the character that is shown at a position of the document, or after it."""
        return self._starts[position] if position < len(self._starts) else (self._ends[-1] if self._ends else 0)


def shown_text(message: str, block: Block, document: QuietDocument, style: Style, footnotes: Footnotes) -> ShownText:
    """Return what a document shows. message: the segment that its block was cut from, whose footnotes these are."""
    shown = document.toPlainText()
    is_torn = bool(block.state.head) and not below_head(document)
    if block.kind is not Kind.MARKDOWN or is_torn:
        source = plain_text(message, block)
        return _told(source, shown, [(at, at + 1) for at in range(len(source.text))])
    source = set_text(message, block)
    return _told(source, shown, _Finder(source.text, shown, document, style, footnotes).places())


def _told(source: PlacedText, shown: str, places: Sequence[tuple[int, int]]) -> ShownText:
    """Return what is shown, by positions of Qt, which counts some characters as two. places: of each, in the source."""
    starts, ends, breaks = list[int](), list[int](), set[int]()
    done = source.starts[0] if source.starts else 0
    for letter, (first, last) in zip(shown, places, strict=False):
        start, end = (source.starts[first], source.ends[last - 1]) if first < last else (done, done)
        if letter == "\n":
            breaks.add(len(starts))
        for _ in range(2 if letter > "\uffff" else 1):
            starts.append(start)
            ends.append(end)
        done = end
    return ShownText(starts, ends, frozenset(breaks))


class _Finder:
    """Finds the characters of one document in the Markdown that it was set from.

    letters: those that stand for others, and which, by their number in the Markdown. inlines: what was exchanged in it.
    """

    def __init__(self, source: str, shown: str, document: QuietDocument, style: Style, footnotes: Footnotes) -> None:
        self._source, self._shown, self._document = source, shown, document
        self._letters: dict[str, int] = {}
        self._inlines: list[Inline] = []
        self._footnotes = footnotes
        marked = markdown_document(source, style, footnotes=footnotes, exchange=self._exchange).toPlainText()
        back = {ord(letter): self._source[at] for letter, at in self._letters.items()}
        self._marked = marked if marked.translate(back) == shown else ""
        self._open = self._without_hidden() if self._marked else source

    def places(self) -> list[tuple[int, int]]:
        """Return from and to of each shown character; the same twice for what is not written in the Markdown."""
        found, at, done = list[tuple[int, int]](), 0, 0
        for position, length, start, end in (*self._known(), (len(self._shown), 0, len(self._source), 0)):
            if position >= at and start >= done:
                found += self._between(at, position, done, start)
                found += [(start, end)] * length
                at, done = position + length, end
        return found

    def _without_hidden(self) -> str:
        """Return the Markdown without the letters that are not shown, and without the marks among them."""
        hidden, pieces, done = sorted(self._letters[one] for one in self._letters.keys() - set(self._marked)), [], 0
        for at, before in zip(hidden, [-1, *hidden], strict=False):
            is_among = before >= 0 and not _LEAVES.search(self._source, before + 1, at)
            first = before + 1 if is_among else at
            pieces += [self._source[done:first], "\0" * (at + 1 - first)]
            done = at + 1
        return "".join([*pieces, self._source[done:]])

    def _known(self) -> list[tuple[int, int, int, int]]:
        """Return what is certain, in order: from which shown character on how many are shown for what."""
        found = [(at, 1, self._letters[one], self._letters[one] + 1) for at, one in self._marks()]
        by_start = {inline.start: inline for inline in self._inlines}
        for position, length, place in placed_runs(self._document):
            if place in by_start:
                first, last = self._count(position), self._count(position + length)
                found.append((first, last - first, place, by_start[place].end))
        return sorted(found)

    def _marks(self) -> Iterator[tuple[int, str]]:
        return ((at, one) for at, one in enumerate(self._marked) if one in self._letters)

    def _count(self, position: int) -> int:
        """Return how many characters stand before a position of the document, where some take two."""
        if max(self._shown, default="") <= "\uffff":
            return position
        return len(self._shown.encode("utf-16-le", "surrogatepass")[: 2 * position].decode("utf-16-le", "ignore"))

    def _between(self, first: int, last: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the places of shown characters that stand somewhere in a piece of the Markdown, in their order."""
        for at in range(first, last):
            place = self._next(at, start, min(end, start + _FAR))
            yield place
            start = place[1]

    def _next(self, at: int, start: int, end: int) -> tuple[int, int]:
        """Return where a shown character comes next, written as it is or as an entity."""
        letter = self._shown[at]
        if letter == "\n":
            return start, start
        entity = next((one for one in _ENTITY.finditer(self._open, start, end) if self._stands_for(one, at)), None)
        blank = _BLANK.search(self._open, start, end) if letter == " " else None
        found = blank.start() if blank else self._open.find(letter, start, end)
        if entity is not None and (found < 0 or entity.start() <= found):
            return entity.span()
        return (found, found + 1) if found >= 0 else (start, start)

    def _stands_for(self, entity: re.Match[str], at: int) -> bool:
        """Return whether an entity is shown as the character at a place, and not as it is written."""
        meant = html.unescape(entity[0]).replace("\xa0", " ")
        return self._shown.startswith(meant, at) and not self._shown.startswith(entity[0], at)

    def _exchange(self, text: str, *, is_growing: bool = False) -> tuple[str, list[Inline]]:
        """Exchange the inlines as always, and then the letters."""
        exchanged_text, self._inlines = exchanged(text, is_growing=is_growing)
        # Names are the same only if their letters are.
        names = self._footnotes.names_in(exchanged_text)
        kept = [one.span() for one in chain(_KEPT.finditer(exchanged_text), names)]
        is_kept = bytearray(len(exchanged_text))
        for first, last in kept:
            is_kept[first:last] = b"\1" * (last - first)
        free = (letter for letter in map(chr, _LETTERS) if letter not in text)
        pieces, done = list[str](), 0
        ends = [(one.start(), one.end()) for one in STAND_IN.finditer(exchanged_text)]
        starts = [0, *(inline.end for inline in self._inlines)]
        for (first, last), start in zip([*ends, (len(exchanged_text),) * 2], starts, strict=True):
            for at in range(done, first):
                letter = exchanged_text[at]
                other = None if is_kept[at] or letter > "\uffff" or not letter.isalnum() else next(free, None)
                if other is not None:
                    self._letters[other] = start + at - done
                pieces.append(other or letter)
            pieces.append(exchanged_text[first:last])
            done = last
        return "".join(pieces), self._inlines
