"""The process that renders templates, as the model thread sees it: started when it is first needed, ended when it must.

A request is a generator that yields while the answer is not there, so that whoever waits can do other things, and stop
waiting. Requests are answered one after another, whoever advances them. One that takes too long, or too much memory,
ends with its process, and the next one gets another.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from app.processes.child_process import start_child
from app.rendering import FLAG
from app.rendering.child import SHORT_OF_MEMORY, most_memory
from app.rendering.frames import Frames, packed
from app.rendering.resident import resident_bytes
from app.rendering.sandbox import MOST_BEYOND, MOST_TIMES, given_length

SECONDS = 3.0
"""Of computing that a request may take, beside"""
SECONDS_PER_MILLION = 2.0
"""characters of what is to be rendered."""
PATIENCE = 10.0
"""Times as long by the clock: a machine may have much else to do. The process counts its computing itself."""
STARTING = 30.0
"""Seconds that the process may take until it is ready."""

_SLICE = 0.005  # seconds between two looks at whether there is an answer
_PIECE = 1 << 20
_MOST_ESCAPED = 6  # bytes of one character in JSON
_ATTEMPTS = 2  # at a request whose process ends by itself, or is ended by somebody else


class Fault(Enum):
    """The reason why a request has no answer."""

    TIME = "time"
    MEMORY = "memory"
    SIZE = "size"
    DEATH = "death"


class RenderingEndedError(Exception):
    """A request was ended. seconds: that it was given."""

    def __init__(self, fault: Fault, seconds: float) -> None:
        super().__init__(fault.value)
        self.fault, self.seconds = fault, seconds


@dataclass(eq=False)
class _Request:
    """A request, and what became of it. most: bytes of its answer. attempts: processes that it was given to."""

    frame: bytes
    seconds: float
    most: int
    attempts: int = 0
    answer: bytes | None = None
    fault: Fault | None = None
    has_ended: bool = False


class RenderProcess:
    """One process at a time, for the templates of one model. Owned by the model thread."""

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]] | None = None) -> None:
        self._start = start or (lambda: start_process())
        self._requests: deque[_Request] = deque()
        self._process: _Process | None = None

    def ask(self, request: Mapping[str, Any]) -> Generator[None, None, dict[str, Any]]:
        """Have a request answered. Yields while there is no answer; raises RenderingEndedError, and OSError.

        A request that is given up while it is worked on ends the process.
        """
        asked = _request(request)
        self._requests.append(asked)
        try:
            while not asked.has_ended:
                self._advance()
                if not asked.has_ended:
                    yield
        finally:
            if asked in self._requests:
                is_first = self._requests[0] is asked
                self._requests.remove(asked)
                if is_first:
                    self.close()
        if asked.answer is None:
            raise RenderingEndedError(asked.fault or Fault.DEATH, asked.seconds)
        answer: dict[str, Any] = json.loads(asked.answer)
        return answer

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.end()
        self._process = None

    def _advance(self) -> None:
        """Go on with the first request for a moment."""
        asked = self._requests[0]
        if self._process is not None and not self._process.is_busy and self._process.has_ended:
            self.close()
        if self._process is None:
            self._process = _Process(self._start())
        if not self._process.is_busy:
            asked.attempts += 1
            self._process.begin(asked.frame, asked.seconds, asked.most)
        try:
            asked.answer = self._process.advance()
        except RenderingEndedError as ended:
            self.close()
            if ended.fault is Fault.DEATH and asked.attempts < _ATTEMPTS:
                return
            asked.fault = ended.fault
        if asked.answer is not None or asked.fault is not None:
            asked.has_ended = True
            self._requests.popleft()


class _Process:
    """A process that runs. is_busy: it has a request."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self.is_busy = False
        self._is_ready = False
        self._left = memoryview(b"")
        self._frames = Frames()
        self._until = time.monotonic() + STARTING
        self._seconds = STARTING
        self._memory = 0
        self.end = weakref.finalize(self, _end, process)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, for whatever reason."""
        return self._process.poll() is not None

    def begin(self, frame: bytes, seconds: float, most: int) -> None:
        """Begin with a request. Its time counts from when the process is ready."""
        self.is_busy = True
        self._left, self._seconds, self._frames.most = memoryview(frame), seconds, most
        self._memory = most_memory(len(frame))
        if self._is_ready:
            self._until = time.monotonic() + PATIENCE * seconds

    def advance(self) -> bytes | None:
        """Write and read what can be, for a moment; return the answer once it is whole. Raises RenderingEndedError."""
        try:
            self._exchange()
            content = self._frames.take()
            if content is not None and not self._is_ready:
                self._is_ready, self._until = True, time.monotonic() + PATIENCE * self._seconds
                content = self._frames.take()
        except OverflowError:
            raise self._ended(Fault.SIZE) from None
        if content is not None:
            self.is_busy = False
        elif time.monotonic() > self._until:
            raise self._ended(Fault.TIME)
        elif resident_bytes(self._process.pid) > self._memory:
            raise self._ended(Fault.MEMORY)
        return content

    def _exchange(self) -> None:
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        if self._left:
            poll.register(self._input, select.POLLOUT)
        for descriptor, _ in poll.poll(_SLICE * 1000):
            if descriptor == self._output:
                piece = os.read(self._output, _PIECE)
                if not piece:
                    raise self._ended(self._death())
                self._frames.add(piece)
            else:
                with suppress(BlockingIOError, BrokenPipeError):  # the end is seen on the other pipe
                    self._left = self._left[os.write(self._input, self._left) :]

    def _death(self) -> Fault:
        """Return why the process has closed its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        if self._process.returncode == -signal.SIGXCPU:
            return Fault.TIME
        return Fault.MEMORY if self._process.returncode == SHORT_OF_MEMORY else Fault.DEATH

    def _ended(self, fault: Fault) -> RenderingEndedError:
        return RenderingEndedError(fault, self._seconds)


def _request(request: Mapping[str, Any]) -> _Request:
    given = sum(given_length(messages) for messages in request["conversations"])
    seconds = SECONDS + SECONDS_PER_MILLION * given / 1e6
    most = len(request["conversations"]) * MOST_BEYOND + MOST_TIMES * given
    return _Request(packed({**request, "seconds": seconds}), seconds, _MOST_ESCAPED * most)


def start_process() -> subprocess.Popen[bytes]:
    """Start the process that renders."""
    return start_child(FLAG)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(1)
