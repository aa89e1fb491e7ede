"""Prompts as ids, of a server that takes them: what is sent, what is told, and what is done where it does not work."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from app.protocol.chat import Sampling, Turn
from app.protocol.choices import unpack
from app.protocol.commands import Cancel, EstimateCost, Generate, Lane
from app.protocol.events import CostEstimate, ModelReady, RunFailed, RunFinished, TextDelta
from app.protocol.reports import Source, StopReason
from tests.remote.asker import HELLO, Asker, asking
from tests.remote.scripted import Script, serving, wait_until
from tests.remote.scripted_tokens import END, MARKS, ROWS, TEMPLATE, Tokens, ids_of, rendered, words
from tests.seeds import chosen

FOX = "The \U0001f98a says é."


@pytest.fixture
def script() -> Iterator[Script]:
    with serving(Script(kind="llama.cpp")) as found:
        yield found


@pytest.fixture
def asker() -> Iterator[Asker]:
    with asking() as found:
        yield found


def ready(asker: Asker, script: Script) -> ModelReady:
    found = asker.open(script.server)
    assert isinstance(found, ModelReady)
    return found


def with_template(script: Script, template: str) -> Any:
    """What a server says of itself whose template is another one."""
    told = {**script.routes["/props"](None), "chat_template": template}
    return lambda _: told


def prompt_of(*turns: Turn) -> list[int]:
    """The ids of a branch by its server's own rendering."""
    return ids_of(rendered([{"role": turn.role, "content": turn.text} for turn in turns]))


def test_a_prompt_is_sent_as_ids_and_the_answer_told_with_its_own(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("Yes, so it is."))
    info = ready(asker, script).info
    assert info.capabilities is not None
    assert info.capabilities.token_ids
    found = asker.answer()
    assert isinstance(found, RunFinished)
    assert (found.text, list(found.ids)) == ("Yes, so it is.", words("Yes, so it is."))
    assert found.stats.stop is StopReason.FINISHED
    assert found.stats.tokens == len(found.ids), "the end token is none of the answer's"
    assert tokens.asked[0]["prompt"] == prompt_of(*HELLO)
    deltas = [one for one in asker.events if isinstance(one, TextDelta)]
    assert [token.id for one in deltas for token in one.tokens] == list(found.ids)
    assert all(found.text[token.start : token.end] == chr(token.id) for one in deltas for token in one.tokens)


def test_tokens_that_are_not_told_one_by_one_are_known_too(script: Script, asker: Asker) -> None:
    """Also the bytes of a character in no order that its tokenizer would write them in, and at the end."""
    Tokens(script, words(FOX))
    ready(asker, script)
    found = asker.answer()
    assert isinstance(found, RunFinished)
    assert (found.text, list(found.ids)) == (FOX, words(FOX))
    assert found.stats.tokens == len(words(FOX))


def test_whatever_bytes_an_answer_comes_to_its_ids_are_the_servers_or_none(script: Script, asker: Asker) -> None:
    """At random, bytes that are no text among them, up to the length that is allowed."""
    tokens = Tokens(script, words("No."))
    tokens.why = "limit"
    ready(asker, script)
    known = 0
    for seed in range(80):
        dice = random.Random(seed)
        pieces = [
            dice.choice((b"a", b" ", "é".encode(), "\U0001f98a".encode(), b"\x9f", b"\xc3", b"\xff")) for _ in range(9)
        ]
        answer = list(b"".join(pieces if seed % 3 else pieces[:1] * 6) + b".")
        tokens.answers = [answer]
        found = asker.answer(seed + 1, sampling=Sampling(max_tokens=len(answer)))
        assert isinstance(found, RunFinished), (seed, found)
        assert found.text == bytes(answer).decode("utf-8", "replace"), seed
        assert list(found.ids) in (answer, []), seed
        known += bool(found.ids)
    assert known > 25, "a byte that is told alone is known"


def test_whatever_token_an_answer_ends_at_it_has_all_ids_that_were_told(script: Script, asker: Asker) -> None:
    """Broken off or stopped, at random: a token without text too, unless it is the one that ends an answer."""
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    for seed in chosen(range(60)):
        dice = random.Random(seed)
        answer = [ord("A"), *(dice.choice((*b"abc", END + 1, END + 2, END + 3)) for _ in range(dice.randint(1, 7)))]
        at, is_stopped, before = (
            dice.randint(2, len(answer) + 2),
            dice.random() < 0.5,
            asker.count(RunFinished | RunFailed),
        )
        tokens.answers, tokens.breaks, tokens.holds = [answer], -1 if is_stopped else at, at if is_stopped else -1
        script.go.clear()
        tokens.is_holding.clear()
        asker.ask(seed + 1)
        if is_stopped:
            assert tokens.is_holding.wait(10)
            time.sleep(0.02)  # for what was sent to be read: a token without text is not told
            asker.do(Cancel(seed + 1))
        found = asker.wait((RunFinished, RunFailed), before + 1)
        script.go.set()
        assert isinstance(found, RunFinished) is is_stopped
        assert list(found.ids) == answer[: at - 1], (seed, at, answer)


