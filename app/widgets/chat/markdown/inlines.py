"""What stands inside Markdown that Qt cannot set: formulas in TeX, and marks of footnotes.

They are found before Qt reads the Markdown and exchanged for stand-ins: runs of characters that no text has when it is
shown, which Markdown passes through. A formula is `\\(...\\)`, `\\[...\\]`, `$$...$$`, or `$...$` where the dollars
hug it and it does not read as money or as prose. Nothing within code is looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from app.formulas import LONGEST

_OPEN, _CLOSE = "\ufdd4", "\ufdd5"
_DIGITS = "0123456789"
_STANDING = "\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb\ufddc\ufddd\ufdde\ufddf"
STAND_IN = re.compile(f"{_OPEN}([{_STANDING}]{{1,6}}){_CLOSE}")
"""One of them; the group tells its number to `number_of`."""

_TO_STANDING, _FROM_STANDING = str.maketrans(_DIGITS, _STANDING), str.maketrans(_STANDING, _DIGITS)
_MARK = re.compile(r"`+|\\.|\$\$?|\[\^[^\]\[\s]{1,40}\]:?", re.DOTALL)
_ENDS = {r"\(": r"\)", r"\[": r"\]"}
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# Beyond the characters of TeX, a formula may have as many blanks.
_REACH = 2 * LONGEST
_MONEY = re.compile(r"\d[\d.,]*\s*[A-Za-z]{2,}")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}[,;.]?\s+[A-Za-z]{2,}")


class InlineKind(Enum):
    """Kinds of what is exchanged."""

    FORMULA = auto()
    DISPLAY = auto()
    FOOTNOTE = auto()


@dataclass(frozen=True, slots=True)
class Inline:
    """A run of the source. text: TeX without its marks, or the footnote's label. source: as it was written."""

    start: int
    end: int
    kind: InlineKind
    text: str
    source: str


def exchanged(text: str) -> tuple[str, list[Inline]]:
    """Return the Markdown with a stand-in for each inline, and the inlines by their numbers."""
    inlines = list(find_inlines(text))
    pieces, done = list[str](), 0
    for number, inline in enumerate(inlines):
        # The text of a footnote begins a paragraph, although only a line may end before it.
        gap = "\n" if inline.source.endswith(":") and inline.kind is InlineKind.FOOTNOTE else ""
        pieces += [text[done : inline.start], gap, _OPEN, str(number).translate(_TO_STANDING), _CLOSE]
        done = inline.end
    return "".join([*pieces, text[done:]]), inlines


def restored(text: str, inlines: list[Inline]) -> str:
    """Return a text, such as an address, with what the stand-ins in it stand for."""
    return STAND_IN.sub(lambda found: inlines[number_of(found)].source, text)


def number_of(found: re.Match[str]) -> int:
    """Return the number of an inline, by its stand-in."""
    return int(found[1].translate(_FROM_STANDING))


def find_inlines(text: str) -> Iterator[Inline]:
    """Yield the inlines of a Markdown text in order, in time in proportion to its length."""
    if "$" not in text and "\\" not in text and "[^" not in text:
        return
    code = _CodeEnds(text)
    at = 0
    while (found := _MARK.search(text, at)) is not None:
        mark, at = found[0], found.end()
        inline = None
        if mark[0] == "`":
            at = code.end_of(found)
        elif mark in _ENDS:
            inline = _between(text, found, _ENDS[mark], InlineKind.FORMULA if mark == r"\(" else InlineKind.DISPLAY)
        elif mark == "$$":
            inline = _between(text, found, "$$", InlineKind.DISPLAY)
        elif mark == "$":
            inline = _in_dollars(text, found)
        elif mark[0] == "[":
            inline = _footnote(text, found)
        if inline is not None:
            yield inline
            at = inline.end


class _CodeEnds:
    """The ends of code in backticks: each at the next run of as many."""

    def __init__(self, text: str) -> None:
        self._runs: dict[int, list[int]] = defaultdict(list)
        for found in re.finditer("`+", text):
            self._runs[len(found[0])].append(found.start())

    def end_of(self, opening: re.Match[str]) -> int:
        """Return where code that begins here ends, or where the backticks do when there is no end."""
        length = len(opening[0])
        starts = self._runs[length]
        following = bisect_right(starts, opening.start())
        return starts[following] + length if following < len(starts) else opening.end()


def _between(text: str, opening: re.Match[str], end: str, kind: InlineKind) -> Inline | None:
    first = opening.end()
    stop = text.find(end, first, first + _REACH)
    tex = text[first:stop] if stop >= 0 else ""
    if not tex.strip() or _BLANK_LINE.search(tex):
        return None
    return Inline(opening.start(), stop + len(end), kind, tex.strip(), text[opening.start() : stop + len(end)])


def _in_dollars(text: str, opening: re.Match[str]) -> Inline | None:
    """Return the formula between two single dollars: they hug it, and stand at no word."""
    start, first = opening.start(), opening.end()
    if text[first : first + 1].isspace() or (start and (text[start - 1].isalnum() or text[start - 1] == "$")):
        return None
    stop = first
    while True:
        stop = text.find("$", stop, first + LONGEST)
        if stop < 0:
            return None
        if text[stop - 1] != "\\":
            break
        stop += 1
    tex, after = text[first:stop], text[stop + 1 : stop + 2]
    if not tex or tex[-1].isspace() or after.isalnum() or after == "$" or _BLANK_LINE.search(tex) or "`" in tex:
        return None
    if _MONEY.match(tex) or _PROSE.search(tex):
        return None
    return Inline(start, stop + 1, InlineKind.FORMULA, tex, text[start : stop + 1])


def _footnote(text: str, found: re.Match[str]) -> Inline:
    """Return the mark of a footnote; at the beginning of a line, with a colon, that before its text."""
    source = found[0]
    if source.endswith(":") and text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip():
        source = source[:-1]
    label = source.removesuffix(":")[2:-1]
    return Inline(found.start(), found.start() + len(source), InlineKind.FOOTNOTE, label, source)
