"""The beginning of any text fits on one line."""

from __future__ import annotations

import random
from unicodedata import bidirectional, category

import pytest

from app.protocol.excerpts import first_words, one_line, plain_words
from tests.seeds import each_seed


def test_a_text_is_cut_between_words_where_one_can() -> None:
    assert first_words("Short") == "Short"
    assert first_words("two\n  lines") == "two lines"
    assert first_words("Three days in Lisbon, late October, with two children", 30) == "Three days in Lisbon, late…"
    assert first_words("x" * 100, 30) == "x" * 29 + "…"


@each_seed(range(300))
def test_whatever_the_text_it_is_its_beginning_and_no_longer_than_asked(seed: int) -> None:
    dice = random.Random(seed)
    text = "".join(dice.choices(["a", "bb", "ccc", " ", "  ", "\n", ",", ".", "ß😀", "\u2028"], k=dice.randrange(200)))
    most = dice.randrange(2, 60)
    whole, cut = " ".join(text.split()), first_words(text, most)
    assert len(cut) <= most
    assert cut == whole if len(whole) <= most else cut.endswith("…")
    assert whole.startswith(cut.removesuffix("…"))


# Of the letters of any script, those of emoji sequences, and what turns or breaks a line.
_PARTS = [
    "a",
    " ",
    "\n",
    "\u2028",
    "\x85",
    "\0",
    "\x1b",
    "\u202e",
    "\u2067",
    "\u200f",
    "\ud800",
    "\ufffc",
    "שלום",
    "مرحبا",
]
_PARTS += [
    "👩\u200d👧",
    "é",
    "e\u0301",
    "\u0645\u06cc\u200c\u062e",
    "🏴\U000e0067\U000e0062\U000e007f",
    "<b>",
    "&",
    "\xa0",
]


@each_seed(range(200))
def test_a_name_is_one_line_and_turns_nothing_around(seed: int) -> None:
    dice = random.Random(seed)
    name = "".join(dice.choices(_PARTS, k=dice.randrange(12)))
    line = one_line(name)
    assert not [letter for letter in line if bidirectional(letter) in _TURNING or category(letter) in ("Cc", "Cs")]
    assert line == one_line(line) == " ".join(line.split())
    for kept in (
        "👩\u200d👧",
        "\u0645\u06cc\u200c\u062e",
        "🏴\U000e0067\U000e0062\U000e007f",
        "e\u0301",
        "שלום",
        "<b>&",
    ):
        assert line.count(kept) >= name.count(kept), "what is a letter, or belongs to one, stays"
    assert first_words(name, 200) == line


_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Three days\n\nin **Lisbon**", "Three days in Lisbon"),
        ("**Day 1:** the *castle*", "Day 1: the castle"),
        ("**Day 1, of which the end is still being wr", "Day 1, of which the end is still being wr"),
        ("- [ ] bread\n* milk\n1. eggs", "bread milk 1. eggs"),
        ("```python\nprint(1)\n```\nprints `1`", "print(1) prints 1"),
        ("> quoted\n>> twice\n---\nover", "quoted twice over"),
        ("See [the map](https://example.org) and ![a cat](cat.png)", "See the map and a cat"),
        ("| Day | Price |\n|:---|---:|\n| 1 | 20 |", "Day Price 1 20"),
        ("Title\n=====\nand text", "Title and text"),
        ("~~never~~ always, \\*starred\\*", "never always, *starred*"),
        ("`a * b`, 2 * 3 * 4, a*b*c, __init__, #tag, C#", "a * b, 2 * 3 * 4, a*b*c, __init__, #tag, C#"),
        ("**`code`** in **bold**", "code in bold"),
        ("_one_ and __two words__, ***_three_*** \\_four\\_", "one and two words, three _four_"),
        ("`__init__`, `a._b_.c`, snake_case_word, _open", "__init__, a._b_.c, snake_case_word, _open"),
        ("| cats<br>dogs | 1 |\nso<BR />on, `<br>`", "cats dogs 1 so on, <br>"),
        ("```", ""),
        ("***", ""),
    ],
)
def test_words_are_shown_without_the_marks_of_markdown(text: str, words: str) -> None:
    assert plain_words(text, 60) == words


@each_seed(range(300))
def test_words_without_marks_are_cut_as_any_others(seed: int) -> None:
    dice = random.Random(seed)
    words = ["a", "bb", "Lisbon", " ", "\n", ",", ".", "ß😀", "snake_case", "1 + 1"]
    text = "".join(dice.choices(words, k=dice.randrange(200)))
    most = dice.randrange(40, 90)
    assert plain_words(text, most) == first_words(text.lstrip()[: 8 * most], most)
    marked = "".join(dice.choices([*words, "**", "*", "`", "```\n", "# ", "|", "[", "](", ")", "> ", "- "], k=200))
    assert len(plain_words(marked, most)) <= most
