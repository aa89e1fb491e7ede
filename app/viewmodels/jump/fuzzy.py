"""How well typed letters fit a title: they stand in it in their order, best together and at the beginning of words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_START, _WORD, _WHOLE, _NEXT, _GAP = 12, 8, 4, 6, 1


def folded(text: str) -> str:
    """Return a text without case and accents, as it is compared."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@lru_cache(8)
def _pattern(typed: str) -> re.Pattern[str]:
    return re.compile("(?s)" + ".*?".join(map(re.escape, typed)))


def score(typed: str, title: str) -> int | None:
    """Return how well letters fit a title, None where they do not stand in it. Both are folded, and blanks ignored.

    The more the better. A title that holds all of it in one piece comes before one where letters are spread, and at the
    same place a whole word before one that only begins so.
    """
    letters = typed.replace(" ", "")
    if not letters:
        return 0
    if not _pattern(letters).search(title):
        return None
    at = title.find(typed)
    if at >= 0:
        is_word = _begins_word(title, at)
        bonus = _START if at == 0 else _WORD if is_word else 0
        bonus += _WHOLE if is_word and not title[at + len(typed) :][:1].isalnum() else 0
        return (_NEXT + (_WORD if is_word else _GAP)) * len(letters) + bonus - len(title) // 8
    return _spread(letters, title) - len(title) // 8


def _spread(letters: str, title: str) -> int:
    """Go from letter to letter: to one that begins a word where there is one, else to the next."""
    total, before = 0, -1
    for place, letter in enumerate(letters):
        at = title.find(letter, before + 1)
        word = next((one for one in _word_starts(title) if one > before and title.startswith(letter, one)), -1)
        rest = letters[place + 1 :]
        if at != before + 1 and word >= 0 and (not rest or _pattern(rest).search(title, word + 1)):
            at = word
        if at == 0:
            total += _START
        elif _begins_word(title, at):
            total += _WORD
        elif at == before + 1:
            total += _NEXT
        else:
            total -= min(at - before, 10) * _GAP
        before = at
    return total


def _begins_word(title: str, at: int) -> bool:
    return at == 0 or (not title[at - 1].isalnum() and title[at].isalnum())


@lru_cache(256)
def _word_starts(title: str) -> tuple[int, ...]:
    return tuple(found.start() for found in re.finditer(r"\b\w", title))
