"""In what the answers to one question differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.protocol.chat import Sampling
from app.viewmodels.chat.answer_plan import AnswerPlan


@pytest.mark.parametrize(
    ("chosen", "count", "wanted"),
    [
        (0.7, 3, [0.3, 0.7, 1.1]),
        (0.7, 2, [0.3, 1.1]),
        (0.3, 3, [0.0, 0.35, 0.7]),
        (0.0, 2, [0.0, 0.4]),
        (0.7, 1, [0.7]),
    ],
)
def test_a_ladder_goes_from_cold_to_warm_around_what_is_chosen(chosen: float, count: int, wanted: list[float]) -> None:
    sampling = Sampling(temperature=chosen, top_k=7)
    found = AnswerPlan(count, has_ladder=True).settings(sampling, count)
    assert [one.temperature for one in found] == wanted
    assert {replace(one, temperature=chosen) for one in found} == {sampling}
    assert not any(one.problem() for one in found)


def test_without_one_all_have_what_is_chosen() -> None:
    sampling = Sampling(temperature=0.7)
    assert AnswerPlan(3).settings(sampling, 3) == (sampling,) * 3
