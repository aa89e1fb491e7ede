"""A hub on loopback that can misbehave: the few endpoints that a search and a download use."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "1f" * 20
_LARGE = 1000  # bytes from which a file has a SHA-256, as with git's large files


def git_digest(content: bytes) -> str:
    """Git's SHA-1 of a blob, written down once more."""
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def model_files(seed: int = 0, size: int = 40_000) -> dict[str, bytes]:
    """The files of a small model, and some that nobody needs."""
    weights = hashlib.shake_128(bytes([seed])).digest(size)
    return {
        "config.json": b'{"model_type": "llama"}',
        "tokenizer.json": b'{"version": "1.0"}' * 100,
        "model-00001-of-00002.safetensors": weights[: size // 2],
        "model-00002-of-00002.safetensors": weights[size // 2 :],
        "README.md": b"# A model",
        "modeling_evil.py": b"raise SystemExit",
        "pytorch_model.bin": b"pickle",
    }


@dataclass
class Repo:
    """A repository. change: alters its description before it is sent."""

    files: dict[str, bytes] = field(default_factory=model_files)
    tags: tuple[str, ...] = ("mlx", "safetensors", "license:apache-2.0")
    extra: dict[str, Any] = field(default_factory=dict)
    change: Callable[[dict[str, Any]], None] = lambda described: None

    def described(self, name: str) -> dict[str, Any]:
        """What /api/models/NAME says of it."""
        siblings = []
        for path, content in self.files.items():
            one: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": git_digest(content)}
            if len(content) >= _LARGE:
                one["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
            siblings.append(one)
        found = {"id": name, "sha": COMMIT, "siblings": siblings, "tags": list(self.tags), "gated": False}
        found |= {"lastModified": "2025-06-01T10:00:00.000Z", "cardData": {"license": "apache-2.0"}, **self.extra}
        self.change(found)
        return found


Misdeed = Callable[["Handler"], bool]


class Hub(ThreadingHTTPServer):
    """The server. misdeeds: asked before each answer, the first that returns True has answered in its place.

    asked: method, path and headers of every request.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos: dict[str, Repo] = {}
        self.found: list[dict[str, Any]] = []
        self.misdeeds: list[Misdeed] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.ending = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def paths(self, containing: str = "") -> list[str]:
        """The paths that were asked for."""
        return [path for path, _headers in self.asked if containing in path]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: connections are broken on purpose."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Hub

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers.items())))
        with suppress(OSError):
            if not any(misdeed(self) for misdeed in list(self.server.misdeeds)):
                self.answer()

    @property
    def start(self) -> int:
        """Where the range that is asked for begins."""
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(found[1]) if found else 0

    def content(self) -> bytes | None:
        """What lies at the path that is asked for, None where it is no file."""
        found = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([0-9a-f]{40})/(.+)", unquote(urlsplit(self.path).path))
        repo = self.server.repos.get(found[1]) if found else None
        return repo.files.get(found[3]) if found and repo else None

    def answer(self) -> None:
        """Answer as a hub should."""
        parts = urlsplit(self.path)
        described = re.fullmatch(r"/api/models/([^/]+/[^/]+?)(?:/revision/[0-9a-f]{40})?", unquote(parts.path))
        if parts.path == "/api/models":
            self._search(parse_qs(parts.query))
        elif described and described[1] in self.server.repos:
            self.json(self.server.repos[described[1]].described(described[1]))
        elif (content := self.content()) is not None:
            self.file(content)
        else:
            self.reply(404, b'{"error": "not found"}', {"X-Error-Code": "RepoNotFound"})

    def _search(self, query: dict[str, list[str]]) -> None:
        words, tag = query.get("search", [""])[0].lower(), query.get("filter", [""])[0]
        first, limit = int(query.get("skip", ["0"])[0]), int(query.get("limit", ["30"])[0])
        rows = [row for row in self.server.found if words in row["id"].lower() and tag in row["tags"]]
        headers = {}
        if first + limit < len(rows):
            more = f"/api/models?search={words}&filter={tag}&limit={limit}&skip={first + limit}"
            headers["Link"] = f'<{self.server.address}{more}>; rel="next"'
        self.json(rows[first : first + limit], headers)

    def json(self, content: object, headers: dict[str, str] | None = None) -> None:
        """Answer in JSON."""
        self.reply(200, json.dumps(content).encode(), {"Content-Type": "application/json", **(headers or {})})

    def file(self, content: bytes) -> None:
        """Answer a file, or its rest."""
        start, whole = self.start, len(content)
        if start and start >= whole:
            self.reply(416, b"", {"Content-Range": f"bytes */{whole}"})
            return
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        headers |= {"X-Linked-Size": str(whole), "Accept-Ranges": "bytes"}
        if start:
            headers["Content-Range"] = f"bytes {start}-{whole - 1}/{whole}"
        self.reply(206 if start else 200, content[start:], headers)

    def head(self, status: int, headers: dict[str, str]) -> None:
        """Send the status and headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def reply(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a whole answer."""
        self.head(status, {"Content-Length": str(len(content)), **(headers or {})})
        self.wfile.write(content)

    def cut(self) -> None:
        """Break the connection as a lost network does, without a goodbye."""
        with suppress(OSError):
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def drip(self, content: bytes, step: int, pause: float) -> None:
        """Send slowly, until the server ends."""
        for at in range(0, len(content), step):
            if self.server.ending.wait(pause):
                return
            self.wfile.write(content[at : at + step])
            self.wfile.flush()


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub that answers until the end of the block."""
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01}, name="hub")
    thread.start()
    try:
        yield hub
    finally:
        hub.ending.set()
        hub.shutdown()
        hub.server_close()
        thread.join()


def has_arrived(cache: Path, nbytes: int) -> bool:
    """Whether a file of so many bytes lies in the cache, whole or on its way."""
    for path in cache.glob("*/blobs/*"):
        with suppress(FileNotFoundError):  # what is whole takes its name meanwhile
            if path.stat().st_size == nbytes:
                return True
    return False


def wait_until(holds: Callable[[], bool], patience: float = 30.0) -> None:
    """Wait until something holds; AssertionError when it never does."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
