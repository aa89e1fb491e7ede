"""The measuring of what asking servers costs, in small. Times and real servers are for `make bench-remote`."""

from __future__ import annotations

from tests.bench.remote import routed


def test_what_was_sent_where_says_where_a_question_costs_least() -> None:
    alone = routed(2, 1)
    assert alone["soonest end"]["evaluated"] == 2816, "what one server would read"
    assert alone["round robin"]["evaluated"] > 2 * alone["soonest end"]["evaluated"]
    several = routed(2, 4)
    assert several["soonest end"]["evaluated"] < several["round robin"]["evaluated"]
    assert several["soonest end"]["busiest"] < 1.3
