"""What is answered to those who may ask: chats, prompts, the runner's lines, and the figures of each."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from app.gateway import application
from app.protocol.chat import Sampling, Turn
from app.protocol.events import RunStarted, TextDelta
from app.protocol.reports import Problem, Source, StopReason
from tests.gateway.raw import connected, until_closed
from tests.gateway.scripted import MODEL, REPORT, Api, Script

FIGURES = {
    "prompt_tokens": 10,
    "completion_tokens": 2,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 7},
    "completion_tokens_details": {"reasoning_tokens": 0},
}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that nothing comes of begins after a moment."""
    monkeypatch.setattr(application, "PATIENCE", 0.05)


def events(answer: httpx2.Response) -> list[Any]:
    """The events of a stream, without its comments; it must end with its mark."""
    assert answer.headers["content-type"] == "text/event-stream"
    told = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert told.pop() == "[DONE]"
    return [json.loads(one) for one in told]


def test_the_open_model_is_listed_and_described(api: Api) -> None:
    listed = api.client.get("/v1/models").json()
    about = {"id": "tiny", "object": "model", "created": 0, "owned_by": "espalier", "max_model_len": 4096}
    assert listed == {"object": "list", "data": [about]}
    assert api.client.get("/v1/models/tiny").json() == about
    for path in ("/v1/status", "/health"):
        assert api.client.get(path).json() == {"Status": 0, "Progress": 100, "ContextLength": 4096, "Memory": 1000}


def test_a_chat_is_answered_whole(api: Api, script: Script) -> None:
    script.words = [("thinking", "Hm."), ("text", "Hello")]
    answer = api.chat().json()
    assert (answer["object"], answer["model"], answer["id"][:9]) == ("chat.completion", "tiny", "chatcmpl-")
    message = {"role": "assistant", "content": "Hello", "reasoning_content": "Hm."}
    assert answer["choices"] == [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}]
    assert answer["usage"] == FIGURES | {"completion_tokens_details": {"reasoning_tokens": 1}}


def test_a_chat_is_answered_as_it_is_written(api: Api, script: Script) -> None:
    script.words = [("thinking", "Hm"), ("thinking", "."), ("text", "Hel"), ("text", "lo")]
    for wants_usage in (False, True):
        told = events(api.chat(stream=True, stream_options={"include_usage": wants_usage}))
        assert len({one["id"] for one in told}) == 1
        assert {one["object"] for one in told} == {"chat.completion.chunk"}
        if wants_usage:
            last = told.pop()
            assert (last["choices"], last["usage"]["completion_tokens"]) == ([], 4)
            assert {one["usage"] for one in told} == {None}
        else:
            assert all("usage" not in one for one in told)
        deltas = [one["choices"][0]["delta"] for one in told]
        assert deltas[0] == {"role": "assistant", "content": ""}
        assert "".join(one.get("reasoning_content", "") for one in deltas) == "Hm."
        assert "".join(one.get("content", "") for one in deltas) == "Hello"
        assert [one["choices"][0]["finish_reason"] for one in told] == [None] * (len(told) - 1) + ["stop"]


@pytest.mark.parametrize(
    ("prompt", "text", "ids"), [("Once", "Once", ()), (["Once"], "Once", ()), ([5, 6], "", (5, 6)), ([[5]], "", (5,))]
)
def test_a_prompt_is_text_or_ids(api: Api, script: Script, prompt: Any, text: str, ids: tuple[int, ...]) -> None:
    answer = api.client.post("/v1/completions", json={"prompt": prompt}).json()
    assert (answer["object"], answer["choices"][0]["text"], answer["usage"]) == (
        "text_completion",
        "Hello world",
        FIGURES,
    )
    told = events(api.client.post("/v1/completions", json={"prompt": prompt, "stream": True}))
    assert "".join(one["choices"][0]["text"] for one in told) == "Hello world"
    assert [(one.text, one.ids, one.turns) for one in script.asked] == [(text, ids, ())] * 2


@pytest.mark.parametrize("path", ["/completion", "/v1/completions"])
def test_the_runner_is_answered_in_lines(api: Api, script: Script, path: str) -> None:
    options = {"seed": -1, "temperature": 0, "num_predict": -1, "top_k": 40, "num_ctx": 100, "repeat_last_n": 64}
    answer = api.client.post(path, json={"Prompt": "Once", "Options": options, "Logprobs": False, "TopLogprobs": 0})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert "".join(one["Content"] for one in lines) == "Hello world"
    assert [one["Done"] for one in lines] == [False] * (len(lines) - 1) + [True]
    figures = {
        name: lines[-1][name] for name in ("DoneReason", "PromptEvalCount", "PromptEvalCachedCount", "EvalCount")
    }
    assert figures == {"DoneReason": 0, "PromptEvalCount": 10, "PromptEvalCachedCount": 7, "EvalCount": 2}
    assert lines[-1]["PromptEvalDuration"] == 10_000_000
    assert lines[-1]["EvalDuration"] == 90_000_000
    assert script.asked[0].text == "Once"
    assert script.asked[0].sampling == Sampling(temperature=0, top_k=40, penalty_range=64)


