"""The questions that wait for their turn."""

from __future__ import annotations

from collections import deque

from app.protocol.commands import Generate


class RunQueue:
    """A queue of questions, first come first served; true while one can be taken.

    Those that are asked while a model is being opened are for that one, and held until then.
    """

    def __init__(self) -> None:
        self._ready: deque[Generate] = deque()
        self._held: deque[Generate] = deque()

    def __bool__(self) -> bool:
        return bool(self._ready)

    def add(self, command: Generate) -> None:
        """Add a question at the end."""
        self._ready.append(command)

    def hold(self, command: Generate) -> None:
        """Add a question that is not to be taken before `release`."""
        self._held.append(command)

    def take(self) -> Generate:
        """Take the next question off the queue. Raises IndexError when there is none."""
        return self._ready.popleft()

    def remove(self, run_id: int) -> list[Generate]:
        """Take the questions with this id off the queue, wherever they stand: one, or none."""
        found = [command for command in (*self._ready, *self._held) if command.run_id == run_id]
        self._ready = deque(command for command in self._ready if command.run_id != run_id)
        self._held = deque(command for command in self._held if command.run_id != run_id)
        return found

    def release(self) -> None:
        """Put what was held behind what is ready."""
        self._ready += self._held
        self._held.clear()
