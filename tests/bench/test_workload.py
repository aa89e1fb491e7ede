"""The workloads are the ones that the published figures belong to."""

from __future__ import annotations

import pytest

from tests.bench.workload import WORKLOADS, Turn, clipped, distinct_positions, grid_places, least_tokens, state_places

FIGURES = {"explore": (36, 43_904, 2_816, 5_120, 73), "wide": (128, 261_120, 4_048, 8_144, 257)}


def figures(turns: list[Turn]) -> tuple[int, ...]:
    prompts = sum(len(turn.prompt) for turn in turns)
    return len(turns), prompts, least_tokens(turns), distinct_positions(turns), state_places(turns)


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_figures_are_the_published_ones(name: str) -> None:
    assert figures(WORKLOADS[name]()) == FIGURES[name]


@pytest.mark.parametrize("name", WORKLOADS)
def test_fewer_token_ids_make_no_accidental_siblings(name: str) -> None:
    turns = clipped(WORKLOADS[name](), 1024)
    assert figures(turns) == FIGURES[name]
    assert max(token for turn in turns for token in turn.whole) == 1023


def test_restore_points_stand_where_questions_begin_and_one_token_before_answers() -> None:
    turn = Turn(tuple(range(30)), (), message_starts=(0, 5, 12, 20))
    assert turn.restore_points() == (0, 5, 11, 20, 29)


@pytest.mark.parametrize(("name", "places"), [("explore", 1), ("wide", 7)])
def test_only_the_first_message_is_longer_than_the_grid(name: str, places: int) -> None:
    assert grid_places(WORKLOADS[name](), 256) == places


def test_a_repeated_prompt_costs_its_last_token() -> None:
    turn = Turn((1, 2, 3), (4,), (0,))
    assert least_tokens([turn, turn]) == 3 + 1
