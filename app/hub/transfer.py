"""One file from a hub to the disk, gone on with wherever it broke, and compared with its digest at the end.

Properties: a connection that breaks, answers another range than was asked for, or brings next to nothing, is made
again, and what has arrived is kept; no more is written than the file has; what differs from the digest is fetched once
more from the beginning, and then given up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx2

from app.hub.cache_folder import CacheFolder, digest_of
from app.hub.connection import Connection
from app.hub.faults import HubError, disk_fault, not_a_hub
from app.hub.repository import HubFile, Repository

TRIES = 6  # in a row that bring nothing new
LONGEST_PAUSE = 60.0  # seconds between two of them, also where the hub asks for more
SLOW_BYTES, SLOW_SECONDS = 20_000, 60.0  # less than so much in so long is a connection that broke
_WHOLE, _PARTIAL, _NO_RANGE = 200, 206, 416

Tell = Callable[[int, bool], None]
Sleep = Callable[[float], None]


class Transfer:
    """The transfer of one repository's files.

    tell: called with the bytes of the file that have arrived, and whether they are compared now. wait: sleeps for so
    many seconds.
    """

    def __init__(self, hub: Connection, repository: Repository, folder: CacheFolder, wait: Sleep = time.sleep) -> None:
        self._hub = hub
        self._repository = repository
        self._folder = folder
        self._wait = wait

    def fetch(self, file: HubFile, tell: Tell) -> None:
        """Bring a file here, whole and compared. Raises HubError; what has arrived stays then."""
        part = self._folder.part(file)
        try:
            for _ in range(2):
                self._fill(file, part, tell)
                tell(file.size, True)
                if digest_of(part, file) == file.digest:
                    self._folder.keep(file)
                    return
                part.unlink()
        except OSError as error:
            raise disk_fault(error, str(part.parent)) from error
        sentence = f"{file.name} arrived twice with another content than {self._hub.host} says it has, and is not kept."
        raise HubError("The checksum does not match", sentence)

    def _fill(self, file: HubFile, part: Path, tell: Tell) -> None:
        """Fetch until the file has its size."""
        failed = 0
        with part.open("ab", buffering=0) as target:
            if target.tell() > file.size:
                target.truncate(0)
            tell(target.tell(), False)
            while (before := target.tell()) < file.size:
                try:
                    self._receive(file, target.fileno(), before, tell)
                except HubError as error:
                    if not error.is_passing:
                        raise
                    failed = 1 if target.tell() > before else failed + 1
                    if failed >= TRIES:
                        raise
                    self._wait(min(LONGEST_PAUSE, float(error.wait or 2 ** (failed - 1))))
                target.seek(0, os.SEEK_END)
            os.fsync(target.fileno())

    def _receive(self, file: HubFile, target: int, start: int, tell: Tell) -> None:
        """Append what one request brings. Raises HubError where that is not all."""
        hub, name = self._hub, f"{file.name} of {self._repository.name}"
        address = f"{hub.endpoint}/{quote(self._repository.name)}/resolve/{self._repository.commit}/{quote(file.name)}"
        headers = {"Range": f"bytes={start}-"} if start else {}
        with hub.open(address, name, headers=headers, passes=(_NO_RANGE,)) as response:
            if not _continues(response, start, file.size):
                os.ftruncate(target, 0)
                if response.status_code != _WHOLE:  # the next request asks for no range
                    raise _broken(hub.host)
                start = 0
            self._write(response, file, target, start, tell)

    def _write(self, response: httpx2.Response, file: HubFile, target: int, start: int, tell: Tell) -> None:
        arrived, mark, since = start, start, time.monotonic()
        for piece in response.iter_raw():
            if arrived + len(piece) > file.size:
                raise not_a_hub(self._hub.host, f"sends more of {file.name} than there is")
            view = memoryview(piece)
            while view:
                view = view[os.write(target, view) :]
            arrived += len(piece)
            tell(arrived, False)
            now = time.monotonic()
            if now - since > SLOW_SECONDS:
                if arrived - mark < SLOW_BYTES:
                    raise _broken(self._hub.host)
                mark, since = arrived, now
        if arrived < file.size:
            raise _broken(self._hub.host)


def _continues(response: httpx2.Response, start: int, size: int) -> bool:
    """Return whether an answer's body begins where the file here ends."""
    if response.status_code == _WHOLE:
        return start == 0
    return response.headers.get("Content-Range", "").replace(" ", "") == f"bytes{start}-{size - 1}/{size}"


def _broken(host: str) -> HubError:
    sentence = f"The connection to {host} broke again and again. What has arrived is kept: resume when it is better."
    return HubError("The connection broke", sentence, is_passing=True)
