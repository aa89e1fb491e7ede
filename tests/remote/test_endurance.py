"""A few of the questions, stops and kills that the soak plays by hundreds."""

from __future__ import annotations

from tests.remote.endurance import Figures, scripted


def test_a_server_is_asked_and_killed_at_random_moments() -> None:
    figures = Figures()
    for seed in range(4):
        scripted(seed, figures, 4, 3)
    assert figures.requests == 4 * 4
    assert figures.halves + figures.waited > 0
