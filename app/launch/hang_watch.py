"""A disk that does not answer when the program begins or ends: it is told, and the process ends all the same.

Standard library only, until there is something to show.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from app.launch.crash import DUMP
from app.launch.startup_errors import print_problem, show_alert
from app.protocol.deadline import DeadlineCaller, wait_awake
from app.protocol.reports import Problem

logger = logging.getLogger(__name__)

# Seconds. Another process may take 15 until it has ended, which is waited for while the program begins.
SLOW_START = 20.0
# Each thing that is waited for at the end has a shorter limit of its own; this is for what nobody foresaw.
LONGEST_END = 90.0
LAST_WORDS = 2.0


@contextlib.contextmanager
def telling_when_slow(folder: Path, seconds: float = SLOW_START) -> Iterator[None]:
    """Say, when this takes so long, that the disk of a folder is waited for."""
    with _watched(seconds, lambda: _tell(_slow_start(folder))):
        yield


@contextlib.contextmanager
def ending_in_time(logs: Path, seconds: float = LONGEST_END) -> Iterator[None]:
    """End the process when this takes so long; what hangs is then in crash.log, for the next start to report."""
    with _watched(seconds, lambda: _end(logs)):
        yield


@contextlib.contextmanager
def _watched(seconds: float, late: Callable[[], None]) -> Iterator[None]:
    """Call `late` on another thread when this takes so long, while the machine is awake."""
    is_done = threading.Event()

    def watch() -> None:
        if not wait_awake(is_done, seconds):
            late()

    threading.Thread(target=watch, name="hang watch", daemon=True).start()
    try:
        yield
    finally:
        is_done.set()


def _slow_start(folder: Path) -> Problem:
    sentence = (
        f"The disk that {folder} lies on does not answer. Espalier waits for it and opens by itself when it does. See "
        "whether the disk is connected, or end Espalier and open it again later. What is stored is safe."
    )
    return Problem("Espalier is still starting", sentence)


def _tell(problem: Problem) -> None:
    logger.warning("%s: %s", problem.title, problem.sentence)
    print_problem(problem)
    show_alert(problem)


def _end(logs: Path) -> None:
    with contextlib.suppress(OSError):
        DeadlineCaller("last words", LAST_WORDS).call(lambda: _write_stacks(logs))
    os._exit(1)


def _write_stacks(logs: Path) -> None:
    logger.critical("the program did not end in time and is ended; what hangs is in %s", DUMP)
    with (logs / DUMP).open("a", encoding="utf-8") as file:
        faulthandler.dump_traceback(file, all_threads=True)
