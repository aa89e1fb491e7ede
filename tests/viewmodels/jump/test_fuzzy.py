"""Which titles letters fit, and in what order."""

from __future__ import annotations

import random

import pytest

from app.viewmodels.jump.fuzzy import folded, score
from tests.seeds import each_seed


def is_within(typed: str, title: str) -> bool:
    """Look for the letters one after another."""
    left = iter(title)
    return all(letter in left for letter in typed.replace(" ", ""))


@each_seed(range(300))
def test_a_title_fits_if_it_has_the_letters_in_their_order(seed: int) -> None:
    dice = random.Random(seed)
    title = "".join(dice.choices("abc dé.*", k=dice.randint(0, 12)))
    typed = "".join(dice.choices("abc d.*(", k=dice.randint(1, 4)))
    assert (score(folded(typed), folded(title)) is not None) == is_within(folded(typed), folded(title))


@pytest.mark.parametrize(
    ("typed", "best", "other"),
    [
        ("trip", "Trip plan", "A trip"),
        ("trip", "A trip", "Tar rip"),
        ("tp", "Trip plan", "Atop"),
        ("trip plan", "Trip plan", "Trip to the plains"),
        ("plan", "Trip plan", "People and"),
        ("cafe", "Café", "Calm fear"),
        ("s", "Send", "Answer Again with the Same Settings and Seed"),
        ("aa", "Answer Again", "Bazaar banana"),
        ("import", "Import…", "Imported"),
        ("fox", "A fox and a bear", "A foxglove"),
    ],
)
def test_the_better_match_comes_first(typed: str, best: str, other: str) -> None:
    first, second = score(folded(typed), folded(best)), score(folded(typed), folded(other))
    assert first is not None
    assert second is None or first > second
