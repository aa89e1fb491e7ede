"""Which model is loaded, being loaded, missing: what the rest of the window asks about models."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.protocol.chat import Sampling
from app.protocol.commands import LoadModel
from app.protocol.events import EngineFailed, Event, ModelFailed, ModelLoading, ModelReady
from app.protocol.reports import ModelInfo, Problem
from app.worker.engine_host import EngineHost

GUIDE_NAME = "Espalier Guide"

# The guide was trained on answers to fixed questions: a little chance for its stories, not enough to lead it astray.
GUIDE_SAMPLING = Sampling(temperature=0.3, top_p=0.9)


class ModelShelf(Protocol):
    """What is remembered about models from one start to the next. The settings implement it."""

    @property
    def guide(self) -> str:
        """Folder of the built-in model."""
        ...

    @property
    def recent(self) -> tuple[str, ...]:
        """Folders that were opened, the last one first; the guide is not among them."""
        ...

    def opened(self, path: str) -> None:
        """A model was loaded from this folder: it is the one to start with next time."""
        ...

    def suspect(self, path: str) -> None:
        """Remember that this folder may end the program, until it is opened or another one is named; "" for none."""
        ...


class ModelDesk(QObject):
    """The model in use, as the events of the engine tell it.

    Signals: changed() anything of it; ready() a model has been loaded.
    """

    changed = Signal()
    ready = Signal()

    def __init__(self, host: EngineHost, shelf: ModelShelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._shelf = shelf
        self.path = ""
        self.info: ModelInfo | None = None
        self.loading: ModelLoading | None = None
        self.problem: Problem | None = None

    @property
    def name(self) -> str:
        """Of the model in use, or wanted."""
        if self.info is not None:
            return self.info.name
        return GUIDE_NAME if self.is_guide else self.path.rstrip("/").rsplit("/", 1)[-1]

    @property
    def is_guide(self) -> bool:
        """Whether the model in use, or wanted, is the built-in one."""
        return self.path == self._shelf.guide

    @property
    def guide(self) -> str:
        """Folder of the built-in model."""
        return self._shelf.guide

    @property
    def recent(self) -> tuple[str, ...]:
        """Folders to offer again."""
        return self._shelf.recent

    @property
    def fingerprint(self) -> str | None:
        """Of the loaded model, None when there is none."""
        return self.info.fingerprint if self.info else None

    @property
    def sampling(self) -> Sampling:
        """How answers are sampled with this model."""
        return GUIDE_SAMPLING if self.is_guide else Sampling()

    def want(self, path: str) -> None:
        """Name the model in this folder without loading it yet."""
        self.path = path
        self.changed.emit()

    def open(self, path: str) -> None:
        """Ask the engine for the model in this folder; the one in use is closed."""
        self.path, self.info, self.problem = path, None, None
        self.loading = ModelLoading(path, "")
        self._suspect(path)
        self._host.submit(LoadModel(path))
        self.changed.emit()

    def close(self) -> None:
        """The program ends and the engine has ended in order: what was being opened is not to blame for anything."""
        if self.loading is not None:
            self._shelf.suspect("")

    def _suspect(self, path: str) -> None:
        """Write it down before the engine is asked: a process that dies writes nothing. The guide is known to open."""
        self._shelf.suspect("" if path == self._shelf.guide else path)

    def take(self, event: Event) -> None:
        """What the engine says about models; other events are ignored, and so is news of a folder no longer wanted."""
        if isinstance(event, EngineFailed):
            self._suspect(self.path)
            self.info, self.loading = None, None
            self.changed.emit()
        elif isinstance(event, ModelReady):
            self._loaded(event.info)
        elif isinstance(event, ModelLoading | ModelFailed) and event.path == self.path:
            self.loading = event if isinstance(event, ModelLoading) else None
            self.problem = event.problem if isinstance(event, ModelFailed) else None
            if isinstance(event, ModelFailed):
                self._shelf.suspect("")
            self.changed.emit()

    def _loaded(self, info: ModelInfo) -> None:
        if info.path != self.path:
            return
        self.info = replace(info, name=GUIDE_NAME) if self.is_guide else info
        self.loading, self.problem = None, None
        self._shelf.opened(info.path)
        self.changed.emit()
        self.ready.emit()
