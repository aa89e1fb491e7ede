"""Heights of many rows, against a plain list."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import pytest

from app.widgets.chat.messages import heights as heights_module
from app.widgets.chat.messages.heights import Heights
from tests.seeds import each_seed


@each_seed(range(4))
def test_rows_stand_where_a_list_says(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(heights_module, "BLOCK", 8)
    rng = random.Random(seed)
    truth: list[float] = []
    heights = Heights(lambda first, end: truth[first:end])
    known: set[int] = set()
    for step in range(400):
        action = rng.choice(["extend", "extend", "cut", "know", "set", "forget"])
        if action == "extend":
            more = [float(rng.randrange(1, 500)) for _ in range(rng.randrange(30))]
            shared = range(len(truth), -(-len(truth) // 8) * 8) if len(truth) - 1 in known else range(0)
            truth += more
            heights.extend(len(more))
            known |= {number for number in shared if number < len(truth)}
        elif action == "cut":
            del truth[rng.randrange(len(truth) + 1) :]
            heights.cut(len(truth))
            known = {number for number in known if number < len(truth)}
        elif action == "know" and truth:
            first = rng.randrange(len(truth))
            last = min(first + rng.randrange(20), len(truth) - 1)
            wanted = set(range(first // 8 * 8, min(len(truth), (last // 8 + 1) * 8)))
            assert heights.know(first, last) == (not wanted <= known)
            known |= wanted
        elif action == "set" and truth:
            number, height = rng.randrange(len(truth)), float(rng.randrange(1, 500))
            is_other = number in known and truth[number] != height
            assert heights.set(number, height) == is_other
            if is_other:
                truth[number] = height
        elif action == "forget" and rng.random() < 0.2:
            heights.forget()
            known.clear()
        check(heights, truth, known, (seed, step, action))


def check(heights: Heights, truth: Sequence[float], known: set[int], where: object) -> None:
    assert len(heights) == len(truth)
    single = [heights.height(number) for number in range(len(truth))]
    assert [one for number, one in enumerate(single) if number in known] == [truth[number] for number in sorted(known)]
    assert len({one for number, one in enumerate(single) if number not in known}) <= 1
    tops = [0.0, *accumulate(single)]
    assert [heights.top(number) for number in range(len(truth) + 1)] == pytest.approx(tops), where
    for number in range(len(truth)):
        middle = (tops[number] + tops[number + 1]) / 2
        assert heights.row_at(middle) == bisect_right(tops, middle) - 1 == number, where
    assert heights.row_at(-1) == heights.row_at(tops[-1] + 1) == -1, where


def test_what_is_not_known_is_as_high_as_what_is_on_average() -> None:
    asked: list[tuple[int, int]] = []

    def estimate(first: int, end: int) -> list[float]:
        asked.append((first, end))
        return [40.0] * (end - first)

    heights = Heights(estimate)
    heights.extend(200_000)
    heights.know(199_000, 199_999)
    assert heights.top(200_000) == pytest.approx(200_000 * 40)
    assert sum(end - first for first, end in asked) < 2000
