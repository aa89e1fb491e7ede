"""The beginning of any text fits on one line."""

from __future__ import annotations

import random

from app.protocol.excerpts import first_words
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
