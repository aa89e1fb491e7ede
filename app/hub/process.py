"""The process that talks to hubs: it reads requests from its input, writes replies to its output, and ends with them.

It is ended by killing it, also to pause a download: what has arrived is on the disk at any moment. The program's own
process opens no connection, and what keeps its libraries offline is never lifted there.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from app.hub.messages import (
    Arrived,
    Describe,
    Description,
    Discard,
    Done,
    Failed,
    HubEndpoint,
    KeepToken,
    Listed,
    Ready,
    Reply,
    Request,
    Search,
    line_of,
    request_of,
)

if TYPE_CHECKING:
    from app.hub.repository import Repository

_OFTEN = 0.1  # seconds between two replies that tell how far a download is

Send = Callable[[Reply], None]


def main() -> int:
    """Answer requests until the input ends. Returns the exit status."""
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no reply
    # Read when huggingface_hub is imported, which else asks the usual hub for a list of its own before any request.
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    requests: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_serve, args=(requests, output), daemon=True).start()
    for line in sys.stdin.buffer:
        requests.put(request_of(line))
    os._exit(0)  # the program is gone: nobody wants what is under way


def _serve(requests: SimpleQueue[Request], output: int) -> None:
    def send(reply: Reply) -> None:
        line = memoryview(line_of(reply))
        while line:
            line = line[os.write(output, line) :]

    try:
        while True:
            answer(requests.get(), send)
    finally:
        os._exit(1)  # something that nobody foresaw: the program tells it, and starts another process


def answer(request: Request, send: Send) -> None:
    """Carry out a request and send what comes of it."""
    from app.hub.faults import HubError

    try:
        send(_carry_out(request, send))
    except HubError as error:
        problem = error.problem
        send(Failed(problem.title, problem.sentence, error.is_passing, error.wants_token))


def _carry_out(request: Request, send: Send) -> Reply:
    from app.hub import tokens
    from app.hub.address import host
    from app.hub.cache_folder import is_here
    from app.hub.connection import Connection
    from app.hub.fetch import discard, fetch
    from app.hub.repository import Repository, describe
    from app.hub.search import search

    place = request.place
    if isinstance(request, KeepToken):
        tokens.keep(host(place.endpoint), request.token)
        return Done()
    if isinstance(request, Discard):
        discard(Repository(request.name, request.commit), _cache(place))
        return Done()
    token = tokens.kept(host(place.endpoint)) if place.has_token else ""
    with Connection(place.endpoint, token) as hub:
        if isinstance(request, Search):
            found = search(hub, request.words, request.page)
            rows = tuple(replace(row, is_here=is_here(row.name, _cache(place))) for row in found.rows)
            return Listed(request.words, request.page, rows, found.next)
        if isinstance(request, Describe):
            return _description(describe(hub, request.name), _cache(place))
        repository = describe(hub, request.name, request.commit)
        return Ready(str(fetch(hub, repository, _cache(place), _Progress(repository.bytes, send))))


class _Progress:
    """Tells how far a download is, but not with every piece."""

    def __init__(self, total: int, send: Send) -> None:
        self._total = total
        self._send = send
        self._told = (-1.0, "", False)

    def __call__(self, done: int, name: str, is_checked: bool) -> None:
        at, before, was_checked = self._told
        now = time.monotonic()
        if (name, is_checked) != (before, was_checked) or now - at >= _OFTEN or done == self._total:
            self._told = now, name, is_checked
            self._send(Arrived(done, self._total, name, is_checked))


def _description(found: Repository, cache: Path) -> Description:
    from app.hub.cache_folder import CacheFolder
    from app.hub.fetch import space_for

    space = space_for(found, cache)
    return Description(
        name=found.name,
        commit=found.commit,
        licence=found.licence,
        licence_link=found.licence_link,
        updated=found.updated,
        is_gated=found.is_gated,
        architecture=found.architecture,
        reason=found.reason,
        files=tuple(file.name for file in found.files),
        bytes=found.bytes,
        missing=space.missing,
        free=space.free,
        is_room=space.is_enough,
        folder=str(cache),
        path=str(CacheFolder(cache, found).snapshot) if space.is_complete else "",
    )


def _cache(place: HubEndpoint) -> Path:
    from app.hub.cache_folder import usual_cache

    return Path(place.cache) if place.cache else usual_cache()