def test_the_tokens_of_a_text_and_of_a_chat_are_told(api: Api) -> None:
    assert api.client.post("/v1/tokenize", json="a b c").json() == [0, 1, 2]
    whole = {"tokens": [0, 1], "count": 2, "max_model_len": 4096}
    messages = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
    for body in ({"prompt": "a b"}, {"content": "a b", "model": "tiny"}, {"messages": messages}):
        assert api.client.post("/v1/tokenize", json=body).json() == whole
    refused = api.client.post("/v1/tokenize", json={"prompt": "fish"})
    assert (refused.status_code, "no fish" in refused.text) == (400, True)


def test_what_the_request_leaves_out_is_as_the_models_authors_say(api: Api, script: Script) -> None:
    usual = Sampling(temperature=0.2, top_k=7, stop=("never",), logit_bias=(("a", 1.0),))
    script.model = replace(MODEL, sampling=usual)
    api.chat(top_p=0.5, max_tokens=9)
    assert script.asked[0].sampling == Sampling(temperature=0.2, top_k=7, top_p=0.5, max_tokens=9)


def test_all_of_them_are_guests_whose_ids_are_never_the_windows(api: Api, script: Script) -> None:
    for _ in range(3):
        api.chat()
    api.client.post("/v1/completions", json={"prompt": "Once"})
    assert [one.run_id for one in script.asked] == [-1, -2, -3, -4]
    assert all(one.is_guest and not one.owner for one in script.asked)
    script.wait_for(lambda: script.counts == [1, 0] * 4)


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        (StopReason.FINISHED, "stop"),
        (StopReason.STOP_TEXT, "stop"),
        (StopReason.LENGTH, "length"),
        (StopReason.CONTEXT, "length"),
        (StopReason.CANCELLED, "length"),
    ],
)
def test_why_it_ended_is_told(api: Api, script: Script, stop: StopReason, finish: str) -> None:
    script.stop = stop
    assert api.chat().json()["choices"][0]["finish_reason"] == finish


def test_a_count_that_is_not_known_is_not_told(api: Api, script: Script) -> None:
    script.is_held = True
    api_report = replace(REPORT, source=Source.UNKNOWN)
    with api.client.stream(
        "POST", "/v1/chat/completions", json=_asked(stream_options={"include_usage": True})
    ) as answer:
        script.wait_for(lambda: script.asked)
        run = script.asked[0]
        api.tell(RunStarted(run.run_id, api_report, (10,)))
        api.answer(run)
        answer.read()
        assert events(answer)[-1]["usage"]["prompt_tokens_details"] is None


# What is not answered


def _asked(**more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "Hi"}], "stream": True, **more}


def test_another_model_is_not_opened(api: Api, script: Script) -> None:
    answer = api.chat(model="gpt-4")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
    assert "gpt-4 is not open. tiny is" in answer.json()["error"]["message"]
    assert script.commands == []
    body = {"messages": [{"role": "user", "content": "Hi"}]}
    assert api.client.post("/v1/chat/completions", json=body).status_code == 200


@pytest.mark.parametrize("why", ["No model is open.", "A server is the engine."])
def test_without_a_model_of_this_computer_nobody_answers(api: Api, script: Script, why: str) -> None:
    script.model = why
    for answer in (
        *map(api.client.get, ("/health", "/v1/models/x")),
        api.chat(),
        api.client.post("/v1/tokenize", json="a"),
    ):
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, why)
    assert api.client.get("/v1/models").json()["data"] == []


def test_what_the_engine_refuses_is_told_by_the_status(api: Api, script: Script) -> None:
    script.refuses = True
    for stream in (False, True):
        answer = api.chat(stream=stream)
        assert answer.status_code == 400
        assert answer.json()["error"]["message"].startswith("The template refuses this conversation.")


def test_an_answer_that_fails_on_its_way_says_so_and_has_no_end_mark(api: Api, script: Script) -> None:
    script.fails_after = 1
    answer = api.chat(stream=True)
    assert "[DONE]" not in answer.text
    assert json.loads(answer.text.splitlines()[-2].removeprefix("data: "))["error"]["type"] == "server_error"
    assert api.chat().status_code == 500
    lines = api.client.post("/completion", json={"prompt": "Once"}).text.splitlines()
    assert json.loads(lines[-1])["Error"] == {"StatusCode": 500, "ErrorMessage": "The model failed. Open it again."}


