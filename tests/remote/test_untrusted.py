"""Whatever a server sends, at random: it is read, or is a fault of that server, and never one of the program."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from app.protocol.choices import unpack
from app.protocol.commands import Generate
from app.protocol.events import ModelReady, RunFailed, RunFinished, TextDelta
from app.protocol.servers import Server
from app.remote.client import Client
from app.remote.faults import ServerError
from tests.remote.asker import HELLO, asking
from tests.remote.scripted import Script, event, line, serving
from tests.remote.scripted_folder import FOLDER, Sglang, Vllm, ids_of
from tests.remote.scripted_tokens import Tokens, words
from tests.seeds import chosen

NAMES = (
    *(b"Content-Type", b"Content-Length", b"Content-Encoding", b"Transfer-Encoding", b"Location", b"Retry-After"),
    *(b"Set-Cookie", b"Connection", b"Upgrade", b"Link", b"Trailer", b"X"),
)
CHARSETS = (
    *("utf-8", "utf-16", "utf-7", "iso-8859-1", "rot13", "base64", "hex", "undefined", "idna", "punycode", "none"),
    *('"utf-8"', "größe", ""),
)
KINDS = (
    *(f"text/event-stream; charset={one}".encode() for one in CHARSETS),
    b"TEXT/EVENT-STREAM;",
    b"application/json",
)
VALUES = (
    *KINDS,
    *(b"gzip", b"br", b"deflate", b"gzip, gzip", b"identity", b"chunked", b"gzip, chunked", b"close", b"h2c"),
    *(b"5", b"-5", b"1", b"9" * 5000, b"http://xn--a.\xc3\xa9/", b"http://[::1", b"//", b"http://a:999999/", b"x:"),
    *(b"a=b; Max-Age=x; Expires=\xff; Path; Domain=.", b"=", b";;;", b"\xc3\xa9", b"\xff", b""),
)
STATUSES = (
    *(b"200 OK",) * 6,
    *(b"200 \xff", b"100 C", b"101 S", b"204 N", b"304 N", b"307 T", b"302 F", b"401 x", b"429 x", b"503 x", b"999 x"),
    *(b"000 x", b"2e1 x", b"600"),
)
PIECES = (
    *(event({"choices": [{"delta": {"content": "é"}}]}), b"retry: 1\n\n", b"id: \x00\n\n", b"id: 3\n\n", b"event\n\n"),
    *(b"data\n\n", b"\xef\xbb\xbf", b"\r", b"\r\n\r\n", b": keepalive 1/2\n\n", b":\xff\n", b"retry: \xd9\xa3\n\n"),
    *(b"{}\n", b'{"error": 5}', b"5\r\nhello\r\n", b"0\r\n\r\n", b"ffffffffffffffffffff\r\n", b"data: [DONE]\n\n"),
    *(b"data: " + b"9" * 5000 + b"\n\n", b'data: {"a": ' + b"[" * 5000 + b"\n\n"),
)


def junk(dice: random.Random, most: int) -> bytes:
    return bytes(
        dice.choice((dice.randrange(256), dice.choice(b"aZ09 ;=,:/[]%.-_\\"))) for _ in range(dice.randrange(most))
    )


def answer(dice: random.Random) -> bytes:
    """An answer of HTTP, more or less."""
    if dice.random() < 0.05:
        return junk(dice, 80)
    head = [b"HTTP/1.%d %s" % (dice.choice((0, 1, 1, 1, 9)), dice.choice(STATUSES))]
    if dice.random() < 0.8:
        head.append(b"Content-Type: " + dice.choice(KINDS))
    for _ in range(dice.randrange(3)):
        value = dice.choice((dice.choice(VALUES), junk(dice, 12)))
        head.append(dice.choice(NAMES) + b": " + value)
    body = b"".join(dice.choice((dice.choice(PIECES), junk(dice, 60))) for _ in range(dice.randrange(6)))
    return b"\r\n".join(head) + b"\r\n\r\n" + (gzip.compress(body) if dice.random() < 0.1 else body)


@asynccontextmanager
async def sending(answers: list[bytes]) -> AsyncIterator[Server]:
    """A server that sends the last of some answers to whatever is asked, and closes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answers[-1])
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield Server("a1", "Studio", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")


async def read(client: Client, way: str) -> bool:
    """Ask in one of the ways in which servers are asked. Returns whether that was answered."""
    try:
        if way == "json":
            await client.json("/v1/models")
        elif way == "check":
            await client.check("/health")
        else:
            async with aclosing(client.events("/", {}) if way == "events" else client.lines("/", {})) as found:
                assert all([isinstance(one, str) async for one in found])
    except ServerError:
        return False
    return True


def test_whatever_comes_over_a_connection_is_read_or_is_a_fault_of_the_server() -> None:
    async def ask() -> None:
        answers, ends = [b""], {True: 0, False: 0}
        async with sending(answers) as server, Client(server) as client:
            for seed in range(600):
                dice = random.Random(seed)
                answers.append(answer(dice))
                try:
                    ends[await read(client, dice.choice(("events", "events", "lines", "json", "check")))] += 1
                except Exception as error:
                    error.add_note(f"seed {seed}: {answers[-1]!r}")
                    raise
        assert min(ends.values()) > sum(ends.values()) / 10

    asyncio.run(ask())


def test_events_are_utf_8_whatever_their_server_says_and_no_other_answer_ends_with_them() -> None:
    """As the standard of server-sent events has it."""
    with serving(Script(words=["Grö", "ße"], hold=1)) as script, asking() as asker:
        asker.open(script.server)
        asker.ask(1)
        asker.wait(TextDelta)
        script.hold = None
        for run, charset in enumerate(CHARSETS, 2):
            script.headers = {"Content-Type": f"text/event-stream; charset={charset}"}
            found = asker.answer(run)
            assert isinstance(found, RunFinished), charset
            assert found.text == "Größe", charset
        script.go.set()
        asker.wait(RunFinished, len(CHARSETS) + 1)
        assert asker.said(1) == "Größe"


VALUES_OF_JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 10**9, 10**30, -(10**400), 1e308, float("inf"), float("nan"), 0.5, -0.3),
    *("", "a", "token_id:5", "token_id:999999999999999", "\ud83d", "9" * 300, "stop", "length", "abort"),
    *([], [1], [None], [[]], {}, {"a": 1}, [10**12], [-0.1, 10**12, None], {"token_id:999999999": -0.1}),
    *({"id": 10**9, "logprob": -0.1}, [{"id": 10**9, "logprob": -0.1}]),
)


