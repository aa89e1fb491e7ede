"""An engine of servers on a thread of its own, and all that it told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Command, Generate, Lane, LoadModel, Shutdown
from app.protocol.engine import EngineFactory
from app.protocol.events import Event, ModelFailed, ModelReady, RunFailed, RunFinished, TextDelta
from app.protocol.references import ServerModel
from app.protocol.servers import Server
from app.remote.client import SILENCE
from app.remote.engine import RemoteEngine

HELLO = (Turn("user", "Hello?"),)


class Asker:
    """Has an engine do things, and waits for what it tells. events: all of it, in order."""

    def __init__(
        self,
        key_of: Callable[[str], str] = lambda _: "",
        silence: float = SILENCE,
        engine: EngineFactory | None = None,
    ) -> None:
        """engine: makes another one than that of servers."""
        self.events: list[Event] = []
        self._told = threading.Condition()
        self._awaited: Any = Event
        self.engine = RemoteEngine(self._take, key_of, silence) if engine is None else engine(self._take)
        self._thread = threading.Thread(target=self.engine.run, daemon=True)
        self._thread.start()

    def _take(self, event: Event) -> None:
        with self._told:
            self.events.append(event)
            if isinstance(event, self._awaited):  # whoever waits takes no time from the answer that is measured
                self._told.notify_all()

    def do(self, command: Command) -> None:
        self.engine.submit(command)

    def wait(self, kind: Any, count: int = 1, seconds: float = 20.0) -> Any:
        """Wait for the event number `count` of a kind, and return it."""
        end = time.monotonic() + seconds
        with self._told:
            self._awaited = kind
            while True:
                found = [event for event in self.events if isinstance(event, kind)]
                if len(found) >= count:
                    return found[count - 1]
                assert self._told.wait(end - time.monotonic()) or time.monotonic() < end, self.events[-5:]

    def open(self, server: Server, model: str = "tiny") -> ModelReady | ModelFailed:
        """Open a model of a server, and return what became of that."""
        before = self.count(ModelReady | ModelFailed)
        self.do(LoadModel(ServerModel(server.id, model).reference, server=server))
        found: ModelReady | ModelFailed = self.wait((ModelReady, ModelFailed), before + 1)
        return found

    def last(self, kind: Any) -> Any:
        return next(event for event in reversed(self.events) if isinstance(event, kind))

    def count(self, kind: Any) -> int:
        return sum(isinstance(event, kind) for event in self.events)

    def ask(
        self, run_id: int = 1, turns: Sequence[Turn] = HELLO, *, sampling: Sampling | None = None, lanes: int = 1
    ) -> None:
        own = sampling or Sampling()
        self.do(Generate(run_id, turns, own, beside=(Lane(own),) * (lanes - 1)))

    def answer(self, run_id: int = 1, turns: Sequence[Turn] = HELLO, **chosen: Sampling) -> RunFinished | RunFailed:
        """Ask, and return the outcome."""
        before = self.count(RunFinished | RunFailed)
        self.ask(run_id, turns, **chosen)
        found: RunFinished | RunFailed = self.wait((RunFinished, RunFailed), before + 1)
        return found

    def said(self, run_id: int = 1, lane: int = 0, kind: str = "text") -> str:
        """Return the text of the deltas of one answer."""
        deltas = [event for event in self.events if isinstance(event, TextDelta)]
        return "".join(one.text for one in deltas if (one.run_id, one.lane, one.kind) == (run_id, lane, kind))

    def close(self) -> bool:
        """End it. Returns whether it has."""
        self.do(Shutdown())
        self._thread.join(5)
        return not self._thread.is_alive()


@contextmanager
def asking(
    key_of: Callable[[str], str] = lambda _: "", silence: float = SILENCE, engine: EngineFactory | None = None
) -> Iterator[Asker]:
    """An engine that is ended in the end."""
    asker = Asker(key_of, silence, engine)
    try:
        yield asker
    finally:
        assert asker.close()
