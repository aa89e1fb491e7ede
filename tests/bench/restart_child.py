"""One process of the measuring in `restart`: it has a branch written to disk, or goes on with one that was.

Run as `python -m tests.bench.restart_child ROLE MODEL SNAPSHOTS TOLD NUMBER`. TOLD is a JSON file for what was found.
The roles: `write` a branch of NUMBER tokens and quit; `read` what `write` told and go on from there, NUMBER times from
disk and as often from nothing; `leave` with NUMBER tokens unwritten.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tests.sealed  # noqa: F401 - offline, before the engine is imported
from app.engine.loop import EngineLoop
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import ConfigureDiskCache, EstimateCost, Generate, LoadModel, Shutdown
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

BUDGET = 8 << 30
SENTENCE = "The fox and the other fox share everything above the branch. "
ANSWER = 24  # tokens
BRANCH = 1500  # tokens of each that is left unwritten


class Program:
    """An engine that is driven by hand. disk: where snapshots lie, None to go without."""

    def __init__(self, model: Path, disk: Path | None) -> None:
        self.events: list[Event] = []
        self._loop = EngineLoop(self.events.append)
        self._runs = 0
        if disk is not None:
            self._loop.submit(ConfigureDiskCache(str(disk), BUDGET))
        self._loop.submit(LoadModel(str(model)))
        self._until((ModelReady, ModelFailed))
        self.ask((Turn("user", f"Hello. {SENTENCE * 20}"),), 2)  # what first times take is taken

    def ask(self, turns: tuple[Turn, ...], tokens: int) -> RunFinished:
        """Have an answer of at most so many tokens written."""
        self._generate(turns, tokens)
        (finished,) = self._until((RunFinished, RunFailed))
        if not isinstance(finished, RunFinished):
            raise RuntimeError(f"no answer: {finished}")
        return finished

    def first_token(self, turns: tuple[Turn, ...]) -> tuple[float, RunStarted]:
        """Seconds from the question to the first token of its answer, and what was reused."""
        begun = time.perf_counter()
        self._generate(turns, 1)
        (started, _) = self._until((RunStarted,)) + self._until((TextDelta, RunFinished))
        seconds = time.perf_counter() - begun
        while self._loop.step():
            pass
        assert isinstance(started, RunStarted)
        return seconds, started

    def length(self, turns: tuple[Turn, ...]) -> int:
        """Tokens of the prompt that these turns make."""
        self._loop.submit(EstimateCost(1, turns))
        (priced,) = self._until((CostEstimate,))
        assert isinstance(priced, CostEstimate)
        return priced.request.total

    def quit(self) -> float:
        """End it; returns the seconds that took."""
        begun = time.perf_counter()
        self._loop.submit(Shutdown())
        self._loop.step()
        return time.perf_counter() - begun

    def _generate(self, turns: tuple[Turn, ...], tokens: int) -> None:
        self._runs += 1
        self._loop.submit(Generate(self._runs, turns, Sampling(seed=1, max_tokens=tokens), owner="bench"))

    def _until(self, kinds: tuple[type[Event], ...]) -> list[Event]:
        """Step until one of these is told."""
        self.events.clear()
        while True:
            goes_on = self._loop.step()
            found = [event for event in self.events if isinstance(event, kinds)]
            if found:
                return found[:1]
            if not goes_on:
                raise RuntimeError(f"the engine rests without {kinds}: {self.events[-3:]}")


def grown(program: Program, tokens: int) -> tuple[Turn, ...]:
    """A branch of four questions and their answers, so many tokens long up to the question that would follow."""
    turns: tuple[Turn, ...] = ()
    for part in range(1, 5):
        wanted = tokens * part // 4 - ANSWER
        turns = (*turns, fitted(program, turns, wanted))
        answer = program.ask(turns, ANSWER)
        turns = (*turns, Turn("assistant", answer.text, answer.ids))
    return turns


def fitted(program: Program, turns: tuple[Turn, ...], wanted: int) -> Turn:
    """A question that brings the branch near so many tokens, and not beyond."""
    low, high = 1, wanted
    while low < high:
        middle = (low + high + 1) // 2
        fits = program.length((*turns, Turn("user", SENTENCE * middle))) <= wanted
        low, high = (middle, high) if fits else (low, middle - 1)
    return Turn("user", SENTENCE * low)


def write(model: Path, disk: Path, told: Path, tokens: int) -> None:
    """Make a branch and quit at once: all of it is on its way to disk then."""
    program = Program(model, disk)
    turns = grown(program, tokens)
    quit_s = program.quit()
    told.write_text(json.dumps({"turns": [asdict(turn) for turn in turns], "quit_s": quit_s}), encoding="utf-8")


def leave(model: Path, disk: Path, told: Path, tokens: int) -> None:
    """Compute so many tokens of branches that share nothing, and quit before anything was written."""
    program = Program(model, disk)
    for branch in range(max(1, tokens // BRANCH)):
        begun = (Turn("user", f"{branch} is another beginning."), Turn("assistant", "Yes."))
        program.ask((*begun, fitted(program, begun, BRANCH)), 2)
    told.write_text(json.dumps({"quit_s": program.quit()}), encoding="utf-8")


def read(model: Path, disk: Path, told: Path, pairs: int) -> None:
    """Go on with the branch, from disk and from nothing in turn; every time as after a fresh start."""
    content = json.loads(told.read_text(encoding="utf-8"))
    turns = (*map(_turn, content["turns"]), Turn("user", "And then?"))
    found: dict[str, Any] = {"cold": [], "warm": [], "excess": [], "tokens": 0}
    for pair in range(pairs):
        copy = disk.with_name(f"{disk.name}-{pair}")  # what this pair adds is no help to the next
        shutil.copytree(disk, copy)
        for name, place in (("warm", copy), ("cold", None)) if pair % 2 else (("cold", None), ("warm", copy)):
            program = Program(model, place)
            seconds, started = program.first_token(turns)
            found[name].append(seconds * 1000)
            if name == "warm":
                found["excess"].append(_excess(started, turns, program))
                found["tokens"] = started.request.total
            program.quit()
        shutil.rmtree(copy)
    told.write_text(json.dumps(found), encoding="utf-8")


def _excess(started: RunStarted, turns: tuple[Turn, ...], program: Program) -> int:
    """Tokens computed again of the branch that was written: all up to its last answer's end."""
    report = started.request
    return max(report.excess, started.turn_ends[-2] - 1 - report.cached, 0)


def _turn(content: dict[str, Any]) -> Turn:
    ids = content["ids"]
    return Turn(content["role"], content["text"], None if ids is None else tuple(ids), content["at"])


def main() -> None:
    """Do what the command line says."""
    role, model, disk, told, number = sys.argv[1:]
    {"write": write, "read": read, "leave": leave}[role](Path(model), Path(disk), Path(told), int(number))


if __name__ == "__main__":
    main()
