"""The measuring of what asking servers costs, in small. Times and real servers are for `make bench-remote`."""

from __future__ import annotations

from math import inf

import pytest

from tests.bench import api
from tests.bench.peers import share
from tests.bench.remote import routed


def test_what_was_sent_where_says_where_a_question_costs_least() -> None:
    alone = routed(2, 1)
    assert alone["soonest end"]["evaluated"] == 2816, "what one server would read"
    assert alone["round robin"]["evaluated"] > 2 * alone["soonest end"]["evaluated"]
    several = routed(2, 4)
    assert several["soonest end"]["evaluated"] < several["round robin"]["evaluated"]
    assert several["soonest end"]["busiest"] < 1.3


def test_wide_questions_go_where_their_beginning_was_read() -> None:
    found = routed(2, 1, "wide")
    assert found["soonest end"]["evaluated"] == 4048
    assert found["round robin"]["evaluated"] > 4048 + 2000


def test_a_prediction_is_right_to_the_token_or_nearly() -> None:
    assert share([0, 0, 3, 16, 17, inf, 400, 0], 0) == 0.375
    assert share([0, 0, 3, 16, 17, inf, 400, 0], 16) == 0.625


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("qapp")
def test_the_window_is_measured_beside_other_programs() -> None:
    with api.window() as opened:
        found = {**api.times(opened, 1), **api.reading_times(opened, 1)}
        cost = api.foreign_cost(opened, 40)
    assert min(found["step_ms"], found["reading_step_ms"], found["disconnect_ms"]) > 0
    assert cost == 0


def test_what_is_more_than_may_be_is_said_to_be_missed() -> None:
    figures: api.Figures = {
        "window_first_token_ms": 80.0,
        "step_ms": 5.0,
        "disconnect_ms": 40.0,
        "foreign_cost_tokens": 1,
    }
    figures |= {"window_first_token_reading_ms": 140.0, "reading_step_ms": 100.0}
    told = list(api.lines(figures, api.bars(figures)))
    assert [one.split()[2:3] for one in told] == [["missed:"], [], ["holds:"], ["missed:"], ["holds:"], []]
