"""The trial of a tokenizer in a process of its own, as the model thread sees it: steps until it has ended."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

from app.processes.child_process import start_child
from app.rendering.resident import resident_bytes
from app.tokenizing import FLAG
from app.tokenizing.child import MOST_MEMORY, SHORT_OF_MEMORY

LOADING_SECONDS = 30.0
"""Of computing that loading may take, and"""
READING_SECONDS = 30.0
"""reading all of the texts that it is tried with."""
PATIENCE = 10.0
"""Times as long by the clock: a machine may have much else to do. The process counts its computing itself."""

_SLICE = 0.005  # seconds between two looks at whether it has ended


class TrialFault(Enum):
    """The reason why a tokenizer did not pass its trial."""

    TIME = "time"
    MEMORY = "memory"
    DEATH = "death"


def try_tokenizer(folder: Path) -> Generator[None, None, TrialFault | None]:
    """Try the tokenizer of a model folder. Yields while the trial goes on, and raises OSError where it cannot begin.

    One that is given up ends with its process.
    """
    with _trying(folder) as process:
        until = time.monotonic() + PATIENCE * (LOADING_SECONDS + READING_SECONDS)
        while True:
            with suppress(subprocess.TimeoutExpired):
                return _fault(process.wait(_SLICE))
            if time.monotonic() > until:
                return TrialFault.TIME
            if resident_bytes(process.pid) > MOST_MEMORY:  # where no limit of the process itself holds
                return TrialFault.MEMORY
            yield


def start_process() -> subprocess.Popen[bytes]:
    """Start the process that tries."""
    return start_child(FLAG)


@contextmanager
def _trying(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    asked = {"folder": str(folder.absolute()), "loading": LOADING_SECONDS, "reading": READING_SECONDS}
    process = start_process()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with suppress(BrokenPipeError):  # how it ended is seen by its status
            process.stdin.write(json.dumps(asked).encode("ascii"))
        process.stdin.close()
        yield process
    finally:
        process.kill()
        process.stdout.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)


def _fault(status: int) -> TrialFault | None:
    if status == -signal.SIGXCPU:
        return TrialFault.TIME
    if status == SHORT_OF_MEMORY:
        return TrialFault.MEMORY
    return TrialFault.DEATH if status else None
