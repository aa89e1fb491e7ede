"""What stands inside Markdown that Qt cannot set: formulas in TeX, marks of footnotes, and breaks of lines as `<br>`.

Beside these the bracket of a name with a colon at the beginning of a line, as in `[name]: words`: Qt would take the
words for the address that goes by the name, and hide the line.

They are found before Qt reads the Markdown and exchanged for stand-ins: runs of characters that no text has when it is
shown, which Markdown passes through. A formula is `\\(...\\)`, `\\[...\\]`, `$$...$$`, or `$...$` where the dollars
hug it and it does not read as money or as prose, or one of TeX's environments of displays by itself, as
`\\begin{align}...\\end{align}`. A display that begins its line may have blank lines in it. Nothing within code is
looked at. What may become a formula when more is written is one that is unfinished.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Protocol

from app.formulas import LONGEST
from app.protocol.dataclass import dataclass

_OPEN, _CLOSE = "\ufdd4", "\ufdd5"
_DIGITS = "0123456789"
_STANDING = "\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb\ufddc\ufddd\ufdde\ufddf"
STAND_IN = re.compile(f"{_OPEN}([{_STANDING}]{{1,6}}){_CLOSE}")
"""One of them; the group tells its number to `number_of`."""

_TO_STANDING, _FROM_STANDING = str.maketrans(_DIGITS, _STANDING), str.maketrans(_STANDING, _DIGITS)
_BEGIN = r"\\begin\{([A-Za-z]{1,11}\*?)\}"
# Names are looked up, since an expression that has all of them would be compiled at each start.
_ENVIRONMENTS = {
    *("align", "aligned", "alignat", "alignedat", "flalign", "equation", "displaymath", "gather", "gathered"),
    *("multline", "eqnarray", "split", "array", "cases", "dcases", "rcases"),
    *("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix"),
}
_BEGUN = re.compile(r"\\b(?:e(?:g(?:i(?:n(?:\{[A-Za-z]{0,12}\*?)?)?)?)?)?")
NAME = r"\[(?:[^\[\]\\]|\\.|\[[^\[\]]{1,99}\]){1,999}\]"
"""A name in brackets, by which an address may be given; a footnote or a formula in it may have brackets of its own."""

_MARK = re.compile(rf"`+|{_BEGIN}|\\.|\$\$?|\[\^[^\]\[\s]{{1,40}}\]:?|(?={NAME}:)\[|<[Bb][Rr][ \t]*/?>", re.DOTALL)
_ANY = re.compile(r"[$\\]|\[\^|\]:|<[Bb][Rr]")
_ENDS = {r"\(": r"\)", r"\[": r"\]"}
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BLANK_LINES = re.compile(r"\n\s*\n")
# What may stand before a display in a line that begins with it, and what of that each line of a quotation has.
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_BEFORE_NAME = re.compile(rf"{_LEAD.pattern}(?:\[[ xX]\][ \t]+)?")
_QUOTED = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_LONGEST_LEAD = 200
_OPENING = re.compile(rf"[ \t]{{0,3}}(\$\$|\\\[|{_BEGIN})")
# Beyond the characters of TeX, a formula may have as many blanks.
_REACH = 2 * LONGEST
_MONEY = re.compile(r"\d[\d.,]*\s*[A-Za-z]{2,}")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}[,;.]?\s+[A-Za-z]{2,}")
_WORDS = re.compile(r"\\(?:text\w*|mbox|operatorname)\s*\{[^{}]*\}?")


class InlineKind(Enum):
    """Kinds of what is exchanged."""

    FORMULA = auto()
    DISPLAY = auto()
    FOOTNOTE = auto()
    BRACKET = auto()
    BREAK = auto()
    UNFINISHED = auto()


@dataclass(frozen=True, slots=True)
class Inline:
    """A run of the source. text: TeX without its marks, or the footnote's label. source: as it was written.

    Of an unfinished one `text` is what is shown until it ends: a display's TeX, and nothing of others.
    """

    start: int
    end: int
    kind: InlineKind
    text: str
    source: str


class Exchange(Protocol):
    """A function that exchanges the inlines of a Markdown text."""

    def __call__(self, text: str, *, is_growing: bool = False) -> tuple[str, list[Inline]]:
        """Return the text that Qt reads, and the inlines by the numbers of their stand-ins."""


def exchanged(text: str, *, is_growing: bool = False) -> tuple[str, list[Inline]]:
    """Return the Markdown with a stand-in for each inline, and the inlines by their numbers.

    is_growing: whether more of it is being written, so that its last formula may be unfinished.
    """
    inlines = list(find_inlines(text, is_growing=is_growing))
    pieces, done = list[str](), 0
    for number, inline in enumerate(inlines):
        gap = "\n" if _begins_paragraph(text, inline) else ""
        pieces += [text[done : inline.start], gap, _OPEN, str(number).translate(_TO_STANDING), _CLOSE]
        done = inline.end
    return "".join([*pieces, text[done:]]), inlines


def _begins_paragraph(text: str, inline: Inline) -> bool:
    """Return whether the text of a footnote begins here, or a line with a name, although only a line may end before."""
    if inline.kind is InlineKind.BRACKET:
        return text[inline.start - 1 : inline.start] == "\n"
    return inline.kind is InlineKind.FOOTNOTE and inline.source.endswith(":")


def restored(text: str, inlines: list[Inline]) -> str:
    """Return a text, such as an address, with what the stand-ins in it stand for."""
    return STAND_IN.sub(lambda found: inlines[number_of(found)].source, text)


def number_of(found: re.Match[str]) -> int:
    """Return the number of an inline, by its stand-in."""
    return int(found[1].translate(_FROM_STANDING))


def find_inlines(text: str, *, is_growing: bool = False) -> Iterator[Inline]:
    """Yield the inlines of a Markdown text in order, in time in proportion to its length."""
    if _ANY.search(text) is None:
        return
    code = _CodeEnds(text)
    at = 0
    while (found := _MARK.search(text, at)) is not None:
        mark, at = found[0], found.end()
        inline = None
        if mark[0] == "`":
            at = code.end_of(found)
        elif mark in _ENDS:
            kind = InlineKind.FORMULA if mark == r"\(" else InlineKind.DISPLAY
            inline = _between(text, found, _ENDS[mark], kind, is_growing=is_growing)
        elif mark == "$$":
            inline = _between(text, found, "$$", InlineKind.DISPLAY, is_growing=is_growing)
        elif mark == "$":
            inline = _in_dollars(text, found, is_growing=is_growing)
        elif _is_environment(found[1]):
            inline = _environment(text, found, is_growing=is_growing)
        elif is_growing and _BEGUN.fullmatch(text, found.start()):
            inline = Inline(found.start(), len(text), InlineKind.UNFINISHED, "", text[found.start() :])
        elif mark == "[":
            inline = _bracket(text, found)
        elif mark[0] == "[":
            inline = _footnote(text, found)
        elif mark[0] == "<":
            # Its brackets stay: beside a stand-in alone underscores and tildes would mean nothing.
            inline = Inline(found.start() + 1, at - 1, InlineKind.BREAK, "", mark[1:-1])
        if inline is not None:
            yield inline
            at = inline.end
    if is_growing and at < len(text) and text[-1] == "\\":
        yield Inline(len(text) - 1, len(text), InlineKind.UNFINISHED, "", "\\")


def end_of_display(text: str, line_start: int) -> int:
    """Return where a display ends that begins a line, the end of the text where it may still come; -1 without one."""
    opening = _OPENING.match(text, line_start)
    if opening is None or (opening[2] and not _is_environment(opening[2])):
        return -1
    end = f"\\end{{{opening[2]}}}" if opening[2] else _ENDS.get(opening[1], opening[1])
    stop = text.find(end, opening.end(), opening.end() + _REACH)
    if stop >= 0:
        return stop + len(end)
    return len(text) if len(text) < opening.end() + _REACH else -1


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


def _between(text: str, opening: re.Match[str], end: str, kind: InlineKind, *, is_growing: bool) -> Inline | None:
    start, first = opening.start(), opening.end()
    stop = text.find(end, first, first + _REACH)
    is_unfinished = stop < 0 and is_growing and len(text) < first + _REACH
    if stop < 0 and not is_unfinished:
        return None
    line_start = text.rfind("\n", max(0, start - _LONGEST_LEAD), start) + 1
    lead = _LEAD.fullmatch(text, line_start, start) if line_start or start <= _LONGEST_LEAD else None
    tex = text[first : len(text) if is_unfinished else stop]
    if lead is not None and ">" in lead[0]:
        tex = _QUOTED.sub("\n", tex)
    if _BLANK_LINE.search(tex) and (lead is None or kind is not InlineKind.DISPLAY or _is_prose(tex)):
        return None
    tex = _BLANK_LINES.sub("\n", tex.strip())
    if is_unfinished and (lead is not None or not _is_prose(tex)):
        shown = tex.rstrip("$\\").rstrip() if kind is InlineKind.DISPLAY else ""
        return Inline(start, len(text), InlineKind.UNFINISHED, shown, text[start:])
    if is_unfinished or not tex:
        return None
    return Inline(start, stop + len(end), kind, tex, text[start : stop + len(end)])


def _is_environment(name: str | None) -> bool:
    """Return whether an environment of TeX is a display by itself."""
    return name is not None and name.removesuffix("*") in _ENVIRONMENTS


def _environment(text: str, opening: re.Match[str], *, is_growing: bool) -> Inline | None:
    """Return the display that an environment of TeX is by itself, which is drawn with its marks."""
    end = f"\\end{{{opening[1]}}}"
    found = _between(text, opening, end, InlineKind.DISPLAY, is_growing=is_growing)
    if found is None:
        return None
    is_whole = found.kind is InlineKind.DISPLAY
    return replace(found, text=f"{opening[0]}{found.text}{end}" if is_whole else f"{opening[0]}{found.text}")


def _in_dollars(text: str, opening: re.Match[str], *, is_growing: bool) -> Inline | None:
    """Return the formula between two single dollars: they hug it, and stand at no word."""
    start, first = opening.start(), opening.end()
    if is_growing and first == len(text):
        return Inline(start, first, InlineKind.UNFINISHED, "", text[start:])
    if text[first : first + 1].isspace() or (start and (text[start - 1].isalnum() or text[start - 1] == "$")):
        return None
    stop = first
    while True:
        stop = text.find("$", stop, first + LONGEST)
        if stop < 0 or text[stop - 1] != "\\":
            break
        stop += 1
    # One that goes over lines is shown when it ends: too much would be held back for a sum of money.
    may_end = is_growing and len(text) < first + LONGEST and "\n" not in text[first:]
    if stop < 0 and not may_end:
        return None
    tex = text[first : len(text) if stop < 0 else stop]
    if not tex or _BLANK_LINE.search(tex) or "`" in tex or _MONEY.match(tex) or _is_prose(tex):
        return None
    after = text[stop + 1 : stop + 2] if stop >= 0 else ""
    if stop < 0 or (is_growing and not after and not tex[-1].isspace()):
        return Inline(start, len(text), InlineKind.UNFINISHED, "", text[start:])
    if tex[-1].isspace() or after.isalnum() or after == "$":
        return None
    return Inline(start, stop + 1, InlineKind.FORMULA, tex, text[start : stop + 1])


def _is_prose(tex: str) -> bool:
    """Return whether words follow one another in it, other than those that are set as text."""
    return _PROSE.search(_WORDS.sub("", tex)) is not None


def _footnote(text: str, found: re.Match[str]) -> Inline:
    """Return the mark of a footnote; at the beginning of a line, with a colon, that before its text."""
    source = found[0]
    if source.endswith(":") and text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip():
        source = source[:-1]
    label = source.removesuffix(":")[2:-1]
    return Inline(found.start(), found.start() + len(source), InlineKind.FOOTNOTE, label, source)


def _bracket(text: str, found: re.Match[str]) -> Inline | None:
    """Return the bracket of a name that begins its line, but for what lists and quotations begin lines with."""
    start = found.start()
    line_start = text.rfind("\n", max(0, start - _LONGEST_LEAD), start) + 1
    if (not line_start and start > _LONGEST_LEAD) or not _BEFORE_NAME.fullmatch(text, line_start, start):
        return None
    return Inline(start, found.end(), InlineKind.BRACKET, "", found[0])
