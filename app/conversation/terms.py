"""Words of a text as the search sees them: without case and accents, one character at a time where none divides words.

The search index is handed these words and not the text, so that it holds the same for every version of SQLite, and so
that a Chinese character or an emoji can be found by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from app.protocol.dataclass import dataclass

VERSION = f"2 {unicodedata.unidata_version}"  # of the rules: words from other rules are not the same words

# Thai to Tibetan, Myanmar, Khmer; CJK with kana: scripts that are written without spaces.
_SINGLE = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Combining marks, which belong to the letter before; Indic scripts mix letters with them.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u3099\u309a"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
LONGEST = 64  # characters of a word that count
_LONGEST_PART = 1024  # characters of a text that are looked at for one word, marks that do not count among them
_WINDOW = 16 * 1024  # characters that are looked at in one go: a search within a text cannot be interrupted
_PARTS = (
    f"[{_SINGLE}][{_MARKS}]{{0,{_LONGEST_PART}}}|(?:[^\\W_{_SINGLE}]|[{_MARKS}]){{1,{_LONGEST_PART}}}|[^\\x00-\\x7f\\s]"
)
_REST = f"(?:[^\\W_{_SINGLE}]|[{_MARKS}])+"
_QUOTED = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Word:
    """One word, and the characters of the text that it stands for."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow one another. is_prefix: the last one may go on, because somebody is typing it."""

    words: tuple[str, ...]
    is_prefix: bool = False

    @property
    def match(self) -> str:
        """The term in the language of FTS5, https://sqlite.org/fts5.html#full_text_query_syntax."""
        quoted = " ".join(self.words).replace('"', '""')
        return f'"{quoted}"{" *" if self.is_prefix else ""}'


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when the first text is searched: 7 ms for these two, which no start has to wait for."""
    return re.compile(pattern)


def words_of(text: str) -> Iterator[Word]:
    """Split a text into its words, in order; of a word that is longer than any, only its beginning."""
    return (word for word in words_in_steps(text) if word is not None)


def words_in_steps(text: str) -> Iterator[Word | None]:
    """Yield the words of a text, and None wherever a while has passed without one."""
    parts, rest_of = _compiled(_PARTS), _compiled(_REST)
    at = 0
    while at < len(text):
        stop = at + _WINDOW
        part = parts.search(text, at, stop)
        if part is None:
            at = stop
            yield None
        elif part.end() == stop < len(text) and part.start() > at:
            at = part.start()  # it may go on behind the window
        else:
            at = part.end()
            folded = _folded(part.group())
            yield Word(folded, *part.span()) if folded else None
            while part.end() - part.start() >= _LONGEST_PART and (rest := rest_of.match(text, at, at + _WINDOW)):
                at = rest.end()
                yield None


def terms_of(typed: str) -> tuple[Term, ...]:
    """Split what was typed into terms to look for: every word, and what stands in double quotes as one piece.

    The last word may be the beginning of one, unless something comes after it. No text is wrong.
    """
    found = []
    pieces = list(_QUOTED.finditer(typed))
    for piece in pieces:
        is_last = piece.end() == len(typed) and piece.group(2) is not None
        words = tuple(word.folded for word in words_of(piece.group(1) or piece.group(2) or ""))
        if words:
            found.append(Term(words, is_last))
    return tuple(dict.fromkeys(found))


def ranges_of(text: str, terms: tuple[Term, ...]) -> tuple[tuple[int, int], ...]:
    """Find where the terms stand in a text, from the first on, without overlaps."""
    words = list(words_of(text))
    found = [
        (words[place].start, words[place + len(term.words) - 1].end)
        for term in terms
        for place in range(len(words) - len(term.words) + 1)
        if _stands_at(term, words, place)
    ]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(kept)


def _stands_at(term: Term, words: list[Word], place: int) -> bool:
    *first, last = term.words
    end = words[place + len(first)].folded
    is_end = end.startswith(last) if term.is_prefix else end == last
    return is_end and all(words[place + index].folded == word for index, word in enumerate(first))


def _folded(part: str) -> str:
    if part.isascii():
        return part.lower()[:LONGEST]
    plain = unicodedata.normalize("NFKD", part.casefold())
    kept = "".join(character for character in plain if _counts(character))
    return unicodedata.normalize("NFC", kept)[:LONGEST]


def _counts(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    is_sign = unicodedata.combining(character) != 0 or "\ufe00" <= character <= "\ufe0f"
    return not is_sign and unicodedata.category(character)[0] not in "CPZ"
