"""In what the answers to one question differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.protocol.chat import Sampling
from app.viewmodels.chat.answer_plan import AnswerPlan

PRESETS = {"cold": Sampling(temperature=0.1, top_k=3), "warm": Sampling(temperature=1.2)}


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
    found = AnswerPlan(count, has_ladder=True).settings(sampling, count, PRESETS.get)
    assert [one.temperature for one in found] == wanted
    assert {replace(one, temperature=chosen) for one in found} == {sampling}
    assert not any(one.problem() for one in found)


def test_without_one_all_have_what_is_chosen() -> None:
    sampling = Sampling(temperature=0.7)
    assert AnswerPlan(3).settings(sampling, 3, PRESETS.get) == (sampling,) * 3


def test_each_answer_can_have_a_preset() -> None:
    chosen = Sampling(temperature=0.7)
    plan = AnswerPlan(3, has_ladder=True).with_preset(1, "warm").with_preset(0, "cold")
    assert plan.settings(chosen, 3, PRESETS.get) == (PRESETS["cold"], PRESETS["warm"], chosen)
    assert plan.settings(chosen, 2, PRESETS.get) == (PRESETS["cold"], PRESETS["warm"])
    assert plan.settings(chosen, 1, PRESETS.get) == (chosen,)
    assert plan.with_preset(0, "").with_preset(1, "gone").settings(chosen, 2, PRESETS.get) == (chosen, chosen)
