"""Work in small steps, between which the loop obeys whatever is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import ClassVar, Generic, TypeVar

from app.prompting.border import foreign_code
from app.prompting.problems import EngineError, RequestError
from app.protocol.events import Event
from app.protocol.reports import Problem

Outcome = TypeVar("Outcome")


class Task(ABC, Generic[Outcome]):
    """Work that goes on in steps until it has an outcome. Owned by the model thread.

    outcome: None until the work has ended. Whatever ends it comes to one, a library that fails too.
    """

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self._steps = self._work()

    def advance(self) -> None:
        """Take one step. Without effect on work that has ended."""
        try:
            with foreign_code(_failed):
                next(self._steps, None)
        except EngineError as error:
            self.outcome = self._refusal(error.problem)

    def close(self) -> None:
        """Give the work up where it stands, and let go of what it holds. It comes to no outcome."""
        self._steps.close()

    @abstractmethod
    def _work(self) -> Generator[None, None, None]:
        """Do the work, yield between two steps, and set the outcome at the end. Raises EngineError."""

    @abstractmethod
    def _refusal(self, problem: Problem) -> Outcome:
        """Return the outcome of work that a problem has ended."""


class ModelTask(Task[Event]):
    """A task of the open model: an answer, or a check of what is cached. Its outcome is told when it has ended.

    number: by which it can be cancelled. gives_way: whether it ends as soon as something else is asked.
    """

    gives_way: ClassVar[bool]

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    @abstractmethod
    def cancel(self) -> None:
        """End the work now, within at most one step, with an outcome that says so."""


def _failed(words: str) -> RequestError:
    """Return the event of what a model or a library raised in the middle of its work."""
    return RequestError(
        "The model failed",
        f"It says: {words} Try again; if it fails each time, open another model. The log tells more.",
    )
