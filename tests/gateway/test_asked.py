"""Bodies of requests: what is asked that can be done is asked of the engine, and all else is refused in words."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from app.gateway import asked
from app.gateway.asked import Asked
from app.gateway.body import parsed
from app.gateway.refused import RefusedError
from app.protocol.chat import PARAMETERS, Sampling
from tests.gateway.raw import QUESTION
from tests.gateway.scripted import Api
from tests.seeds import each_seed

USUAL = Sampling()
READERS: tuple[Callable[[Any, Sampling], Asked], ...] = (asked.chat, asked.completion, asked.lines)


def refused(read: Callable[[Any, Sampling], Asked], body: Any) -> str:
    """Why a body is refused."""
    with pytest.raises(RefusedError) as caught:
        read(body, USUAL)
    assert caught.value.status == 400
    return caught.value.sentence


@pytest.mark.parametrize(
    "more",
    [
        {"n": 2},
        {"n": True},
        {"n": "1"},
        {"n": 0},
        {"best_of": 3},
        {"tools": [{"type": "function"}]},
        {"functions": [{}]},
        {"tool_choice": "required"},
        {"tool_choice": {"type": "function"}},
        {"response_format": {"type": "json_object"}},
        {"logprobs": True},
        {"top_logprobs": 5},
        {"echo": True},
        {"suffix": "end"},
        {"logit_bias": {"50256": -100}},
        {"modalities": ["text", "audio"]},
        {"images": ["aGk="]},
        {"audio": {"voice": "alloy"}},
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_in_a_sentence(more: dict[str, Any]) -> None:
    for read, body in zip(READERS, (QUESTION, {"prompt": "Hi"}, {"prompt": "Hi", "options": {}}), strict=True):
        sentence = refused(read, body | more)
        assert sentence[0].isupper()
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    "more",
    [
        {
            "n": 1,
            "tools": [],
            "tool_choice": "auto",
            "logprobs": False,
            "top_logprobs": 0,
            "logit_bias": {},
            "echo": False,
        },
        {"n": None, "tools": None, "tool_choice": "none", "response_format": {"type": "text"}, "modalities": ["text"]},
        {"user": "ann", "metadata": {"a": "b"}, "store": False, "service_tier": "auto", "parallel_tool_calls": True},
        dict.fromkeys((*PARAMETERS, "stop", "stream", "stream_options", "max_completion_tokens")),
    ],
    ids=str,
)
def test_what_changes_nothing_is_passed_over(more: dict[str, Any]) -> None:
    assert asked.chat(QUESTION | more, USUAL) == asked.chat(QUESTION, USUAL)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}],
        [{"type": "text", "text": "What is this?"}, {"type": "input_audio", "input_audio": {}}],
        [{"type": "file", "file": {}}],
        [{}],
        ["text"],
        [1],
        {"type": "text", "text": "Hi"},
        7,
        [{"type": "text", "text": 7}],
        [{"type": "text", "text": "a"}] * (asked.MOST_PARTS + 1),
        "\ud800",
    ],
    ids=lambda content: str(content)[:40].encode("ascii", "replace").decode(),
)
def test_a_message_is_a_text(content: Any) -> None:
    assert refused(asked.chat, {"messages": [{"role": "user", "content": content}]})


@pytest.mark.parametrize(
    "messages",
    [
        None,
        [],
        {},
        "Hi",
        [1],
        [[]],
        [{}],
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        [{"role": "tool", "content": "3", "tool_call_id": "1"}, {"role": "user", "content": "Hi"}],
        [{"role": "root", "content": "Hi"}],
        [{"role": ["user"], "content": "Hi"}],
        [{"role": "assistant", "tool_calls": [{}]}, {"role": "user", "content": "Hi"}],
        [{"role": "user", "content": "Hi"}] * (asked.MOST_MESSAGES + 1),
    ],
    ids=lambda messages: str(messages)[:40],
)
def test_messages_are_of_people_and_of_the_model(messages: Any) -> None:
    assert refused(asked.chat, {"messages": messages})


@pytest.mark.parametrize(
    "prompt",
    [
        None,
        "",
        [],
        [[]],
        ["a", "b"],
        [[1], [2]],
        [1, "a"],
        [1.0],
        [True],
        [-1],
        [1 << 31],
        {"a": 1},
        7,
        [None],
        "\udfff",
    ],
    ids=ascii,
)
def test_a_prompt_is_one_text_or_the_ids_of_one(prompt: Any) -> None:
    for read in (asked.completion, asked.lines):
        assert refused(read, {"prompt": prompt})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in PARAMETERS for value in (True, "1", [], {}, -(10**400), 10**400, 1e999)],
        ("temperature", -0.1),
        ("top_p", 1.1),
        ("top_k", 1.5),
        ("seed", -1),
        ("seed", 1 << 54),
        ("max_tokens", 0),
        ("max_completion_tokens", 0.5),
        ("stop", 7),
        ("stop", ["a", 7]),
        ("stop", ["a"] * 17),
        ("stop", "a" * 201),
        ("stop", {}),
        ("stream", 1),
        ("stream", "true"),
        ("stream_options", True),
        ("stream_options", {"include_usage": 1}),
        ("model", 7),
        ("chat_template_kwargs", []),
        ("chat_template_kwargs", {"enable_thinking": "no"}),
        ("reasoning_effort", 3),
    ],
    ids=lambda value: str(value)[:20],
)
def test_numbers_and_texts_are_within_bounds(name: str, value: Any) -> None:
    name = {"penalty_range": "repetition_context_size"}.get(name, name)
    assert refused(asked.chat, QUESTION | {name: value})


def test_the_fields_of_sampling_are_taken_by_every_name_that_clients_use() -> None:
    body = {
        "temperature": 0,
        "top_p": 0.5,
        "top_k": 3,
        "min_p": 0.1,
        "repeat_penalty": 1.2,
        "presence_penalty": -1,
        "frequency_penalty": 2,
        "repetition_context_size": 9,
        "xtc_probability": 0.3,
        "xtc_threshold": 0.2,
        "seed": 11,
        "max_completion_tokens": 5,
        "max_tokens": 6,
        "stop": ["a", "", "b"],
    }
    assert asked.chat(QUESTION | body, USUAL).sampling == Sampling(
        temperature=0,
        top_p=0.5,
        top_k=3,
        min_p=0.1,
        repetition_penalty=1.2,
        presence_penalty=-1,
        frequency_penalty=2,
        penalty_range=9,
        xtc_probability=0.3,
        xtc_threshold=0.2,
        seed=11,
        max_tokens=5,
        stop=("a", "b"),
    )


def test_thinking_is_asked_for_in_the_ways_of_other_servers() -> None:
    for more, thinking in (
        ({}, None),
        ({"reasoning_effort": "none"}, False),
        ({"reasoning_effort": "low"}, True),
        ({"chat_template_kwargs": {}}, None),
        ({"chat_template_kwargs": {"enable_thinking": True}, "reasoning_effort": "none"}, True),
    ):
        assert asked.chat(QUESTION | more, USUAL).options.thinking is thinking


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1",
        b"{} {}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\xff"}',
        "{}".encode("utf-16"),
        b"\xef\xbb\xbf{}",
        b"[" * 70 + b"]" * 70,
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_no_modest_json_is_refused(body: bytes) -> None:
    with pytest.raises(RefusedError) as caught:
        parsed(body)
    assert caught.value.status == 400


@pytest.mark.parametrize("body", ["[]", "1", '"a"', "null", "true", "[{}]"])
def test_a_body_is_an_object(body: str) -> None:
    for read in READERS:
        assert refused(read, parsed(body.encode()))


# At random

_NAMES = (
    *("model", "messages", "prompt", "Prompt", "options", "Options", "role", "content", "type", "text", "stream"),
    *("stream_options", "include_usage", "stop", "temperature", "seed", "top_k", "max_tokens", "n", "tools"),
    *("chat_template_kwargs", "enable_thinking", "reasoning_effort", "logprobs", "response_format", "tool_calls"),
)
_VALUES = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2.5,
    1e300,
    10**30,
    "",
    "a",
    "user",
    "text",
    "tiny",
    "\ud83d",
    "é",
    "\0",
    "system",
)


def drawn(draw: random.Random, depth: int = 0) -> Any:
    """A value of JSON that has something of a request."""
    kind = draw.random()
    if depth > 4 or kind < 0.35:
        return draw.choice(_VALUES)
    if kind < 0.55:
        return [drawn(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {draw.choice(_NAMES): drawn(draw, depth + 1) for _ in range(draw.randrange(6))}


def changed(draw: random.Random, body: dict[str, Any]) -> dict[str, Any]:
    """A request that is answered, but for some of its fields."""
    return body | {draw.choice(_NAMES): drawn(draw, 2) for _ in range(draw.randrange(3))}


@each_seed(range(400))
def test_any_json_is_asked_or_refused(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(20):
        good = draw.choice([QUESTION, {"prompt": "Hi"}, {"prompt": [1, 2], "options": {"seed": -1}}])
        body = drawn(draw) if draw.random() < 0.4 else changed(draw, good)
        for read in READERS:
            outcome = outcome_of(read, body)
            if isinstance(outcome, RefusedError):
                assert (outcome.status, bool(outcome.sentence)) == (400, True)
            else:
                assert not outcome.sampling.problem()
                assert sum(map(bool, (outcome.turns, outcome.text, outcome.ids))) == 1
                assert outcome.command(-1).is_guest


def outcome_of(read: Callable[[Any, Sampling], Asked], body: Any) -> Asked | RefusedError:
    try:
        return read(body, USUAL)
    except RefusedError as refused_:
        return refused_


def test_any_bytes_get_an_answer_and_never_a_fault(api: Api) -> None:
    draw = random.Random(5)
    kind = {"content-type": "application/json"}
    for _ in range(150):
        body = json.dumps(changed(draw, QUESTION) if draw.random() < 0.7 else drawn(draw)).encode()
        if draw.random() < 0.3:
            at = draw.randrange(len(body))
            body = body[:at] + draw.randbytes(3) + body[at + draw.randrange(3) :]
        path = draw.choice(["/v1/chat/completions", "/v1/completions", "/completion", "/v1/tokenize"])
        answer = api.client.post(path, content=body, headers=kind)
        assert answer.status_code in (200, 400, 404), answer.text
        assert answer.status_code == 200 or answer.json()["error"]["message"]
