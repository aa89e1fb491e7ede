"""An engine driven step by step, with everything it tells kept in order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from app.engine.loader import Opening
from app.engine.loop import EngineLoop
from app.engine.memory import Memory
from app.engine.model import LoadedModel
from app.engine.open_model import OpenModel
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.chat import PromptOptions, Sampling, Turn
from app.protocol.commands import Command, EstimateCost, Generate, LoadModel
from app.protocol.events import (
    CostEstimate,
    Event,
    ModelFailed,
    ModelReady,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
)
from app.protocol.reports import RequestReport

E = TypeVar("E", bound=Event)


class Bench:
    """`events`: all that was told. The helpers submit one command and step until the engine is idle."""

    def __init__(self, chunk: int | None = 64) -> None:
        self.events: list[Event] = []
        self.loop = EngineLoop(self.events.append, chunk=chunk)
        self._next = 0

    @property
    def model(self) -> LoadedModel:
        """The open model."""
        return self._open.model

    @model.setter
    def model(self, model: LoadedModel) -> None:
        self._open.model = model

    @property
    def cache(self) -> PrefixCache:
        """What the open model keeps."""
        return self._open.cache

    @property
    def _open(self) -> OpenModel:
        assert self.loop.open_model is not None
        return self.loop.open_model

    def do(self, *commands: Command) -> list[Event]:
        """Submit, step until idle; returns the events of it."""
        begin = len(self.events)
        for command in commands:
            self.loop.submit(command)
        self.idle()
        return self.events[begin:]

    def idle(self) -> None:
        while self.loop.step():
            pass
        if self.loop.open_model is not None:
            check(self.cache)

    def open(self, path: Path, **options: Any) -> ModelReady | ModelFailed:
        return [
            event for event in self.do(LoadModel(str(path), **options)) if isinstance(event, ModelReady | ModelFailed)
        ][-1]

    def command(self, *turns: Turn, forced: tuple[int, ...] = (), owner: str = "me", **sampling: object) -> Generate:
        self._next += 1
        chosen = replace(Sampling(seed=1, max_tokens=8), **sampling)  # type: ignore[arg-type]
        return Generate(self._next, turns, chosen, owner=owner, forced=forced)

    def ask(
        self,
        *turns: Turn,
        forced: tuple[int, ...] = (),
        options: PromptOptions = PromptOptions(),  # noqa: B008 - frozen
        **sampling: object,
    ) -> Asked:
        command = replace(self.command(*turns, forced=forced, **sampling), options=options)
        return Asked(self.do(command))

    def estimate(self, *turns: Turn) -> CostEstimate | None:
        found = [event for event in self.do(self.estimate_command(*turns)) if isinstance(event, CostEstimate)]
        return found[-1] if found else None

    def price(self, *turns: Turn) -> RequestReport:
        """Return what asking these would compute and reuse; an estimate that is refused fails the test."""
        found = self.estimate(*turns)
        assert found is not None
        return found.request

    def estimate_command(self, *turns: Turn) -> EstimateCost:
        self._next += 1
        return EstimateCost(self._next, turns)


class Asked:
    """What became of one question."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events

    def first(self, kind: type[E]) -> E:
        return next(event for event in self.events if isinstance(event, kind))

    @property
    def started(self) -> RunStarted:
        return self.first(RunStarted)

    @property
    def finished(self) -> RunFinished:
        return self.first(RunFinished)

    @property
    def failed(self) -> RunFailed:
        return self.first(RunFailed)

    @property
    def streamed(self) -> str:
        """The text as it came, without the thought."""
        deltas = (event for event in self.events if isinstance(event, TextDelta))
        return "".join(delta.text for delta in deltas if delta.kind == "text")

    @property
    def turn(self) -> Turn:
        return Turn("assistant", self.finished.text, self.finished.ids, thinking=self.finished.thinking)


def opened_folder(folder: Path, memory: Memory | None = None) -> LoadedModel | ModelFailed:
    """What comes of opening a model folder, without a loop."""
    opening = Opening(LoadModel(str(folder)), memory)
    while opening.outcome is None:
        opening.advance()
    return opening.outcome


def user(text: str) -> Turn:
    return Turn("user", text)


def opened(path: Path, chunk: int | None = 64) -> Bench:
    """A bench with a model open."""
    bench = Bench(chunk)
    ready = bench.open(path)
    assert isinstance(ready, ModelReady), ready
    return bench


LONG = user("the fox and the other fox " * 30)


def outcomes(events: list[Event], run_id: int) -> list[RunFinished | RunFailed]:
    return [event for event in events if isinstance(event, RunFinished | RunFailed) and event.run_id == run_id]


def outcome(events: list[Event], run_id: int) -> RunFinished | RunFailed:
    [only] = outcomes(events, run_id)
    return only


def steps_until(bench: Bench, kind: type[Event], limit: int = 500) -> Event:
    """Step until an event of this kind is told; returns it."""
    for _ in range(limit):
        begin = len(bench.events)
        bench.loop.step()
        found = [event for event in bench.events[begin:] if isinstance(event, kind)]
        if found:
            return found[0]
    raise AssertionError(f"no {kind.__name__} in {limit} steps")
