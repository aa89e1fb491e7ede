"""An engine that answers guests from a script, and the server of the local API over it, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx2

from app.gateway.server import Server
from app.protocol.commands import Cancel, Command, Generate, Tokenize
from app.protocol.events import (
    Event,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TextKind,
    Tokenized,
)
from app.protocol.reports import ModelInfo, Problem, RequestReport, RunStats, StopReason

TOKEN = "0123456789abcdef" * 4
MODEL = ModelInfo("/models/tiny", "tiny", "a tiny model", "print", 4096, 1000, (("KVCache", 2),), True)
REFUSED = Problem("The template refuses this conversation", "It says: no fish.")


@dataclass
class Script:
    """What the engine does. Tests set it before or while the server runs.

    words: of each answer, by their kind. is_held: nothing is said before `go`. refuses: every run fails. fails_after:
    so many words. stop: why answers end. model: what is open, or why nothing is. commands: all that came.
    """

    words: list[tuple[TextKind, str]] = field(default_factory=lambda: [("text", "Hello"), ("text", " world")])
    is_held: bool = False
    refuses: bool = False
    fails_after: int | None = None
    stop: StopReason = StopReason.FINISHED
    model: ModelInfo | str = MODEL
    commands: list[Command] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    came: threading.Condition = field(default_factory=threading.Condition)

    @property
    def asked(self) -> list[Generate]:
        return [one for one in self.commands if isinstance(one, Generate)]

    @property
    def cancelled(self) -> list[int]:
        return [one.run_id for one in self.commands if isinstance(one, Cancel)]

    def wait_for(self, is_so: Any) -> None:
        """Wait until something holds of what came."""
        with self.came:
            assert self.came.wait_for(is_so, 30), self.commands


class Api:
    """The server, with a client's view of it. Attributes: port, script, client."""

    def __init__(self, script: Script) -> None:
        self.script, self.port = script, 0
        self._listens = threading.Event()
        self._clients: list[httpx2.Client] = []
        self.server = Server(TOKEN, self._submit, lambda: script.model, self._count, self._on_listening, count(-1, -1))
        self._thread = threading.Thread(target=self.server.run, args=(0,), name="api")

    def start(self) -> None:
        self._thread.start()
        assert self._listens.wait(30)
        self.client = self.client_with()

    def client_with(self, **headers: str | None) -> httpx2.Client:
        """Make a client that sends these headers, and none that is None."""
        given = {"authorization": f"Bearer {TOKEN}", **headers}
        kept = {name: value for name, value in given.items() if value is not None}
        url = f"http://127.0.0.1:{self.port}"
        self._clients.append(httpx2.Client(base_url=url, headers=kept, timeout=30, trust_env=False))
        return self._clients[-1]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self.server.close()
        self._thread.join(30)
        assert not self._thread.is_alive()

    def chat(self, **more: Any) -> httpx2.Response:
        """Ask a question."""
        body = {"model": "tiny", "messages": [{"role": "user", "content": "Hi"}], **more}
        return self.client.post("/v1/chat/completions", json=body)

    def _on_listening(self, port: int) -> None:
        self.port = port
        self._listens.set()

    def _count(self, count: int) -> None:
        with self.script.came:
            self.script.counts.append(count)
            self.script.came.notify_all()

    def _submit(self, command: Command) -> None:
        script = self.script
        with script.came:
            script.commands.append(command)
            script.came.notify_all()
        if isinstance(command, Tokenize):
            self.tell(_tokenized(command))
        elif isinstance(command, Cancel):
            self.end(command.run_id, StopReason.CANCELLED)
        elif isinstance(command, Generate) and not script.is_held:
            self.answer(command)

    def answer(self, command: Generate) -> None:
        """Give the answer to a run."""
        if self.script.refuses:
            self.tell(RunFailed(command.run_id, REFUSED))
            return
        self.begin(command)
        for number, (kind, word) in enumerate(self.script.words):
            if number == self.script.fails_after:
                self.tell(RunFailed(command.run_id, Problem("The model failed", "Open it again.")))
                return
            self.tell(TextDelta(command.run_id, 0, word, (), kind))
        self.end(command.run_id, self.script.stop)

    def begin(self, command: Generate) -> None:
        self.tell(RunStarted(command.run_id, REPORT, (10,)))
        self.tell(PrefillProgress(command.run_id, 9, 10, 7, 1000.0))

    def tell(self, event: Event) -> None:
        self.server.take(event)

    def end(self, run_id: int, stop: StopReason) -> None:
        """End the answer to a run with all its words."""
        said = {kind: "".join(word for one, word in self.script.words if one == kind) for kind in ("text", "thinking")}
        thought = sum(kind == "thinking" for kind, _ in self.script.words)
        stats = RunStats(REPORT, stop, len(self.script.words), 0.01, 100.0, 0.1, 7, thought)
        self.tell(RunFinished(run_id, 0, said["text"], (), stats, said["thinking"]))


REPORT = RequestReport(10, 7, 7, 7)


def _tokenized(command: Tokenize) -> Tokenized:
    words = command.text.split() or [turn.text for turn in command.turns]
    if "fish" in words:
        return Tokenized(command.query_id, (), REFUSED)
    return Tokenized(command.query_id, tuple(range(len(words))))


@contextmanager
def serving(script: Script | None = None) -> Iterator[Api]:
    """Serve until the end of a test."""
    api = Api(script or Script())
    api.start()
    try:
        yield api
    finally:
        api.close()
