"""Sentences about warmth and price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import RequestReport, Source
from app.protocol.trie_view import Residency
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.question import Question


def priced(total: int, cached: int, seen: int, *residencies: Residency, seconds: float | None = 0.6) -> CostEstimate:
    turns = tuple(TurnResidency(0, 1, residency) for residency in residencies)
    return CostEstimate(1, RequestReport(total, seen, cached, cached), turns, seconds)


@pytest.mark.parametrize(
    ("price", "subtitle", "warmth"),
    [
        (priced(3794, 3790, 3790, "live", "memory"), "Warm  ·  3_794~tokens", 1.0),
        (priced(3012, 1506, 1506, "memory", "none"), "1_506 of 3_012~tokens warm", 0.5),
        (priced(3580, 0, 0, "none", "none"), "Cold  ·  3_580~tokens", 0.0),
    ],
)
def test_warmth(price: CostEstimate, subtitle: str, warmth: float) -> None:
    assert chat_text.subtitle(price) == subtitle.replace("_", "\u202f").replace("~", "\u00a0")
    assert chat_text.warmth(price) == warmth


@pytest.mark.parametrize(
    ("source", "held", "partly", "cold"),
    [
        (Source.PREDICTED, "Should be warm", "About 8 of 20~tokens warm", "Cold  ·  about 20~tokens"),
        (Source.COUNTED, "Should be warm", "8 of 20~tokens should be warm", "Cold  ·  20~tokens"),
        (Source.AT_MOST, "Should be warm", "At most 8 of 20~tokens warm", "Cold  ·  20~tokens"),
    ],
)
def test_warmth_that_is_believed(source: Source, held: str, partly: str, cold: str) -> None:
    def said(price: CostEstimate) -> str:
        return chat_text.subtitle(replace(price, request=replace(price.request, source=source)))

    assert said(priced(20, 19, 19, "believed")) == f"{held}  ·  20~tokens".replace("~", "\u00a0")
    assert said(priced(20, 8, 8, "believed", "none")) == partly.replace("~", "\u00a0")
    assert said(priced(20, 0, 0, "none")) == cold.replace("~", "\u00a0")


@pytest.mark.parametrize(
    ("price", "said"),
    [
        (priced(180, 12, 12), "168~tokens to read, about 0.6~s"),
        (priced(224, 12, 224), "212~tokens to recompute, about 0.6~s"),
        (priced(3580, 0, 0, seconds=9.0), "Cold: 3_580~tokens, about 9.0~s"),
        (priced(13, 12, 12, seconds=None), "1~token to read"),
    ],
)
def test_price_of_sending(price: CostEstimate, said: str) -> None:
    assert chat_text.price_of_sending(price) == said.replace("_", "\u202f").replace("~", "\u00a0")


def test_price_of_a_warm_path() -> None:
    assert chat_text.price_of_path(priced(50, 47, 50, "live")) == "Warm: only what you type is computed"


def test_a_long_silence_is_said() -> None:
    question = Question(Message.new("c" * 32, None, "user", "How?"))
    question.commit()
    question.ask(1, Message.new("c" * 32, question.message.id, "assistant"))
    assert chat_text.answer_activity(question, "", [question]).text == "Reading"
    question.heard_at -= 45
    said = chat_text.answer_activity(question, "Trip", [question]).text
    assert said == "Reading in “Trip”  ·  no word for 45~s".replace("~", "\u00a0")
    question.grow("Word", 1)
    assert "no word" not in chat_text.answer_activity(question, "", [question]).text


def test_of_a_server_that_is_waited_for_is_said_whether_anything_answers_there() -> None:
    question = Question(Message.new("c" * 32, None, "user", "How?"))
    question.commit()
    question.ask(1, Message.new("c" * 32, question.message.id, "assistant"))
    question.awaited = "Studio"
    assert chat_text.answer_activity(question, "", [question]).text == "Waiting for Studio"
    question.is_server_away = True
    said = chat_text.answer_activity(question, "Trip", [question]).text
    assert said == "Waiting for Studio in “Trip”  ·  nothing answers there"


def test_a_branch_of_which_only_is_known_that_it_is_too_long() -> None:
    far = replace(priced(4096, 0, 0), is_far_too_long=True)
    assert chat_text.subtitle(far) == "More than 4\u202f096\u00a0tokens"
    assert chat_text.does_not_fit(far, 4096) == "Does not fit: more than 4\u202f096 of 4\u202f096\u00a0tokens"
    assert (chat_text.warmth(far), far.is_warm) == (0.0, False)
    little = priced(4100, 0, 0, "none")
    assert chat_text.does_not_fit(little, 4096) == "Does not fit: 4\u202f100 of 4\u202f096\u00a0tokens"


def test_what_is_said_of_a_branch_does_not_walk_over_its_turns() -> None:
    held, below = (TurnResidency(at, at + 1, residency) for at, residency in enumerate(("memory", "disk")))
    priced = CostEstimate(1, RequestReport(9, 9, 9, 9), WalkedOver((held, below)), 0.1)
    assert (priced.is_warm, priced.is_on_disk) == (True, True)
    WalkedOver.times = 0
    assert chat_text.subtitle(priced).startswith("On disk")
    assert chat_text.warmth(priced) == 1.0
    assert chat_text.price_of_path(priced).startswith("On disk")
    assert WalkedOver.times == 0


class WalkedOver(tuple[TurnResidency, ...]):
    """Counts how often it was walked over."""

    times = 0

    def __iter__(self) -> Iterator[TurnResidency]:
        type(self).times += 1
        return super().__iter__()
