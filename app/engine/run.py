"""The run of one question: its prompt is read, and then its answer is written, in small steps taken by the loop."""

from __future__ import annotations

from collections.abc import Generator

from app.engine.open_model import OpenModel
from app.engine.problems import RequestError
from app.engine.prompt import Prompt
from app.engine.steps import Steps, take_while
from app.engine.task import ModelTask
from app.engine.writer import Writer
from app.protocol.commands import Generate
from app.protocol.engine import EventSink
from app.protocol.events import RunFailed, RunFinished
from app.protocol.reports import Problem, RequestReport, RunStats, StopReason


class Run(ModelTask):
    """The answering of one `Generate`. Each step computes one chunk of the prompt or one token."""

    gives_way = False

    def __init__(self, command: Generate, open_model: OpenModel, emit: EventSink) -> None:
        super().__init__(command.run_id)
        self._command, self._open, self._emit = command, open_model, emit
        self._is_cancelled = False
        self._writer: Writer | None = None

    def cancel(self) -> None:
        """End with what was written so far. What was computed stays cached."""
        self._is_cancelled = True
        if self._writer is not None:
            self._writer.cancel()
        self.advance()

    def _refusal(self, problem: Problem) -> RunFailed:
        return RunFailed(self._command.run_id, problem)

    def _work(self) -> Generator[None, None, None]:
        self._writer = Writer(self._command, 0, self._open, self._emit)
        prompt = yield from self._prompt()
        self.outcome = never_started(self._command) if prompt is None else (yield from self._writer.write(prompt))

    def _prompt(self) -> Steps[Prompt | None]:
        """Read the branch; None where the run is cancelled meanwhile."""
        if self._command.beside:
            raise RequestError(
                "Several answers at once are not possible yet", "Ask for one answer, then regenerate it for another."
            )
        reading = self._open.read(self._command.turns, self._command.options)
        return (yield from take_while(reading, lambda: not self._is_cancelled))


def never_started(command: Generate) -> RunFinished:
    """Return the outcome of a run that was cancelled while it waited for its turn."""
    seed = command.sampling.seed or 0
    stats = RunStats(RequestReport(0, 0, 0, 0), StopReason.CANCELLED, 0, None, 0.0, 0.0, seed)
    return RunFinished(command.run_id, 0, "", (), stats)
