"""A call that hangs is given up, and no other is made until it has ended."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.protocol.deadline import DeadlineCaller, wait_awake

ROOT = Path(__file__).parents[2]
LONG = 30.0


class Slept(threading.Event):
    """An event whose waits are over at once where the machine slept meanwhile."""

    def __init__(self, sleeps: int) -> None:
        super().__init__()
        self.sleeps = sleeps

    def wait(self, timeout: float | None = None) -> bool:
        self.sleeps -= 1
        if self.sleeps >= 0:
            return self.is_set()
        self.set()  # a disk that answers soon after
        return super().wait(timeout)


def test_a_machine_that_slept_has_not_waited() -> None:
    assert wait_awake(Slept(1), LONG)
    assert wait_awake(Slept(2), LONG)
    assert not wait_awake(threading.Event(), 0.01)


def test_what_a_call_returns_or_raises_comes_back() -> None:
    caller = DeadlineCaller("disk", LONG)
    assert caller.call(lambda: 7) == 7
    for error in (OSError(5, "pears"), ValueError("pears"), MemoryError(), KeyboardInterrupt()):

        def fail(error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)) as raised:
            caller.call(fail)
        assert raised.value is error
    assert not caller.is_stuck


def test_a_call_that_hangs_is_given_up_and_the_next_are_refused_until_it_ends() -> None:
    disk, made = threading.Event(), list[int]()
    caller = DeadlineCaller("disk", 0.05)
    with pytest.raises(TimeoutError, match="does not answer"):
        caller.call(lambda: disk.wait(LONG))
    assert caller.is_stuck
    with pytest.raises(TimeoutError):
        caller.call(lambda: made.append(1))
    assert made == []
    disk.set()
    for thread in threading.enumerate():
        if thread.name == "disk":
            thread.join(LONG)
    assert not caller.is_stuck
    caller.call(lambda: made.append(2))
    assert made == [2]


def test_a_process_ends_although_a_call_of_it_hangs() -> None:
    program = (
        "import threading; from app.protocol.deadline import DeadlineCaller, wait_awake\n"
        "try: DeadlineCaller('disk', 0.05).call(threading.Event().wait)\n"
        "except TimeoutError as error: print(error.strerror)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, timeout=60, check=True)
    assert done.stdout == b"The disk does not answer\n"
