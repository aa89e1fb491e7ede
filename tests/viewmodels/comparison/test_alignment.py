from __future__ import annotations

import random

from app.viewmodels.comparison.alignment import MOST_PAIRS, aligned
from tests.seeds import each_seed


def test_versions_of_a_paragraph_stand_beside_each_other_and_a_new_one_alone() -> None:
    left = ["Here is the plan.", "Stay in Baixa near the river, 45 euros a night."]
    right = ["Here is the plan.", "Bring cash.", "Stay in Arroios near the river, 40 euros a night."]
    assert aligned(left, right) == [(0, 0), (None, 1), (1, 2)]


def test_paragraphs_that_share_nothing_stand_beside_each_other_in_their_order() -> None:
    assert aligned(["one", "two"], ["three", "four", "five"]) == [(0, 0), (1, 1), (None, 2)]
    assert aligned([], ["a"]) == [(None, 0)]
    assert aligned([], []) == []


@each_seed(range(200))
def test_each_paragraph_stands_in_one_row_and_in_its_order(seed: int) -> None:
    rng = random.Random(seed)
    words = ["river", "tram", "museum", "train", "bread"]
    left = [" ".join(rng.choices(words, k=rng.randrange(1, 6))) for _ in range(rng.randrange(12))]
    right = [text for text in left if rng.random() < 0.7]
    right.insert(rng.randrange(len(right) + 1), "something new")
    rows = aligned(left, right)
    assert [a for a, _ in rows if a is not None] == list(range(len(left)))
    assert [b for _, b in rows if b is not None] == list(range(len(right)))


def test_many_paragraphs_are_aligned_without_looking_at_all_pairs() -> None:
    left, right = [f"left {n}" for n in range(2_000)], [f"right {n}" for n in range(2_000)]
    assert len(left) * len(right) > MOST_PAIRS
    assert aligned(left, right) == [(n, n) for n in range(2_000)]
