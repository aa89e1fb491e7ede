"""Text that is painted keeps to its room, and says nothing by halves."""

from __future__ import annotations

import random

from app.widgets.kit.drawing import elided, whole_parts
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

BETWEEN = (" · ", ", ", ": ")


def test_parts_are_whole_and_as_many_as_there_is_room_for(style: Style) -> None:
    small = style.text_style(TextRole.SMALL)
    for seed in range(100):
        rng = random.Random(seed)
        parts = ["word" * rng.randrange(1, 6)]
        for _ in range(rng.randrange(5)):
            parts.append(parts[-1] + rng.choice(BETWEEN) + "word" * rng.randrange(1, 6))
        width = rng.uniform(0, 400)
        at = parts.index(whole_parts(small, parts[-1], width, *BETWEEN))
        assert at == 0 or small.width(parts[at]) <= width, f"seed {seed}"
        assert at == len(parts) - 1 or small.width(parts[at + 1]) > width, f"seed {seed}"


def test_a_quotation_that_is_cut_is_closed_again(style: Style) -> None:
    small = style.text_style(TextRole.SMALL)
    for words in ("“Make it cheaper, under 300 euros”", "New branch from “Make it cheaper…”"):
        for width in range(80, round(small.width(words))):
            shown = elided(small, words, width)
            assert shown.endswith("…”"), shown
            assert shown.count("…") == 1, shown
            assert small.width(shown) <= width + 1, shown
        assert elided(small, words, small.width(words)) == words
