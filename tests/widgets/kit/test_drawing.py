"""Text that is painted keeps to its room, and says nothing by halves."""

from __future__ import annotations

import random

from PySide6.QtGui import QTextLayout

from app.viewmodels.text.branch_titles import quoted
from app.widgets.chat.markdown.marks import cursor_x
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


def test_a_name_from_right_to_left_moves_nothing_of_its_sentence(style: Style) -> None:
    """What follows it stands at its right, letter after letter."""

    def is_in_order(words: str, after: str) -> bool:
        layout = QTextLayout(words + after, style.text_style(TextRole.BODY).font)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        places = [cursor_x(line, at) for at in range(len(words), len(words + after) + 1)]
        return places == sorted(set(places)) and places[0] >= cursor_x(line, 1)

    for after in (" was deleted. It stays.", "  ·  12 tokens", ": 3 of 4"):
        for name in ("שלום", "مرحبا 12", "a שלום", "Lisbon 🌳"):
            assert is_in_order(quoted(name), after), (name, after)
        assert not is_in_order("“שלום”", after), "which is no matter of course"
    assert quoted("Lisbon 🌳 für 2") == "“Lisbon 🌳 für 2”"


def test_a_quotation_that_is_cut_is_closed_again(style: Style) -> None:
    small = style.text_style(TextRole.SMALL)
    for words in ("“Make it cheaper, under 300 euros”", "New branch from “Make it cheaper…”"):
        for width in range(80, round(small.width(words))):
            shown = elided(small, words, width)
            assert shown.endswith("…”"), shown
            assert shown.count("…") == 1, shown
            assert small.width(shown) <= width + 1, shown
        assert elided(small, words, small.width(words)) == words
