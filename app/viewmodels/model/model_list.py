"""The models of this machine, as the picker and the window of models list them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from app.models.entry import ModelEntry, Source
from app.models.names import model_name
from app.protocol.events import EngineStarted, Event
from app.protocol.memory import ModelSupport
from app.protocol.references import ServerModel
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model.current_model import GUIDE_NAME, CurrentModel
from app.viewmodels.model.file_check import FileCheck
from app.viewmodels.model.model_rows import ModelRow, Standing, rows_of
from app.viewmodels.model.model_search import ModelSearch

logger = logging.getLogger(__name__)
MOST_USED = 100


class ModelList(QObject):
    """Models that were found on this machine, judged by what the engine can open.

    What a search finds is added while it runs; what it has not found again is taken out when it ends.

    Attributes: state, a row for each model; search; file_check.
    """

    state: LiveState[tuple[ModelRow, ...]]

    def __init__(
        self, settings: Settings, current_model: CurrentModel, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._current_model, self._notices = settings, current_model, notices
        self._support = ModelSupport()
        self._entries: dict[str, ModelEntry] = {}
        self._found: dict[str, ModelEntry] = {}
        self.search = ModelSearch(self)
        self._single = ModelSearch(self)
        self._new = ""
        self.file_check = FileCheck(self)
        self.state = LiveState(self._rows, self)
        self.state.follow(current_model.changed, settings.changed, self.file_check.changed)
        self.search.found.connect(self._add)
        self.search.ended.connect(self._end)
        self._single.found.connect(self._tell_abilities)
        current_model.ready.connect(self._note_use)

    def look(self) -> None:
        """Search this machine again. What is known stays in sight meanwhile."""
        self._found = {}
        self.search.look_everywhere(self._current_model.guide, self._settings.values.model_folders)
        self.state.refresh()

    def add_folder(self, path: str) -> None:
        """Look for models in this folder, too, from now on."""
        folders = self._settings.values.model_folders
        if path not in folders:
            self._keep_folders((*folders, path))
        self.look()

    def remove_folder(self, path: str) -> None:
        """Look no longer into an added folder. Nothing in it is deleted."""
        self._keep_folders(tuple(folder for folder in self._settings.values.model_folders if folder != path))
        self._entries = {key: entry for key, entry in self._entries.items() if entry.root != path}
        self.look()

    def entry(self, model_id: str) -> ModelEntry | None:
        """Return what is known of a model, None of one that was not found."""
        return self._entries.get(model_id)

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it says what it can open."""
        if isinstance(event, EngineStarted):
            self._support = event.support
            self.state.refresh()

    @property
    def support(self) -> ModelSupport:
        """The models that the engine can open, as far as it has said."""
        return self._support

    def close(self) -> None:
        """End the search."""
        self.search.close()
        self._single.close()
        self.file_check.close()

    @property
    def is_stuck(self) -> bool:
        """Whether a disk that was looked at hangs, after `close`."""
        return any(one.is_stuck for one in (self.search, self._single, self.file_check))

    def _keep_folders(self, folders: tuple[str, ...]) -> None:
        """Remember folders for the next start; a path whose name is no text is not remembered."""
        try:
            self._settings.update(model_folders=folders)
        except ValueError as error:
            logger.warning("the folder is not remembered: %s", error)

    def _note_use(self) -> None:
        """Remember when a model was opened, of the last hundred, and this one first, whatever the clock does.

        The first time, see what it could do elsewhere.
        """
        path = self._current_model.path
        if path not in self._used and path != self._current_model.guide:
            self._new = path
            self._single.look_for(path)
        before = sorted((one for one in self._used if one != path), key=lambda one: -self._used[one])
        used = {path: int(time.time())} | {one: self._used[one] for one in before[: MOST_USED - 1]}
        try:
            self._settings.update(models_used=used)
        except ValueError as error:
            logger.warning("the use of the model is not remembered: %s", error)

    def _tell_abilities(self, entries: tuple[ModelEntry, ...]) -> None:
        """Say once of a model what it was made for beside text, if it is still the one in use."""
        for entry in entries:
            abilities = _abilities(entry)
            if entry.path == self._new == self._current_model.path and abilities:
                self._new = ""
                self._notices.info(f"{entry.name} also {abilities}; here you talk with it in text alone.")

    def _add(self, entries: tuple[ModelEntry, ...]) -> None:
        found = {entry.path: entry for entry in entries}
        self._found |= found
        self._entries |= found
        self.state.refresh()

    def _end(self) -> None:
        self._entries = self._found
        self.state.refresh()

    def _rows(self) -> tuple[ModelRow, ...]:
        model = self._current_model
        current = model.info.path if model.info is not None else ""
        standing = Standing(
            *(self._used, time.time(), self._support, current, model.loading, self.file_check.state),
            self._settings.values.context_limits,
        )
        entries = (*map(self._named, self._entries.values()), *self._on_servers())
        return rows_of(entries, standing)

    def _on_servers(self) -> Iterator[ModelEntry]:
        """Give the models of the servers that were added, as they were told of last: none is asked for that."""
        for server in self._settings.values.servers:
            for name, context in server.models.items():
                path = ServerModel(server.id, name).reference
                yield ModelEntry(path, model_name(path), Source.SERVER, owner=server.name, context=context)

    @property
    def _used(self) -> Mapping[str, int]:
        return self._settings.values.models_used

    def _named(self, entry: ModelEntry) -> ModelEntry:
        return replace(entry, name=GUIDE_NAME) if entry.path == self._current_model.guide else entry


def _abilities(entry: ModelEntry) -> str:
    """Say what a model does beside text, "" where that is nothing."""
    return " and ".join(what for what, has in (("sees images", entry.sees), ("calls tools", entry.calls_tools)) if has)
