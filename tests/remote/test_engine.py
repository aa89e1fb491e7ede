"""What a window asks of an engine, asked of one that asks servers."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, cast

import pytest

from app.protocol.chat import PromptOptions, Sampling, Turn
from app.protocol.commands import (
    Cancel,
    CancelOpening,
    CloseModel,
    EstimateCost,
    Evict,
    Generate,
    LimitContext,
    LoadModel,
    Pin,
    Tokenize,
    Verify,
    WarmUp,
)
from app.protocol.events import (
    ContextLimited,
    CostEstimate,
    CostRefused,
    EngineStarted,
    Event,
    Evicted,
    ModelClosed,
    ModelFailed,
    ModelReady,
    OpeningCancelled,
    Pinned,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    Tokenized,
    Verified,
    WarmedUp,
)
from app.protocol.reports import Source, StopReason
from app.protocol.servers import Server
from app.remote import answering, kinds, opening, patience
from app.remote.client import Client
from app.remote.engine import RemoteEngine
from app.remote.id_interface import IdInterface, IdQuestion
from app.remote.llama_completion import LlamaCompletion
from app.remote.probe import Found, FoundModel
from app.remote.sglang_generate import SglangGenerate
from app.remote.vllm_completion import VllmCompletion
from app.worker.text_batcher import TextBatcher
from tests.remote.asker import HELLO, Asker, asking
from tests.remote.extremes import extreme_sampling
from tests.remote.scripted import SIGNS, Script, event, serving, wait_until
from tests.remote.scripted_ranges import refusals
from tests.seeds import chosen

GOES_ON = {"llama.cpp", "vLLM", "SGLang", "Ollama"}
CONTEXTS = {"llama.cpp": 4096, "vLLM": 2048, "SGLang": 2048, "Ollama": 40960, "LM Studio": 3000}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.01, 0.01, 0.01))


@pytest.mark.parametrize("kind", SIGNS)
def test_each_kind_of_server_is_found_out_and_answers(kind: str) -> None:
    with serving(Script(kind=kind, thought=["Well", "…"])) as script, asking() as asker:
        ready = asker.open(script.server)
        assert isinstance(ready, ModelReady)
        info, own = ready.info, CONTEXTS.get(kind, 0)
        assert (info.name, info.detail, info.own_context) == ("tiny", "on Studio", own)
        assert info.context_length == (8192 if kind == "Ollama" else own or 1 << 20)
        assert info.capabilities is not None
        assert info.capabilities.going_on == (kind in GOES_ON)
        found = asker.answer()
        assert isinstance(found, RunFinished)
        assert (found.text, found.thinking, found.ids) == ("Hello, world", "Well…", ())
        assert (found.stats.stop, found.stats.tokens, found.stats.thinking_tokens) == (StopReason.FINISHED, 5, 2)
        assert asker.said() == found.text
        assert asker.said(kind="thinking") == found.thinking
        names = [type(one).__name__ for one in asker.events]
        assert names.index("RunStarted") < names.index("TextDelta") < names.index("RunFinished")
        (asked,) = script.asked
        assert asked["messages"] == [{"role": "user", "content": "Hello?"}]
        assert ("cache_salt" in asked) == (kind == "vLLM"), "who shares that server is told nothing by its cache"
        assert asked.get("return_progress") == (True if kind == "llama.cpp" else None)


UNTOLD: tuple[dict[str, Any] | None, ...] = (
    {"prompt_tokens": 40},
    {"prompt_tokens": 40, "prompt_tokens_details": None},
    {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 30}},
    None,
)


def test_the_figures_are_the_servers_own_and_never_a_zero_that_is_made_up() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 32}}
    with serving(Script(kind="vLLM", usage=usage)) as script, asking() as asker:
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFinished)
        request = found.stats.request
        assert (request.total, request.cached, request.left, request.source) == (40, 32, 8, Source.REPORTED)
        assert found.stats.tokens == 9
        for run, told in enumerate(UNTOLD, 2):
            script.usage = told
            found = asker.answer(run, (Turn("user", f"Something else, {run}"),))
            assert isinstance(found, RunFinished)
            assert found.stats.request.source is Source.UNKNOWN
            assert found.stats.request.cached == 0


def test_an_answer_has_no_more_tokens_than_were_asked_for_or_any_model_reads() -> None:
    with serving() as script, asking() as asker:
        asker.open(script.server)
        for run, (most, told, tokens) in enumerate(((None, 9, 9), (None, 10**9, 3), (5, 5, 5), (5, 9, 3)), 1):
            script.usage = {"prompt_tokens": 40, "completion_tokens": told}
            found = asker.answer(run, sampling=Sampling(max_tokens=most))
            assert isinstance(found, RunFinished)
            assert found.stats.tokens == tokens


def test_what_a_server_does_not_tell_is_told_as_about_where_it_was_sent_before() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 9}
    with serving(Script(kind="vLLM", usage=usage)) as script, asking() as asker:
        asker.open(script.server)
        asker.answer()
        found = asker.answer(2)
        assert isinstance(found, RunFinished)
        request = found.stats.request
        assert (request.total, request.cached, request.source) == (40, 32, Source.PREDICTED)


def test_ollama_tells_its_figures_in_its_own_way_and_is_told_not_to_cut() -> None:
    usage = {"prompt_eval_count": 40, "eval_count": 9, "prompt_eval_cached_count": 12}
    with serving(Script(kind="Ollama", usage=usage)) as script, asking() as asker:
        asker.open(script.server)
        found = asker.answer(sampling=Sampling(max_tokens=7))
        assert isinstance(found, RunFinished)
        assert (found.stats.request.total, found.stats.request.cached) == (40, 12)
        path, _, asked = script.requests[-1]
        assert path == "/api/chat"
        assert (asked["truncate"], asked["shift"]) == (False, False)
        assert (asked["options"]["num_ctx"], asked["options"]["num_predict"]) == (8192, 7)


def test_ollama_makes_room_for_what_is_usual_or_asked_and_never_for_more_than_the_model_reads() -> None:
    """At random: whatever it shows of a model, and whatever limit a person sets."""
    for seed in chosen(range(24)):
        dice = random.Random(seed)
        own, told = dice.choice((0, 512, 2048, 8192, 8193, 40_960, 1 << 20)), dice.choice((None, 300, 4096, 16_384))
        shown = {
            "model_info": dice.choice(
                (
                    {"general.architecture": "qwen3", "qwen3.context_length": own, "clip.context_length": 77},
                    {"general.architecture": "qwen3", "qwen3.context_length": str(own)} if not own else {},
                    None if not own else {"general.architecture": "x.y", "x.y.context_length": own},
                )
            ),
            "parameters": f'stop  "num_ctx 5"\nnum_ctx        {told}' if told else dice.choice((None, 5)),
        }
        is_told = str(own) in str(shown["model_info"]) and own > 0
        limit = dice.choice((None, 128, 5000, 8192, 100_000))
        with serving(Script(kind="Ollama", shown=shown)) as script, asking() as asker:
            asker.do(LoadModel("server:a1/tiny", server=script.server, context_limit=limit))
            info = asker.wait(ModelReady).info
            usual = min(told or 8192, own if is_told else 1 << 30)
            assert (info.own_context, info.usual_context) == (own if is_told else 0, usual), seed
            wanted = usual if limit is None else min(limit, own if is_told else 1 << 20)
            assert info.context_length == wanted, seed
            asker.answer()
            assert script.asked[-1]["options"]["num_ctx"] == wanted, seed
            asker.do(LimitContext(own or None))
            wanted = own if is_told else min(own, 1 << 20) or usual
            assert asker.wait(ContextLimited).context_length == wanted, seed
            asker.answer(2)
            assert script.asked[-1]["options"]["num_ctx"] == wanted, seed


TOO_LONG: dict[str, tuple[int, str]] = {
    "llama.cpp": (400, "request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    "vLLM": (400, "This model's maximum context length is 2048 tokens. However, your request has 9001 input tokens."),
    "SGLang": (400, "The input (9001 tokens) is longer than the model's context length (2048 tokens)."),
    "Ollama": (400, "the input length exceeds the context length"),
    "LM Studio": (400, "Trying to keep the first 9001 tokens when context the overflows. The context length is 3000."),
    "OpenAI’s interface": (400, "This model's maximum context length is 8192 tokens, your messages have 9001 tokens."),
}


@pytest.mark.parametrize("kind", TOO_LONG)
def test_a_conversation_that_a_server_calls_too_long_is_known_to_be_so_from_then_on(kind: str) -> None:
    status, words = TOO_LONG[kind]
    long = (Turn("user", "word " * 6000),)
    with serving(Script(kind=kind)) as script, asking() as asker:
        ready = asker.open(script.server)
        assert isinstance(ready, ModelReady)
        asker.answer(1, (Turn("user", "Hello"),))
        script.refusals = [(status, json.dumps({"error": {"message": words}}).encode(), {})]
        found = asker.answer(2, long)
        assert isinstance(found, RunFailed)
        assert found.problem.title == "The conversation is too long for this model"
        assert len(script.asked) == 2, "nothing is sent again that would be refused again"
        if kind == "OpenAI’s interface":
            return
        asker.do(EstimateCost(1, long))
        request = asker.wait(CostEstimate).request
        assert not request.is_about
        assert request.total >= ready.info.context_length
        assert request.total == 9001 or kind == "Ollama"
        assert isinstance(asker.answer(3, long), RunFinished)
        asker.do(EstimateCost(2, long))
        assert asker.wait(CostEstimate, 2).request.is_about, "it was read"
        script.refusals = [(status, json.dumps({"error": words.replace("9001", "999999999")}).encode(), {})]
        asker.answer(4, HELLO)
        asker.do(EstimateCost(3, HELLO))
        assert asker.wait(CostEstimate, 3).request.total < 10_000, "no message has so many"


def test_a_thought_in_the_text_is_told_apart() -> None:
    with serving(Script(words=["<thi", "nk>So", " so</think>", "\n\nYes", "."])) as script, asking() as asker:
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFinished)
        assert (found.thinking, found.text) == ("So so", "Yes.")


def test_words_are_told_though_the_server_pauses_after_them() -> None:
    told: list[Event] = []
    with serving(Script(words=["a ", "b ", "c", "d"], hold=3)) as script, asking() as asker:
        asker.open(script.server)
        batcher = TextBatcher(told.append)
        cast(RemoteEngine, asker.engine)._emit = batcher
        asker.ask()
        wait_until(lambda: "".join(one.text for one in told if isinstance(one, TextDelta)) == "a b c")


def test_several_answers_are_several_requests_with_seeds_of_their_own() -> None:
    with serving(Script(kind="llama.cpp")) as script, asking() as asker:
        asker.open(script.server)
        asker.ask(sampling=Sampling(seed=5), lanes=3)
        outcomes = [asker.wait(RunFinished, number) for number in (1, 2, 3)]
        assert sorted(one.lane for one in outcomes) == [0, 1, 2]
        assert sorted(one["seed"] for one in script.asked) == [5, 6, 7]
        assert asker.count(RunStarted) == 1
        assert asker.wait(RunStarted).seeds == (5, 6, 7)


SEEDED = {"llama.cpp", "vLLM", "SGLang", "Ollama", "LM Studio"}


def test_a_seed_is_sent_only_where_it_is_known_to_do_no_harm() -> None:
    """A sharded mlx_lm.server hangs for good by one, also where it does not say what it is."""
    unknown = Script(kind="mlx_lm.server", pages={"/health": (500, "text/plain", b"")})
    for given in (*(Script(kind=kind) for kind in SIGNS), unknown):
        with serving(given) as script, asking() as asker:
            asker.open(script.server)
            asker.answer(sampling=Sampling(seed=5))
            asked = script.asked[0].get("options", script.asked[0])
            assert ("seed" in asked) == (given.kind in SEEDED)


def test_stop_closes_the_connection_and_keeps_what_came() -> None:
    with serving(Script(words=["word "] * 5000, pause=0.002)) as script, asking() as asker:
        asker.open(script.server)
        asker.ask()
        asker.wait(TextDelta, 3)
        asker.do(Cancel(1))
        found = asker.wait(RunFinished)
        assert found.stats.stop is StopReason.CANCELLED
        assert found.text == asker.said() != ""
        wait_until(lambda: script.left == 1)
        assert script.ended == 0


def test_one_of_several_is_stopped_and_the_others_go_on() -> None:
    with serving(Script(words=["word "] * 40, pause=0.01)) as script, asking() as asker:
        asker.open(script.server)
        asker.ask(lanes=2)
        asker.wait(TextDelta, 4)
        asker.do(Cancel(1, 1))
        outcomes = {one.lane: one.stats.stop for one in (asker.wait(RunFinished), asker.wait(RunFinished, 2))}
        assert outcomes == {0: StopReason.FINISHED, 1: StopReason.CANCELLED}


def test_what_is_stopped_before_it_is_asked_for_has_an_outcome_too() -> None:
    with serving() as script, asking() as asker:
        asker.open(script.server)
        asker.ask(lanes=2)
        asker.do(Cancel(1))
        assert {asker.wait(RunFinished).stats.stop, asker.wait(RunFinished, 2).stats.stop} == {StopReason.CANCELLED}


def test_half_an_answer_stays_when_the_server_goes_away() -> None:
    with serving(Script(words=["half ", "an ", "answer"], drops=1, at=2)) as script, asking() as asker:
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFailed)
        assert found.problem.title == "Studio broke off"
        assert asker.said() == "half an "
        assert len(script.asked) == 1, "what was begun is not asked for again"


def test_a_request_that_broke_off_before_its_first_word_is_sent_again_once() -> None:
    with serving(Script(drops=1)) as script, asking() as asker:
        asker.open(script.server)
        assert isinstance(asker.answer(), RunFinished)
        assert len(script.asked) == 2
        script.drops = 2
        assert isinstance(asker.answer(2), RunFailed)
        assert len(script.asked) == 4


def test_a_busy_server_is_asked_three_times_more() -> None:
    with serving() as script, asking() as asker:
        asker.open(script.server)
        script.refusals = [(503, b"{}", {}), (429, b"{}", {"Retry-After": "0"}), (503, b"", {})]
        assert isinstance(asker.answer(), RunFinished)
        script.refusals = [(503, b'{"error": {"message": "no slot\\u0007 is\\nfree."}}', {})] * 4
        found = asker.answer(2)
        assert isinstance(found, RunFailed)
        assert found.problem.sentence == "Try again in a moment. It says: “no slot is free”."


@pytest.mark.parametrize(
    ("status", "content", "title", "said"),
    [
        (401, b'{"error": "unauthorized"}', "Studio asks for a key", "unauthorized"),
        (404, b'{"error": "text"}', "Studio does not have that", "text"),
        (400, b'{"detail": "n too large"}', "Studio refuses the request", "n too large"),
        (500, b"<html>oops</html>", "Studio refuses the request", "status 500"),
        (302, b"", "Studio refuses the request", "status 302"),
        (400, b"x" * 100_000, "Studio refuses the request", "status 400"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words_and_not_repeated(
    status: int, content: bytes, title: str, said: str
) -> None:
    with serving() as script, asking() as asker:
        asker.open(script.server)
        script.refusals = [(status, content, {"Location": "http://127.0.0.1:1/"})]
        found = asker.answer()
        assert isinstance(found, RunFailed)
        assert found.problem.title.startswith(title)
        assert said in found.problem.sentence
        assert len(script.asked) == 1


BAD = [
    [b"data: {\n\n"],
    [b"data: []\n\n"],
    [b"data: null\n\n"],
    [event({"choices": "no"})],
    [event({"choices": [5]})],
    [event({"choices": [{"delta": {"content": 5}}]})],
    [event({"error": {"message": "out of memory"}})],
    [b"data: " + b"[" * 100_000 + b"\n\n"],
    [event({"choices": [{"delta": {"content": "a"}}]})],  # no end
    [b"\xff\xfe\n\n"],
    [],
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_a_stream_that_cannot_be_read_has_failed(number: int) -> None:
    with serving(Script(raw=BAD[number])) as script, asking() as asker:
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFailed)
        assert found.problem.sentence
        script.raw = None
        assert isinstance(asker.answer(2), RunFinished), "the engine goes on"


MARKS_END = {"mlx_lm.server", "llama.cpp", "vLLM", "SGLang", "Ollama"}


@pytest.mark.parametrize("kind", SIGNS)
def test_a_stream_without_its_end_mark_has_failed_where_there_always_is_one(kind: str) -> None:
    """What comes after the reason for the end, the figures, is missing then, too."""
    with serving(Script(kind=kind)) as script, asking() as asker:
        *pieces, last = script.events()
        script.raw = pieces
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFailed if kind in MARKS_END else RunFinished)
        assert asker.said() == "Hello, world"
        script.raw = [*pieces, last]
        assert isinstance(asker.answer(2), RunFinished)


@pytest.mark.parametrize("kind", ["vLLM", "Ollama"])
def test_an_answer_without_an_end_is_left_and_what_came_of_it_stays(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "_LONGEST_ANSWER", 1000)
    thought, words = ["thought "] * 50, ["word "] * 120
    with serving(Script(kind=kind, thought=thought, words=words)) as script, asking() as asker:
        asker.open(script.server)
        assert isinstance(asker.answer(), RunFinished), "exactly as long as one may be"
        script.words = ["word "] * 200_000
        found = asker.answer(2)
        assert isinstance(found, RunFailed)
        assert found.problem.title == "Studio finds no end"
        assert (asker.said(2), asker.said(2, kind="thinking")) == ("word " * 120, "thought " * 50)
        wait_until(lambda: script.left == 1)
        assert len(script.asked) == 2


def test_any_cut_of_the_stream_gives_the_same_answer() -> None:
    """Also in the middle of a character, and with an empty event between."""
    whole = Script(words=["Größe ", "日本", "\U0001f98a", " end"], thought=["hm"], usage={"prompt_tokens": 3})
    data = b": keepalive 1/2\n\n: keepalive 2/2\r\n\r\n" + b"".join(whole.events())
    with serving() as script, asking() as asker:
        asker.open(script.server)
        for seed in range(12):
            cuts = sorted(random.Random(seed).sample(range(1, len(data)), 20))
            script.raw = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
            found = asker.answer(seed + 1)
            assert isinstance(found, RunFinished)
            assert (found.text, found.thinking) == ("Größe 日本\U0001f98a end", "hm")
            assert read_so_far(asker, seed + 1) == [(1, 2, 0), (2, 2, 0)], "comments are heard as well"


def test_an_answer_goes_on_where_the_server_can_do_that() -> None:
    begun = Turn("assistant", "Once upon", thinking="a tale")
    for kind in SIGNS:
        with serving(Script(kind=kind, words=[" a", " time"])) as script, asking() as asker:
            asker.open(script.server)
            asker.do(Generate(1, HELLO, begun=begun))
            found = asker.wait((RunFinished, RunFailed))
            if kind not in GOES_ON:
                assert isinstance(found, RunFailed)
                assert "cannot go on" in found.problem.title
                continue
            assert isinstance(found, RunFinished)
            assert (found.text, found.thinking, found.stats.tokens) == ("Once upon a time", "a tale", 2)
            assert asker.said() == found.text
            assert script.asked[0]["messages"][-1] == {"role": "assistant", "content": "Once upon"}
            assert script.asked[0].get("continue_final_message", False) == (kind in ("vLLM", "SGLang"))


@pytest.mark.parametrize("text", ["", "\n\n"])
@pytest.mark.parametrize("kind", sorted(GOES_ON))
def test_what_is_sent_messages_goes_on_inside_no_thought_and_says_so(kind: str, text: str) -> None:
    """It would begin with an empty answer, and its next thought would be told as the answer's text."""
    with serving(Script(kind=kind, words=["<think>more", "</think>Yes"])) as script, asking() as asker:
        asker.open(script.server)
        asker.do(Generate(1, HELLO, begun=Turn("assistant", text, thinking="half a thought")))
        found = asker.wait((RunFinished, RunFailed))
        assert isinstance(found, RunFailed)
        assert found.problem.title == f"{kind} cannot go on inside a thought"
        assert "Branch > Answer Again" in found.problem.sentence
        assert not script.asked, "no empty answer is sent"
        assert not asker.count(TextDelta | RunStarted), "the window keeps the answer as it was"
        answered = asker.answer(2)
        assert isinstance(answered, RunFinished)
        assert (answered.thinking, answered.text) == ("more", "Yes"), "answered again, it is told apart"


