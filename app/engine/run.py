"""The run of one question: its prompt is read once, and then all its answers are written, by turns."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace

from app.engine.asked_prompt import read_prompt
from app.engine.open_model import OpenModel
from app.engine.sampler import draw_seed
from app.engine.turns import Turns, TurnTask
from app.engine.writer import Writer, never_started
from app.prompting.problems import ShortOfMemoryError, TooLongError
from app.prompting.prompt import Prompt
from app.protocol.chat import Sampling
from app.protocol.commands import Generate, Lane
from app.protocol.engine import EventSink
from app.protocol.events import Event, PrefillProgress, RunFailed, RunStarted
from app.protocol.reports import Problem

_SEEDS = 2**53  # that settings may name


class PromptReading(TurnTask):
    """The turning of a branch into the tokens of its prompt. prompt: None until then."""

    def __init__(self, command: Generate, open_model: OpenModel) -> None:
        super().__init__(command.run_id)
        self.prompt: Prompt | None = None
        self._command, self._open = command, open_model

    def give_up(self, error: ShortOfMemoryError) -> bool:
        """Return False: a prompt takes next to nothing."""
        return False

    def _refusal(self, problem: Problem) -> RunFailed:
        return RunFailed(self._command.run_id, problem)

    def _work(self) -> Generator[None, None, None]:
        prompt = yield from read_prompt(self._command, self._open)
        if len(prompt.ids) >= self._open.model.context_length:
            raise TooLongError(self._open.model.context_length, len(prompt.ids))
        self.prompt = prompt


class Run:
    """The answering of one `Generate`. number: of the run.

    The first answer reads the prompt, and the others begin where it has been read. What ends one of them leaves the
    others alone.
    """

    def __init__(
        self, command: Generate, lanes: Sequence[int], open_model: OpenModel, turns: Turns, emit: EventSink
    ) -> None:
        """Begin the clock. lanes: the numbers of the answers still wanted. turns: by which they are written."""
        self.number = command.run_id
        self._turns = turns
        self._command, self._open, self._emit = command, open_model, emit
        self._begun = time.perf_counter()
        self._wanted = list(lanes)
        self._seeds = seeds_of(command.lanes)
        self._reading: PromptReading | None = PromptReading(command, open_model)
        self._writers: list[Writer] = []
        self._outcomes: list[Event] = []
        self._has_started = self._is_read = False

    @property
    def lanes(self) -> int:
        """Return how many answers are left to be ended."""
        return len(self._wanted)

    @property
    def tasks(self) -> Sequence[TurnTask]:
        """Return what can go on now, the first answer first."""
        if self._reading is not None:
            return [self._reading]
        self._is_read = self._is_read or any(writer.has_read for writer in self._writers)
        return self._writers if self._is_read else self._writers[:1]

    def cancel(self, lane: int | None) -> None:
        """Have one answer end with its next step, or all; those that have not begun end at once."""
        chosen = [number for number in self._wanted if lane in (None, number)]
        if self._reading is not None:
            for number in chosen:
                self._wanted.remove(number)
                self._outcomes.append(never_started(self._command, number))
        for writer in self._writers:
            writer.is_cancelled |= writer.lane in chosen
            if writer.is_cancelled and not writer.has_begun:
                writer.advance()

    def give_way(self) -> None:
        """Have all answers end their sessions now, and go on with their next step. A prompt is read from its start."""
        if self._reading is not None:
            self._reading.close()
            self._reading = PromptReading(self._command, self._open)
        for writer in self._writers:
            writer.give_way()

    def take_outcomes(self) -> list[Event]:
        """Return what has ended since the last call, and begin to write where the prompt has just been read."""
        if self._reading is not None:
            self._settle(self._reading)
        for writer in self._writers:
            if writer.outcome is not None:
                self._wanted.remove(writer.lane)
                self._outcomes.append(writer.outcome)
        self._writers = [writer for writer in self._writers if writer.outcome is None]
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def _settle(self, reading: PromptReading) -> None:
        if reading.outcome is not None:
            self._wanted.clear()
            self._outcomes.append(reading.outcome)
        elif reading.prompt is not None:
            self._begin_writing(reading.prompt)
        if not self._wanted or reading.prompt is not None:
            reading.close()
            self._reading = None

    def _begin_writing(self, prompt: Prompt) -> None:
        self._writers = [
            Writer(self._command, number, self._seeds[number], prompt, self._begun, self._open, self._turns, self._tell)
            for number in self._wanted
        ]

    def _tell(self, event: Event) -> None:
        """Tell what an answer tells, but once only what it tells of the run."""
        if isinstance(event, RunStarted):
            if self._has_started:
                return
            self._has_started = True
            event = replace(event, seeds=self._seeds)
        elif isinstance(event, PrefillProgress) and self._is_read:
            return
        self._emit(event)


def seeds_of(lanes: Sequence[Lane]) -> tuple[int, ...]:
    """Return the seeds with which answers are written: as given, or drawn.

    Answers with the settings of an earlier one would say the same: their seeds are further by their numbers.
    """
    return tuple(_seed(number, lane.sampling, lanes[:number]) for number, lane in enumerate(lanes))


def _seed(number: int, sampling: Sampling, before: Sequence[Lane]) -> int:
    if sampling.seed is None:
        return draw_seed()
    is_again = any(lane.sampling == sampling for lane in before) and not sampling.problem()
    return (sampling.seed + number) % _SEEDS if is_again else sampling.seed
