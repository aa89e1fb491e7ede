"""The search for models in their places.

Properties: a folder costs itself alone, whatever lies in it: one that is damaged is listed with its reason, one whose
disk hangs is waited for only so long, links in circles end, and each model is found once however many ways lead to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from app.models.contents import list_folder
from app.models.description import describe_folder, describe_ollama, is_model
from app.models.entry import ModelEntry, Source
from app.models.names import HUB_MODEL, model_name, shown
from app.models.ollama_store import list_models
from app.models.places import Place
from app.protocol.deadline import NO_ANSWER, DeadlineCaller
from app.protocol.plain_files import read_plain

T = TypeVar("T")
_LEVELS = 2  # below a place: the folder of a publisher, then that of a model
_MOST_HANGING = 2
PATIENCE = 2.0  # seconds for the files of one model


def scan(
    places: Iterable[Place], is_cancelled: Callable[[], bool] = lambda: False, patience: float = PATIENCE
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


class _Search:
    """The search of one place, a folder at a time."""

    def __init__(self, place: Place, patience: float) -> None:
        self._place, self._patience = place, patience
        self._caller = DeadlineCaller("models", patience)
        self._hanging = 0

    def results(self) -> Iterator[_Found]:
        place = self._place
        if place.source is Source.OLLAMA:
            yield from self._ollama()
            return
        waiting = [(place.root, 0)]
        while waiting and self._hanging < _MOST_HANGING:
            path, level = waiting.pop()
            try:
                found = self._ask(lambda path=path, level=level: _look(place, path, level))  # type: ignore[misc]
            except TimeoutError as error:
                yield _silent(place, path, error)
                continue
            except OSError as error:
                if path == place.root and place.source is Source.ADDED:
                    yield _nothing(place, _why(error))
                continue
            if isinstance(found, _Found):
                yield found
            else:
                waiting += [(below, level + 1) for below in reversed(found)]

    def _ollama(self) -> Iterator[_Found]:
        root = self._place.root
        try:
            yield from self._ask(
                lambda: [_Found(model.reference, describe_ollama(model, root)) for model in list_models(root)]
            )
        except TimeoutError as error:
            yield _nothing(self._place, _why(error))

    def _ask(self, function: Callable[[], T]) -> T:
        """Call a function that reads the disk. One that hangs is left behind, and the next is called all the same."""
        try:
            return self._caller.call(function)
        except TimeoutError:
            self._hanging += 1
            self._caller = DeadlineCaller("models", self._patience)
            raise


def _look(place: Place, path: Path, level: int) -> _Found | list[Path]:
    """Describe the model of a folder, or return the folders in it that may hold models. Raises OSError."""
    if path.name.startswith(HUB_MODEL) and level:
        snapshot = _snapshot(path)
        return [] if snapshot is None else _found(place, snapshot)
    contents = list_folder(path)
    if is_model(contents):
        return _found(place, path)
    return [path / name for name in contents.folders if not name.startswith(".")] if level < _LEVELS else []


def _found(place: Place, folder: Path) -> _Found:
    return _Found(os.path.realpath(folder), describe_folder(folder, place.source, place.root))


def _silent(place: Place, path: Path, error: OSError) -> _Found:
    """Return the entry of a folder whose disk does not answer."""
    if path == place.root:
        return _nothing(place, _why(error))
    name = shown(model_name(str(path)))
    return _Found(str(path), ModelEntry(str(path), name, place.source, str(place.root), reason=_why(error)))


def _nothing(place: Place, reason: str) -> _Found:
    """Return the entry of a place in which no model is found."""
    root = str(place.root)
    name = place.root.name if place.source is Source.ADDED else place.source.value
    return _Found(root, ModelEntry(root, shown(name), place.source, root, reason=reason))


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
