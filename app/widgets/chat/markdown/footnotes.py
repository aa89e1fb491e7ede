"""Footnotes of a message: which marks in its text lead to a note, and back.

What leads is a property of the text's format and no address, which no Markdown can give to a text: a model cannot write
a link that looks like one, nothing can be opened by it, and it is copied as the words that it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QTextCharFormat, QTextFormat

from app.protocol.dataclass import dataclass
from app.widgets.chat.markdown.formula_object import LAST_PROPERTY
from app.widgets.chat.markdown.inlines import InlineKind, find_inlines

_LABEL = LAST_PROPERTY + 1
_IS_NOTE = _LABEL + 1


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


def marks_in(markdown: str) -> frozenset[FootnoteMark]:
    """Return the marks in a Markdown text."""
    if "[^" not in markdown:
        return frozenset()
    found = (inline for inline in find_inlines(markdown) if inline.kind is InlineKind.FOOTNOTE)
    return frozenset(mark_of(inline.text, inline.source) for inline in found)


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The footnotes of a whole message. may_grow: whether notes may still come."""

    marks: frozenset[FootnoteMark] = frozenset()
    may_grow: bool = False

    def is_link(self, mark: FootnoteMark) -> bool:
        """Return whether there is something at the other end."""
        return mark.other in self.marks

    def is_raised(self, mark: FootnoteMark) -> bool:
        """Return whether it is shown as a mark; what has no note, and gets none, stands as it is written."""
        return mark.is_note or self.may_grow or mark.other in self.marks

    def differ(self, others: Footnotes, marks: Iterable[FootnoteMark]) -> bool:
        """Return whether some marks are shown otherwise than with other footnotes."""
        return any(
            self.is_link(mark) != others.is_link(mark) or self.is_raised(mark) != others.is_raised(mark)
            for mark in marks
        )


def with_mark(char_format: QTextCharFormat, mark: FootnoteMark) -> QTextCharFormat:
    """Return the format of a text that leads to the other end of a footnote."""
    result = QTextCharFormat(char_format)
    result.setProperty(_LABEL, mark.label)
    result.setProperty(_IS_NOTE, mark.is_note)
    return result
