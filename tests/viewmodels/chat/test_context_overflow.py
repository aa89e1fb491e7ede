"""Words are refused where they are known not to fit, and only there: with a card where there are ways on, or a hint."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

from app.protocol.events import CostEstimate
from app.protocol.reports import RequestReport, Source
from app.viewmodels.chat.context_choices import is_too_long
from app.viewmodels.chat.context_overflow import ContextOverflow
from app.viewmodels.kit.problem_card import ProblemCard
from tests.viewmodels.chat.test_context_choices import HOME, info_of, path_of

CONTEXT = 100


def priced(total: int, source: Source = Source.MEASURED) -> CostEstimate:
    return CostEstimate(1, RequestReport(total, 0, 0, 0, source=source), (), None)


def test_what_is_counted_about_is_left_to_the_server_unless_it_is_too_long_by_far() -> None:
    for source in Source:
        guess = source is Source.PREDICTED
        assert not is_too_long(priced(CONTEXT - 1, source), CONTEXT)
        assert is_too_long(priced(CONTEXT, source), CONTEXT) is not guess
        assert is_too_long(priced(2 * CONTEXT - 1, source), CONTEXT) is not guess
        assert is_too_long(priced(2 * CONTEXT, source), CONTEXT)


def test_words_are_refused_that_are_known_not_to_fit() -> None:
    refused = with_card = 0
    for seed in range(200):
        rng = random.Random(seed)
        path, known = path_of([rng.randint(1, 40) for _ in range(rng.choice((1, 5, 6)))])
        sending = rng.choice((None, known, priced(rng.choice((CONTEXT - 1, CONTEXT)))))
        words = rng.choice(("these", "others"))
        own = rng.choice((CONTEXT, CONTEXT, 10 * CONTEXT))
        hints, cards, said = list[str](), list[ProblemCard](), list[str]()
        fakes: dict[str, Any] = {
            "library": SimpleNamespace(open_id=HOME),
            "current_model": SimpleNamespace(info=rng.choice((None, *[info_of(CONTEXT, own)] * 4))),
            "branch_costs": SimpleNamespace(sending=sending, words=words, path=None),
            "drafts": None,
            "open_draft": SimpleNamespace(path_above=tuple(path), say=hints.append, length=0),
            "cards": SimpleNamespace(put=lambda _home, card, cards=cards: cards.append(card)),
            "open_branch": None,
            "notices": SimpleNamespace(announce=said.append),
        }
        overflow = ContextOverflow(**cast(Any, fakes))
        is_known = sending is not None and fakes["current_model"].info is not None and words == "these"
        does_not_fit = is_known and sending is not None and sending.request.total >= CONTEXT
        assert overflow.refuses("these") == does_not_fit, seed
        assert len(hints) + len(cards) == does_not_fit, seed
        assert said == [card.sentence for card in cards], seed
        assert all(card.choices or card.action_id for card in cards), seed
        assert all((card.action_id == "raise_limit") is (own > CONTEXT) for card in cards), seed
        assert not (hints and own > CONTEXT), seed
        refused, with_card = refused + does_not_fit, with_card + len(cards)
    assert 0 < with_card < refused


def test_far_beyond_the_context_turns_are_left_out_for_what_they_take_and_not_for_the_words() -> None:
    """Nothing was counted then: it is judged by how many characters each of them has."""
    path, _ = path_of([3 * CONTEXT, CONTEXT, 5, 5, 1])
    far = CostEstimate(1, RequestReport(CONTEXT, 0, 0, 0), (), None, is_far_too_long=True)
    for length, offered in ((0, ["leave_out_oldest"]), (CONTEXT, ["leave_out_oldest"]), (40 * CONTEXT, [])):
        cards, hints = list[ProblemCard](), list[str]()
        fakes: dict[str, Any] = {
            "library": SimpleNamespace(open_id=HOME),
            "current_model": SimpleNamespace(info=info_of(CONTEXT, CONTEXT)),
            "branch_costs": SimpleNamespace(sending=far, words="these", path=None),
            "open_draft": SimpleNamespace(path_above=tuple(path), say=hints.append, length=length),
            "cards": SimpleNamespace(put=lambda _home, card, cards=cards: cards.append(card)),
            "notices": SimpleNamespace(announce=lambda _text: None),
        }
        overflow = ContextOverflow(**cast(Any, dict.fromkeys(("drafts", "open_branch"), None) | fakes))
        assert overflow.refuses("these")
        assert [card.action_id for card in cards] == offered
        assert len(hints) == (not offered)
