"""The thread that writes snapshot files, so that nobody who computes waits for a disk.

Properties it keeps:

1. It decides nothing: jobs are done in the order they came, and each `put` that was accepted and not cancelled is told
   of exactly once, by `finished` or in the number that `close` returns.
2. What waits is bounded: bytes by `most_bytes`, indexes by one for each folder, deletions by the files there are.
3. After an error of the disk nothing is left of that file, and the next job is tried.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from app.kvcache.disk import erasing, files
from app.kvcache.disk.files import AbandonedError, Tensor

MOST_BYTES = 256 << 20  # that wait to be written
STALLED = 30.0  # seconds for one job, after which the disk is taken to hang
_GRACE = 0.2  # seconds that a sync in flight may take beyond the deadline before the thread is left behind

log = logging.getLogger(__name__)


class Done(NamedTuple):
    """Outcome of a put: the file of the put with this key is on the disk."""

    key: int
    name: str
    nbytes: int


class Failed(NamedTuple):
    """Outcome of a put that left nothing on the disk. errno: of the OSError; error: its words."""

    key: int
    errno: int
    error: str


class _Put(NamedTuple):
    key: int
    folder: Path
    tensors: tuple[Tensor, ...]
    about: Mapping[str, str]
    nbytes: int


class _Other(NamedTuple):
    """A job that nobody is told of."""

    words: str
    do: Callable[[], None]


class Writer:
    """Thread that does its jobs in order. All methods return at once, `close` at its deadline; call them from one
    thread.

    root: what the folder above all others is, once known; without it nothing is written any more.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.root: files.FolderId | None = None
        self._most_bytes = most_bytes
        self._jobs: deque[_Put | _Other] = deque()
        self._indexes: dict[Path, bytes] = {}  # that wait, the newest of each folder
        self._finished: list[Done | Failed] = []
        self._working_on: _Put | None = None
        self._is_cancelled = False  # what it works on
        self._pending_bytes = 0
        self._unfinished = 0  # puts accepted and neither done nor failed
        self._is_working = False
        self._began = 0.0  # when it began to work on what it works on, by time.monotonic
        self._deadline: float | None = None  # set when closing, by time.monotonic
        self._change = threading.Condition()
        # A daemon: a disk that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="snapshots", daemon=True)
        self._thread.start()

    @property
    def pending_bytes(self) -> int:
        """Bytes of tensors that wait or are being written."""
        with self._change:
            return self._pending_bytes

    @property
    def is_stalled(self) -> bool:
        """Whether one job has taken so long that the disk must hang."""
        with self._change:
            return self._is_working and time.monotonic() - self._began >= STALLED

    def has_room(self, nbytes: int) -> bool:
        """Return whether `put` would accept so many bytes now: to be asked before they are copied."""
        with self._change:
            return self._has_room(nbytes)

    def put(self, key: int, folder: Path, tensors: Sequence[Tensor], about: Mapping[str, str]) -> bool:
        """Have a file written. False when too much waits already, or after `close`: the writer then keeps nothing.

        The folder is made where there is none. A put that is larger than the bound is accepted when nothing else waits.
        Raises ValueError as `files.check`.
        """
        files.check(tensors)
        nbytes = sum(len(tensor.data) for tensor in tensors)
        with self._change:
            if not self._has_room(nbytes):
                return False
            self._pending_bytes += nbytes
            self._unfinished += 1
            self._jobs.append(_Put(key, folder, tuple(tensors), dict(about), nbytes))
            self._change.notify()
        return True

    def cancel(self, key: int) -> None:
        """Give up a put: nothing is left of it, and nothing is told of it unless it is done already."""
        with self._change:
            if self._working_on is not None and self._working_on.key == key:
                self._is_cancelled = True
            job = next((job for job in self._jobs if isinstance(job, _Put) and job.key == key), None)
            if job is not None:
                self._jobs.remove(job)
                self._pending_bytes -= job.nbytes
                self._unfinished -= 1
                self._change.notify_all()

    def delete(self, folder: Path, name: str) -> None:
        """Have a file removed, after what was asked for before."""
        self._add(_Other(f"deleting {name[:8]}", lambda: files.delete(folder, name)))

    def wipe(self, folder: Path) -> None:
        """Have all snapshots of a folder removed, after what was asked for before."""
        self._add(_Other(f"wiping {folder.name[:8]}", lambda: files.wipe(folder)))

    def erase(self, folder: Path, owner: str) -> None:
        """Have what only this owner used removed from a folder in which nothing is written."""
        self._add(_Other(f"erasing from {folder.name[:8]}", lambda: erasing.erase(folder, owner)))

    def note_erased(self, folder: Path, owner: str) -> None:
        """Have it noted that an owner is being erased from a folder, which has no index until one is written again."""
        self._add(_Other(f"noting in {folder.name[:8]}", lambda: self._note_erased(folder, owner)))

    def write_index(self, folder: Path, data: bytes) -> None:
        """Have a folder's index replaced. One that still waits is not written at all."""
        with self._change:
            waits = folder in self._indexes
            if waits or self._deadline is None:
                self._indexes[folder] = data
        if not waits:
            self._add(_Other(f"the index of {folder.name[:8]}", lambda: self._write_index(folder)))

    def finished(self) -> list[Done | Failed]:
        """Return what became of puts since the last call, in the order they came."""
        with self._change:
            finished, self._finished = self._finished, []
        return finished

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do, at most so long. False when something is."""
        with self._change:
            return self._change.wait_for(lambda: not self._is_busy, seconds)

    def close(self, deadline_seconds: float) -> int:
        """Finish what can be finished by then, drop the rest, and end the thread. Returns how many puts were dropped.

        A file that is being written at the deadline is given up. A disk that does not answer for another fifth of a
        second is left to the system. Closing again does nothing.
        """
        with self._change:
            if self._deadline is None:
                self._deadline = time.monotonic() + max(deadline_seconds, 0.0)
            left = max(self._deadline - time.monotonic(), 0.0)
            self._change.notify()
        self._thread.join(left + _GRACE)
        with self._change:
            self._drop()
            dropped, self._unfinished = self._unfinished, 0
        return dropped

    def _has_room(self, nbytes: int) -> bool:
        is_full = self._pending_bytes > 0 and self._pending_bytes + nbytes > self._most_bytes
        return not is_full and self._deadline is None

    @property
    def _is_busy(self) -> bool:
        return bool(self._jobs) or self._is_working

    def _add(self, job: _Other) -> None:
        with self._change:
            if self._deadline is None:
                self._jobs.append(job)
                self._change.notify()

    def _drop(self) -> None:
        """Let go of everything that waits."""
        self._pending_bytes -= sum(job.nbytes for job in self._jobs if isinstance(job, _Put))
        self._jobs.clear()
        self._indexes.clear()

    # On the thread

    def _run(self) -> None:
        while self._do_next():
            pass

    def _do_next(self) -> bool:
        """Wait for one job and do it. False when there will be no more. Its bytes are let go of on return."""
        with self._change:
            self._change.wait_for(lambda: bool(self._jobs) or self._deadline is not None)
            if not self._jobs or not self._is_in_time:
                return False
            job = self._jobs.popleft()
            self._is_working, self._is_cancelled = True, False
            self._began = time.monotonic()
            self._working_on = job if isinstance(job, _Put) else None
        outcome = None
        if isinstance(job, _Put):
            outcome = self._write(job)
        else:
            self._do(job)
        with self._change:
            self._is_working, self._working_on = False, None
            self._pending_bytes -= job.nbytes if isinstance(job, _Put) else 0
            if self._is_cancelled or outcome is not None:
                self._unfinished -= 1
            if outcome is not None and not self._is_cancelled:
                self._finished.append(outcome)
            elif isinstance(outcome, Done) and isinstance(job, _Put):
                folder, name = job.folder, outcome.name
                self._jobs.appendleft(_Other(f"deleting {name[:8]}", lambda: files.delete(folder, name)))
            self._change.notify_all()
        return True

    @property
    def _is_in_time(self) -> bool:
        return self._deadline is None or time.monotonic() < self._deadline

    def _may_go_on(self) -> bool:
        return self._is_in_time and not self._is_cancelled

    def _write(self, job: _Put) -> Done | Failed | None:
        """Return None when it was given up on, at the deadline or because it was cancelled."""
        try:
            files.prepare(job.folder, self.root)  # caches may be deleted at any time, also by the person
            written = files.write(job.folder, job.tensors, job.about, self._may_go_on)
        except AbandonedError:
            return None
        except OSError as error:
            log.warning("a snapshot of %d bytes was not written: %s", job.nbytes, error.strerror or error)
            return Failed(job.key, error.errno or 0, error.strerror or str(error))
        return Done(job.key, written.name, written.nbytes)

    def _do(self, job: _Other) -> None:
        try:
            job.do()
        except OSError as error:
            log.warning("%s failed: %s", job.words, error.strerror or error)

    def _note_erased(self, folder: Path, owner: str) -> None:
        files.prepare(folder, self.root)
        files.add_erased(folder, owner)

    def _write_index(self, folder: Path) -> None:
        with self._change:
            data = self._indexes.pop(folder, None)
        if data is not None:
            files.prepare(folder, self.root)
            files.write_index(folder, data)
