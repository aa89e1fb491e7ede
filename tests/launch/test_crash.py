"""What is known of a run that was not closed."""

from __future__ import annotations

import faulthandler
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.launch.crash import DUMP, LOG, MOST_REPORTS, last_run, start_log
from app.launch.single_instance import LockOwner, try_lock

BEFORE = LockOwner(4711, 1_795_000_000.0, "0.9.1")
CRASHING = """
import sys, faulthandler
from pathlib import Path
from app.launch.crash import start_log
start_log(Path(sys.argv[1]))
def words_of_a_person(text):
    faulthandler._sigabrt()
words_of_a_person("a secret")
"""


@pytest.fixture
def log_put_back() -> Iterator[None]:
    """The test run's own log and hooks, whatever a test starts."""
    logger = logging.getLogger("app")
    handlers, level, hooks = list(logger.handlers), logger.level, (sys.excepthook, threading.excepthook)
    yield
    for handler in set(logger.handlers) - set(handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)
    sys.excepthook, threading.excepthook = hooks
    faulthandler.enable()


def crash(logs: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASHING, str(logs)], check=False, env=dict(os.environ))
    assert done.returncode == -6


def test_after_a_clean_end_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert last_run(tmp_path / "never", None) is None
    (tmp_path / DUMP).write_text("")
    assert last_run(tmp_path, None) is None
    assert [path.name for path in tmp_path.iterdir()] == [DUMP]


def test_a_crash_is_reported_without_a_word_of_a_person(tmp_path: Path) -> None:
    crash(tmp_path)
    last = last_run(tmp_path, BEFORE)
    assert last is not None
    assert last.has_crashed
    assert last.started == BEFORE.started
    assert last.report is not None
    words = last.report.read_text()
    assert "Espalier 0.9.1 ended" in words
    assert "Fatal Python error: Aborted" in words
    assert "words_of_a_person" in words
    assert "a secret" not in words
    assert sys.platform in words.lower() or "macOS" in words
    assert (tmp_path / DUMP).read_text() == ""


def test_a_crash_is_told_once(tmp_path: Path) -> None:
    crash(tmp_path)
    assert last_run(tmp_path, BEFORE) is not None
    assert last_run(tmp_path, None) is None


def test_a_run_that_was_killed_left_no_stacks(tmp_path: Path) -> None:
    last = last_run(tmp_path, BEFORE)
    assert last is not None
    assert not last.has_crashed
    assert last.report is not None
    assert "It left no stacks" in last.report.read_text()


def test_runs_that_end_badly_soon_after_their_start_are_counted_until_one_does_not(tmp_path: Path) -> None:
    """As starts do it: each takes the lock, looks at the run before, and leaves word of the count."""
    counts, loops = [], []
    for seconds, is_closed in [
        (5, 0),
        (90, 0),
        (59, 0),
        (1, 0),
        (1, 0),
        (61, 0),
        (2, 0),
        (2, 1),
        (2, 0),
        (2, 0),
        (2, 1),
    ]:
        lock = try_lock(tmp_path, "1")
        assert lock is not None
        last = last_run(tmp_path / "logs", lock.previous)
        counts.append(0 if last is None else last.short_runs)
        loops.append(last is not None and last.is_in_a_loop)
        lock.count_short_runs(counts[-1])
        if is_closed:
            lock.release()
            continue
        lock._owner = replace(lock._owner, started=time.time() - seconds)
        lock._write()
        assert lock._file is not None
        os.close(lock._file)  # as the kernel does for a process that died
    assert counts == [0, 1, 0, 1, 2, 3, 0, 1, 0, 1, 2]
    assert loops == [count > 1 for count in counts]


def test_a_crash_after_the_clean_end_is_reported_and_nobody_asked(tmp_path: Path) -> None:
    crash(tmp_path)
    assert last_run(tmp_path, None) is None
    assert len(list(tmp_path.glob("Crash *.txt"))) == 1


def test_the_last_reports_are_kept(tmp_path: Path) -> None:
    names = []
    for number in range(MOST_REPORTS + 3):
        last = last_run(tmp_path, LockOwner(1, BEFORE.started + 60 * number, "1"))
        assert last is not None
        assert last.report is not None
        names.append(last.report.name)
    assert sorted(path.name for path in tmp_path.glob("Crash *")) == names[3:]


def test_a_dump_of_strange_bytes_and_great_length(tmp_path: Path) -> None:
    (tmp_path / DUMP).write_bytes(b"\xff\xfe" * 1_000_000)
    last = last_run(tmp_path, BEFORE)
    assert last is not None
    assert last.report is not None
    assert last.report.stat().st_size < 1_000_000


def test_logs_that_cannot_be_written(tmp_path: Path, log_put_back: None) -> None:
    (tmp_path / "file").write_text("in the way")
    last = last_run(tmp_path / "file" / "logs", BEFORE)
    assert last is not None
    assert last.report is None
    start_log(tmp_path / "file" / "logs")
    assert not logging.getLogger("app").handlers


def test_exceptions_that_nobody_caught_are_written_down(
    tmp_path: Path, log_put_back: None, capsys: pytest.CaptureFixture[str]
) -> None:
    start_log(tmp_path)
    try:
        raise ArithmeticError("seven")
    except ArithmeticError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    thread = threading.Thread(target=lambda: 1 // 0, name="worker")
    thread.start()
    thread.join()
    words = (tmp_path / LOG).read_text()
    assert "ArithmeticError: seven" in words
    assert "ZeroDivisionError" in words
    assert "ArithmeticError: seven" in capsys.readouterr().err