def test_where_the_engine_is_gone_all_answers_fail(api: Api, script: Script) -> None:
    script.is_held = True
    with ThreadPoolExecutor() as pool:
        waiting = [
            pool.submit(ask) for ask in (api.chat, lambda: api.client.post("/v1/completions", json={"prompt": "a"}))
        ]
        script.wait_for(lambda: len(script.asked) == 2)
        api.server.fail_answers(Problem("The engine stopped", "Restart it."))
        for answer in (one.result() for one in waiting):
            assert (answer.status_code, "The engine stopped" in answer.text) == (503, True)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/models/x", 404),
        ("GET", "/v1/models/", 404),
        ("POST", "/v1/models", 405),
        ("DELETE", "/v1/models/tiny", 405),
        ("GET", "/v1/completions", 405),
        ("PUT", "/health", 405),
        ("POST", "/v1/embeddings", 404),
    ],
)
def test_there_is_nothing_else(shared: Api, method: str, path: str, status: int) -> None:
    answer = shared.client.request(method, path)
    assert (answer.status_code, "message" in answer.json()["error"]) == (status, True)


# Waiting, leaving and stopping


def test_who_waits_is_told_so(monkeypatch: pytest.MonkeyPatch, api: Api, script: Script) -> None:
    monkeypatch.setattr(application, "PAUSE", 0.02)
    monkeypatch.setattr(application, "PATIENCE", 0.02)
    script.is_held = True
    with api.client.stream("POST", "/v1/chat/completions", json=_asked()) as answer:
        lines = answer.iter_lines()
        waits = [next(lines) for _ in range(7)]
        assert waits[2:] == [": waiting", "", ": waiting", "", ": waiting"]
        api.begin(script.asked[0])
        while ": reading 9/10" not in next(lines):
            pass
        while next(lines) != ": waiting":
            pass
        api.answer(script.asked[0])
        assert [line for line in lines if line][-1] == "data: [DONE]"


@pytest.mark.parametrize("stream", [False, True])
def test_who_leaves_ends_the_answer(api: Api, script: Script, stream: bool) -> None:
    script.is_held = True
    with pytest.raises(httpx2.ReadTimeout):
        api.client.post("/v1/chat/completions", json=_asked(stream=stream), timeout=0.2)
    script.wait_for(lambda: script.cancelled == [-1] and script.counts == [1, 0])


def test_who_leaves_in_the_middle_ends_the_answer(api: Api, script: Script) -> None:
    script.is_held = True
    with api.client.stream("POST", "/v1/chat/completions", json=_asked()) as answer:
        script.wait_for(lambda: script.asked)
        api.begin(script.asked[0])
        api.tell(TextDelta(-1, 0, "Hello", ()))
        lines = answer.iter_lines()
        while "Hello" not in next(lines):
            pass
    script.wait_for(lambda: script.cancelled == [-1])


def test_an_answer_that_has_ended_is_not_cancelled(api: Api, script: Script) -> None:
    api.chat()
    api.chat(stream=True)
    script.wait_for(lambda: script.counts == [1, 0, 1, 0])
    assert script.cancelled == []


def test_the_person_stops_all_answers_and_clients_get_what_there_is(api: Api, script: Script) -> None:
    script.is_held = True
    with api.client.stream("POST", "/v1/chat/completions", json=_asked()) as answer:
        script.wait_for(lambda: script.asked)
        api.server.stop_answers()
        answer.read()
        assert events(answer)[-1]["choices"][0]["finish_reason"] == "length"
    assert script.cancelled == [-1]


def test_switching_it_off_ends_answers_and_connections(script: Script) -> None:
    script.is_held = True
    api = Api(script)
    api.start()
    idle = connected(api, b"GET /v1")
    with ThreadPoolExecutor() as pool, idle:
        waiting = pool.submit(api.chat)
        script.wait_for(lambda: script.asked)
        api.server.close()
        assert (waiting.result().status_code, until_closed(idle)) == (503, b"")
        api.close()
    with pytest.raises(OSError, match="refused"):
        connected(api)


def test_turns_are_what_was_said(api: Api, script: Script) -> None:
    messages = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi "}, {"type": "text", "text": "there"}],
            "name": "Ann",
        },
        {"role": "assistant", "content": "Hello", "reasoning_content": "Hm."},
        {"role": "user", "content": "And?"},
    ]
    api.chat(messages=messages, chat_template_kwargs={"enable_thinking": False})
    run = script.asked[0]
    assert run.turns == (
        Turn("system", "Be brief."),
        Turn("user", "Hi there"),
        Turn("assistant", "Hello", thinking="Hm."),
        Turn("user", "And?"),
    )
    assert run.options.thinking is False
