"""The connection to one hub.

Properties: the access token goes to the hub's own origin alone, whatever it redirects to or links, and never
unencrypted over a network; no answer is read beyond its bound in bytes and seconds; from an encrypted hub nothing is
fetched unencrypted. Every fault is a `HubError`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import httpx2
from huggingface_hub.utils._headers import build_hf_headers

from app.hub.address import host, is_private, origin
from app.hub.faults import HubError, not_a_hub, refusal, unreachable
from app.hub.json_fields import text
from app.protocol.dataclass import dataclass

LARGEST_ANSWER = 16 << 20  # bytes of JSON
LONGEST_ANSWER = 60.0  # seconds for the whole of it
CONNECT, READ = 15.0, 30.0  # seconds
MOST_REDIRECTS = 8
_AGENT = "espalier"


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON answer. next: the address of the next page on this hub, "" on the last."""

    content: Any
    next: str = ""


class Connection:
    """Requests to one hub. To be closed, or used as a context."""

    def __init__(self, endpoint: str, token: str = "", *, read: float = READ) -> None:
        """endpoint: as `address.endpoint` returns it. token: sent where it may be. read: seconds without a byte."""
        self.endpoint = endpoint
        self.host = host(endpoint)
        self._origin = origin(endpoint)
        self._token = token if is_private(endpoint) else ""
        headers = build_hf_headers(token=False, library_name=_AGENT)
        headers["Accept-Encoding"] = "identity"  # sizes and ranges are those of the file
        timeout = httpx2.Timeout(read, connect=CONNECT)
        try:
            self._client = httpx2.Client(headers=headers, timeout=timeout, event_hooks={"request": [self._check]})
        except (OSError, ValueError) as error:
            sentence = f"This computer’s settings for proxies or certificates make no sense: {text(str(error))}."
            raise HubError("No connection can be made", sentence) from error

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of open sockets."""
        self._client.close()

    def json(self, url: str, what: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Return what an address of the hub answers. what: the thing asked for, as sentences call it."""
        with self.open(url, what, params=params) as response:
            content = self._bounded(response)
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise not_a_hub(self.host, "not in JSON") from error
        return Answer(found, self._next(response))

    @contextmanager
    def open(
        self,
        url: str,
        what: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        passes: tuple[int, ...] = (),
    ) -> Iterator[httpx2.Response]:
        """Open an address and yield the answer with its body still to be read. passes: statuses that are no refusal."""
        try:
            response = self._follow(self._client.build_request("GET", url, params=params, headers=headers))
            try:
                if not response.is_success and response.status_code not in passes:
                    raise self._refusal(response, what)
                yield response
            finally:
                response.close()
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise unreachable(error, self.host) from None

    def _follow(self, request: httpx2.Request) -> httpx2.Response:
        for _ in range(MOST_REDIRECTS + 1):
            response = self._client.send(request, stream=True, follow_redirects=False)
            if not response.has_redirect_location:
                return response
            response.close()  # unread: a redirect's body may never end
            if response.next_request is None:
                raise not_a_hub(self.host, "sent on without saying where")
            request = response.next_request
        raise not_a_hub(self.host, "only sent on from one address to the next")

    def _check(self, request: httpx2.Request) -> None:
        """Let no request leave with the token for another origin, or unencrypted where the hub is encrypted."""
        request.headers.pop("Authorization", None)
        there = str(request.url)
        try:
            scheme, _name, _port = where = origin(there)
        except ValueError as error:
            raise not_a_hub(self.host, "sent on to an address that is none") from error
        if self._origin[0] == "https" and scheme != "https":
            raise not_a_hub(self.host, "sent on to an address that is not encrypted")
        if self._token and where == self._origin:
            request.headers["Authorization"] = f"Bearer {self._token}"

    def _bounded(self, response: httpx2.Response) -> bytes:
        content, end = bytearray(), time.monotonic() + LONGEST_ANSWER
        for piece in response.iter_bytes():  # some proxies compress whatever was asked for
            content += piece
            if len(content) > LARGEST_ANSWER:
                raise not_a_hub(self.host, "with more than a list of files can be")
            if time.monotonic() > end:
                raise unreachable(httpx2.ReadTimeout("too slow in all"), self.host)
        return bytes(content)

    def _next(self, response: httpx2.Response) -> str:
        """Return the next page's address, where it lies on this hub."""
        try:
            link = response.links.get("next", {}).get("url", "")
            there = str(response.url.join(link)) if link else ""
            return there if there and origin(there) == self._origin else ""
        except (ValueError, httpx2.InvalidURL):
            return ""

    def _refusal(self, response: httpx2.Response, what: str) -> HubError:
        wait = response.headers.get("Retry-After", "")
        return refusal(
            response.status_code,
            what,
            self.host,
            code=response.headers.get("X-Error-Code", ""),
            wait=int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 9 else 0,
            has_token=bool(self._token),
        )
