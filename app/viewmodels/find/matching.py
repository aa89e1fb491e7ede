"""Where a text holds what is looked for, in the characters that Qt counts.

Properties: case does not matter; an accent is part of its letter, however the two are stored, so that "é" is found
where é was written and "e" is not; so are the letters of a Korean syllable; places do not overlap and are found from
the left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from app.conversation.terms import Term, ranges_of, terms_of

# What may show other letters than are written there, in their order: references, pictures, formulas, and links that
# begin or end within a word.
_REWRITTEN = re.compile(r"&#?\w+;|!\[|\w\[|[)\]]\w|\$|\\[(\[]")
# Vowels and last consonants of Korean syllables, which follow a first one.
_IN_SYLLABLE = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")
_MARKUP = re.compile(r"[\W_]+")


class Range(NamedTuple):
    """From and to, in UTF-16 units, as positions in a document of Qt are."""

    start: int
    end: int


class Matcher(Protocol):
    """Finds in a text what is looked for."""

    def may_be_in(self, markdown: str) -> bool:
        """Return False where the text that this Markdown shows cannot hold it."""

    def ranges(self, text: str) -> Sequence[Range]:
        """Return where a text holds it, in order."""


class Phrase:
    """The very characters that were typed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = _folded(text)

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in _MARKUP.split(self._folded) if word]

    def may_be_in(self, markdown: str) -> bool:
        """Return False where what this Markdown shows cannot hold the phrase, since its letters stand nowhere there."""
        bare = _MARKUP.sub("", _folded(markdown))
        if "".join(self._words) in bare or _REWRITTEN.search(markdown):
            return True
        return "](" in markdown and all(word in bare for word in self._words)

    def ranges(self, text: str) -> list[Range]:
        """Return where a text holds the phrase."""
        folded, phrase = _folded(text), self._folded
        at = folded.find(phrase) if phrase else -1
        if at < 0:
            return []
        units = None if text.isascii() else _units(text)
        found: list[Range] = []
        while at >= 0:
            end = at + len(phrase)
            is_cut = end < len(folded) and _is_within_letter(folded[end])
            if is_cut or (units is not None and units[end - 1] == units[end]):
                end = at + 1
            else:
                found.append(Range(at, end) if units is None else Range(units[at], units[end]))
            at = folded.find(phrase, end)
        return found


class Words:
    """Words as the search in all conversations finds them: without accents, the last one perhaps a beginning."""

    def __init__(self, text: str) -> None:
        self._terms: tuple[Term, ...] = terms_of(text)

    def may_be_in(self, markdown: str) -> bool:
        """Return True: a word may be spelled in many ways."""
        return bool(self._terms)

    def ranges(self, text: str) -> list[Range]:
        """Return where a text holds one of the words."""
        found = ranges_of(text, self._terms)
        if text.isascii():
            return [Range(*one) for one in found]
        at = [0]
        for letter in text:
            at.append(at[-1] + (2 if letter > "\uffff" else 1))
        return [Range(at[start], at[end]) for start, end in found]


def _is_within_letter(character: str) -> bool:
    return unicodedata.combining(character) > 0 or _IN_SYLLABLE.match(character) is not None


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFD", text.casefold())


def _units(text: str) -> list[int]:
    """Return, for each character of the folded text and for its end, the UTF-16 unit of the text that it stands for."""
    units: list[int] = []
    at = 0
    for letter in text:
        units += [at] * len(_folded(letter))
        at += 2 if letter > "\uffff" else 1
    units.append(at)
    return units
