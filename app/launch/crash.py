"""The logs, and the report of a run that was not closed, kept for whoever looks into it.

A report holds the version, the system, the times and the Python stacks that faulthandler wrote: names of files and
functions, and never a word of a conversation.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import platform
import sys
import threading
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from app import __version__
from app.launch.single_instance import LockOwner
from app.protocol.dataclass import dataclass
from app.protocol.plain_files import refuse_special

logger = logging.getLogger(__name__)

LOG, DUMP = "espalier.log", "crash.log"
MOST_REPORTS = 10
SOON = 60.0  # seconds
_REPORT = "Crash {when}.txt"
_LONGEST = 200_000  # characters of a dump


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that ended without being closed. started, ended: seconds since the epoch; ended 0.0: not known.

    has_crashed: it left stacks behind; else it was killed, or the machine stopped. report: where it is written down,
    None where that was not possible. short_runs: how many runs ended badly soon after their start, one after the other,
    with this one as the last; 0 where this one did not.
    """

    started: float
    ended: float
    has_crashed: bool
    report: Path | None
    short_runs: int = 0

    @property
    def is_in_a_loop(self) -> bool:
        """Whether it ended soon after its start as the run before it did: what they opened may have been the cause.

        Once, that may be anything: a machine that was switched off, a key that crashed it.
        """
        return self.short_runs > 1


class LogFile(RotatingFileHandler):
    """A log file. A line that a full disk refuses is lost, and nothing else happens."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Pass over an error of the disk. The logging package calls this while an exception of `emit` is handled."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def start_log(folder: Path) -> None:
    """Start to log what goes wrong: exceptions in espalier.log, stacks of a crash in crash.log.

    A folder that cannot be written costs the log and nothing else.
    """
    sys.excepthook = _log_exception
    threading.excepthook = _log_thread_exception
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (LOG, DUMP):
            refuse_special(folder / name)
        handler = LogFile(folder / LOG, maxBytes=1_000_000, backupCount=3, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logging.getLogger("app").addHandler(handler)
        logging.getLogger("app").setLevel(logging.INFO)
        faulthandler.enable(os.open(folder / DUMP, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError as error:
        logger.warning("no log in %s: %s", folder, error)


def last_run(logs: Path, previous: LockOwner | None) -> LastRun | None:
    """Report the run before, and return what is known of it; None where it was closed. To be called before `start_log`.

    previous: what it had written into the lock's file, None where it was closed, or where nothing ran before.
    Stacks without such words come from the very end of a run that was closed: they are reported, and nobody is asked.
    """
    dump, ended = _take_dump(logs)
    if previous is None and not dump:
        return None
    started = previous.started if previous else 0.0
    version = previous.version if previous else __version__
    report = _write_report(logs, _told(version, started, ended, dump), ended or started)
    if previous is None:
        return None
    was_short = (ended or time.time()) - started < SOON
    return LastRun(started, ended, bool(dump), report, previous.short_runs + 1 if was_short else 0)


def _take_dump(logs: Path) -> tuple[str, float]:
    """Take the stacks that were left, and when they were written, seconds since the epoch; they are there once."""
    path = logs / DUMP
    try:
        refuse_special(path)
        with path.open("r+", encoding="utf-8", errors="replace") as file:
            words = file.read(_LONGEST).strip()
            ended = path.stat().st_mtime if words else 0.0
            file.truncate(0)
    except OSError:
        return "", 0.0
    return words, ended


def _told(version: str, started: float, ended: float, dump: str) -> str:
    lines = (
        f"Espalier {version} ended without being closed.",
        "",
        f"Started:  {_date(started)}",
        f"Crashed:  {_date(ended)}",
        f"System:   {platform.platform()}, {platform.machine()}",
        f"Python:   {platform.python_version()}{', frozen' if getattr(sys, 'frozen', False) else ''}",
        "",
        dump or "It left no stacks: it was ended from outside, or the machine stopped.",
        "",
    )
    return "\n".join(lines)


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(seconds)) if seconds else "not known"


def _write_report(logs: Path, words: str, when: float) -> Path | None:
    """Write a report beside the logs and let the oldest go; None where it cannot be written."""
    stamp = time.strftime("%Y-%m-%d %H.%M.%S", time.localtime(when or time.time()))
    path = logs / _REPORT.format(when=stamp)
    try:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(words, encoding="utf-8")
    except OSError as error:
        logger.warning("the report %s could not be written: %s", path, error)
        return None
    for old in sorted(logs.glob(_REPORT.format(when="*")))[:-MOST_REPORTS]:
        with contextlib.suppress(OSError):
            old.unlink()
    return path


def _log_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logger.critical("an exception that nobody caught", exc_info=(kind, error, trace))
    sys.__excepthook__(kind, error, trace)


def _log_thread_exception(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        _log_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