def test_what_is_told_to_the_model_and_its_thinking_are_sent() -> None:
    turns = (Turn("system", "old"), Turn("user", "Hi"), Turn("assistant", "Yes?", thinking="who"), Turn("user", "Go"))
    with serving(Script(kind="vLLM")) as script, asking() as asker:
        asker.open(script.server)
        asker.do(Generate(1, turns, options=PromptOptions("new", False)))
        asker.wait(RunFinished)
        (asked,) = script.asked
        assert [one["content"] for one in asked["messages"]] == ["new", "Hi", "Yes?", "Go"]
        assert asked["chat_template_kwargs"] == {"enable_thinking": False}


def test_every_setting_that_the_server_knows_is_sent() -> None:
    chosen = Sampling(0.5, 0.9, 40, 0.1, 1.2, 0.3, 0.4, max_tokens=77, stop=("END",))
    with serving(Script(kind="llama.cpp")) as script, asking() as asker:
        asker.open(script.server)
        asker.answer(sampling=chosen)
        (asked,) = script.asked
        names = ("temperature", "top_p", "top_k", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty")
        assert [asked[name] for name in names] == [0.5, 0.9, 40, 0.1, 1.2, 0.3, 0.4]
        assert (asked["max_tokens"], asked["stop"]) == (77, ["END"])
        asker.answer(2, sampling=Sampling())
        assert (script.asked[1]["top_k"], script.asked[1]["min_p"], script.asked[1]["max_tokens"]) == (0, 0.0, -1)


def test_a_top_k_that_is_off_is_told_as_the_server_calls_that() -> None:
    """SGLang refuses 0."""
    for kind, off in (("SGLang", -1), ("vLLM", 0)):
        with serving(Script(kind=kind)) as script, asking() as asker:
            asker.open(script.server)
            asker.answer(sampling=Sampling(top_k=0))
            asker.answer(2, sampling=Sampling(top_k=3))
            assert [one["top_k"] for one in script.asked] == [off, 3]


@pytest.mark.parametrize("kind", SIGNS)
def test_no_setting_that_is_allowed_here_is_refused_there(kind: str) -> None:
    """At random: a top-k beyond its tokens even ends an mlx_lm.server for good."""
    with serving(Script(kind=kind)) as script, asking() as asker:

        def answer(body: Any) -> Any:
            wrong = refusals(kind, body.get("options", body), CONTEXTS.get(kind, 1 << 20))
            return (400, {"error": f"{body}: {wrong}"}) if wrong else script.events()

        for path in ("/v1/chat/completions", "/api/chat"):
            script.routes[path] = answer
        asker.open(script.server)
        for seed in chosen(range(120)):
            dice = random.Random(seed)
            found = asker.answer(seed + 1, sampling=extreme_sampling(seed, dice.choice((1, 2047, 2048, 10**9))))
            assert isinstance(found, RunFinished), found


INTERFACES = ((kinds.LLAMA, LlamaCompletion()), (kinds.VLLM, VllmCompletion()), (kinds.SGLANG, SglangGenerate()))


@pytest.mark.parametrize(("kind", "interface"), INTERFACES)
def test_nor_where_it_is_sent_ids(kind: kinds.Kind, interface: IdInterface) -> None:
    for seed in chosen(range(500)):
        dice = random.Random(seed)
        sampling = extreme_sampling(seed, dice.choice((1, 990, 10**9)))
        question = IdQuestion(kind, "tiny", range(10), sampling, seed, room=990, alternatives=dice.random() < 0.5)
        body = interface.request(question)
        assert refusals(kind.name, body.get("sampling_params", body), 1001) == [], sampling


def test_an_answer_may_be_longer_than_there_is_room_for_beside_the_conversation() -> None:
    """A limit that some servers refuse then; where the conversation itself is too long, that is said."""
    room = 500

    def answer(body: Any) -> Any:
        said = "This model's maximum context length is 2048 tokens. However, you requested 2100 tokens."
        too_long = len(body["messages"][0]["content"]) > 2048 or body.get("max_tokens", 0) > room
        return (400, {"error": {"message": said}}) if too_long else script.events()

    script = Script(kind="vLLM", finish="length", routes={"/v1/chat/completions": answer})
    with serving(script), asking() as asker:
        asker.open(script.server)
        for run, length in enumerate((room, room + 1, 2048, None), 1):
            found = asker.answer(run, sampling=Sampling(max_tokens=length))
            assert isinstance(found, RunFinished)
            assert found.stats.stop is (StopReason.LENGTH if length == room else StopReason.CONTEXT)
        found = asker.answer(5, (Turn("user", "a" * 3000),), sampling=Sampling(max_tokens=5))
        assert isinstance(found, RunFailed)
        assert "too long" in found.problem.title


def test_off_means_off_everywhere() -> None:
    """A top-p of 0 is none on this machine; a server may take it for another thing."""
    for kind in SIGNS:
        with serving(Script(kind=kind)) as script, asking() as asker:
            asker.open(script.server)
            asker.answer(sampling=Sampling(top_p=0.0))
            assert script.asked[0].get("options", script.asked[0])["top_p"] == 1.0


OTHERWISE: dict[str, Any] = {
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 5,
    "min_p": 0.5,
    "repetition_penalty": 1.5,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "penalty_range": 50,
    "xtc_probability": 0.5,
    "xtc_threshold": 0.2,
    "seed": 5,
    "max_tokens": 50,
    "stop": ("END",),
    "logit_bias": ((" fox", 2.0),),
}


@pytest.mark.parametrize("kind", SIGNS)
def test_exactly_those_settings_are_unused_that_change_no_request(kind: str) -> None:
    assert set(OTHERWISE) == {one.name for one in fields(Sampling)}
    with serving(Script(kind=kind)) as script, asking() as asker:
        ready = asker.open(script.server)
        assert isinstance(ready, ModelReady)
        assert ready.info.capabilities is not None
        usual = Sampling(seed=1)
        asker.answer(sampling=usual)
        for run, (name, value) in enumerate(OTHERWISE.items(), 2):
            asker.answer(run, sampling=replace(usual, **{name: value}))
            is_unused = name in ready.info.capabilities.unused_settings
            assert is_unused == (script.asked[-1] == script.asked[0]), name


def test_an_answer_that_ends_for_want_of_room_says_so() -> None:
    with serving(Script(finish="length")) as script, asking() as asker:
        asker.open(script.server)
        outcomes = asker.answer(sampling=Sampling(max_tokens=3)), asker.answer(2)
        stops = [one.stats.stop for one in outcomes if isinstance(one, RunFinished)]
        assert stops == [StopReason.LENGTH, StopReason.CONTEXT]


def test_a_model_that_is_not_there_is_not_opened_and_the_open_one_stays() -> None:
    with serving() as script, asking() as asker:
        asker.open(script.server)
        failed = asker.open(script.server, "other")
        assert isinstance(failed, ModelFailed)
        assert failed.problem.title == "Studio does not have other"
        assert "tiny" in failed.problem.sentence
        assert isinstance(asker.answer(), RunFinished)


def test_an_address_at_which_nothing_answers_is_told() -> None:
    with serving() as script:
        gone = script.server
    with asking() as asker:
        failed = asker.open(gone)
        assert isinstance(failed, ModelFailed)
        assert failed.problem.title == "Studio cannot be reached"
        assert gone.url.removeprefix("http://") in failed.problem.sentence


def test_every_fault_of_an_opening_is_told_and_what_waited_for_it_is_answered() -> None:
    """What no server can have, and what nobody foresaw."""

    def key_of(server_id: str) -> str:
        if server_id == "c3":
            raise RuntimeError("nobody foresaw this")
        return {"a1": "schl\u00fcssel", "b2": "a\nb"}.get(server_id, "")

    with serving() as script, asking(key_of) as asker:
        urls = {"d4": "http://192.168.1.300:8080", "e5": "http://studio:port"}
        for run, server_id in enumerate(("a1", "b2", "c3", *urls), 1):
            server = Server(server_id, "Studio", urls.get(server_id, script.address))
            asker.do(LoadModel(f"server:{server_id}/tiny", server=server))
            asker.ask(run)
            failed = asker.wait(ModelFailed, run)
            assert "Studio" in failed.problem.title
            assert failed.problem.sentence
            assert asker.wait(RunFailed, run).run_id == run
        assert not script.requests


def test_a_model_that_is_closed_lets_go_of_its_connections_though_the_engine_ends_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed, close = list[Client](), Client.close

    async def slowly(client: Client) -> None:
        await asyncio.sleep(0.05)
        await close(client)
        closed.append(client)

    with serving() as script:
        asker = Asker()
        asker.open(script.server)
        monkeypatch.setattr(Client, "close", slowly)
        asker.do(CloseModel())
        assert asker.close()
    assert len(closed) == 1


def test_another_model_is_opened_in_the_place_of_the_first() -> None:
    with serving() as script, serving() as other, asking() as asker:
        asker.open(script.server)
        asker.ask()
        asker.open(replace(other.server, id="b2"))
        names = [type(one).__name__ for one in asker.events if isinstance(one, RunFinished | ModelClosed | ModelReady)]
        assert names == ["ModelReady", "RunFinished", "ModelClosed", "ModelReady"]
        asker.do(CloseModel())
        asker.wait(ModelClosed, 2)
        assert isinstance(asker.answer(2), RunFailed)
        asker.do(CloseModel())
        assert asker.wait(ModelClosed, 3).path == ""


def test_an_opening_is_given_up_and_what_waited_for_it_is_answered_or_fails() -> None:
    with serving() as script, asking() as asker:
        script.go.clear()
        load = LoadModel("server:a1/tiny", server=script.server)
        asker.do(load)
        asker.ask()
        asker.do(CancelOpening(load.path))
        asker.wait(OpeningCancelled)
        assert isinstance(asker.wait(RunFailed), RunFailed)
        asker.do(load)
        asker.ask(2)
        assert asker.wait(RunFinished).run_id == 2


class SlowEnd:
    """Has connections end slowly, until `go`. is_ending: one has begun to end. made, closed: all of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.go, self.is_ending = threading.Event(), threading.Event()
        self.made: list[Client] = []
        self.closed: list[Client] = []
        make, close = Client.__init__, Client.close

        def made(client: Client, *arguments: Any, **chosen: Any) -> None:
            make(client, *arguments, **chosen)
            self.made.append(client)

        async def closed(client: Client) -> None:
            self.is_ending.set()
            while not self.go.is_set():
                await asyncio.sleep(0.001)
            await close(client)
            self.closed.append(client)

        patch.setattr(Client, "__init__", made)
        patch.setattr(Client, "close", closed)


MEANWHILE: tuple[tuple[str, ...], ...] = (
    (),
    ("cancel b2",),
    ("load c3",),
    ("load c3", "cancel c3"),
    ("load c3", "load d4"),
    ("close",),
)


@pytest.mark.parametrize("said", MEANWHILE)
def test_an_opening_that_has_its_model_comes_to_its_end(said: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked meanwhile: every model that was open is closed, no question lost, no connection left."""
    end = SlowEnd(monkeypatch)
    with serving() as script, asking() as asker:

        def say(what: str) -> None:
            verb, _, name = what.partition(" ")
            path = f"server:{name}/tiny"
            load = LoadModel(path, server=replace(script.server, id=name or "none"))
            asker.do({"load": load, "cancel": CancelOpening(path), "close": CloseModel()}[verb])

        asker.open(script.server)
        say("load b2")
        assert end.is_ending.wait(10)
        asker.ask(1)
        for what in said:
            say(what)
        asker.ask(2)
        end.go.set()
        assert {asker.wait(RunFinished, number).run_id for number in (1, 2)} == {1, 2}
        ready = [one.info.path for one in asker.events if isinstance(one, ModelReady)]
        closed = [one.path for one in asker.events if isinstance(one, ModelClosed) and one.path]
        wanted = [what.removeprefix("load ") for what in ("load b2", *said) if what.startswith("load")]
        wanted = [name for name in wanted if name == "b2" or f"cancel {name}" not in said]
        assert ready[-1] == f"server:{wanted[-1]}/tiny"
        assert closed == ready[:-1]
        assert not asker.count(RunFailed | ModelFailed)
    assert set(end.made) == set(end.closed)


def test_no_connection_is_left_of_an_opening_that_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    end = SlowEnd(monkeypatch)
    end.go.set()
    has_one = threading.Event()

    async def look(client: Client) -> Found:
        if client is not end.made[0]:
            has_one.set()
            await asyncio.sleep(60)
        return Found(kinds.OTHER, (FoundModel("tiny"),))

    monkeypatch.setattr(opening, "look", look)
    with serving() as script, serving() as other, asking() as asker:
        server = replace(script.server, others=(other.address,))
        asker.do(LoadModel("server:a1/tiny", server=server))
        assert has_one.wait(10)
        asker.do(CancelOpening("server:a1/tiny"))
        asker.wait(OpeningCancelled)
        wait_until(lambda: len(end.closed) == 2)


def test_of_answers_that_wait_for_a_model_only_those_that_are_stopped_are_not_asked_for() -> None:
    go = threading.Event()

    def key_of(_server_id: str) -> str:
        go.wait(10)
        return ""

    with serving() as script, asking(key_of) as asker:
        asker.do(LoadModel("server:a1/tiny", server=script.server))
        asker.ask(1, lanes=3)
        asker.ask(2, lanes=2)
        for lane in (1, 1):
            asker.do(Cancel(1, lane))
        assert asker.wait(RunFinished).lane == 1
        for lane in (0, None):
            asker.do(Cancel(2, lane))
        asker.wait(RunFinished, 3)
        go.set()
        asker.wait(RunFinished, 5)
        ended = [(one.run_id, one.lane, one.stats.stop) for one in asker.events if isinstance(one, RunFinished)]
        assert len(ended) == len(set(ended)) == 5
        finished = {(run, lane) for run, lane, stop in ended if stop is StopReason.FINISHED}
        assert finished == {(1, 0), (1, 2)}
        assert len(script.asked) == 2
        go.clear()
        asker.do(CloseModel())
        asker.wait(ModelClosed)
        asker.do(LoadModel("server:a1/tiny", server=script.server))
        asker.ask(3, lanes=2)
        asker.do(Cancel(3, 0))
        asker.do(CancelOpening("server:a1/tiny"))
        assert asker.wait(RunFailed).lane == 1
        go.set()


def test_a_server_that_says_nothing_is_given_up() -> None:
    with serving(Script(hold=0)) as script, asking(silence=0.3) as asker:
        asker.open(script.server)
        found = asker.answer()
        assert isinstance(found, RunFailed)
        assert found.problem.title == "Studio says nothing"


def test_the_key_goes_to_the_server_and_nothing_else_does() -> None:
    with serving() as script, asking(key_of={"a1": "secret"}.__getitem__) as asker:
        asker.open(script.server)
        asker.answer()
        for _, headers, _ in script.requests:
            assert headers["Authorization"] == "Bearer secret"
            assert "Cookie" not in headers
        assert not any("secret" in str(one) for one in asker.events)


def test_no_cookie_is_kept_and_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with serving() as script, asking() as asker:
        asker.open(script.server)
        script.refusals = [(400, b"{}", {"Set-Cookie": "who=me"})]
        asker.answer()
        assert isinstance(asker.answer(2), RunFinished)
        assert "Cookie" not in script.requests[-1][1]


def test_what_only_an_own_cache_can_do_is_refused_and_nothing_waits() -> None:
    with serving() as script, asking() as asker:
        assert asker.wait(EngineStarted).capabilities.pins is False
        asker.open(script.server)
        asker.do(EstimateCost(1, HELLO))
        asker.do(Pin(2, HELLO, True))
        asker.do(Verify(3, HELLO))
        asker.do(Evict(4, (1,)))
        asker.do(WarmUp(5, HELLO))
        asker.do(Tokenize(6, "Hello"))
        asker.do(Generate(7, HELLO, is_guest=True))
        asker.do(LimitContext(500))
        assert asker.wait(CostRefused).problem is None
        for kind in (Pinned, Verified, Evicted, WarmedUp, Tokenized, RunFailed):
            assert asker.wait(kind).problem is not None
        assert asker.wait(ContextLimited).context_length == 500
        asker.do(LimitContext(None))
        assert asker.wait(ContextLimited, 2).context_length == 1 << 20


@pytest.fixture
def tells_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every figure of a prompt told, however soon after another."""
    monkeypatch.setattr(answering, "_BETWEEN_PROGRESS", 0.0)


@pytest.mark.usefixtures("tells_all")
def test_how_far_a_prompt_is_read_is_told_where_the_server_tells_it() -> None:
    progress = [{"total": 40, "cache": 16, "processed": done} for done in (16, 30, 40, 99)]
    events = [event({"choices": [{"delta": {"content": None}}], "prompt_progress": one}) for one in progress]
    with serving(Script(kind="llama.cpp")) as script, asking() as asker:
        script.raw = [*events, *Script(kind="llama.cpp").events()]
        asker.open(script.server)
        assert isinstance(asker.answer(), RunFinished)
        told = [one for one in asker.events if isinstance(one, PrefillProgress)]
        assert [(one.done, one.total, one.cached) for one in told] == [(16, 40, 16), (30, 40, 16), (40, 40, 16)]
        started = asker.wait(RunStarted)
        assert (started.request.total, started.request.cached, started.request.source) == (40, 16, Source.REPORTED)
        ended = asker.wait(RunFinished).stats.request
        assert (ended.total, ended.cached, ended.source) == (40, 16, Source.REPORTED), "also where it is stopped"


def keepalive(done: object, total: object) -> bytes:
    """Return a comment as mlx_lm.server sends it while it reads a prompt."""
    return f": keepalive {done}/{total}\n\n".encode()


def read_so_far(asker: Asker, run: int = 1) -> list[tuple[int, int, int]]:
    """Return what was told of a run's prompt: tokens read, in all, and found."""
    told = [one for one in asker.events if isinstance(one, PrefillProgress) and one.run_id == run]
    return [(one.done, one.total, one.cached) for one in told]


@pytest.mark.usefixtures("tells_all")
def test_comments_that_say_how_far_a_prompt_is_read_are_told_before_the_first_word() -> None:
    """As mlx_lm.server sends them: of what it did not find. What it found is believed, as without them."""
    usage = {"prompt_tokens": 400, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 0}}
    script = Script(kind="mlx_lm.server", usage=usage)
    heard: list[bytes] = []

    def answer(_body: Any) -> Any:
        yield from heard
        script.go.wait(10)
        yield from script.events()

    script.routes["/v1/chat/completions"] = answer
    with serving(script), asking() as asker:
        asker.open(script.server)
        heard += [keepalive(done, 400) for done in (64, 300, 400)]
        asker.ask()
        asker.wait(PrefillProgress, 3)
        assert read_so_far(asker) == [(64, 400, 0), (300, 400, 0), (400, 400, 0)]
        started = asker.wait(RunStarted).request
        assert (started.total, started.cached, started.source) == (400, 0, Source.PREDICTED)
        assert not asker.count(TextDelta)
        script.go.set()
        first = asker.wait(RunFinished)
        turns = (*HELLO, Turn("assistant", first.text), Turn("user", "And more?"))
        for run, left in enumerate((90, 380, 500), 2):
            heard[:] = [keepalive(left // 2, left), keepalive(left, left)]
            assert isinstance(asker.answer(run, turns), RunFinished)
            started = asker.wait(RunStarted, run).request
            assert started.left == left, "as many as the server says"
            assert started.cached <= 403, "found is what it was sent before at most"
            assert bool(started.cached) == (left < 400), "one that reads all of it has found nothing"
            found, total = started.cached, started.total
            assert read_so_far(asker, run) == [(found + left // 2, total, found), (total, total, found)]


MADE_UP = (
    *((9, 5), (0, 0), (-1, 5), (1, -5), (1, 1 << 40), ("9" * 5000, "9" * 5000), ("1e3", "1e4"), ("\u0661", "\u0662")),
    *(("", ""), ("nan", "inf"), (5, "5/5"), (" 1", 5)),
)


@pytest.mark.usefixtures("tells_all")
def test_what_no_comment_can_say_is_not_told_and_no_prompt_is_read_back_to_front() -> None:
    """At random: a server's figures are as untrusted as its words."""
    for kind in ("mlx_lm.server", "OpenAI’s interface"):
        with serving(Script(kind=kind)) as script, asking() as asker:
            asker.open(script.server)
            whole = tuple(script.events())
            script.raw = [*(keepalive(*one) for one in MADE_UP), b": ping\n\n", b": " + b"x" * 100_000 + b"\n", *whole]
            assert isinstance(asker.answer(), RunFinished)
            assert not read_so_far(asker)
            script.raw = [*whole[:1], keepalive(1, 9), *whole[1:]]
            assert isinstance(asker.answer(2), RunFinished)
            assert not read_so_far(asker, 2), "it is read once there is a word"
            for seed in chosen(range(40)):
                dice, run = random.Random(seed), seed + 3
                figures = [(dice.randrange(120), dice.choice((60, 60, 100, 10**9))) for _ in range(12)]
                script.raw = [*(keepalive(*one) for one in figures), *whole]
                assert isinstance(asker.answer(run, (Turn("user", f"Hello {seed} " * 9),)), RunFinished)
                told, started = read_so_far(asker, run), [one for one in asker.events if isinstance(one, RunStarted)]
                assert len(told) == sum(done <= total for done, total in figures)
                assert told == sorted(told), "never less than before"
                assert len({(total, cached) for _, total, cached in told}) == 1, "of one prompt"
                assert all(cached <= done <= total for done, total, cached in told)
                request = started[-1].request
                assert not request.is_known or (told[0][1], told[0][2]) == (request.total, request.cached)
                assert not request.is_known or request.total < 10_000, "no message has so many"


def test_no_flood_of_figures_reaches_the_window() -> None:
    with serving(Script(kind="mlx_lm.server")) as script, asking() as asker:
        asker.open(script.server)
        script.raw = [*(keepalive(done, 100_000) for done in range(20_000)), keepalive(1, 1), *script.events()]
        assert isinstance(asker.answer(), RunFinished)
        assert 1 <= len(read_so_far(asker)) <= 22 * asker.wait(RunFinished).stats.seconds + 2


@pytest.mark.usefixtures("tells_all")
def test_a_prompt_that_is_asked_for_again_is_read_from_its_beginning() -> None:
    """Its connection broke before the first word: what the first attempt had read is not what the second one has."""
    script = Script(kind="mlx_lm.server", drops=1, at=2)
    with serving(script), asking() as asker:
        asker.open(script.server)
        script.raw = [keepalive(30, 50), keepalive(40, 50), *script.events()]
        assert isinstance(asker.answer(), RunFinished)
        assert [done for done, _, _ in read_so_far(asker)] == [30, 40, 30, 40]
        assert (asker.count(RunStarted), len(script.asked)) == (1, 2)
