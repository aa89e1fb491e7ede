"""What comes over a connection, and what is said of it where it is nothing that was asked for."""

from __future__ import annotations

import asyncio
import gzip
import random
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import pytest

from app.protocol.servers import Server
from app.remote import client
from app.remote.address import Reach, reach_of_number
from app.remote.client import Client
from app.remote.faults import ServerError
from tests.remote.scripted import Script, event, serving

PATH = "/v1/chat/completions"


def streamed(script: Script, kind: str = "events") -> list[str]:
    """Ask for a stream, and return what came of it."""

    async def read() -> list[str]:
        async with Client(script.server) as asked:
            found: AsyncGenerator[str] = (asked.events if kind == "events" else asked.lines)(PATH, {})
            async with aclosing(found):
                return [one async for one in found]

    return asyncio.run(read())


def failure(script: Script, kind: str = "events") -> str:
    """Ask for a stream that cannot be read, and return what is said of that."""
    with pytest.raises(ServerError) as caught:
        streamed(script, kind)
    return f"{caught.value.problem.title}. {caught.value.problem.sentence}"


@pytest.mark.parametrize("scheme", ["http", "Http", "HTTP"])
def test_nothing_is_sent_unencrypted_where_a_name_leads_to_the_internet(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    met: list[str] = []

    def reach(number: str) -> Reach:
        met.append(number)
        return Reach.INTERNET

    with serving() as script:
        assert reach_of_number("127.0.0.1") is Reach.HERE
        monkeypatch.setattr(client, "reach_of_number", reach)
        script.address = script.address.replace("http", scheme)  # as one may have been kept
        assert "127.0.0.1, which is on the internet" in failure(script)
        assert met == ["127.0.0.1"]
        assert not script.requests


def test_nothing_is_sent_to_a_server_that_has_left_before_it_is_known_where_it_is() -> None:
    """As one that is ended in the moment in which it is reached: a fault of the server and not of the program."""

    class Left:
        is_closed = False

        def get_extra_info(self, _name: str) -> None:
            return None

        async def aclose(self) -> None:
            self.is_closed = True

    async def reach(stream: Left) -> None:
        async with Client(Server("a1", "Studio", "http://127.0.0.1:1")) as asked:
            await asked._check_peer("connection.connect_tcp.complete", {"return_value": stream})

    stream = Left()
    with pytest.raises(ServerError) as caught:
        asyncio.run(reach(stream))
    assert stream.is_closed
    assert caught.value.may_retry


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]])
def test_what_listened_at_an_address_has_ended_where_all_that_its_name_leads_to_refuse(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    """As of `localhost`, which leads to two on a Mac."""
    with serving() as script:
        port = int(script.address.rpartition(":")[2])
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_asked, **_more: found)
    ended: list[bool] = []

    async def reach() -> None:
        async with Client(Server("a1", "Studio", f"http://studio.local:{port}")) as asked:
            asked.on_ended = lambda: ended.append(True)
            await asked.check("/health")

    with pytest.raises(ServerError) as caught:
        asyncio.run(reach())
    assert caught.value.may_retry
    assert ended == [True]


def asked_for_json(script: Script) -> str:
    """Ask for an object that cannot be had, and return what is said of that."""

    async def read() -> None:
        async with Client(script.server) as asked:
            await asked.json(PATH, body={})

    with pytest.raises(ServerError) as caught:
        asyncio.run(read())
    return f"{caught.value.problem.title}. {caught.value.problem.sentence}"


