from __future__ import annotations

import random

from app.viewmodels.chat.draft_limits import LONGEST_LINE, MOST, excess
from tests.seeds import chosen


def test_a_text_fits_exactly_while_it_keeps_both_limits() -> None:
    for seed in chosen(range(300)):
        draw = random.Random(seed)
        lines = [draw.choice([0, 10, 3000, LONGEST_LINE, LONGEST_LINE + 1]) for _ in range(draw.randrange(1, 20))]
        text = "\n".join("x" * length for length in lines)
        beside, on_its_line = draw.choice([0, 0, MOST - len(text), 1000]), draw.choice([0, 0, 5])
        fits = len(text) + max(0, beside) <= MOST and max([lines[0] + on_its_line, *lines]) <= LONGEST_LINE
        assert (excess(text, max(0, beside), on_its_line) == "") == fits, seed


def test_what_is_too_long_is_told_with_its_limit() -> None:
    assert excess("x\n" * MOST) == "it has 300\u202f000\u00a0characters, and the message field takes 150\u202f000"
    assert excess("x" * 20_001).startswith("it makes a line of 20\u202f001\u00a0characters")
