"""A task comes to an outcome whatever ends it, and to one only."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from app.engine.task import Task
from app.prompting.problems import ModelError, RequestError
from app.protocol.reports import Problem


class Count(Task[int | Problem]):
    """Work of three steps, that may raise in one of them."""

    def __init__(self, error: BaseException | None = None, fails_at: int = 3) -> None:
        super().__init__()
        self._error, self._fails_at = error, fails_at

    def _work(self) -> Generator[None, None, None]:
        for number in range(3):
            if number == self._fails_at and self._error is not None:
                raise self._error
            yield
        self.outcome = 3

    def _refusal(self, problem: Problem) -> Problem:
        return problem


def test_an_outcome_comes_after_the_last_step_and_stays() -> None:
    task = Count()
    for _ in range(3):
        task.advance()
        assert task.outcome is None
    for _ in range(2):
        task.advance()
        assert task.outcome == 3


@pytest.mark.parametrize("fails_at", range(3))
@pytest.mark.parametrize(
    ("error", "title"),
    [(RequestError("A", "B."), "A"), (ModelError("C", "D."), "C"), (SystemExit(1), "The model failed")],
)
def test_whatever_is_raised_in_a_step_is_the_outcome(error: BaseException, title: str, fails_at: int) -> None:
    task = Count(error, fails_at)
    for _ in range(fails_at):
        task.advance()
        assert task.outcome is None
    for _ in range(2):
        task.advance()
        assert isinstance(task.outcome, Problem)
        assert task.outcome.title == title
