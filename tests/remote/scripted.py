"""A server of language models that answers from a script, as a real one of its kind does, or misbehaves as asked.

What it answers follows the sources of those servers; no program of theirs runs here.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from app.protocol.servers import Server

# By kind of server: what its paths answer.
SIGNS: Mapping[str, Mapping[str, Any]] = {
    "mlx_lm.server": {
        "/v1/models": {"object": "list", "data": [{"id": "tiny", "object": "model", "created": 1}]},
        "/health": {"status": "ok"},
    },
    "llama.cpp": {
        "/v1/models": {"data": [{"id": "tiny", "owned_by": "llamacpp", "meta": {"n_ctx_train": 8192}}]},
        "/props": {"default_generation_settings": {"n_ctx": 4096}},
        "/health": {"status": "ok"},
    },
    "vLLM": {
        "/v1/models": {"data": [{"id": "tiny", "owned_by": "vllm", "max_model_len": 2048}]},
        "/version": {"version": "0.32.0"},
    },
    "SGLang": {
        "/v1/models": {"data": [{"id": "tiny", "owned_by": "sglang", "max_model_len": 2048}]},
        "/get_model_info": {"model_path": "tiny"},
        "/health": {},
    },
    "Ollama": {
        "/v1/models": {"data": [{"id": "tiny", "owned_by": "library"}]},
        "/api/version": {"version": "0.12.0"},
    },
    "LM Studio": {
        "/v1/models": {"data": [{"id": "tiny", "owned_by": "organization_owner"}]},
        "/api/v0/models": {"data": [{"id": "tiny", "state": "loaded", "loaded_context_length": 3000}]},
    },
    "OpenAI’s interface": {"/v1/models": {"data": [{"id": "tiny", "owned_by": "somebody"}]}},
}

SHOWN: Mapping[str, Any] = {"model_info": {"general.architecture": "tiny", "tiny.context_length": 40960}}


@dataclass
class Script:
    """What the server does. Tests set it before or while it serves.

    words: of each answer, one to an event. thought: words before them. finish: why it ends. usage: told with the end,
    if any. headers: of its stream. pause: seconds between two words; lead: before the first. hold: after this many
    words it waits for `go`. refusals: answers to the next requests, (status, body, headers), before it answers. drops:
    how many of the next requests are broken off; at: after so many words. requests: (path, headers, body) of all that
    came. ended: how many answers were written to their end; left: how many were left by the client. key: without which
    it answers nothing. pages: (status, type, body) of paths that answer something else than those of its kind. routes:
    what paths answer to a body: an object, a status with one, or events. shown: of its model, by Ollama. is_loading: it
    says so, but to who asks for its models.
    """

    kind: str = "OpenAI’s interface"
    words: list[str] = field(default_factory=lambda: ["Hello", ", ", "world"])
    thought: list[str] = field(default_factory=list)
    finish: str | None = "stop"
    usage: dict[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})
    pause: float = 0.0
    lead: float = 0.0
    hold: int | None = None
    go: threading.Event = field(default_factory=threading.Event)
    refusals: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    drops: int = 0
    at: int = 0
    raw: list[bytes] | None = None
    requests: list[tuple[str, Mapping[str, str], Any]] = field(default_factory=list)
    ended: int = 0
    left: int = 0
    key: str = ""
    pages: dict[str, tuple[int, str, bytes]] = field(default_factory=dict)
    address: str = ""
    routes: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=lambda: dict(SHOWN))
    is_loading: bool = False

    def __post_init__(self) -> None:
        if self.kind == "Ollama":
            self.routes["/api/show"] = lambda _: self.shown

    @property
    def server(self) -> Server:
        """Return it as an engine is told of it."""
        return Server("a1", "Studio", self.address)

    @property
    def asked(self) -> list[Any]:
        """Return the bodies of the requests for answers."""
        return [body for path, _, body in self.requests if body is not None and path != "/api/show"]

    def events(self) -> Iterator[bytes]:
        """Give the events of an answer."""
        if self.raw is not None:
            yield from self.raw
            return
        time.sleep(self.lead)
        for number, word in enumerate([*self.thought, *self.words]):
            if number == self.hold:
                self.go.wait(30)
            yield self._word(number < len(self.thought), word)
            time.sleep(self.pause)
        yield from self._end()

    def _word(self, is_thought: bool, word: str) -> bytes:
        if self.kind == "Ollama":
            return line({"message": {"thinking" if is_thought else "content": word}, "done": False})
        thinking = "reasoning_content" if self.kind in ("llama.cpp", "SGLang") else "reasoning"
        delta = {thinking if is_thought else "content": word}
        return event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})

    def _end(self) -> Iterator[bytes]:
        usage = self.usage or {}
        if self.kind == "Ollama":
            yield line({"message": {"content": ""}, "done": True, "done_reason": self.finish, **usage})
            return
        yield event({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]})
        if self.usage is not None:
            yield event({"choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"


def event(content: Any) -> bytes:
    """Return a server-sent event."""
    return f"data: {json.dumps(content)}\n\n".encode()


def line(content: Any) -> bytes:
    """Return a line of JSON."""
    return f"{json.dumps(content)}\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits for the client to acknowledge its head
    script: Script
    connections: set[socket.socket]

    def setup(self) -> None:
        super().setup()
        self.connections.add(self.connection)

    def handle(self) -> None:
        with suppress(ConnectionError):  # whoever asked has left
            super().handle()

    def finish(self) -> None:
        self.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        self.script.requests.append((self.path, dict(self.headers), None))
        if self._refuses() or self._has_page():
            return
        route = self.script.routes.get(self.path.partition("?")[0])
        found = SIGNS[self.script.kind].get(self.path) if route is None else route(None)
        self._reply(404 if found is None else 200, json.dumps(found or {"error": "Not Found"}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.script.requests.append((self.path, dict(self.headers), body))
        if self._refuses() or self._has_page():
            return
        route = self.script.routes.get(self.path)
        told = None if route is None else route(body)
        if isinstance(told, dict | tuple):
            status, content = told if isinstance(told, tuple) else (200, told)
            self._reply(status, json.dumps(content).encode())
            return
        self.send_response(200)
        for name, value in self.script.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        breaks = self.script.drops > 0
        self.script.drops -= breaks
        try:
            for number, data in enumerate(self.script.events() if told is None else told):
                if breaks and number == self.script.at:
                    self.connection.close()
                    return
                self.wfile.write(data)
                self.wfile.flush()
            self.script.ended += 1
        except OSError:
            self.script.left += 1

    def _refuses(self) -> bool:
        if self.script.key and self.headers["Authorization"] != f"Bearer {self.script.key}":
            self._reply(401, b'{"error": "a key is missing"}')
            return True
        if self.script.is_loading and self.path != "/v1/models":
            self._reply(503, b'{"error": {"message": "Loading model"}}')
            return True
        if self.command == "POST" and self.script.refusals:
            status, content, headers = self.script.refusals.pop(0)
            self._reply(status, content, headers)
            return True
        return False

    def _has_page(self) -> bool:
        page = self.script.pages.get(self.path)
        if page is not None:
            status, kind, content = page
            self._reply(status, content, {"Content-Type": kind})
        return page is not None

    def _reply(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        with suppress(OSError):  # whoever asked has left
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serving(script: Script | None = None, certificate: Path | None = None, port: int = 0) -> Iterator[Script]:
    """Serve a script on a port of this machine, 0 for any, encrypted where it has a certificate."""
    script = script or Script()
    connections: set[socket.socket] = set()
    handler = type("Handler", (_Handler,), {"script": script, "connections": connections})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    script.address = f"{'http' if certificate is None else 'https'}://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        script.go.set()
        server.shutdown()
        server.server_close()
        thread.join()
        for one in tuple(connections):  # they outlive the server
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def wait_until(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until something holds. AssertionError when it does not."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)
