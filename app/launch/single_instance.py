"""One process to a data folder: the first holds a lock; later ones hand it what they were asked to open, and end.

Properties: the lock is the kernel's (flock), so it ends with its process however that ends, and nothing stale keeps
anybody out. What stands in the lock's file is written at the beginning and emptied at a clean end: whoever gets the
lock and finds words in it knows that the process before was not closed. The first listens on a local socket in a fresh
folder that only its owner may enter; the lock's file says where, and that file lies in the private data folder.

Standard library only: handing over takes a tenth of a second and needs no Qt. QtNetwork's QLocalServer would do the
same for 3.4 MB and would put a network library into a program that asks nothing of the network.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import Enum, auto
from pathlib import Path

from app.protocol.dataclass import dataclass
from app.protocol.plain_files import UnfitFileError, read_plain, require_plain

logger = logging.getLogger(__name__)

LOCK = "espalier.lock"
_SOCKET = "first"
_FOLDER = "espalier-first-"
# Seconds. Starting from a slow disk takes long; a window that is there answers within a frame.
STARTING, ANSWERING = 15.0, 2.0
LONGEST = 1_048_576  # bytes of a message
REPLY = b"ok\n"
_PAUSE = 0.05
# Bytes of the lock's file: later words take the place of the first, and need no room that a disk might not have.
_ROOM = 512
_LATEST = 4_102_444_800.0  # seconds since the epoch: the year 2100, beyond which no clock here is right
_LONGEST_WORD = 300
_MOST_SHORT = 99  # runs that are counted


class HandOver(Enum):
    """The outcome of handing paths to the first process: it has opened them, or it does not reply."""

    OPENED = auto()
    NO_REPLY = auto()


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that has a data folder's lock, or had it last.

    started: seconds since the epoch. socket: "" until it listens. short_runs: how many runs before it ended badly soon
    after their start, one after the other.
    """

    pid: int
    started: float
    version: str
    socket: str = ""
    short_runs: int = 0


class InstanceLock:
    """The lock on a data folder, held by this process.

    previous: the process before, where that was not closed cleanly, else None.
    """

    def __init__(self, file: int | None, previous: LockOwner | None, owner: LockOwner) -> None:
        self._file = file
        self._owner = owner
        self.previous = previous
        self._write()

    def listen(self) -> socket.socket:
        """Return a socket on which later processes will call, and name it in the lock's file.

        To be called when this process is ready to answer. Raises OSError when no socket can be had.
        """
        address = str(Path(tempfile.mkdtemp(prefix=_FOLDER)) / _SOCKET)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            server.bind(address)
            server.listen()
        except OSError:
            server.close()
            raise
        self._owner = replace(self._owner, socket=address)
        self._write()
        return server

    def count_short_runs(self, count: int) -> None:
        """Leave word for the next start of how many runs before this one ended badly soon after their start."""
        self._owner = replace(self._owner, short_runs=count)
        self._write()

    def release(self) -> None:
        """Release the folder, as at a clean end. A second call does nothing."""
        _remove(self._owner.socket)
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    def _write(self) -> None:
        """Nobody keeps out because of this file's words, so a full disk costs only what they would have told."""
        if self._file is None:
            return
        words = json.dumps(asdict(self._owner)).encode("ascii")
        try:
            os.pwrite(self._file, words.ljust(_ROOM), 0)
        except OSError as error:
            logger.warning("the lock's file could not be written: %s", error)


def lock_or_hand_over(
    folder: Path, version: str, paths: Sequence[Path], starting: float = STARTING, answering: float = ANSWERING
) -> InstanceLock | HandOver:
    """Lock a data folder, or have the process that has it open these paths and show its window.

    starting: seconds that the first may take until it listens, or until it has ended; answering: seconds that it may
    then take to answer.
    """
    until = time.monotonic() + starting
    while True:
        mine = try_lock(folder, version)
        if mine is not None:
            return mine
        first = lock_owner(folder)
        if first is not None and first.socket:
            try:
                return _hand_over(first.socket, encode_paths(paths), answering)
            except (FileNotFoundError, ConnectionRefusedError):
                pass  # It is ending, or the words are still those of the one before it.
            except OSError as error:
                logger.warning("nobody answers at %s: %s", first.socket, error)
                return HandOver.NO_REPLY
        if time.monotonic() > until:
            return HandOver.NO_REPLY
        time.sleep(_PAUSE)


def try_lock(folder: Path, version: str) -> InstanceLock | None:
    """Lock a data folder; return None when another process has it.

    Where the file system has no locks, it is granted without one.
    """
    me = LockOwner(os.getpid(), time.time(), version)
    try:
        file = _open_lock(folder / LOCK)
    except OSError as error:
        logger.warning("no lock on %s: %s", folder, error)
        return InstanceLock(None, None, me)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except OSError as error:
        os.close(file)
        logger.warning("no lock on %s: %s", folder, error)
        return InstanceLock(None, None, me)
    previous = lock_owner(folder)
    if previous is not None:
        _remove(previous.socket)
    return InstanceLock(file, previous, me)


def _open_lock(path: Path) -> int:
    """Open the lock's file, made where there is none. What lies in its place and is no file is moved aside, once."""
    for is_last in (False, True):
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if is_last or error.errno not in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
                raise
        else:
            try:
                require_plain(file, path)
            except UnfitFileError:
                os.close(file)
                if is_last:
                    raise
            else:
                return file
        path.rename(path.with_name(f"{path.name}.broken-{time.time_ns()}"))
    raise AssertionError("the second try returns or raises")


def lock_owner(folder: Path) -> LockOwner | None:
    """Read which process the lock's file names; None where it names none, or says nothing clear."""
    try:
        found = json.loads(read_plain(folder / LOCK, LONGEST))
        short_runs = min(max(0, int(found.get("short_runs", 0))), _MOST_SHORT)
        named = int(found["pid"]), float(found["started"]), str(found["version"]), str(found["socket"])
        who = LockOwner(*named, short_runs)
        os.fsencode(who.socket)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        return None
    is_named = who.version.isascii() and len(who.version) <= _LONGEST_WORD
    is_sound = is_named and 0 < who.pid < 1 << 31 and 0 <= who.started < _LATEST
    return who if is_sound and len(who.socket) <= _LONGEST_WORD and "\0" not in who.socket else None


def _remove(address: str) -> None:
    """Remove a socket and the folder made for it; the one of a process that died, too."""
    place = Path(address)
    if place.name == _SOCKET and place.parent.name.startswith(_FOLDER):
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
            place.parent.rmdir()


def encode_paths(paths: Sequence[Path]) -> bytes:
    """Encode paths as the message of a later process: one line of JSON, all ASCII, whatever bytes are in them."""
    return json.dumps({"paths": [str(path) for path in paths]}).encode("ascii") + b"\n"


def decode_paths(line: bytes) -> tuple[str, ...] | None:
    """Decode the paths of such a message; None when it is not one."""
    try:
        found = json.loads(line)["paths"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    is_right = isinstance(found, list) and all(isinstance(path, str) and "\0" not in path for path in found)
    return tuple(found) if is_right else None


def _hand_over(address: str, words: bytes, patience: float) -> HandOver:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(patience)
        caller.connect(address)
        caller.sendall(words)
        return HandOver.OPENED if caller.recv(len(REPLY)) == REPLY else HandOver.NO_REPLY
