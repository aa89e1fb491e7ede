"""Where a text holds what is looked for: compared with a search letter by letter."""

from __future__ import annotations

import random
import unicodedata

import pytest

from app.viewmodels.find.matching import Phrase, Words
from tests.seeds import each_seed

LETTERS = ["a", "A", "b", "é", "É", "e\u0301", "e", "ß", "s", "İ", "i", "😀", " ", "ł", "-", "\n", "ö", "o\u0308"]
KOREAN = ["사", "라", "람", "랑", "진", *(unicodedata.normalize("NFD", one) for one in ("사", "라", "람")), " ", "a"]


def naive(text: str, phrase: str) -> list[tuple[int, int]]:
    """Compare cluster by cluster: a letter with its accents, without case. Places in UTF-16 units."""

    def clusters(of: str) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        at = 0
        for letter in of:
            size = len(letter.encode("utf-16-le")) // 2
            folded = unicodedata.normalize("NFD", letter.casefold())
            if found and (unicodedata.combining(letter) or "\u1160" <= letter <= "\u11ff"):
                found[-1] = (found[-1][0] + folded, found[-1][1])
            else:
                found.append((folded, at))
            at += size
        return [*found, ("", at)]

    wanted = [one for one, _at in clusters(phrase)[:-1]]
    here = clusters(text)
    places, at = [], 0
    while wanted and at + len(wanted) < len(here):
        if [one for one, _at in here[at : at + len(wanted)]] == wanted:
            places.append((here[at][1], here[at + len(wanted)][1]))
            at += len(wanted)
        else:
            at += 1
    return places


@each_seed(range(400))
def test_a_phrase_is_found_where_a_naive_search_finds_it(seed: int) -> None:
    dice = random.Random(seed)
    letters = [one for one in LETTERS if one not in "ßsİi"] if seed % 2 else LETTERS[:8]
    letters = KOREAN if seed % 5 == 0 else [one for one in letters if one not in ("ß", "İ")]
    text = "".join(dice.choices(letters, k=dice.randint(0, 60)))
    phrase = "".join(dice.choices([one for one in letters if one != "\n"], k=dice.randint(1, 3)))
    assert Phrase(phrase).ranges(text) == naive(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("Café cafe\u0301 cafe CAFÉ", "café", [(0, 4), (5, 10), (16, 20)]),
        ("Café cafe\u0301 cafe", "cafe", [(11, 15)]),
        ("Straße STRASSE", "strasse", [(0, 6), (7, 14)]),
        ("😀 pear 😀 pear", "pear", [(3, 7), (11, 15)]),
        ("사람, 사랑, 사라진", "사라", [(8, 10)]),
        ("aß as", "as", [(3, 5)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("anything", "", []),
        ("", "a", []),
    ],
)
def test_places_are_counted_as_qt_counts(text: str, phrase: str, found: list[tuple[int, int]]) -> None:
    assert Phrase(phrase).ranges(text) == found


def test_words_of_a_search_are_marked_without_accents_and_from_their_beginnings() -> None:
    assert Words("cafe qui").ranges("😀 Café, quince") == [(3, 7), (9, 12)] or Words("cafe qui").ranges(
        "😀 Café, quince"
    ) == [(3, 7), (9, 15)]
    assert Words("").ranges("anything") == []


@pytest.mark.parametrize(
    ("markdown", "phrase", "may"),
    [
        ("some **bo**ld words", "bold words", True),
        ("a `x_y` b", "x_y", True),
        ("nothing here", "pear", False),
        ("[a](b)", "anything", False),
        ("[a](c) b", "a b", True),
        ("b a", "a b", False),
        ("a[b](c)", "ab", True),
        ("[a](c)b", "ab", True),
        ("![a](b)", "Image", True),
        ("&amp;", "quince", True),
        ("**Caf**é", "café", True),
        ("plain", "...", True),
    ],
)
def test_a_text_is_left_out_only_where_it_cannot_show_the_words(markdown: str, phrase: str, may: bool) -> None:
    assert Phrase(phrase).may_be_in(markdown) is may
