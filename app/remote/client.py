"""The connection to one server.

Properties: nothing is taken from the environment, no redirect is followed, no cookie kept; the key goes to the server's
own address alone; what is not encrypted goes to computers of a private network only, whatever their names lead to; no
piece of an answer is read beyond its bound in bytes, which are those that came: nothing is decompressed; an answer that
comes in pieces ends where whoever reads them leaves; every fault is a `ServerError`.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import httpx2

from app.protocol.servers import Server
from app.remote import faults
from app.remote.address import Reach, host_of, is_encrypted, reach_of_number
from app.remote.chunks import object_of
from app.remote.keys import key_problem

CONNECT = 5.0  # seconds
SILENCE = 600.0  # seconds without a word, after which a request is given up
ASKING = 10.0  # seconds for an answer that is not written by a model
REFUSING = 3.0  # seconds for what is said of a refusal whose status is known
LARGEST_ANSWER, LARGEST_EVENT = 4 << 20, 16 << 20  # bytes; vLLM's first event repeats the ids of the prompt
_LONGEST_REFUSAL = 1 << 16
_LONGEST_COMMENT = 64  # bytes; of longer ones nobody is told
_BEGUN_COMMENT = re.compile(rb"(?:^|[\r\n]):")
_EVENTS = "text/event-stream"
# Whatever a server says of itself, and without the mark that may begin it.
_AS_STANDARD = {"Content-Type": f"{_EVENTS}; charset=utf-8-sig"}
_OUT_OF_DATE = (9, 10)  # as OpenSSL numbers them: a certificate that is not valid yet, or no more


class Client:
    """Requests to one server. To be used as a context, on one event loop.

    Attribute: on_ended, called where a connection is refused: what listened at the address has ended.
    """

    def __init__(
        self, server: Server, key: str = "", trusted: ssl.SSLContext | None = None, *, silence: float = SILENCE
    ) -> None:
        """key: sent with each request, "" for none. trusted: what accepts its certificate, None for what the system
        accepts. silence: seconds without a word, after which a request is given up. Raises ServerError
        where the address or the key is none.
        """
        self.server = server
        self.on_ended: Callable[[], None] = lambda: None
        self._silence = silence
        why = key_problem(key)
        if why:
            raise faults.without_key(server.name, why)
        headers = {"Accept-Encoding": "identity", "User-Agent": "espalier"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            self._http = httpx2.AsyncClient(
                base_url=server.url,
                headers=headers,
                timeout=httpx2.Timeout(silence, connect=CONNECT),
                verify=True if trusted is None else trusted,
                limits=httpx2.Limits(max_connections=64, keepalive_expiry=30.0),
                trust_env=False,
                follow_redirects=False,
            )
        except (httpx2.InvalidURL, ValueError):
            raise faults.no_address(server.name, host_of(server.url)) from None
        self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_ended: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of open sockets."""
        await self._http.aclose()

    async def json(self, path: str, *, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Return the JSON object at a path: asked for with a body, or without one. Raises ServerError."""
        method = "GET" if body is None else "POST"
        name = self.server.name
        try:
            async with asyncio.timeout(ASKING), self._opened(method, path, body) as response:
                return object_of(name, (await self._bounded(response, LARGEST_ANSWER)).decode("utf-8", "replace"))
        except TimeoutError:
            raise faults.unreachable(name, host_of(self.server.url)) from None

    async def check(self, path: str) -> None:
        """Ask for a path, whatever it answers. Raises ServerError where it is refused."""
        try:
            async with asyncio.timeout(ASKING), self._opened("GET", path, None):
                return
        except TimeoutError:
            raise faults.unreachable(self.server.name, host_of(self.server.url)) from None

    async def events(
        self, path: str, body: Mapping[str, Any], hear: Callable[[str], object] = lambda _: None
    ) -> AsyncGenerator[str]:
        """Give the data of each event that answers a request, as they come. Raises ServerError.

        hear: called with each short comment among them at once, also where no event comes for long.
        """
        async with self._opened("POST", path, body) as response:
            pieces, kind = self._pieces(response), _kind_of(response)
            if kind != _EVENTS:
                raise await self._in_place_of_events(response, kind)
            content = _overheard(pieces, hear)
            heard = httpx2.Response(200, headers=_AS_STANDARD, content=content, request=response.request)
            async for event in httpx2.EventSource(heard, max_event_size=LARGEST_EVENT):
                if event.data:
                    yield event.data

    async def lines(self, path: str, body: Mapping[str, Any]) -> AsyncGenerator[str]:
        """Give each line that answers a request, as they come. Raises ServerError."""
        async with self._opened("POST", path, body) as response:
            held = bytearray()
            async for piece in self._pieces(response):
                *whole, rest = piece.split(b"\n")  # and not what is held, which may come byte by byte
                for line in whole:
                    held += line
                    if held:
                        yield held.decode("utf-8", "replace")
                    held.clear()
                held += rest
                if len(held) > LARGEST_EVENT:
                    raise faults.malformed(self.server.name, "a line without an end")

    @asynccontextmanager
    async def _opened(self, method: str, path: str, body: Mapping[str, Any] | None) -> AsyncIterator[httpx2.Response]:
        name, host = self.server.name, host_of(self.server.url)
        try:
            watch = None if is_encrypted(self.server.url) else {"trace": self._check_peer}
            async with self._http.stream(method, path, json=body, extensions=watch) as response:
                if not response.is_success:
                    raise await self._refusal(response)
                yield response
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error)):
                self.on_ended()
            raise _unreachable(self.server, host, error) from None
        except httpx2.ReadTimeout:
            raise faults.silent(name, max(1, round(self._silence / 60))) from None
        except httpx2.SSEError:
            raise faults.malformed(name, f"an event of more than {LARGEST_EVENT >> 20} MiB") from None
        except (httpx2.RequestError, httpx2.InvalidURL):
            raise faults.broken_off(name) from None

    async def _check_peer(self, step: str, told: Mapping[str, Any]) -> None:
        """Leave a server on the internet before anything is sent: its name is known only by where it led to.

        Raises ServerError.
        """
        if step != "connection.connect_tcp.complete":
            return
        stream = told["return_value"]
        address = stream.get_extra_info("server_addr")
        if address is None:  # it has left already
            await stream.aclose()
            raise faults.broken_off(self.server.name)
        number = str(address[0])
        if reach_of_number(number) is Reach.INTERNET:
            await stream.aclose()
            raise faults.unencrypted(self.server.name, host_of(self.server.url), number)

    async def _in_place_of_events(self, response: httpx2.Response, kind: str) -> faults.ServerError:
        """Return what a server says that gives something else than events: some tell a refusal so."""
        name = self.server.name
        said = _reason(await self._refusal_body(response)) or ""
        if said:
            return faults.refused(name, response.status_code, said)
        return faults.malformed(name, f"{faults.words(kind) or 'something'} in place of events")

    async def _refusal(self, response: httpx2.Response) -> faults.ServerError:
        body = await self._refusal_body(response)
        said = _reason(body)
        if said is None:
            said = body if "<" not in body else ""  # a page for a browser tells nobody anything
        wait = response.headers.get("Retry-After", "")
        seconds = float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 5 else 0.0
        return faults.refused(self.server.name, response.status_code, said, seconds)

    async def _refusal_body(self, response: httpx2.Response) -> str:
        """Return what comes with a refusal, "" where that cannot be read, or does not end soon."""
        try:
            async with asyncio.timeout(REFUSING):
                return (await self._bounded(response, _LONGEST_REFUSAL)).decode("utf-8", "replace")
        except (TimeoutError, faults.ServerError, httpx2.RequestError):
            return ""

    def _pieces(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """Return the bytes of an answer as they come. Raises ServerError where a few may stand for any number."""
        encodings = response.headers.get("Content-Encoding", "").lower().split(",")
        if {one.strip() for one in encodings} - {"", "identity"}:
            raise faults.compressed(self.server.name)
        return response.aiter_raw()

    async def _bounded(self, response: httpx2.Response, most: int) -> bytes:
        content = bytearray()
        async for piece in self._pieces(response):
            content += piece
            if len(content) > most:
                raise faults.malformed(self.server.name, "more than such an answer can be")
        return bytes(content)


async def _overheard(pieces: AsyncIterator[bytes], hear: Callable[[str], object]) -> AsyncGenerator[bytes]:
    """Give the bytes of an answer as they come, and tell of each short comment once all before it was taken."""
    line = b""  # as far as it has come, and as far as it can be a short comment
    async for piece in pieces:
        if not line and piece.endswith(b"\n") and not _BEGUN_COMMENT.search(piece):
            yield piece
            continue
        for part in piece.splitlines(keepends=True):
            yield part
            line = (line + part)[: _LONGEST_COMMENT + 1]
            if part.endswith((b"\n", b"\r")):
                if line.startswith(b":") and len(line) <= _LONGEST_COMMENT:
                    hear(line[1:].decode("utf-8", "replace").strip())
                line = b""


def _unreachable(server: Server, host: str, error: Exception) -> faults.ServerError:
    for cause in _causes(error):
        is_refused = isinstance(cause, ssl.SSLCertVerificationError) and cause.verify_code not in _OUT_OF_DATE
        if is_refused and server.certificate:
            return faults.changed(server.name)
        if isinstance(cause, ssl.SSLError):
            return faults.untrusted(server.name, getattr(cause, "verify_message", "") or cause.reason or str(cause))
    return faults.unreachable(server.name, host)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give an error and what caused it, one after the other; of several at once, as of a name's addresses, each."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        for one in cause.exceptions if isinstance(cause, BaseExceptionGroup) else ():
            yield from _causes(one)
        cause = cause.__cause__ or cause.__context__


def _kind_of(response: httpx2.Response) -> str:
    """Return what an answer is said to be: "text/event-stream"."""
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower()


def _reason(body: str) -> str | None:
    """Return the words of a refusal, wherever its kind of server puts them; None where it is no JSON object."""
    try:
        found = object_of("", body)
    except faults.ServerError:
        return None
    error = found.get("error", found.get("detail", found.get("message", "")))
    if isinstance(error, dict):
        error = error.get("message", "")
    return error if isinstance(error, str) else ""
