"""Servers that are asked many times, stopped, killed and started again at random moments; for the tests and the soak.

What holds, whatever happens: one question gives one answer, no word that was shown is lost, what is shown of tokens is
what the server said, the end of a server is told within seconds, and a stop leaves it idle.
Figures: `python -m tests.remote.endurance --requests 500 --kills 200`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import urllib.request
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel, EstimateCost, Generate
from app.protocol.events import CostEstimate, RunFailed, RunFinished
from app.protocol.reports import Source
from app.protocol.servers import Server
from app.remote import patience
from app.remote.client import Client
from app.remote.record import Record
from tests.remote.asker import Asker, asking
from tests.remote.scripted import Script, serving, wait_until
from tests.remote.started import Started, opened

TOLD_WITHIN = 5.0  # seconds, that a server has ended in the middle of an answer
IDLE_WITHIN = 1.0  # seconds after a stop
CHAT = Sampling(temperature=1.5, max_tokens=400)
_SCRIPTS = 10  # servers that answer from a script
OUTCOME = RunFailed | RunFinished


@dataclass
class Figures:
    """The figures of all that was done. Times in seconds.

    requests: that were compared; foreseen: those whose cached tokens were known before; worst: by how many the others
    were wrong. kills, of which half an answer
    had come to some, and no word to others, which waited. told: from a kill until it was told. stops: until the answer
    had ended; idle: until the server had nothing to do.
    """

    requests: int = 0
    foreseen: int = 0
    worst: int = 0
    kills: int = 0
    halves: int = 0
    waited: int = 0
    told: list[float] = field(default_factory=list)
    stops: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Return them in lines."""
        return "\n".join(
            (
                f"{self.requests} requests, cached and total as the server says; "
                f"{self.foreseen} foreseen to the token, worst by {self.worst}",
                f"{self.kills} kills: {self.halves} half answers told after {_range(self.told)}, {self.waited} waited",
                f"{len(self.stops)} stops: ended after {_range(self.stops)}, idle after {_range(self.idle)}",
            )
        )


def _range(found: list[float]) -> str:
    return f"{1000 * sorted(found)[len(found) // 2]:.0f} ms, at most {1000 * max(found):.0f} ms" if found else "-"


class Endurance:
    """Asks one server again and again. end, start: end it at once, and start it again at the same address."""

    def __init__(
        self,
        asker: Asker,
        end: Callable[[], object],
        start: Callable[[], object],
        dice: random.Random,
        figures: Figures,
    ) -> None:
        self._asker, self._end, self._start = asker, end, start
        self._dice, self._figures = dice, figures
        self._run = 1000
        self._turns: list[tuple[Turn, ...]] = [()]

    def compare(self, count: int, said: Callable[[], tuple[int, ...]], temperature: float = 1.0) -> None:
        """Ask branching questions. said: what the server told last: all tokens of the prompt, and those it had."""
        for _ in range(count):
            above = self._dice.choice(self._turns[-8:])
            turns = (*above, Turn("user", f"Question {self._dice.randrange(1000)} about a fox"))
            run = self._next()
            self._asker.do(EstimateCost(run, turns))
            foreseen = self._asker.wait(CostEstimate)
            found = self._asked(run, turns, Sampling(temperature=temperature, max_tokens=self._dice.randint(1, 24)))
            assert isinstance(found, RunFinished), found
            request = found.stats.request
            assert request.source is Source.REPORTED
            assert (request.total, request.cached) == said()
            self._figures.requests += 1
            self._figures.foreseen += foreseen.request.cached == request.cached
            self._figures.worst = max(self._figures.worst, abs(foreseen.request.cached - request.cached))
            if len(turns) < 9:
                self._turns.append((*turns, Turn("assistant", found.text, found.ids or None)))
            self._forget()

    def stop(self, count: int, is_idle: Callable[[], bool]) -> None:
        """Ask and stop. is_idle: the server has nothing to do."""
        for _ in range(count):
            run = self._next()
            self._asker.do(Generate(run, (Turn("user", "Tell me a story"),), CHAT))
            time.sleep(self._dice.random() * 0.1)
            begun = time.monotonic()
            self._asker.do(Cancel(run))
            found = self._outcome(run)
            self._figures.stops.append(time.monotonic() - begun)
            assert isinstance(found, RunFinished)
            assert found.text == self._asker.said(run)
            wait_until(is_idle, IDLE_WITHIN)
            self._figures.idle.append(time.monotonic() - begun)
            self._forget()

    def kill(self, count: int) -> None:
        """Ask, end the server at a random moment, and start it again."""
        for _ in range(count):
            run, turns = self._next(), (Turn("user", "Tell me a story about a fox"),)
            self._asker.do(Generate(run, turns, CHAT))
            time.sleep(self._dice.choice((0.0, 0.02, 0.1, 0.4)) * self._dice.random())
            self._end()
            begun = time.monotonic()
            time.sleep(0.05)  # for what was on its way
            said = self._asker.said(run)
            half: Any = None
            if said:
                half = self._outcome(run, TOLD_WITHIN)
                self._figures.told.append(time.monotonic() - begun)
            self._start()
            found = self._outcome(run, 60.0) if half is None else half
            self._figures.kills += 1
            if isinstance(found, RunFailed):
                self._figures.halves += 1
                assert said, f"of what nothing was said, the question waits: {found}, {self._asker.said(run)!r}"
                assert self._asker.said(run) == said, "nothing comes after the end"
                self._go_on(turns, said)
            else:
                self._figures.waited += not said
                assert found.text.startswith(said)
                assert found.text == self._asker.said(run)
            assert sum(isinstance(one, OUTCOME) and one.run_id == run for one in self._asker.events) == 1
            self._forget()

    def _go_on(self, turns: tuple[Turn, ...], said: str) -> None:
        run = self._next()
        self._asker.do(Generate(run, turns, Sampling(max_tokens=8), begun=Turn("assistant", said)))
        found = self._outcome(run, 60.0)
        assert isinstance(found, RunFinished), found
        assert found.text.startswith(said)

    def _next(self) -> int:
        self._run += 1
        return self._run

    def _asked(self, run: int, turns: tuple[Turn, ...], sampling: Sampling) -> Any:
        self._asker.do(Generate(run, turns, sampling))
        return self._outcome(run)

    def _outcome(self, run: int, seconds: float = 20.0) -> Any:
        def ended() -> bool:
            return any(isinstance(one, OUTCOME) and one.run_id == run for one in list(self._asker.events))

        wait_until(ended, seconds)
        return next(one for one in self._asker.events if isinstance(one, OUTCOME) and one.run_id == run)

    def _forget(self) -> None:
        """Keep no more of what was told than is needed."""
        self._asker.events.clear()


