"""Footnotes of a message: which marks in its text lead to a note, and back; and the addresses that it gives by names.

A message is laid out in many documents, and a name such as that of `[the docs][1]` may be given its address, as in
`[1]: https://a.b`, in another one. Such a line stays in sight like any other.

What leads to a note is a property of the text's format and no address, which no Markdown can give to a text: a model
cannot write a link that looks like one, nothing can be opened by it, and it is copied as the words that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from PySide6.QtGui import QTextCharFormat, QTextFormat

from app.protocol.dataclass import dataclass
from app.widgets.chat.markdown.formula_object import LAST_PROPERTY
from app.widgets.chat.markdown.inlines import NAME, InlineKind, find_inlines

_LABEL = LAST_PROPERTY + 1
_IS_NOTE = _LABEL + 1
_NAMES = re.compile(r"\[(?:[^\[\]\\]|\\.){1,999}\]", re.DOTALL)
# Words that follow a name with a colon are an address only if they look like one.
_GIVEN = re.compile(rf"({NAME}):[ \t]*\n?[ \t>]*<?((?:[A-Za-z][A-Za-z0-9+.-]+:|www\.|\.{{0,2}}/|#)[^\s<>]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FootnoteMark:
    """A mark of a footnote. label: in small letters. is_note: whether it stands before the note, not in the text."""

    label: str
    is_note: bool

    @property
    def says(self) -> str:
        """The words for where the mark leads."""
        return "Back to the text" if self.is_note else f"Footnote {self.label}"

    @property
    def other(self) -> FootnoteMark:
        """The mark at the other end."""
        return FootnoteMark(self.label, not self.is_note)


Link = str | FootnoteMark
"""Where a text leads: an address, "" for nowhere, or the other end of a footnote."""


def link_of(char_format: QTextFormat) -> Link:
    """Return where a text of this format leads."""
    if char_format.hasProperty(_LABEL):
        return FootnoteMark(str(char_format.property(_LABEL)), bool(char_format.property(_IS_NOTE)))
    return char_format.toCharFormat().anchorHref()


def mark_of(label: str, source: str) -> FootnoteMark:
    """Return the mark that was written so."""
    return FootnoteMark(label.casefold(), source.endswith(":"))


@dataclass(frozen=True, slots=True)
class Marked:
    """The marks, names and addresses of a Markdown text.

    names: what stands in brackets, in small letters. given: the names as they are written and their addresses.
    """

    marks: frozenset[FootnoteMark] = frozenset()
    names: frozenset[str] = frozenset()
    given: tuple[tuple[str, str], ...] = ()


def marked(markdown: str, *, may_grow: bool = False) -> Marked:
    """Return what a Markdown text has of footnotes and addresses. may_grow: its last address may not be whole."""
    if "[" not in markdown:
        return Marked()
    marks, given = set[FootnoteMark](), list[tuple[str, str]]()
    has_marks = "[^" in markdown or "]:" in markdown
    for inline in find_inlines(markdown) if has_marks else ():
        if inline.kind is InlineKind.FOOTNOTE:
            marks.add(mark_of(inline.text, inline.source))
        found = _GIVEN.match(markdown, inline.start) if inline.kind is InlineKind.BRACKET else None
        if found is not None and not (may_grow and found.end() == len(markdown)):
            given.append((found[1], found[2]))
    return Marked(frozenset(marks), frozenset(map(_folded, _NAMES.findall(markdown))), tuple(given))


def _folded(name: str) -> str:
    """Return a name in the form in which two are compared."""
    return " ".join(name[1:-1].split()).casefold()


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The footnotes of a whole message, and the addresses that it gives.

    may_grow: whether notes may still come. addresses: by their names in small letters, with the line that gives each.
    """

    marks: frozenset[FootnoteMark] = frozenset()
    may_grow: bool = False
    addresses: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[Marked], *, may_grow: bool) -> Footnotes:
        """Return those of a message that consists of some texts. Of one name the first address counts."""
        marks, addresses = set[FootnoteMark](), dict[str, str]()
        for part in parts:
            marks |= part.marks
            for name, address in part.given:
                addresses.setdefault(_folded(name), f"{' '.join(name.split())}: <{address}>")
        return cls(frozenset(marks), may_grow, addresses)

    def names_in(self, markdown: str) -> Iterator[re.Match[str]]:
        """Yield the names in a Markdown text that are given an address, each with its brackets."""
        if self.addresses and "[" in markdown:
            yield from (found for found in _NAMES.finditer(markdown) if _folded(found[0]) in self.addresses)

    def definitions(self, markdown: str) -> str:
        """Return what gives the names in a Markdown text their addresses, when it stands below it."""
        names = dict.fromkeys(_folded(found[0]) for found in self.names_in(markdown))
        return "".join(f"\n\n{self.addresses[name]}" for name in names)

    def is_link(self, mark: FootnoteMark) -> bool:
        """Return whether there is something at the other end."""
        return mark.other in self.marks

    def is_raised(self, mark: FootnoteMark) -> bool:
        """Return whether it is shown as a mark; what has no note, and gets none, stands as it is written."""
        return mark.is_note or self.may_grow or mark.other in self.marks

    def differ(self, others: Footnotes, part: Marked) -> bool:
        """Return whether something of a text is shown otherwise than with other footnotes."""
        return any(
            self.is_link(mark) != others.is_link(mark) or self.is_raised(mark) != others.is_raised(mark)
            for mark in part.marks
        ) or any(self.addresses.get(name) != others.addresses.get(name) for name in part.names)


def with_mark(char_format: QTextCharFormat, mark: FootnoteMark) -> QTextCharFormat:
    """Return the format of a text that leads to the other end of a footnote."""
    result = QTextCharFormat(char_format)
    result.setProperty(_LABEL, mark.label)
    result.setProperty(_IS_NOTE, mark.is_note)
    return result
