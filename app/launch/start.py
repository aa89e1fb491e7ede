"""The way from the command line to the window: paths, the lock, what happened last time, and the log.

No exception on this way ends the program in silence. Standard library only, until the window is built.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app import __version__
from app.launch.crash import LastRun, last_run, start_log
from app.launch.hang_watch import telling_when_slow
from app.launch.options import Options
from app.launch.paths import Paths, paths_in, standard_paths, usable
from app.launch.single_instance import HandOver, InstanceLock, lock_or_hand_over, lock_owner
from app.launch.startup_errors import show_failure, show_problem
from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem


@dataclass(frozen=True, slots=True)
class Launch:
    """The state of a start before there is a window. lock: on the data folder, held by this process.

    notice: what to say about that folder. last: a run before this one that was not closed.
    """

    paths: Paths
    lock: InstanceLock
    notice: Problem | None
    last: LastRun | None


Run = Callable[[Launch, Options], int]


def start(options: Options, run: Run) -> int:
    """Run the program until its window is closed. Returns the exit status; SystemExit with 1 where it cannot begin.

    run: builds the window and returns the exit status once it is closed.
    """
    wanted = standard_paths() if options.data is None else paths_in(options.data.expanduser().absolute())
    try:
        return _start(options, wanted, run)
    except Exception as error:
        show_failure(error, wanted.logs)
        raise SystemExit(1) from error


def _start(options: Options, wanted: Paths, run: Run) -> int:
    with telling_when_slow(wanted.data):
        paths, notice = usable(wanted)
        lock = lock_or_hand_over(paths.data, __version__, options.paths_to_open)
    if lock is HandOver.OPENED:
        return 0
    if lock is HandOver.NO_REPLY:
        show_problem(_no_reply(paths.data))
        return 1
    try:
        with telling_when_slow(paths.data):
            last = last_run(paths.logs, lock.previous)
            lock.count_short_runs(last.short_runs if last is not None else 0)
            start_log(paths.logs)
        return run(Launch(paths, lock, notice, last), options)
    finally:
        lock.release()


def _no_reply(folder: Path) -> Problem:
    first = lock_owner(folder)
    which = f" (process {first.pid})" if first else ""
    sentence = (
        f"Another Espalier{which} has the conversations in {folder} open and does not answer. Wait a moment and try "
        "again, or end that process and open Espalier anew. What is stored is safe."
    )
    return Problem("Espalier is already open", sentence)
