"""Which model is loaded, being loaded, missing: what the rest of the window asks about models."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, Unpack

from PySide6.QtCore import QObject, Signal

from app.models.names import model_name as model_name
from app.protocol.chat import Sampling
from app.protocol.commands import CancelOpening, LimitContext, LoadModel
from app.protocol.events import (
    ContextLimited,
    EngineFailed,
    Event,
    ModelClosed,
    ModelFailed,
    ModelLoading,
    ModelReady,
    OpeningCancelled,
)
from app.protocol.references import server_model
from app.protocol.reports import ModelInfo, Problem
from app.protocol.servers import Server
from app.viewmodels.kit.settings import MOST_ENTRIES, Settings, SettingsChanges
from app.worker.engine_host import EngineHost

logger = logging.getLogger(__name__)

Choice = TypeVar("Choice", int, str)

GUIDE_NAME = "Espalier Guide"
MOST_RECENT = 8

# The guide was trained on answers to fixed questions: a little chance for its stories, not enough to lead it astray.
GUIDE_SAMPLING = Sampling(temperature=0.3, top_p=0.9)


def _changed(known: Mapping[str, Choice], path: str, choice: Choice | None) -> dict[str, Choice]:
    """Return what was chosen for each model with this choice for one of them, None for none; the oldest may go."""
    chosen = [(one, value) for one, value in known.items() if one != path]
    if choice is not None:
        chosen.append((path, choice))
    return dict(chosen[-MOST_ENTRIES:])


class CurrentModel(QObject):
    """The model in use, as the events of the engine tell it, and the one that is being opened.

    The model in use stays that until another one is known to be sound: a folder that is no model changes nothing.

    Attributes: guide, folder of the built-in model; info, of the model in use, None when there is none; loading, how
    far the next one is, None when none is being opened; problem, why there is no model in use.

    Signals: changed() anything of it; ready() a model has been loaded; kept(object, str), the `Problem` of a model that
    could not be opened while the one in use stayed, and its path; stopped(str), the path of one whose opening the
    person ended.
    """

    changed = Signal()
    ready = Signal()
    kept = Signal(object, str)
    stopped = Signal(str)

    def __init__(self, host: EngineHost, settings: Settings, guide: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._settings = settings
        self.guide = guide
        self._wanted = ""
        self._is_stopping = False
        self.info: ModelInfo | None = None
        self.loading: ModelLoading | None = None
        self.problem: Problem | None = None

    @property
    def path(self) -> str:
        """Folder of the model in use; when there is none, of the one wanted."""
        return self._wanted if self.info is None else self.info.path

    @property
    def name(self) -> str:
        """Of the model in use, or wanted."""
        return self.name_of(self.path) if self.info is None else self.info.name

    @property
    def wanted(self) -> str:
        """Folder of the model that was asked for last: it is in use, or being opened, or could not be."""
        return self._wanted

    @property
    def wanted_name(self) -> str:
        """Of the model that is being opened."""
        return self.name_of(self._wanted)

    @property
    def to_ask(self) -> ModelInfo | None:
        """The model that a question may go to now. While another one is being opened, questions wait for what comes."""
        return self.info if self.loading is None else None

    def name_of(self, path: str) -> str:
        """Return what the model at a path is called before it is open."""
        return GUIDE_NAME if path == self.guide else model_name(path)

    @property
    def is_guide(self) -> bool:
        """Whether the model in use, or wanted, is the built-in one."""
        return self.path == self.guide

    @property
    def fingerprint(self) -> str | None:
        """Of the loaded model, None when there is none."""
        return self.info.fingerprint if self.info else None

    @property
    def sampling(self) -> Sampling:
        """The way answers are sampled with this model: as its authors recommend it."""
        if self.is_guide:
            return GUIDE_SAMPLING
        return Sampling() if self.info is None else self.info.sampling

    def open(self, path: str, adapter: str | None = None) -> None:
        """Ask the engine for the model in this folder, to take the place of the one in use.

        adapter: the folder of one that is added to it from now on, "" for none; None for what was chosen before.
        """
        self._wanted, self.problem = path, None
        self._is_stopping = False
        self.loading = ModelLoading(path, "")
        self._suspect(path)
        chosen = self.adapter_of(path) if adapter is None else adapter
        bits = self._settings.values.kv_bits.get(path)
        self._host.submit(LoadModel(path, bits, chosen, self.context_limit_of(path), self._server_of(path)))
        self.changed.emit()

    def _server_of(self, path: str) -> Server | None:
        """Return the server that a model is on; None for a model of this computer, and where the server is gone."""
        model = server_model(path)
        known = self._settings.values.servers if model is not None else ()
        found = next((one for one in known if model is not None and one.id == model.server_id), None)
        return None if found is None else found.server

    def adapter_of(self, path: str) -> str:
        """Return the folder of the adapter that a model is opened with, "" for none."""
        return self._settings.values.adapters.get(path, "")

    def keep_in_bits(self, bits: int | None) -> None:
        """Keep the KV cache of the model in use in so many bits from now on: it is opened again. None for all bits."""
        if self.info is None:
            return
        self._keep(kv_bits=_changed(self._settings.values.kv_bits, self.path, bits))
        if bits != self.info.kv_bits:
            self.open(self.path)

    def context_limit_of(self, path: str) -> int | None:
        """Return how many tokens a person lets a model read, None for as many as it can."""
        return self._settings.values.context_limits.get(path)

    def limit_context(self, path: str, tokens: int | None) -> None:
        """Have a model read at most so many tokens from now on, None for as many as it can. It stays open."""
        self._keep(context_limits=_changed(self._settings.values.context_limits, path, tokens))
        if self.info is not None and self.info.path == path:
            self._host.submit(LimitContext(tokens))

    def stop_opening(self) -> None:
        """Have the engine give up the model that is being opened."""
        if self.loading is None or self._is_stopping:
            return
        self._is_stopping = True
        self.loading = replace(self.loading, stage="Stopping")
        self._host.submit(CancelOpening(self._wanted))
        self.changed.emit()

    def close(self) -> None:
        """Blame nothing that was being opened: the program ends, and the engine has ended in order."""
        if self.loading is not None:
            self._keep(suspect="")

    def _suspect(self, path: str) -> None:
        """Write it down before the engine is asked: a process that dies writes nothing. The guide is known to open."""
        self._keep(suspect="" if path == self.guide else path)

    def _keep(self, **changes: Unpack[SettingsChanges]) -> None:
        """Remember it for the next start; a path whose name is no text is not remembered."""
        try:
            self._settings.update(**changes)
        except ValueError as error:
            logger.warning("the model is not remembered: %s", error)

    def take(self, event: Event) -> None:
        """Follow what the engine says about models, but for news of a folder no longer wanted."""
        if isinstance(event, EngineFailed):
            self._suspect(self._wanted if self.loading is not None else self.path)
            self._wanted = self.path if self.loading is None else self._wanted
            self.info, self.loading, self._is_stopping = None, None, False
            self.changed.emit()
        elif isinstance(event, ModelReady):
            self._loaded(event.info)
        elif isinstance(event, ModelClosed):
            self.info = None
            self.changed.emit()
        elif isinstance(event, ContextLimited):
            self._take_limit(event)
        elif isinstance(event, ModelLoading) and event.path == self._wanted and not self._is_stopping:
            self.loading = event
            self.changed.emit()
        elif isinstance(event, ModelFailed) and event.path == self._wanted:
            self._failed(event.problem)
        elif isinstance(event, OpeningCancelled) and event.path == self._wanted and self._is_stopping:
            self._stopped()

    def _take_limit(self, event: ContextLimited) -> None:
        if self.info is not None and self.info.path == event.path:
            self.info = replace(self.info, context_length=event.context_length)
            self.changed.emit()

    def _stopped(self) -> None:
        """Stay with the model in use, if there is one. An opening that was asked for since then goes on."""
        path = self._wanted
        self.loading, self._is_stopping = None, False
        self._keep(suspect="")
        if self.info is not None:
            self._wanted = self.info.path
        self.changed.emit()
        self.stopped.emit(path)

    def _failed(self, problem: Problem) -> None:
        self.loading, self._is_stopping = None, False
        self._keep(suspect="")
        if self.info is None:
            self.problem = problem
            self.changed.emit()
            return
        path, self._wanted = self._wanted, self.info.path
        self.changed.emit()
        self.kept.emit(problem, path)

    def _loaded(self, info: ModelInfo) -> None:
        if info.path != self._wanted:
            return
        self.info = replace(info, name=GUIDE_NAME) if info.path == self.guide else info
        self.loading, self.problem, self._is_stopping = None, None, False
        self._remember(info.path)
        self._remember_adapter(info)
        self._follow_limit(info)
        self.changed.emit()
        self.ready.emit()

    def _remember_adapter(self, info: ModelInfo) -> None:
        """Open it with this adapter the next time, since both are known to go together, or with none."""
        if info.adapter != self.adapter_of(info.path):
            self._keep(adapters=_changed(self._settings.values.adapters, info.path, info.adapter or None))

    def _follow_limit(self, info: ModelInfo) -> None:
        """Have the limit hold that was chosen while the model was being opened with another one."""
        wanted = self.context_limit_of(info.path)
        is_known = info.own_context or info.usual_context
        if is_known and info.context_of(wanted) != info.context_length:
            self._host.submit(LimitContext(wanted))

    def _remember(self, path: str) -> None:
        """Start with this model the next time. The guide is no recent model: it is always at hand."""
        if path == self.guide:
            self._keep(model="", suspect="")
        else:
            others = (one for one in self._settings.values.recent_models if one != path)
            self._keep(model=path, recent_models=(path, *others)[:MOST_RECENT], suspect="")
