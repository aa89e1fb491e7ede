"""The queue of downloads: one runs, the others wait, and what is not finished is there again the next time.

Properties: at most one process fetches; nothing goes online that nobody asked for, so that after a start everything is
paused; a pause ends the process, whose bytes stay on the disk; a download that is given up leaves no bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.protocol.deadline import DeadlineCaller
from app.protocol.reports import Problem
from app.viewmodels.hub.download import Download, DownloadFile, Stage, read_downloads
from app.viewmodels.hub.rate import Rate
from app.worker.hub_process import HubProcess

if TYPE_CHECKING:
    from app.hub.messages import HubEndpoint, Reply

logger = logging.getLogger(__name__)

_PATIENCE = 1.0  # seconds that the window waits for the disk
_OFTEN = 10.0  # seconds between two savings of how far a download is

PlaceOf = Callable[[str], "HubEndpoint"]


class Downloads(QObject):
    """Attributes: list, in order; rate, of the one that runs.

    Signals: changed(); finished(object) a `Download` that is there; stopped(object) one that could not go on.
    """

    changed = Signal()
    finished = Signal(object)
    stopped = Signal(object)

    def __init__(
        self, file: str, place_of: PlaceOf, process: HubProcess | None = None, parent: QObject | None = None
    ) -> None:
        """file: where the list is kept, "" for nowhere. place_of: returns where requests for an endpoint go."""
        super().__init__(parent)
        self._path = Path(file) if file else None
        self._file = DownloadFile(self._path) if self._path is not None else None
        self._place_of = place_of
        self._process = process or HubProcess(self)
        self._process.replied.connect(self._take)
        self._cleaner = HubProcess(self)
        self._cleaner.replied.connect(self._on_discarded)
        self._saved_at = 0.0
        self._given_up: list[Download] = []
        self.list: list[Download] = []
        self.rate = Rate()

    @property
    def running(self) -> Download | None:
        """Return the one that runs."""
        return next((one for one in self.list if one.stage is Stage.RUNNING), None)

    def find(self, key: str) -> Download | None:
        """Return a download by its key."""
        return next((one for one in self.list if one.key == key), None)

    def read(self) -> None:
        """Read what the run before has left, all of it paused."""
        path = self._path
        if path is None:
            return
        try:
            found = DeadlineCaller("downloads", _PATIENCE).call(lambda: read_downloads(path))
        except TimeoutError:
            logger.warning("the list of downloads was not read in time")
            return
        self.list = [one for one in found if one.stage is Stage.PAUSED]
        for one in found:
            if one.stage is Stage.GIVEN_UP:
                self._discard(one)
        self.changed.emit()

    def add(self, download: Download) -> None:
        """Queue a download, once; one that is not finished goes on instead, and one that is begins anew."""
        found = self.find(download.key)
        if found is None:
            self.list.append(download)
        elif found.stage is Stage.READY:
            self._replace(download)
        else:
            self.resume(download.key)
        self._go_on()

    def pause(self, key: str) -> None:
        """Let a download rest, whether it runs or waits, and the next one begin."""
        found = self.find(key)
        if found is not None and found.stage in (Stage.RUNNING, Stage.WAITING):
            if found.stage is Stage.RUNNING:
                self._process.stop()
            self._replace(replace(found, stage=Stage.PAUSED, is_checked=False))
            self._go_on()

    def resume(self, key: str) -> None:
        """Let a download go on where it was, at once or when it is its turn."""
        found = self.find(key)
        if found is not None and found.stage in (Stage.PAUSED, Stage.STOPPED):
            self._replace(replace(found, stage=Stage.WAITING, problem=None))
            self._go_on()

    def resume_all(self) -> None:
        """Let every download go on, one after another."""
        for one in list(self.list):
            self.resume(one.key)

    def cancel(self, key: str) -> None:
        """Give a download up and remove what has arrived of it; one that is finished leaves the list alone."""
        found = self.find(key)
        if found is None:
            return
        if found.stage is Stage.RUNNING:
            self._process.stop()
        self.list.remove(found)
        if found.stage is not Stage.READY:
            self._discard(replace(found, stage=Stage.GIVEN_UP))
        self._go_on()

    def close(self) -> None:
        """End what runs; it is paused the next time."""
        self._process.close()
        self._cleaner.close()
        self._save()
        if self._file is not None:
            self._file.close(_PATIENCE)

    def _go_on(self) -> None:
        """Begin with the first that waits, unless one runs."""
        from app.hub.messages import Fetch

        held = {one.key for one in self._given_up}  # until what an earlier try has left is removed
        waiting = next((one for one in self.list if one.stage is Stage.WAITING and one.key not in held), None)
        if waiting is not None and self.running is None:
            self.rate.forget()
            self._replace(replace(waiting, stage=Stage.RUNNING))
            self._process.ask(Fetch(self._place_of(waiting.endpoint), waiting.name, waiting.commit))
        self._save()
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        from app.hub.messages import Arrived, Failed, Ready

        running = self.running
        if running is None:
            return
        if isinstance(reply, Arrived):
            self.rate.take(reply.done)
            done, total = min(reply.done, reply.total), reply.total
            self._replace(replace(running, done=done, total=total, is_checked=reply.is_checked))
            if monotonic() - self._saved_at > _OFTEN:
                self._save()
            self.changed.emit()
            return
        if isinstance(reply, Ready):
            ready = replace(running, stage=Stage.READY, done=running.total, path=reply.path, is_checked=False)
            self._replace(ready)
            self.finished.emit(ready)
        elif isinstance(reply, Failed):
            problem = Problem(reply.title, reply.sentence)
            stopped = replace(running, stage=Stage.STOPPED, problem=problem, is_checked=False)
            self._replace(stopped)
            self.stopped.emit(stopped)
        self._go_on()

    def _discard(self, download: Download) -> None:
        from app.hub.messages import Discard

        self._given_up.append(download)
        self._cleaner.ask(Discard(self._place_of(download.endpoint), download.name, download.commit))

    def _on_discarded(self, reply: Reply) -> None:
        from app.hub.messages import Done

        if not isinstance(reply, Done):
            logger.warning("what a download left was not removed: %s", reply)
        del self._given_up[:1]
        if not self._given_up:
            self._cleaner.stop()
        self._go_on()

    def _replace(self, download: Download) -> None:
        self.list = [download if one.key == download.key else one for one in self.list]

    def _save(self) -> None:
        """Have what is not finished written."""
        self._saved_at = monotonic()
        if self._file is not None:
            self._file.write((*self.list, *self._given_up))
