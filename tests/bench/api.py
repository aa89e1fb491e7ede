"""What other programs cost the window over the local API, and how soon the answer of one that has gone is ended.

The real engine with the guide, and clients over HTTP on this machine. Times are those of pairs in one run: the window
asks while nobody else does, and while another program is being answered, by turns.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from itertools import count, pairwise
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication

import tests.sealed  # noqa: F401 - offline, before the engine is imported
from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import EstimateCost, Generate, LoadModel, SetBudget
from app.protocol.events import (
    CostEstimate,
    Event,
    ModelReady,
    PrefillProgress,
    RunFinished,
    TextDelta,
    TrieChanged,
)
from app.worker.engine_host import EngineHost
from app.worker.gateway_host import GatewayHost
from tests.bench.window_probe import PATIENCE, wait

PAIRS = 20
FOREIGN = 120  # requests
BRANCHES = 4  # of the window, each with a fork
LATE_MS = 50.0  # after the step in which the window asks
DISCONNECT_MS = 1000.0
_SHARE = 4 / 3  # of what the window's branches take: the budget of which they fill three quarters
_QUESTION, _LONGEST = 60, 60  # words of a question of the window's, and of another's
_LONG = 1800  # words of a prompt that takes long to read
_GREEDY = Sampling(temperature=0.0, max_tokens=16)
# What says the same over and over does not end before its reader leaves.
_ENDLESS = {"temperature": 0, "frequency_penalty": -2, "max_tokens": 3000, "stream": True}
_WORDS = ("pear", "fox", "window", "garden", "lantern", "river", "cloud", "stone", "letter", "bridge", "apple", "boat")
Figures = dict[str, float]


class Window:
    """The engine as a window has it, and the local API over it. Attributes: host, port, token."""

    def __init__(self, folder: Path) -> None:
        """Open the guide, and let clients come."""
        self._app = QCoreApplication.instance() or QCoreApplication([])
        self._numbers = count(1)
        self._told: list[tuple[float, Event]] = []
        self.port, self.token = 0, ""
        self.host = EngineHost()
        self._gateway = GatewayHost(self.host, str(folder / "token"))
        self.host.happened.connect(lambda event: self._told.append((time.perf_counter(), event)))
        self._gateway.listening.connect(self._listen)
        self.host.start()
        self.host.submit(LoadModel(str(guide_model())))
        self._gateway.start(0)
        wait(lambda: self.port)
        self.first(ModelReady, 0)

    def _listen(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    @property
    def now(self) -> int:
        """Return how many events were told by now."""
        return len(self._told)

    def all(self, kind: Any, since: int = 0, is_it: Callable[[Any], bool] = bool) -> list[tuple[float, Any]]:
        """Return the events of a kind from the number `since` on, each with when it was told, in seconds."""
        return [(at, event) for at, event in self._told[since:] if isinstance(event, kind) and is_it(event)]

    def first(self, kind: Any, since: int, is_it: Callable[[Any], bool] = bool) -> tuple[float, Any]:
        """Wait for such an event, and return it with when it was told."""
        wait(lambda: self.all(kind, since, is_it))
        return self.all(kind, since, is_it)[0]

    def ask(self, turns: Sequence[Turn]) -> tuple[str, float]:
        """Ask as the window does; returns the answer, and the milliseconds to its first word."""
        number, since, begun = next(self._numbers), self.now, time.perf_counter()
        self.host.submit(Generate(number, tuple(turns), _GREEDY, "window"))
        ended, done = self.first(RunFinished, since, lambda one: one.run_id == number)
        said = [at for at, _ in self.all(TextDelta, since, lambda one: one.run_id == number)]
        return done.text, (min([*said, ended]) - begun) * 1e3

    def cost(self, turns: Sequence[Turn]) -> int:
        """Return how many tokens of a branch would be computed."""
        number, since = next(self._numbers), self.now
        self.host.submit(EstimateCost(number, tuple(turns), is_exact=True))
        _, told = self.first(CostEstimate, since, lambda one: one.query_id == number)
        return int(told.request.left)

    def close(self) -> None:
        """End both."""
        self._gateway.close()
        self.host.close()


@contextmanager
def window() -> Iterator[Window]:
    """Open the guide and let clients come; nothing is written to the keychain of this computer."""
    with TemporaryDirectory() as folder, patch("app.hub.tokens.SYSTEMS", ()):
        made = Window(Path(folder))
        try:
            yield made
        finally:
            made.close()


class Client:
    """Another program that asks once, on a thread of its own: what it asks goes to the engine over this one.

    Attribute: status, of the answer it has read to the end; 0 before that, and where it left before.
    """

    def __init__(self, opened: Window, path: str, body: Mapping[str, Any]) -> None:
        self.status = 0
        self._connection = HTTPConnection("127.0.0.1", opened.port, timeout=PATIENCE)
        self._connection.connect()
        self._sent = "POST", path, json.dumps(body)
        self._headers = {"Authorization": f"Bearer {opened.token}", "Content-Type": "application/json"}
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    @property
    def is_reading(self) -> bool:
        """Return whether the answer has not ended."""
        return self._thread.is_alive()

    def _read(self) -> None:
        with suppress(ConnectionError, HTTPException):
            self._connection.request(*self._sent, self._headers)
            answer = self._connection.getresponse()
            answer.read()
            self.status = answer.status

    def leave(self) -> float:
        """Close the connection, in the middle of an answer or after it; returns when, in seconds."""
        at = time.perf_counter()
        if self._connection.sock is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()
        return at


def is_guests(event: TextDelta | RunFinished | PrefillProgress) -> bool:
    """Return whether an event is about an answer to another program."""
    return event.run_id < 0


def times(opened: Window, pairs: int = PAIRS) -> Figures:
    """Return how late the window's first word comes where a guest is being answered, and when a guest's run ends."""
    late, ends, steps = [], [], []
    question = (Turn("user", "What is a branch?"),)
    asked = {"messages": [{"role": "user", "content": "Tell me a story about a fox"}], **_ENDLESS}
    opened.ask(question)
    for _ in range(pairs):
        _, alone = opened.ask(question)
        since = opened.now
        client = Client(opened, "/v1/chat/completions", asked)
        wait(lambda since=since: len(opened.all(TextDelta, since, is_guests)) > 8)
        steps += [after - at for (at, _), (after, _) in pairwise(opened.all(TextDelta, since, is_guests))]
        _, beside = opened.ask(question)
        late.append(beside - alone)
        opened.first(TextDelta, opened.now, is_guests)  # it is answered again
        ended = opened.now
        left = client.leave()
        at, _ = opened.first(RunFinished, ended, is_guests)
        ends.append((at - left) * 1e3)
    return {
        "window_first_token_ms": round(median(late), 1),
        "step_ms": round(median(steps) * 1e3, 1),
        "disconnect_ms": round(median(ends), 1),
    }


def reading_times(opened: Window, pairs: int = PAIRS) -> Figures:
    """Return how late the window's first word comes where a guest's long prompt is being read, and how long a step is.

    Each prompt is another one, of which nothing is held.
    """
    dice, question = Random(7), (Turn("user", "What is a branch?"),)
    since = opened.now
    complete(opened, words(dice, _LONG))
    steps = [after - at for (at, _), (after, _) in pairwise(opened.all(PrefillProgress, since, is_guests))]
    late = []
    for _ in range(pairs):
        _, alone = opened.ask(question)
        since = opened.now
        client = Client(opened, "/v1/completions", {"prompt": words(dice, _LONG), "max_tokens": 8})
        opened.first(PrefillProgress, since, is_guests)
        _, beside = opened.ask(question)
        client.leave()
        late.append(beside - alone)
    return {"window_first_token_reading_ms": round(median(late), 1), "reading_step_ms": round(median(steps) * 1e3, 1)}


def foreign_cost(opened: Window, requests: int = FOREIGN, branches: int = BRANCHES) -> int:
    """Return how many tokens of the window's branches are lost to other programs.

    Its branches fill three quarters of the budget. RuntimeError where the others had room enough, which tells nothing.
    """
    dice = Random(5)
    system = Turn("system", words(dice, 2 * _QUESTION))
    said = [branch(opened, (system,), dice) for _ in range(branches)]
    said += [branch(opened, one[:3], dice) for one in said]
    wanted = [(*one, Turn("user", "And then?")) for one in said] + [one[:-1] for one in said]
    _, told = opened.all(TrieChanged)[-1]
    opened.host.submit(SetBudget(round((told.view.live_bytes + told.view.paged_bytes) * _SHARE)))
    before = [opened.cost(one) for one in wanted]
    for _ in range(requests):
        complete(opened, words(dice, dice.randrange(10, _LONGEST)))
    _, told = opened.all(TrieChanged)[-1]
    if not any(node.is_guest and node.residency == "none" for node in told.view.nodes):
        raise RuntimeError("nothing of the others had to go")
    return sum(max(0, opened.cost(one) - cost) for one, cost in zip(wanted, before, strict=True))


def branch(opened: Window, begun: Sequence[Turn], dice: Random) -> tuple[Turn, ...]:
    """Ask two questions one after another, after what was said before."""
    said = tuple(begun)
    for _ in range(2):
        said = (*said, Turn("user", words(dice, _QUESTION)))
        said = (*said, Turn("assistant", opened.ask(said)[0]))
    return said


def complete(opened: Window, text: str) -> None:
    """Have a text completed as another program does. RuntimeError where it is not."""
    client = Client(opened, "/v1/completions", {"prompt": text, "max_tokens": 8})
    wait(lambda: not client.is_reading)
    client.leave()
    if client.status != 200:
        raise RuntimeError(f"the answer's status is {client.status}")


def words(dice: Random, number: int) -> str:
    """Return a text of so many words."""
    return " ".join(dice.choice(_WORDS) for _ in range(number))


def measure() -> Figures:
    """Measure all of it."""
    with window() as opened:
        return {**times(opened), **reading_times(opened), "foreign_cost_tokens": foreign_cost(opened)}


def bars(figures: Mapping[str, float]) -> Mapping[str, float]:
    """Return what each figure may be at most: a guest gives way at the next step, and takes nothing."""
    late, reading = (round(figures[step] + LATE_MS, 1) for step in ("step_ms", "reading_step_ms"))
    return {
        "window_first_token_ms": late,
        "window_first_token_reading_ms": reading,
        "disconnect_ms": DISCONNECT_MS,
        "foreign_cost_tokens": 0,
    }


def lines(figures: Mapping[str, float], most: Mapping[str, float]) -> Iterator[str]:
    """Say each figure, and whether it holds."""
    for name, value in figures.items():
        end = f"   {'missed' if value > most[name] else 'holds'}: at most {most[name]}" if name in most else ""
        yield f"{name:30} {value}{end}"
