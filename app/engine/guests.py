"""What other programs ask: one answer at a time, in the order they were asked for, while nothing else goes on.

Properties: after `give_way`, which takes a step at most, no session of a guest's is open, and nothing else needs to
know of them. What gave way goes on before what came later, says what it would have said, and tells nothing twice. As
many may wait as may ask: while the window is answered, none of them has begun.
"""

from __future__ import annotations

from collections import deque

from app.engine.asked_prompt import read_prompt
from app.engine.open_model import OpenModel
from app.engine.run import Run
from app.engine.task import Task
from app.engine.turns import Turns
from app.engine.writer import never_started
from app.prompting.steps import Steps
from app.protocol.commands import MOST_GUESTS, Generate, Tokenize
from app.protocol.engine import EventSink
from app.protocol.events import RunFailed, Tokenized
from app.protocol.reports import Problem

_TOO_MANY = Problem("Too many questions wait", f"{MOST_GUESTS} of other programs wait already. Try again later.")
_STOPPED = Problem("It was stopped", "Its tokens were not counted.")
_MORE = Problem("More was asked than one answer", "Other programs get one answer to a question, from its beginning on.")


class Guests:
    """The guests of one open model. Owned by the model thread.

    Whoever advances them sees to it that nothing else goes on.
    """

    def __init__(self, open_model: OpenModel, emit: EventSink) -> None:
        """Begin with none."""
        self._open, self._emit = open_model, emit
        self._turns = Turns(open_model.cache, open_model.step_memory)
        self._number: int | None = None  # of the run that is answered
        self._waiting: deque[Generate] = deque()
        self._reading: _Reading | None = None
        self._unread: deque[Tokenize] = deque()

    def ask(self, command: Generate) -> None:
        """Take a question, which is answered when its turn comes, or refuse it."""
        if command.beside or command.begun is not None or command.resumptions:
            self._emit(RunFailed(command.run_id, _MORE))
        elif len(self._waiting) == MOST_GUESTS:
            self._emit(RunFailed(command.run_id, _TOO_MANY))
        else:
            self._waiting.append(command)

    def read(self, command: Tokenize) -> None:
        """Take a prompt whose token ids are wanted, or refuse it."""
        if len(self._unread) == MOST_GUESTS:
            self._emit(Tokenized(command.query_id, (), _TOO_MANY))
        else:
            self._unread.append(command)

    def advance(self) -> bool:
        """Advance by one step: of the reading of a prompt, then of an answer. Return False when there is nothing."""
        if self._reading is None and self._unread:
            self._reading = _Reading(self._unread[0], self._open)
        if self._reading is not None:
            self._read_on(self._reading)
            return True
        if not self._turns and self._waiting:
            command = self._waiting.popleft()
            self._number = command.run_id
            self._turns.add(Run(command, [0], self._open, self._turns, self._emit))
        if not self._turns:
            return False
        self._open.tell(self._turns.advance())
        return True

    def give_way(self) -> None:
        """Come to rest within a step, with no session open."""
        self._end_reading()
        self._open.tell(self._turns.give_way())

    def cancel(self, number: int) -> None:
        """End the run with this number within a step, or leave a prompt unread."""
        self._open.tell(self._turns.cancel(number))
        for command in [one for one in self._waiting if one.run_id == number]:
            self._waiting.remove(command)
            self._emit(never_started(command, 0))
        if any(one.query_id == number for one in self._unread):
            self._end_reading()
            self._unread = deque(one for one in self._unread if one.query_id != number)
            self._emit(Tokenized(number, (), _STOPPED))

    def fail(self, problem: Problem) -> None:
        """End all of them, with this problem."""
        self.give_way()
        waiting = [command.run_id for command in self._waiting]
        for number in [self._number, *waiting] if self._turns and self._number is not None else waiting:
            self._emit(RunFailed(number, problem))
        for command in self._unread:
            self._emit(Tokenized(command.query_id, (), problem))
        self._waiting.clear()
        self._unread.clear()
        self._turns = Turns(self._open.cache, self._open.step_memory)

    def _end_reading(self) -> None:
        """Read no further. What has not been read to its end is read from its beginning."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None

    def _read_on(self, reading: _Reading) -> None:
        reading.advance()
        if reading.outcome is not None:
            self._reading = None
            self._unread.popleft()
            self._emit(reading.outcome)


class _Reading(Task[Tokenized]):
    """The reading of a prompt whose token ids are wanted."""

    def __init__(self, command: Tokenize, open_model: OpenModel) -> None:
        super().__init__()
        self._command, self._open = command, open_model

    def _work(self) -> Steps[None]:
        prompt = yield from read_prompt(self._command, self._open)
        self.outcome = Tokenized(self._command.query_id, prompt.ids)

    def _refusal(self, problem: Problem) -> Tokenized:
        return Tokenized(self._command.query_id, (), problem)