@contextmanager
def llama(folder: Path, model: Path, slots: int) -> Iterator[tuple[Started, list[tuple[int, int]]]]:
    """llama.cpp's own server with a model, and what it says of prompts: all tokens, and those that it had."""
    from tests.remote.gguf_files import write_gguf

    write_gguf(model, folder / "model.gguf")
    command = [sys.executable, "-m", "tests.remote.llama_server", str(folder / "model.gguf")]
    started = Started(lambda port: [*command, str(port), str(slots)], folder)
    told: list[tuple[int, int]] = []
    events = Client.events

    async def listening(client: Client, path: str, body: Mapping[str, Any]) -> AsyncGenerator[str]:
        async for data in events(client, path, body):
            found = json.loads(data)
            if found.get("stop"):
                told.append((found["tokens_evaluated"], found["timings"]["cache_n"]))
            yield data

    with patch.object(Client, "events", listening):
        try:
            yield started, told
        finally:
            started.kill()


def real(folder: Path, seed: int, figures: Figures, requests: int, kills: int, stops: int) -> None:
    """Try llama.cpp's server, with token ids."""
    with llama(folder, guide_model(), 2) as (started, told), asking() as asker:
        opened(asker, started.server)
        tried = Endurance(asker, started.kill, started.start, random.Random(seed), figures)
        tried.compare(requests, lambda: told[-1])
        tried.stop(stops, lambda: has_free_slots(started.server))
        tried.kill(kills)


def foretold(folder: Path, model: Path, seed: int, requests: int) -> list[tuple[int, int]]:
    """Return what is predicted of the prompts that it is sent, with one slot, and what it has found of them."""
    found: list[tuple[int, int]] = []
    take = Record.take

    def taking(record: Record, ids: Sequence[int], spans: Any, owner: str, cached: int, prompt: int) -> None:
        found.append((record.predicted(ids[:prompt]), cached))
        take(record, ids, spans, owner, cached, prompt)

    with llama(folder, model, 1) as (started, told), asking() as asker, patch.object(Record, "take", taking):
        opened(asker, started.server)
        tried = Endurance(asker, started.kill, started.start, random.Random(seed), Figures())
        tried.compare(requests, lambda: told[-1], temperature=0.0)
    return found


def scripted(seed: int, figures: Figures, requests: int, kills: int) -> None:
    """Try a server of a kind that can go on inside an answer, and says what it had."""
    dice = random.Random(seed)
    script = Script(kind=dice.choice(("llama.cpp", "vLLM", "SGLang", "Ollama")))
    with serving(script), asking() as asker:
        asker.open(script.server)
        tried = Endurance(asker, lambda: None, lambda: None, dice, figures)
        script.words = ["yes"]
        for _ in range(requests):
            total = dice.randint(2, 5000)
            had = dice.randrange(total)
            script.usage = _usage(script.kind, total, had)
            tried.compare(1, partial(tuple, (total, had)))
    again = _Again(script)
    script.words, script.usage, script.pause, script.lead = [f"{word} " for word in range(60)], None, 0.002, 0.02
    with patch.object(patience, "_PAUSES", (0.05,) * 400), again, asking() as asker:
        asker.open(script.server)
        Endurance(asker, again.end, again.start, dice, figures).kill(kills)


class _Again:
    """A scripted server that is ended and started again at its port."""

    def __init__(self, script: Script) -> None:
        self._script, self._port = script, urlsplit(script.address).port or 0
        self._stack = ExitStack()

    def start(self) -> None:
        self._stack.enter_context(serving(self._script, port=self._port))

    def end(self) -> None:
        self._stack.close()
        self._script.go.clear()

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_ended: object) -> None:
        self.end()


def _usage(kind: str, total: int, had: int) -> dict[str, Any]:
    """What a kind of server says of a prompt."""
    if kind == "Ollama":
        return {"prompt_eval_count": total, "eval_count": 1, "prompt_eval_cached_count": had}
    return {"prompt_tokens": total, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": had}}


def has_free_slots(server: Server) -> bool:
    """Return whether llama.cpp's server has nothing to do."""
    with urllib.request.urlopen(f"{server.url}/slots", timeout=10) as answer:
        return not any(slot["is_processing"] for slot in json.load(answer))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.remote.endurance")
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--stops", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    figures = Figures()
    with TemporaryDirectory() as folder:
        real(Path(folder), options.seed, figures, options.requests, options.kills, options.stops)
    sys.stdout.write(f"llama.cpp:\n{figures}\n")
    figures = Figures()
    for seed in range(_SCRIPTS):
        scripted(options.seed + seed, figures, options.requests // _SCRIPTS, options.kills // _SCRIPTS)
    sys.stdout.write(f"from scripts:\n{figures}\n")


if __name__ == "__main__":
    main()
