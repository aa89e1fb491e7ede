"""The figures of an answer that a server has written."""

from __future__ import annotations

import pytest

from app.protocol.reports import StopReason
from app.remote.chunks import Chunk, Usage, chat_chunk
from app.remote.written import Written


@pytest.mark.parametrize(("pause", "rate"), [(0.0, 0.0), (0.0001, 0.0), (0.025, 40.0)])
def test_a_speed_is_told_of_words_that_took_their_time(pause: float, rate: float) -> None:
    """Not of those that something on the way held back, to send them all at once."""
    now = 100.0
    written = Written(1, clock=lambda: now)
    for _ in range(5):
        written.take(Chunk(text="word "))
        now += pause
    assert written.stats(StopReason.FINISHED).rate == pytest.approx(rate)


def test_what_was_counted_stands_until_another_number_is_told() -> None:
    """In whatever piece: some servers tell the counts of the prompt first, and some end with none at all."""
    told = (
        *('{"usage": {"prompt_tokens": 70, "prompt_tokens_details": {"cached_tokens": 60}}}', '{"usage": null}'),
        *('{"usage": {"completion_tokens": 30, "prompt_tokens": null}}', '{"usage": {}}'),
        '{"usage": {"prompt_tokens": 71, "completion_tokens": "many"}}',
    )
    written = Written(1)
    for one in told:
        written.take(chat_chunk("Studio", one))
    assert written.usage == Usage(71, 30, 60)
    assert written.stats(StopReason.FINISHED).tokens == 30


@pytest.mark.parametrize(("told", "most", "tokens"), [(30, 30, 30), (31, 30, 2), (10**11, 10**6, 2), (0, 30, 2)])
def test_no_more_tokens_are_told_than_an_answer_can_have_and_no_less_than_one(
    told: int, most: int, tokens: int
) -> None:
    written = Written(1)
    written.most = most
    for _ in range(2):
        written.take(Chunk(text="word "))
    written.take(Chunk(usage=Usage(9, told)))
    assert written.usage.prompt == 9
    assert written.stats(StopReason.FINISHED).tokens == tokens