def changed(value: Any, dice: random.Random) -> Any:
    """JSON with something in it that is something else, or left out."""
    if not isinstance(value, dict | list) or not value or dice.random() < 0.05:
        return dice.choice(VALUES_OF_JSON)
    found = value.copy()
    key = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if dice.random() < 0.1:
        del found[key]
    else:
        found[key] = changed(value[key], dice)
    return found


def changed_pieces(pieces: Iterator[bytes], dice: random.Random) -> Iterator[bytes]:
    """The pieces of an answer, some of them changed, some sent twice."""
    for piece in pieces:
        data = piece.removeprefix(b"data: ")
        if dice.random() < 0.2 and data.startswith(b"{"):
            write = line if data is piece else event
            piece = write(changed(json.loads(data), dice))
        yield from [piece] * (1 + (dice.random() < 0.05))


def of_messages(script: Script) -> str:
    script.thought = ["hm"]
    script.usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    if script.kind == "Ollama":
        script.usage = {"prompt_eval_count": 9, "eval_count": 4, "prompt_eval_cached_count": 3}
    path = "/api/chat" if script.kind == "Ollama" else "/v1/chat/completions"
    script.routes[path] = lambda _: script.events()
    return path


def of_ids(script: Script) -> str:
    if script.kind == "llama.cpp":
        tokens = Tokens(script, words("Yes, é."))
        likely = [{"id": 65, "logprob": -1.0}, {"id": 66, "logprob": -1.2}]
        tokens.others = [{"id": 1, "logprob": -0.7, "top_logprobs": likely}]
        return "/completion"
    if script.kind == "vLLM":
        Vllm(script, ids_of("Yes, é.")).cached = 1
        return "/v1/completions"
    Sglang(script, ids_of("Yes, é.")).cached = 1
    return "/generate"


@pytest.mark.parametrize(
    ("kind", "prepare"),
    [
        *((kind, of_messages) for kind in ("OpenAI’s interface", "Ollama")),
        *((kind, of_ids) for kind in ("llama.cpp", "vLLM", "SGLang")),
    ],
)
def test_whatever_the_pieces_of_an_answer_hold_it_has_one_outcome_and_the_next_one_too(kind: str, prepare: Any) -> None:
    with serving(Script(kind=kind)) as script, asking() as asker:
        path = prepare(script)
        whole, dice = script.routes[path], random.Random()
        server = replace(script.server, tokenizer=FOLDER if kind in ("vLLM", "SGLang") and prepare is of_ids else "")
        for run, seed in enumerate(chosen(range(60)), 1):
            script.routes[path] = whole
            if run == 1 or (prepare is of_ids and not asker.last(ModelReady).info.capabilities.token_ids):
                asker.open(server)
            dice = random.Random(seed)
            script.routes[path] = lambda body, dice=dice: changed_pieces(whole(body), dice)
            asker.do(Generate(run, HELLO, alternatives=True))
            found = asker.wait(RunFinished | RunFailed, run)
            if isinstance(found, RunFinished) and found.choices:
                assert len(unpack(found.choices)) == len(found.ids)
