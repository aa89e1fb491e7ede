"""The model in use: which one, opening another, and an engine that died."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.models.ollama_store import is_reference
from app.protocol.capabilities import Capabilities
from app.protocol.events import ContextLimited, EngineFailed, EngineStarted, Event
from app.protocol.references import is_on_server
from app.protocol.reports import Problem
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model import model_cards
from app.viewmodels.model.context_limits import read_limit
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.model.model_list import ModelList
from app.viewmodels.model.model_state import ModelState, model_state
from app.worker.engine_host import EngineHost


class ModelRegion(QObject):
    """Opens models, and starts an engine again that died.

    Attributes: state; current_model; list, of the models of this machine.

    Signal: restarted(), there is a new engine, which knows nothing yet and has been asked for nothing.
    """

    restarted = Signal()

    state: LiveState[ModelState]

    def __init__(
        self, host: EngineHost, settings: Settings, guide: str, notices: Notices, parent: QObject | None = None
    ) -> None:
        """guide: folder of the built-in model."""
        super().__init__(parent)
        self._host, self._notices = host, notices
        self._card: ProblemCard | None = None
        self._suspect = ""
        self._not_opened = ""
        self._is_engine_up = False
        self._capabilities: Capabilities | None = None
        self.current_model = CurrentModel(host, settings, guide, self)
        self.list = ModelList(settings, self.current_model, notices, self)
        self.state = LiveState(self._state, self)
        self.state.follow(self.current_model.changed)
        self.current_model.changed.connect(self._on_changed)
        self.current_model.ready.connect(self._on_ready)
        self.current_model.kept.connect(self._on_kept)
        self.current_model.stopped.connect(self._on_stopped)

    def open(self, path: str, adapter: str | None = None) -> None:
        """Load the model in this folder in place of the one in use, which goes on until the new one is found sound.

        path: a folder, or what else names a model. adapter: as of `CurrentModel.open`. An engine that died is started
        again.
        """
        self._card = None
        if self._host.has_failed:
            self._restart()
        is_folder = not (is_reference(path) or is_on_server(path))
        self.current_model.open(str(Path(path).expanduser().absolute()) if is_folder else path, adapter)

    def stop_opening(self) -> None:
        """Give up the model that is being opened. Without effect when none is."""
        self.current_model.stop_opening()

    def keep_in_bits(self, bits: int | None) -> None:
        """Keep the KV cache of the model in use in so many bits, which makes answers approximate; None for all bits."""
        self.current_model.keep_in_bits(bits)

    def own_context(self, path: str) -> int:
        """Return how many tokens a model could read without a limit, 0 where that is not known."""
        info, entry = self.current_model.info, self.list.entry(path)
        own = info.own_context if info is not None and info.path == path else 0
        return own or (entry.context if entry is not None and entry.context else 0)

    def usual_context(self, path: str) -> int:
        """Return for how many tokens a model's server makes room where nobody says how many, 0 where it has its own."""
        info = self.current_model.info
        return info.usual_context if info is not None and info.path == path else 0

    def limit_context(self, path: str, text: str) -> str:
        """Have a model read at most as many tokens as was typed, as many as is usual for "". Returns why not, or ""."""
        read = read_limit(text, self.own_context(path), self.usual_context(path))
        if not read.problem:
            self.current_model.limit_context(path, read.tokens)
        return read.problem

    def use_guide(self) -> None:
        """Load the built-in model."""
        self.open(self.current_model.guide)

    def restart_engine(self) -> None:
        """Start the engine again after it died, with the model it had."""
        self._restart()
        self.open(self.current_model.path)

    def suspect(self, path: str) -> None:
        """Say that this model, which the program did not live through, was not opened."""
        self._suspect = path
        self._show_card(model_cards.suspected(path))

    def open_anyway(self) -> None:
        """Open the model that the program did not live through."""
        self.open(self._suspect)

    def dismiss_card(self) -> None:
        """Take away the problem that stands in the way of every conversation, and change nothing else."""
        self._card = None
        self.state.refresh()

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about the engine itself or its models."""
        if isinstance(event, EngineStarted | EngineFailed):
            self._is_engine_up = isinstance(event, EngineStarted)
            if isinstance(event, EngineStarted):
                self._capabilities = event.capabilities
            self.state.refresh()
        if isinstance(event, ContextLimited) and event.problem is not None:
            self._notices.error(event.problem)
        self.list.take(event)
        self.current_model.take(event)

    def tell_failure(self, problem: Problem) -> None:
        """Say why the engine died, once everybody knows that it has."""
        self._show_card(model_cards.engine_failed(problem))

    def close(self) -> None:
        """Follow the end of the program: an engine that ended in order leaves no model to blame."""
        self.list.close()
        if not (self._host.is_stuck or self._host.has_failed):
            self.current_model.close()

    def _restart(self) -> None:
        self._host.restart()
        self.restarted.emit()

    def _state(self) -> ModelState:
        return model_state(self.current_model, self._is_engine_up, self._capabilities, self._card)

    def _show_card(self, card: ProblemCard) -> None:
        self._card = card
        self._notices.announce(card.sentence)
        self.state.refresh()

    def _on_changed(self) -> None:
        problem, path = self.current_model.problem, self.current_model.path
        if problem is not None:
            self._suspect = path
            self._show_card(model_cards.model_failed(problem, path, self.current_model.is_guide))

    def _on_ready(self) -> None:
        self._notices.close(self._not_opened)
        info = self.current_model.info
        if info is not None and info.note:
            self._notices.error(Problem(info.name, info.note))

    def _on_stopped(self, path: str) -> None:
        """Say that a model was not opened, and what is in use; without any, offer it again."""
        current = self.current_model
        if current.info is not None:
            self._not_opened = f"Opening {current.name_of(path)} was stopped. {current.name} stays in use."
            self._notices.info(self._not_opened)
        else:
            self._suspect = path
            self._show_card(model_cards.stopped(current.name_of(path)))

    def _on_kept(self, problem: Problem, path: str) -> None:
        """Say that a model could not be opened, and that the one in use stays. A server may answer the next time."""
        self._not_opened = f"{problem.title}. {problem.sentence} {self.current_model.name} stays in use."
        if is_on_server(path) and not problem.is_of_server:
            self._notices.warn(self._not_opened, "Try Again", partial(self.open, path))
        else:
            self._notices.warn(self._not_opened)
