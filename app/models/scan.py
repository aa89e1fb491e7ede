"""The search for models in their places.

Properties: a folder costs itself alone, whatever lies in it: one that is damaged is listed with its reason, one whose
disk hangs is waited for only so long, links in circles end, and each model is found once however many ways lead to it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from app.models.contents import list_folder
from app.models.description import describe_folder, describe_ollama, is_model
from app.models.entry import ModelEntry, Source
from app.models.names import HUB_MODEL, model_name, shown
from app.models.ollama_store import OllamaModel, list_models
from app.models.places import ModelLocation
from app.protocol.deadline import NO_ANSWER, no_answer
from app.protocol.plain_files import read_plain

_LEVELS = 2  # below a place: the folder of a publisher, then that of a model
_MOST_HANGING = 2
_STEP, _END = "step", "end"
PATIENCE = 2.0  # seconds for the files of one model


def scan(
    places: Iterable[ModelLocation], is_cancelled: Callable[[], bool] = lambda: False, patience: float = PATIENCE
) -> Iterator[ModelEntry]:
    """Yield each model of these places as it is found, and for an added folder without any, one entry that says so."""
    seen: set[str] = set()
    for place in places:
        is_empty = True
        for found in _Search(place, patience).results():
            if is_cancelled():
                return
            is_empty = False
            if found.key not in seen:
                seen.add(found.key)
                yield found.entry
        if is_empty and place.source is Source.ADDED:
            yield _nothing(place, "There is no model in this folder.").entry


class _Found(NamedTuple):
    """A model, and by what it is known for the same on another way."""

    key: str
    entry: ModelEntry


class _Step(NamedTuple):
    """A folder to be looked at, and how: it is a model, or comes to further steps. look: raises OSError."""

    path: Path
    look: Callable[[], _Found | list[_Step]]


class _Search:
    """The search of one place. A folder that hangs is left behind with its thread, and the next thread goes on."""

    def __init__(self, place: ModelLocation, patience: float) -> None:
        self._place, self._patience = place, patience

    def results(self) -> Iterator[_Found]:
        steps, hanging = [_first(self._place)], 0
        while steps and hanging < _MOST_HANGING:
            walk = _Walk(self._place, steps)
            walk.start()
            try:
                yield from self._of(walk)
                return
            except TimeoutError as error:
                hanging += 1
                path, steps = walk.leave()
                yield _silent(self._place, path, error)
            finally:
                walk.leave()

    def _of(self, walk: _Walk) -> Iterator[_Found]:
        """Yield what a thread finds until it has looked at everything. Raises TimeoutError where it hangs."""
        while True:
            try:
                found = walk.results.get(timeout=self._patience)
            except Empty:
                raise no_answer() from None
            if isinstance(found, _Found):
                yield found
            elif found == _END:
                return


class _Walk(threading.Thread):
    """A thread that takes one step after another. It never keeps the process from ending.

    Attributes: results, of each step what was found, `_STEP` where that is nothing, and `_END` after the last.
    """

    def __init__(self, place: ModelLocation, steps: list[_Step]) -> None:
        super().__init__(name="models", daemon=True)
        self._place, self._steps = place, steps
        self._at = place.root
        self._lock = threading.Lock()
        self._is_left = False
        self.results: SimpleQueue[_Found | str] = SimpleQueue()

    def leave(self) -> tuple[Path, list[_Step]]:
        """Have no further step taken; returns where it is, and the steps that are left."""
        with self._lock:
            self._is_left = True
            return self._at, list(self._steps)

    def run(self) -> None:
        """Take all steps."""
        while (step := self._next()) is not None:
            try:
                found = step.look()
            except OSError as error:
                is_told = step.path == self._place.root and self._place.source is Source.ADDED
                found = _nothing(self._place, _why(error)) if is_told else []
            with self._lock:
                self._steps += reversed(found) if isinstance(found, list) else ()
            self.results.put(_STEP if isinstance(found, list) else found)
        self.results.put(_END)

    def _next(self) -> _Step | None:
        with self._lock:
            if self._is_left or not self._steps:
                return None
            step = self._steps.pop()
            self._at = step.path
            return step


def _first(place: ModelLocation) -> _Step:
    if place.source is Source.OLLAMA:
        return _Step(place.root, lambda: [_of_store(place, model) for model in list_models(place.root)])
    return _Step(place.root, lambda: _look(place, place.root, 0))


def _of_store(place: ModelLocation, model: OllamaModel) -> _Step:
    return _Step(model.manifest, lambda: _Found(model.reference, describe_ollama(model, place.root)))


def _look(place: ModelLocation, path: Path, level: int) -> _Found | list[_Step]:
    """Describe the model of a folder, or return steps to the folders in it that may hold models. Raises OSError."""
    if path.name.startswith(HUB_MODEL) and level:
        snapshot = _snapshot(path)
        return [] if snapshot is None else _found(place, snapshot)
    contents = list_folder(path)
    if is_model(contents):
        return _found(place, path)
    below = (path / name for name in contents.folders if not name.startswith("."))
    return [_below(place, folder, level + 1) for folder in below] if level < _LEVELS else []


def _below(place: ModelLocation, folder: Path, level: int) -> _Step:
    return _Step(folder, lambda: _look(place, folder, level))


def _found(place: ModelLocation, folder: Path) -> _Found:
    return _Found(os.path.realpath(folder), describe_folder(folder, place.source, place.root))


def _silent(place: ModelLocation, path: Path, error: OSError) -> _Found:
    """Return the entry of a folder whose disk does not answer."""
    if path == place.root:
        return _nothing(place, _why(error))
    name = model_name(str(path))
    return _Found(str(path), ModelEntry(str(path), name, place.source, str(place.root), reason=_why(error)))


def _nothing(place: ModelLocation, reason: str) -> _Found:
    """Return the entry of a place in which no model is found."""
    root = str(place.root)
    name = shown(place.root.name) if place.source is Source.ADDED else place.source.value
    return _Found(root, ModelEntry(root, name, place.source, root, reason=reason))


def _why(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"{NO_ANSWER}."
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "The folder is not there: it was moved, renamed or is on a disk that is not connected."
    return f"The folder cannot be read: {error.strerror or error}."


def _snapshot(repository: Path) -> Path | None:
    """Return the newest snapshot of a repository in the hub's cache: the one that its main branch names, if it is here.

    None where there is no model in it: other things lie in that cache, too.
    """
    try:
        snapshots = list_folder(repository / "snapshots")
        named = _commit(repository / "refs" / "main")
        if named in snapshots.folders:
            newest = snapshots.path / named
        else:
            paths = [snapshots.path / name for name in snapshots.folders]
            newest = max(paths, key=lambda path: path.stat().st_mtime)
        return newest if is_model(list_folder(newest)) else None
    except (OSError, ValueError):
        return None


def _commit(ref: Path) -> str:
    try:
        return read_plain(ref, 200).decode("ascii").strip()
    except (OSError, ValueError):
        return ""