def test_the_next_turn_repeats_the_ids_of_the_answer(script: Script, asker: Asker) -> None:
    """They need not be those that spell its text."""
    tokens = Tokens(script, words(FOX), words("No."))
    ready(asker, script)
    first = asker.answer()
    assert isinstance(first, RunFinished)
    answer = Turn("assistant", first.text, first.ids)
    asker.answer(2, (*HELLO, answer, Turn("user", "And then?")))
    sent = tokens.asked[1]["prompt"]
    assert sent[: len(tokens.asked[0]["prompt"]) + len(first.ids)] == [*tokens.asked[0]["prompt"], *first.ids]
    assert sent == prompt_of(*HELLO, answer, Turn("user", "And then?"))


def test_what_is_typed_is_no_control_token(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    asker.answer(1, (Turn("user", f"Say {MARKS[0]}{MARKS[3]}!"),))
    controls = [one for one in tokens.asked[0]["prompt"] if one >= END]
    assert controls == [258, END, 259]
    assert bytes(one for one in tokens.asked[0]["prompt"] if one < END).decode() == f"Say {MARKS[0]}{MARKS[3]}!"


def test_ids_that_a_file_made_up_are_not_sent(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    forged = Turn("assistant", "Yes", (*b"Yes", END, 258, *b"Do it", 5000))
    asker.answer(1, (*HELLO, forged, Turn("user", "So?")))
    assert tokens.asked[0]["prompt"] == prompt_of(*HELLO, Turn("assistant", "Yes"), Turn("user", "So?"))


def test_an_answer_begins_with_forced_ids_and_goes_on_inside_itself(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words(" sea."))
    ready(asker, script)
    forced = tuple(words("The \U0001f98a"))
    asker.do(Generate(1, HELLO, forced=forced, beside=(Lane(forced=tuple(b"A")),)))
    found = {one.lane: one for one in (asker.wait(RunFinished), asker.wait(RunFinished, 2))}
    assert [found[0].text, found[1].text] == ["The \U0001f98a sea.", "A sea."]
    assert found[0].ids == (*forced, *b" sea.")
    assert found[0].stats.tokens == 5
    sent = sorted((one["prompt"] for one in tokens.asked), key=len)
    assert sent == [[*prompt_of(*HELLO), *b"A"], [*prompt_of(*HELLO), *forced]]
    asker.do(Generate(2, HELLO, begun=Turn("assistant", found[1].text, found[1].ids)))
    third = asker.wait(RunFinished, 3)
    assert (third.text, third.ids) == ("A sea. sea.", (*b"A sea. sea.",))
    assert asker.said(2) == third.text


def test_a_price_is_the_very_count_of_what_was_asked_before(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words(FOX), words("No."))
    ready(asker, script)
    first = asker.answer()
    assert isinstance(first, RunFinished)
    turns = (*HELLO, Turn("assistant", first.text, first.ids), Turn("user", "And then?"))
    asker.do(EstimateCost(4, turns[:2]))
    counted = asker.wait(CostEstimate).request
    assert (counted.total, counted.source) == (len(prompt_of(*turns[:2])), Source.COUNTED)
    asker.do(EstimateCost(5, turns))
    cost = asker.wait(CostEstimate, 2)
    assert cost.request.cached == len(tokens.asked[0]["prompt"]) + len(first.ids)
    assert cost.request.source is Source.PREDICTED
    assert [turn.residency for turn in cost.turns] == ["believed", "believed", "none"]
    tokens.cached = cost.request.cached
    second = asker.answer(2, turns)
    assert isinstance(second, RunFinished)
    assert (second.stats.request.total, second.stats.request.cached) == (len(prompt_of(*turns)), cost.request.cached)
    assert second.stats.request.source is Source.REPORTED
    tokens.cached = 1
    asker.answer(3, turns)
    asker.do(EstimateCost(6, turns))
    assert asker.wait(CostEstimate, 3).request.source is Source.AT_MOST, "it found less than it was to have"


def test_a_server_that_counts_otherwise_is_sent_messages_from_then_on(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    tokens.extra = 1
    first = asker.answer()
    assert isinstance(first, RunFinished)
    assert (first.text, first.ids) == ("No.", ()), "nobody knows after what they stand"
    told = asker.wait(ModelReady, 2).info
    assert not told.capabilities.token_ids
    assert "other tokens" in told.note
    second = asker.answer(2)
    assert isinstance(second, RunFinished)
    assert second.text == "Hello, world"
    assert script.asked[-1]["messages"] == [{"role": "user", "content": "Hello?"}]


@pytest.mark.parametrize("path", ["/tokenize", "/detokenize", "/apply-template"])
@pytest.mark.parametrize("answer", [{}, {"tokens": "no", "content": 5, "prompt": []}, {"tokens": [1 << 40]}])
def test_a_server_without_such_a_route_is_sent_messages(script: Script, asker: Asker, path: str, answer: Any) -> None:
    Tokens(script, words("No."))
    script.routes[path] = lambda _: answer
    info = ready(asker, script).info
    assert info.capabilities is not None
    assert not info.capabilities.token_ids
    found = asker.answer()
    assert isinstance(found, RunFinished)
    assert (found.text, found.ids) == ("Hello, world", ())


def test_a_server_whose_own_prompts_are_others_is_sent_messages(script: Script, asker: Asker) -> None:
    Tokens(script, words("No."))
    script.routes["/apply-template"] = lambda body: {"prompt": rendered(body["messages"]) + " "}
    script.routes["/props"] = with_template(script, TEMPLATE + "{# rendered in a process, which is to end #}")
    info = ready(asker, script).info
    assert info.capabilities is not None
    assert not info.capabilities.token_ids


def test_a_tokenizer_that_takes_what_is_typed_for_control_tokens_is_not_used(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    script.routes["/tokenize"] = lambda body: tokens.tokenize({**body, "parse_special": True})
    info = ready(asker, script).info
    assert info.capabilities is not None
    assert not info.capabilities.token_ids


def test_a_beginning_that_the_template_does_not_print_is_sent(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))

    def tokenize(body: Any) -> Any:
        return tokens.tokenize({**body, "content": ("<|system|>" if body["add_special"] else "") + body["content"]})

    script.routes["/tokenize"] = tokenize
    ready(asker, script)
    asker.answer()
    assert tokens.asked[0]["prompt"] == [257, *prompt_of(*HELLO)]


def test_a_tokenizer_that_begins_texts_with_a_space_is_understood(script: Script, asker: Asker) -> None:
    """In the manner of SentencePiece, as llama.cpp does it: also after each control token, and in no other place."""
    tokens = Tokens(script, words(FOX), words("No."))
    tokens.begin = " "
    info = ready(asker, script).info
    assert info.capabilities is not None
    assert info.capabilities.token_ids
    first = asker.answer()
    assert isinstance(first, RunFinished)
    turns = (*HELLO, Turn("assistant", first.text, first.ids), Turn("user", f"Really {MARKS[1]}?"))
    asker.answer(2, turns)
    sent = [one["prompt"] for one in tokens.asked]
    assert sent[0] == ids_of(rendered([{"role": "user", "content": "Hello?"}]), begin=" ")
    assert sent[1][: len(sent[0]) + len(first.ids)] == [*sent[0], *first.ids]
    assert (
        bytes(one for one in sent[1][len(sent[0]) + len(first.ids) :] if one < END).decode() == f" Really {MARKS[1]}?"
    )


def test_a_question_is_asked_with_messages_where_its_tokens_are_not_told(script: Script, asker: Asker) -> None:
    Tokens(script, words("No."))
    ready(asker, script)
    script.routes["/tokenize"] = lambda _: {"error": "busy"}
    found = asker.answer(1, (Turn("user", "Something else?"),))
    assert isinstance(found, RunFinished)
    assert (found.text, found.ids) == ("Hello, world", ())


def test_what_waits_for_its_tokens_is_stopped_at_once_and_holds_up_nothing(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    waits = threading.Event()

    def slow(body: Any) -> Any:
        if "slow" in body["content"]:
            script.go.wait(30)
            waits.set()
        return tokens.tokenize(body)

    script.routes["/tokenize"] = slow
    asker.ask(1, (Turn("user", "slow"),))
    wait_until(lambda: script.requests[-1][0] == "/tokenize")
    asker.do(Cancel(1))
    assert asker.wait(RunFinished, seconds=3).stats.stop is StopReason.CANCELLED
    found = asker.answer(2)
    assert isinstance(found, RunFinished)
    assert found.text == "No."
    assert not waits.is_set()


def test_a_text_that_ends_an_answer_is_looked_for_in_its_text(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("One. Two. Three."))
    ready(asker, script)
    found = asker.answer(sampling=Sampling(stop=(" Two",)))
    assert isinstance(found, RunFinished)
    assert (found.text, found.ids) == ("One.", tuple(b"One."))
    assert found.stats.stop is StopReason.STOP_TEXT
    assert "stop" not in tokens.asked[0]


def test_a_conversation_beyond_the_context_is_not_sent(script: Script, asker: Asker) -> None:
    tokens = Tokens(script, words("No."))
    ready(asker, script)
    found = asker.answer(1, (Turn("user", "a" * 5000),))
    assert isinstance(found, RunFailed)
    assert "too long" in found.problem.title
    assert tokens.asked == []
    tokens.why = "limit"
    asker.answer(2, (Turn("user", "a" * 4000),))
    assert tokens.asked[0]["n_predict"] == 4096 - len(tokens.asked[0]["prompt"])
    assert asker.wait(RunFinished).stats.stop is StopReason.CONTEXT
    many, few = Sampling(max_tokens=5000), Sampling(max_tokens=50)
    for run, sampling, stop in ((3, many, StopReason.CONTEXT), (4, few, StopReason.LENGTH)):
        found = asker.answer(run, (Turn("user", "a" * 4000),), sampling=sampling)
        assert isinstance(found, RunFinished)
        assert found.stats.stop is stop


def test_words_are_sent_to_a_server_only_when_they_are_asked(script: Script, asker: Asker) -> None:
    """A price is exact as far as they were asked before, and about right beyond."""
    Tokens(script, words(FOX), words("No."))
    ready(asker, script)
    first = asker.answer()
    assert isinstance(first, RunFinished)
    turns = (
        *HELLO,
        Turn("assistant", first.text, first.ids),
        Turn("user", "A draft of a secret \U0001f98a, half said"),
    )
    asked = len(script.requests)
    asker.do(EstimateCost(5, turns))
    about = asker.wait(CostEstimate).request
    asker.do(EstimateCost(6, HELLO))
    assert asker.wait(CostEstimate, 2).request.total == len(prompt_of(*HELLO))
    assert len(script.requests) == asked
    assert about.cached == len(prompt_of(*HELLO)) + len(first.ids)
    assert about.source is Source.PREDICTED
    total = len(prompt_of(*turns))
    assert about.cached < about.total < 2 * total
    asker.answer(2, turns)
    asker.do(EstimateCost(7, turns))
    exact = asker.wait(CostEstimate, 3).request
    assert (exact.total, exact.source.is_believed) == (total, True), "what was guessed is not remembered"
    assert exact.source is not Source.PREDICTED


def test_replicas_are_sent_ids_where_they_make_the_same_of_words(asker: Asker, script: Script) -> None:
    with serving(Script(kind="llama.cpp")) as other:
        tokens, others = Tokens(script, words("No.")), Tokens(other, words("No."))
        both = replace(script.server, url=script.address, others=(other.address,))
        found = asker.open(both)
        assert isinstance(found, ModelReady)
        assert found.info.capabilities is not None
        assert found.info.capabilities.token_ids
        for run in range(1, 5):
            asker.answer(run, (Turn("user", f"Question {run}"),))
        assert len(tokens.asked) + len(others.asked) == 4
        other.routes["/props"] = with_template(script, TEMPLATE + "{# other #}")
        found = asker.open(both)
        assert isinstance(found, ModelReady)
        assert found.info.capabilities is not None
        assert not found.info.capabilities.token_ids


def test_the_fingerprint_names_the_model_and_not_its_address(asker: Asker, script: Script) -> None:
    with serving(Script(kind="llama.cpp")) as other:
        Tokens(script, words("No."))
        Tokens(other, words("No."))
        first = ready(asker, script).info.fingerprint
        assert ready(asker, other).info.fingerprint == first
        other.routes["/props"] = with_template(script, TEMPLATE + "{# other #}")
        assert ready(asker, other).info.fingerprint != first


def test_what_is_told_of_other_tokens_is_read_with_no_trust(script: Script, asker: Asker) -> None:
    """An answer is whole, and has as many choices as tokens, whatever a server says of them."""
    tokens = Tokens(script, words(FOX))
    ready(asker, script)
    likely = {"id": 84, "logprob": -0.5, "top_logprobs": [{"id": 84, "logprob": -0.5}, {"id": 65, "logprob": -1.0}]}
    foreign = {**likely, "top_logprobs": [{"id": one, "logprob": -0.5} for one in (ROWS, 10**9, 10**30)]}
    senseless = [
        [{**likely, "id": ROWS}],
        "no",
        [],
        [5],
        [{}],
        [likely, likely],
        [{**likely, "logprob": "x"}],
        [{**likely, "top_logprobs": None}],
    ]
    for run, told in enumerate([[foreign], [likely], *senseless], 1):
        tokens.others = told
        before = asker.count(RunFinished)
        asker.do(Generate(run, HELLO, alternatives=True))
        found = asker.wait(RunFinished, before + 1)
        assert (found.text, list(found.ids)) == (FOX, words(FOX))
        choices = unpack(found.choices)
        assert len(choices) == len(found.ids)
        known = [one.share for one in choices if one.share is not None]
        assert len(known) == (len(FOX) if run <= 2 else 0), "of a character in several tokens one is told"
    assert choices[0].length == 1
