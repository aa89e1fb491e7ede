"""Calls of the disk that the model thread waits for, and the time after one that was not answered.

Nothing that belongs to the model thread may be touched in a call: one that was given up goes on by itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from app.protocol.deadline import DeadlineCaller, no_answer

READING = 10.0  # seconds that reading a file may take: computing what is in it again takes no longer
ASKING = 2.0  # and asking how much room there is
REST = 60.0  # seconds after a call that was not answered, in which the disk is not used

T = TypeVar("T")
log = logging.getLogger(__name__)


class DiskCalls:
    """Reads and questions, each with a deadline. After one that ran out the disk is away for a while.

    Calls raise TimeoutError, an OSError, when they are not answered, and at once while the disk is away.
    """

    def __init__(self, reading: float = READING, asking: float = ASKING, rest: float = REST) -> None:
        """Set the seconds that a read and a question may take, and that the disk is left alone after a silence."""
        self._reads = DeadlineCaller("snapshot reads", reading)
        self._questions = DeadlineCaller("snapshot questions", asking)
        self._rest = rest
        self._away_until = 0.0

    @property
    def is_away(self) -> bool:
        """Whether the disk did not answer lately, or a call still waits for it."""
        return time.monotonic() < self._away_until or self._reads.is_stuck or self._questions.is_stuck

    def read(self, function: Callable[[], T]) -> T:
        """Return what a function returns that reads files."""
        return self._make(self._reads, function)

    def ask(self, function: Callable[[], T]) -> T:
        """Return what a function returns that asks the system about the disk."""
        return self._make(self._questions, function)

    def _make(self, caller: DeadlineCaller, function: Callable[[], T]) -> T:
        if self.is_away:
            raise no_answer()
        try:
            return caller.call(function)
        except TimeoutError:
            log.warning("the disk of the snapshots does not answer: it is not used for %.0f seconds", self._rest)
            self._away_until = time.monotonic() + self._rest
            raise
