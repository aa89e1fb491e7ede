"""Who is not answered: web pages, other people of this computer, the network, floods; and what is told to nobody."""

from __future__ import annotations

import hmac
import logging
import random
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import NoReturn

import httpx2
import pytest

from app.gateway import connection
from app.gateway.application import MOST_CONNECTIONS
from app.gateway.body import LARGEST
from app.gateway.guard import LARGEST_HEAD, admit
from app.gateway.refused import RefusedError
from app.gateway.server import PortError, listen
from app.protocol.commands import MOST_GUESTS
from app.protocol.events import TextDelta
from app.protocol.reports import StopReason
from tests.gateway.raw import QUESTION, answer_on, connected, head, post, reply, status, until_closed
from tests.gateway.scripted import TOKEN, Api, Script, serving
from tests.seeds import each_seed


def error_of(answer: httpx2.Response) -> str:
    error = answer.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    return str(error["message"])


# A web page, also by DNS rebinding


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_its_own_names_are_answered(shared: Api, name: str) -> None:
    assert status(reply(shared, head(shared, host=f"{name}:{shared.port}"))) == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1", "127.0.0.1.evil.example", "", "[::1]", "0"])
def test_another_host_is_refused(shared: Api, host: str) -> None:
    for one in (host, f"{host}:80", f"x.localhost:{shared.port}", f"evil.example:{shared.port}"):
        assert status(reply(shared, head(shared, host=one or " "))) in (400, 421), one
    assert status(reply(shared, f"GET /v1/models HTTP/1.0\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())) == 421


@pytest.mark.parametrize("origin", ["null", "http://localhost:3000", "https://evil.example", "file://", ""])
@pytest.mark.parametrize("path", ["/v1/models", "/v1/chat/completions", "/health", "/nothing"])
def test_no_page_of_any_origin_is_served(shared: Api, origin: str, path: str) -> None:
    method = "POST" if "chat" in path else "GET"
    answer = shared.client.request(
        method, path, headers={"origin": origin}, json=QUESTION if method == "POST" else None
    )
    assert answer.status_code == 403
    assert error_of(answer)


def test_a_preflight_is_refused_with_and_without_an_origin(shared: Api) -> None:
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    for origin in ({}, {"origin": "https://evil.example"}):
        for path in ("/v1/chat/completions", "*", "/"):
            answer = shared.client.request("OPTIONS", path.replace("*", "/*"), headers=asks | origin)
            assert answer.status_code == 403


def test_no_answer_lets_another_origin_read_it(api: Api) -> None:
    answers = [
        api.chat(),
        api.chat(stream=True),
        api.client.get("/v1/models"),
        api.client.get("/nothing"),
        api.client.get("/v1/models", headers={"origin": "null"}),
        api.client.request("OPTIONS", "/v1/models"),
        api.client_with(authorization="Bearer no").get("/v1/models"),
    ]
    assert [name for one in answers for name in one.headers if name.startswith("access-control")] == []


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""]
)
def test_what_a_form_can_send_is_refused(shared: Api, kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    for path in ("/v1/chat/completions", "/v1/completions", "/completion", "/v1/tokenize"):
        assert shared.client.post(path, content=b"{}", headers=headers).status_code == 415


def test_json_with_its_charset_is_read(shared: Api) -> None:
    body = b'{"messages":[{"role":"user","content":"Hi"}]}'
    kind = {"content-type": "Application/JSON; charset=utf-8"}
    assert shared.client.post("/v1/chat/completions", content=body, headers=kind).status_code == 200


# Other users of the Mac


@pytest.mark.parametrize(
    "given",
    [None, "", TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer x{TOKEN}"],
)
def test_without_the_token_nothing_is_answered(shared: Api, given: str | None) -> None:
    client, before = shared.client_with(authorization=given), len(shared.script.commands)
    for path in ("/v1/models", "/v1/status", "/health", "/nothing"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
    assert client.post("/v1/chat/completions", json=QUESTION).status_code == 401
    assert len(shared.script.commands) == before


def test_where_there_is_no_token_nobody_has_it() -> None:
    for given in (b"Bearer ", b"Bearer", b""):
        with pytest.raises(RefusedError) as caught:
            admit("GET", {b"host": b"localhost:80", b"authorization": given}, 80, "")
        assert caught.value.status == 401


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch, api: Api) -> None:
    """The one comparison of it looks at every byte, however many are right."""
    seen: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest
    monkeypatch.setattr("app.gateway.guard.hmac.compare_digest", lambda *both: seen.append(both) or compare(*both))
    wrong = f"{TOKEN[:-1]}x"
    for given, code in ((TOKEN, 200), (wrong, 401)):
        assert api.client.get("/v1/models", headers={"authorization": f"Bearer {given}"}).status_code == code
    assert seen == [(TOKEN.encode(), TOKEN.encode()), (wrong.encode(), TOKEN.encode())]


# The network


def test_it_listens_on_the_loopback_address_alone() -> None:
    with listen(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
        assert listening.family is socket.AF_INET
        assert listening.proto == socket.IPPROTO_TCP  # or every answer waits 40 ms for an acknowledgement


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_taken_is_said_and_no_other_is_chosen(address: str) -> None:
    with socket.socket() as other:
        other.bind((address, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortError, match=rf"port {port}\. Choose another port"):
            listen(port)


def test_a_port_beside_a_program_that_listens_everywhere_is_not_taken_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a Mac, where the system would allow it."""
    bind = socket.socket.bind
    with socket.socket() as other:
        other.bind(("0.0.0.0", 0))
        other.listen()
        monkeypatch.setattr(socket.socket, "bind", lambda one, address: bind(one, (address[0], 0)))
        with pytest.raises(PortError, match="Another program listens"):
            listen(other.getsockname()[1])


def test_a_port_that_may_not_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_socket: socket.socket, _address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(PortError, match=r"Port 80: Permission denied\. Choose another one"):
        listen(80)


# Floods


def test_a_large_body_is_refused_by_its_length_and_by_what_comes(api: Api) -> None:
    told = f"Content-Length: {LARGEST + 1}"
    sent = head(api, "Content-Type: application/json", told, method="POST", path="/v1/completions")
    assert status(reply(api, sent)) == 413
    whole = api.client.post(
        "/v1/completions", content=b" " * (LARGEST + 1), headers={"content-type": "application/json"}
    )
    assert whole.status_code == 413

    def pieces():
        for _ in range(5 * 16):
            yield b" " * (1 << 16)

    kind = {"content-type": "application/json"}
    assert api.client.post("/v1/completions", content=pieces(), headers=kind).status_code == 413
    assert api.chat().status_code == 200


def test_large_headers_are_refused(api: Api) -> None:
    many = [f"X-{number}: {'a' * 1000}" for number in range(LARGEST_HEAD // 1000 + 1)]
    one = f"X: {'a' * LARGEST_HEAD}"
    for more in (many, [one]):
        with connected(api, head(api, *more)) as connection:
            assert status(connection.recv(100).decode()) == 400
    with connected(api, b"GET / HTTP/1.1\r\nX: " + b"a" * LARGEST_HEAD) as connection:
        assert status(connection.recv(100).decode()) == 400


@pytest.mark.parametrize("name", ["Host", "Authorization", "Content-Type", "Content-Length", "Origin"])
def test_a_header_that_is_said_twice_is_refused(shared: Api, name: str) -> None:
    values = {"Host": f"127.0.0.1:{shared.port}", "Content-Length": "2"}
    line = f"{name}: {values.get(name, 'application/json')}"
    again = f"{name}: {values.get(name, 'application/json').replace('2', '3')}x"
    assert status(reply(shared, head(shared, line, again))) == 400


def test_what_is_no_request_is_refused(api: Api) -> None:
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, b"hello\r\n\r\n", b"GET / HTTP/x\r\n\r\n"):
        with connected(api, sent) as connection:
            assert status(connection.recv(100).decode()) == 400
    assert api.chat().status_code == 200


def test_so_many_wait_and_the_next_is_told_to_come_later(api: Api, script: Script) -> None:
    script.is_held = True
    with ExitStack() as stack:
        for _ in range(MOST_GUESTS):
            stack.enter_context(connected(api, post(api, QUESTION)))
        script.wait_for(lambda: len(script.asked) == MOST_GUESTS)
        answer = api.chat()
        assert (answer.status_code, answer.json()["error"]["type"]) == (429, "rate_limit_error")
        assert len(script.asked) == MOST_GUESTS
    script.wait_for(lambda: len(script.cancelled) == MOST_GUESTS and script.counts[-1] == 0)
    script.is_held = False
    assert api.chat().status_code == 200


def test_too_many_connections_are_told_so_and_far_too_many_are_closed(
    monkeypatch: pytest.MonkeyPatch, api: Api
) -> None:
    monkeypatch.setattr(connection, "SENDING", 1000)
    api.client.close()
    with ExitStack() as stack:
        held = [stack.enter_context(connected(api)) for _ in range(MOST_CONNECTIONS)]
        assert status(reply(api, head(api))) == 503
        more = [stack.enter_context(connected(api)) for _ in range(MOST_CONNECTIONS)]
        with connected(api) as one_more:
            assert until_closed(one_more) == b""
        for one in [*more, held.pop()]:
            one.close()
        deadline = time.monotonic() + 30
        while status(answer := reply(api, head(api))) == 503:
            assert time.monotonic() < deadline
        assert status(answer) == 200
    api.client = api.client_with()


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /v1/models HTTP/1.1\r\nHost:", b"POST /v1/completions HTTP/1.1\r\n"],
    ids=["none", "half", "some"],
)
def test_who_does_not_send_a_request_in_time_is_left(monkeypatch: pytest.MonkeyPatch, api: Api, sent: bytes) -> None:
    monkeypatch.setattr(connection, "SENDING", 0.2)
    with connected(api, sent) as slow:
        assert until_closed(slow) == b""


def test_who_sends_byte_by_byte_is_left_too(monkeypatch: pytest.MonkeyPatch, api: Api, script: Script) -> None:
    monkeypatch.setattr(connection, "SENDING", 0.3)
    whole = post(api, QUESTION)
    with connected(api, whole[:-30]) as slow:
        while is_taken(slow, b" "):
            time.sleep(0.02)
    assert script.commands == []


def is_taken(connection: socket.socket, byte: bytes) -> bool:
    """Whether the other side still takes what is sent."""
    try:
        connection.sendall(byte)
    except OSError:
        return False
    return True


def test_a_second_request_has_its_own_time(monkeypatch: pytest.MonkeyPatch, api: Api) -> None:
    monkeypatch.setattr(connection, "SENDING", 0.2)
    with connected(api, head(api)) as kept:
        assert status(answer_on(kept)) == 200
        time.sleep(0.4)  # longer than a request may take: between two of them there is no hurry
        kept.sendall(head(api))
        assert status(answer_on(kept)) == 200
        kept.sendall(head(api)[:30])
        assert until_closed(kept) == b""


def test_a_long_answer_has_all_the_time_it_needs(monkeypatch: pytest.MonkeyPatch, api: Api, script: Script) -> None:
    monkeypatch.setattr(connection, "SENDING", 0.2)
    script.is_held = True
    with connected(api, post(api, QUESTION)) as kept:
        script.wait_for(lambda: script.asked)
        time.sleep(0.4)
        api.answer(script.asked[0])
        assert status(answer_on(kept)) == 200


@each_seed(range(24))
def test_who_leaves_ends_the_run_whatever_was_sent_ahead(seed: int, api: Api, script: Script) -> None:
    """A late end of a line, whole requests or a part of one: with the question, after it, or before one of several."""
    dice, asked = random.Random(seed), len(script.asked)
    script.is_held = True
    question = post(api, QUESTION | {"stream": dice.random() < 0.5})
    is_last = dice.random() < 0.3
    if is_last:
        question = question.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
    ahead = dice.choice((b"\r\n", head(api), head(api) * 3, question + b"\r\n", head(api)[:40], b"\0hello"))
    before = b"" if is_last else head(api) * dice.randrange(3)
    with connected(api, before + question + ahead * (dice.random() < 0.5)) as left:
        script.wait_for(lambda: len(script.asked) > asked)
        run = script.asked[asked].run_id
        if dice.random() < 0.5:
            api.begin(script.asked[asked])
        left.sendall(ahead)
    script.wait_for(lambda: run in script.cancelled)


def test_what_is_sent_ahead_is_answered_in_turn_and_has_a_measure(api: Api, script: Script) -> None:
    with connected(api, (head(api) + post(api, QUESTION)) * 4) as kept:
        came = ""
        while came.count("HTTP/1.1 200") < 8:
            came += answer_on(kept)
        assert came.count("Hello world") == 4
    script.is_held = True
    with connected(api, post(api, QUESTION)) as flood:
        script.wait_for(lambda: len(script.asked) == 5)
        for _ in range(1000):
            if not is_taken(flood, head(api) * 100):
                break
        assert until_closed(flood) == b""
    script.wait_for(lambda: script.asked[-1].run_id in script.cancelled)


def test_who_does_not_read_is_left_and_the_run_ends(monkeypatch: pytest.MonkeyPatch, api: Api, script: Script) -> None:
    monkeypatch.setattr(connection, "TAKING", 0.3)
    script.is_held = True
    script.words = [("text", "a" * 900_000)]
    with connected(api, post(api, QUESTION | {"stream": True})) as slow:
        script.wait_for(lambda: script.asked)
        run = script.asked[0]
        api.begin(run)
        for _ in range(40):
            api.tell(TextDelta(run.run_id, 0, "b" * 200_000, ()))
            time.sleep(0.01)
        script.wait_for(lambda: script.cancelled == [run.run_id])
        assert slow
    script.wait_for(lambda: script.counts[-1] == 0)


def test_who_does_not_take_what_was_written_is_left(monkeypatch: pytest.MonkeyPatch, api: Api, script: Script) -> None:
    monkeypatch.setattr(connection, "TAKING", 0.2)
    size = 20_000_000
    script.words, script.is_held = [("text", "a" * size)], True
    with connected(api, post(api, QUESTION)) as slow:
        script.wait_for(lambda: script.asked)
        api.end(script.asked[0].run_id, StopReason.FINISHED)
        script.wait_for(lambda: script.counts[-1] == 0)
        time.sleep(0.6)
        assert len(until_closed(slow)) < size
    assert api.client.get("/v1/models").status_code == 200


# Logs


@each_seed(range(3))
def test_no_word_and_no_token_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    draw = random.Random(seed)
    secret = "".join(draw.choices("bcdfghjklmnp", k=20))
    script = Script(words=[("text", secret), ("thinking", secret)])
    with caplog.at_level(logging.DEBUG), serving(script) as api:
        api.chat(messages=[{"role": "user", "content": secret}])
        api.chat(messages=[{"role": "user", "content": secret}], stream=True, n=secret)
        api.chat(messages=secret, model=secret)
        api.client.post(f"/{secret}", json=secret)
        api.client_with(authorization=f"Bearer {secret}").get(f"/v1/models?{secret}")
        reply(api, f"{secret}\r\n\r\n".encode())
        script.refuses = True
        api.chat(messages=[{"role": "user", "content": secret}])
        with monkeypatch.context() as patch:
            patch.setattr("app.gateway.asked.chat", fault_with(secret))
            assert api.chat(messages=[{"role": "user", "content": secret}]).status_code == 500
    told = logging.Formatter()  # what is written of an exception too
    ours = "\n".join(told.format(one) for one in caplog.records if not one.name.startswith(("httpx2", "httpcore2")))
    assert "the local API gave an answer" in ours
    assert secret not in ours
    assert TOKEN not in ours


def fault_with(words: str) -> Callable[..., NoReturn]:
    """A function that nobody foresaw to fail, in whose error stands what was said."""

    def fail(*_arguments: object) -> NoReturn:
        raise ValueError(words)

    return fail