def without_end(head: str, *, drips: bool) -> str:
    """Ask for events of a server that answers with a head alone, and return what is said of that.

    drips: a byte of what follows comes now and then, which is never all of it.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {head}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n".encode())
        try:
            while not reader.at_eof():
                writer.write(b" " * drips)
                await asyncio.sleep(0.01)
        finally:
            writer.close()

    async def read() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
            address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
            async with Client(Server("a1", "Studio", address)) as asked, aclosing(asked.events(PATH, {})) as found:
                async for _ in found:
                    raise AssertionError("it is no event")

    with pytest.raises(ServerError) as caught:
        asyncio.run(read())
    return f"{caught.value.problem.title}. {caught.value.problem.sentence}"


@pytest.mark.parametrize("drips", [False, True])
def test_a_refusal_without_an_end_is_told_by_its_status(monkeypatch: pytest.MonkeyPatch, drips: bool) -> None:
    monkeypatch.setattr(client, "REFUSING", 0.1)
    said = {"400 No": "status 400", "401 No": "asks for a key", "503 Busy": "is busy", "200 OK": "in place of events"}
    for head, words in said.items():
        assert words in without_end(head, drips=drips)


def chunk_of(data: bytes) -> bytes:
    """Bytes as they are sent in chunks."""
    return b"%x\r\n%b\r\n" % (len(data), data)


INSTEAD: Mapping[tuple[str, bytes], str] = {
    ("application/json", b'{"error": {"message": "no streams here"}}'): "no streams here",
    ("application/json; charset=utf-8", b'{"choices": []}'): "application/json in place of events",
    ("text/html", b"<html>Welcome</html>"): "text/html in place of events",
    ("", b""): "something in place of events",
    ("application/json", b"x" * 100_000): "application/json in place of events",
}


def test_what_is_no_stream_of_events_is_called_what_it_is() -> None:
    with serving() as script:
        for (kind, body), said in INSTEAD.items():
            script.pages = {PATH: (200, kind, body)}
            assert said in failure(script)


@pytest.mark.parametrize("encoding", ["gzip", "GZip", "identity, deflate", "br", "x-gzip, gzip", "made up"])
def test_nothing_that_is_compressed_is_read(encoding: str) -> None:
    """A few bytes of it may come to any number, which would hold up all answers. A refusal is told all the same."""
    few = gzip.compress(b"\n:" * (8 << 20))
    with serving() as script:
        script.headers = {**script.headers, "Content-Encoding": encoding}
        script.raw = [few]
        assert "is compressed" in failure(script)
        assert "is compressed" in failure(script, "lines")
        script.refusals = [(status, few, {"Content-Encoding": encoding}) for status in (200, 401)]
        said = [asked_for_json(script), asked_for_json(script)]
        assert ["is compressed" in said[0], "asks for a key" in said[1]] == [True, True]
        script.headers = {**script.headers, "Content-Encoding": "Identity, "}
        script.raw = [event(1)]
        assert streamed(script) == ["1"]


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_what_the_standard_of_events_allows_beside_events_is_none(ends: bytes) -> None:
    """Wherever it stands, and a byte order mark before the first one."""
    allowed = (
        b"retry: 3000",
        b"retry",
        b"id: 1",
        b"id",
        b"event: ping",
        b"event: ping\ndata:",
        b"data",
        b": hm",
        b"x: y",
    )
    words = [event({"word": number}) for number in range(3)]
    with serving() as script:
        for seed in range(20):
            dice = random.Random(seed)
            sent = words.copy()
            for one in dice.sample(allowed, 4):
                sent.insert(dice.randrange(len(sent) + 1), one + b"\n\n")
            mark = dice.choice((b"", b"\xef\xbb\xbf"))
            script.raw = [mark + b"".join(sent).replace(b"\n", ends)]
            assert streamed(script) == [f'{{"word": {number}}}' for number in range(3)], script.raw


def test_lines_are_the_same_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """At random; and one that comes in small pieces takes as long as it is, and not as the square of that."""
    monkeypatch.setattr(client, "LARGEST_EVENT", 8 << 20)
    whole = "é\n\n{}\nlonger ones\nthe last one\n"
    with serving() as script:
        script.headers = {"Transfer-Encoding": "chunked"}
        for seed in range(20):
            data, dice = whole.encode(), random.Random(seed)
            at = sorted(dice.sample(range(1, len(data)), dice.randrange(20)))
            script.raw = [
                *(chunk_of(data[a:b]) for a, b in zip([0, *at], [*at, len(data)], strict=True)),
                *(chunk_of(b"rest") * dice.randrange(2), chunk_of(b"")),
            ]
            assert streamed(script, "lines") == [*whole.split()[:2], "longer ones", "the last one"]
        script.raw = [chunk_of(b"x" * 32) * 1000] * 270
        assert "a line without an end" in failure(script, "lines")


def test_an_event_and_a_line_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that never ends, of which no more is read than that."""
    monkeypatch.setattr(client, "LARGEST_EVENT", 2 << 20)
    with serving() as script:
        script.raw = [event("x" * (1 << 20))]
        assert [len(one) for one in streamed(script)] == [(1 << 20) + 2]
        script.raw = [event("x" * (2 << 20))]
        assert "an event of more than 2 MiB" in failure(script)
        script.raw = [b"data: ", *[b"x" * (1 << 20)] * 50]
        assert "an event of more than 2 MiB" in failure(script)
        assert "a line without an end" in failure(script, "lines")
        assert script.ended <= 2
