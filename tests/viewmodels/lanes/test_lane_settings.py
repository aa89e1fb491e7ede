"""In what answers differ, in words."""

from __future__ import annotations

import pytest

from app.protocol.chat import Sampling
from app.viewmodels.lanes.lane_settings import differences

COLD, WARM = Sampling(temperature=0.1), Sampling(temperature=0.9)
PRECISE, CREATIVE = Sampling(temperature=0.2, top_p=0.9), Sampling(temperature=1.1, min_p=0.05)
NAMES = {COLD: "Cold", PRECISE: "Precise", CREATIVE: "Creative"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ([COLD, Sampling(temperature=0.1, seed=4)], ["", ""]),
        ([COLD, WARM], ["temperature 0.1", "temperature 0.9"]),
        ([COLD, WARM, None], ["Cold", "temperature 0.9", ""]),
        ([COLD, Sampling(temperature=0.1, top_k=3)], ["Cold", "own settings"]),
        ([PRECISE, CREATIVE], ["Precise", "Creative"]),
        ([PRECISE, WARM], ["Precise", "temperature 0.9"]),
        ([None, None], ["", ""]),
        ([], []),
    ],
)
def test_what_is_the_same_for_all_is_not_said(settings: list[Sampling | None], told: list[str]) -> None:
    assert differences(settings, lambda one: NAMES.get(one, "")) == told
