"""The price of going on from a branch, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import Problem, Reason, RequestReport, Source
from app.protocol.trie_view import Residency
from app.viewmodels.branches.branch_text import held_of
from app.viewmodels.chat import chat_text
from app.viewmodels.edges import edge_text
from app.viewmodels.text.formatting import HARD, THIN
from app.viewmodels.warmth.price_text import (
    price_computed,
    price_of_request,
    price_reason,
    price_reused,
    price_sentence,
    price_time,
    price_title,
)
from app.viewmodels.warmth.warmth import Warmth, unreadable_warmth, warmth_from

PART = Warmth(459, 247, False, 4083, 212, 0.6, 32768, is_recomputed=True, reason=Reason.NOT_CAPTURED)
WARM = replace(PART, held=459, left=3, is_warm=True)


@pytest.mark.parametrize(
    ("warmth", "said"),
    [
        (None, "Not known yet"),
        (WARM, "opens at once"),
        (replace(WARM, is_from_disk=True), "opens from disk"),
        (replace(WARM, source=Source.PREDICTED), "should open at once"),
        (replace(PART, source=Source.PREDICTED), "about 212 tokens to recompute, about 0.6 s"),
        (replace(PART, source=Source.COUNTED), "212 tokens to recompute, about 0.6 s"),
        (replace(PART, source=Source.AT_MOST), "at least 212 tokens to recompute, about 0.6 s"),
        (replace(PART, source=Source.AT_MOST, total=3580, left=3580, seconds=None), "cold: 3 580 tokens"),
        (replace(WARM, source=Source.COUNTED), "should open at once"),
        (replace(PART, source=Source.PREDICTED, total=3580, left=3580, seconds=None), "cold: about 3 580 tokens"),
        (PART, "212 tokens to recompute, about 0.6 s"),
        (replace(PART, seconds=None), "212 tokens to recompute"),
        (replace(PART, is_recomputed=False), "212 tokens to read, about 0.6 s"),
        (replace(PART, total=3580, left=3580, seconds=9.0), "cold: 3 580 tokens, about 9.0 s"),
        (replace(PART, total=120_032, context=4096), "does not fit: 120 032 of 4 096 tokens"),
        (replace(PART, total=4096, context=4096), "does not fit: 4 096 of 4 096 tokens"),
        (replace(PART, is_far_too_long=True, context=4096), "does not fit: more than 4 096 tokens"),
    ],
)
def test_one_sentence_tells_the_price(warmth: Warmth | None, said: str) -> None:
    assert price_sentence(warmth).replace(THIN, " ").replace(HARD, " ") == said
    assert price_sentence(warmth).startswith(price_title(warmth))
    assert price_sentence(warmth).endswith(price_time(warmth))


@pytest.mark.parametrize(
    ("warmth", "said"),
    [
        (None, ""),
        (PART, "3 871 of 4 083 tokens warm"),
        (replace(WARM, is_from_disk=True), "4 080 of 4 083 tokens warm, from disk"),
        (replace(PART, source=Source.COUNTED), "3 871 of 4 083 tokens should be warm"),
        (replace(PART, source=Source.PREDICTED), "about 3 871 of 4 083 tokens warm"),
        (replace(PART, source=Source.AT_MOST), "at most 3 871 of 4 083 tokens warm"),
        (replace(PART, source=Source.PREDICTED, left=4083), "0 of about 4 083 tokens warm"),
        (replace(PART, source=Source.AT_MOST, left=4083), "0 of 4 083 tokens warm"),
        (replace(PART, has_more=True), ""),
        (replace(PART, is_far_too_long=True), ""),
        (unreadable_warmth(Problem("No template", "It has none."), 4096), ""),
    ],
)
def test_what_is_held_of_a_path_is_told_where_all_of_it_is_counted(warmth: Warmth | None, said: str) -> None:
    assert held_of(warmth).replace(THIN, " ").replace(HARD, " ") == said


def test_what_is_held_and_what_is_computed_make_up_the_path() -> None:
    assert price_reused(PART).replace(THIN, " ") == "3 871 from memory"
    assert price_reused(replace(PART, is_from_disk=True)).replace(THIN, " ") == "3 871 from disk and memory"
    assert price_reused(replace(PART, total=212)) == ""
    assert price_reused(replace(PART, source=Source.PREDICTED)).replace(THIN, " ") == "about 3 871 from the server"
    assert price_computed(replace(PART, source=Source.PREDICTED)) == "about 212 to recompute"
    assert price_reused(replace(PART, source=Source.AT_MOST)).replace(THIN, " ") == "at most 3 871 from the server"
    assert price_computed(replace(PART, source=Source.AT_MOST)) == "at least 212 to recompute"
    assert price_reused(replace(PART, source=Source.COUNTED)).replace(THIN, " ") == "3 871 from the server"
    assert price_computed(PART) == "212 to recompute"
    assert price_computed(replace(PART, is_recomputed=False)) == "212 to read"
    assert price_computed(WARM) == "only what you type is computed"


def test_the_reason_is_a_sentence_or_nothing() -> None:
    assert price_reason(PART) == "The last restore point lies further up, so what follows it is read again."
    assert price_reason(WARM) == price_reason(replace(PART, is_recomputed=False)) == ""
    assert price_reason(replace(PART, reason=Reason.NONE)) == ""
    assert "limit" in price_reason(replace(PART, total=40_000))


def test_one_word_tells_whether_it_was_read_before() -> None:
    """Wherever a price is told; a beginning that all prompts share does not make the rest known."""
    for seen, verb in ((12, "read"), (15, "read"), (117, "read"), (118, "recompute"), (223, "recompute")):
        request = RequestReport(224, seen, 12, 12)
        priced = CostEstimate(1, request, (turn(4, 100, "none"),), 0.6)
        warmth = warmth_from(priced, 0, 4096)
        said = (
            price_sentence(warmth),
            price_computed(warmth),
            price_of_request(priced),
            chat_text.price_of_sending(priced),
            chat_text.price_of_path(priced),
            chat_text.price_of_settings(priced),
            edge_text.price(priced, 4096),
        )
        assert {one.split(",")[0].split()[-1] for one in said} == {verb}, seen
        assert len({one for one in said if one.startswith("212\u00a0tokens")}) == 1
        assert bool(price_reason(replace(warmth, reason=Reason.EVICTED))) == (verb == "recompute")


def turn(start: int, end: int, residency: Residency) -> TurnResidency:
    return TurnResidency(start, end, residency)


def test_a_row_is_measured_from_the_message_it_forks_from() -> None:
    turns = (turn(4, 100, "memory"), turn(104, 200, "disk"), turn(204, 300, "none"))
    priced = CostEstimate(1, RequestReport(310, 200, 200, 180), turns, 1.0)
    whole, row, cold = (warmth_from(priced, first, 4096) for first in (0, 1, 2))
    assert (whole.tokens, whole.held, whole.is_on_disk) == (300, 180, True)
    assert (row.tokens, row.held, row.is_on_disk) == (200, 80, True)
    assert (cold.tokens, cold.held, cold.is_on_disk, cold.share) == (100, 0, False, 0.0)
    assert {(one.total, one.left, one.cached) for one in (whole, row, cold)} == {(310, 130, 180)}


def test_a_row_whose_messages_are_all_held_is_full() -> None:
    """The token that ended an answer was shown and never fed: the mark is full all the same."""
    turns = (turn(4, 100, "live"), turn(104, 200, "live"))
    warmth = warmth_from(CostEstimate(1, RequestReport(203, 199, 199, 199), turns, None), 1, 4096)
    assert (warmth.tokens, warmth.held, warmth.share, warmth.is_warm) == (100, 100, 1.0, True)


def test_a_branch_that_was_not_counted_has_no_tokens() -> None:
    far = warmth_from(CostEstimate(1, RequestReport(4096, 0, 0, 0), (), None, is_far_too_long=True), 3, 4096)
    assert (far.tokens, far.share, far.fits) == (None, 0.0, False)
