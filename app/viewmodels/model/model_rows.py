"""The rows of the list of models: what each says of one, and in which order they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from PySide6.QtCore import Qt

from app.models.entry import ModelEntry, Source
from app.protocol.dataclass import dataclass
from app.protocol.events import ModelLoading
from app.protocol.memory import Memory, ModelSupport, default_budget, room_for_weights
from app.viewmodels.kit.lists import KeyedListModel
from app.viewmodels.model.file_check import CheckState
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT

_UNTOLD = "context length unknown"  # of a model on a server that says nothing of it


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model in the list.

    id: what the engine is asked to open. source: whose folder it lies in, and its publisher. details: type,
    parameters, precision, size of the weights, context, what it is not used for; said: all that for a screen reader.
    fit: what it leaves for the cache; is_too_large: nothing, it does not fit. reason: why it cannot be opened, ""
    where it can be tried. age: how long ago it was opened last. stage, done: how far its opening, or the check of its
    files is, "" and None without. root: where it was looked for.
    """

    id: str
    name: str
    source: str
    details: str = ""
    said: str = ""
    fit: str = ""
    is_too_large: bool = False
    reason: str = ""
    age: str = ""
    is_current: bool = False
    stage: str = ""
    done: float | None = None
    root: str = ""
    is_added: bool = False
    can_be_verified: bool = False

    @property
    def spoken(self) -> str:
        """Return all that the row shows, for a screen reader."""
        state = "open now" if self.is_current else self.stage
        used = f"last opened: {self.age}" if self.age else ""
        parts = (self.name, state, self.said, self.reason or self.fit, self.source, used)
        return ", ".join(part.replace(DOT, ", ") for part in parts if part)

    def matches(self, text: str) -> bool:
        """Return whether every word of a text is in what the row says."""
        said = f"{self.name} {self.details} {self.source} {self.reason}".casefold()
        return all(word in said for word in text.casefold().split())


@dataclass(frozen=True, slots=True)
class Standing:
    """Circumstances that the rows of models depend on.

    used: when each was opened last, in seconds since the epoch. now: likewise. support: of the engine. current: id of
    the model in use. loading: the one that is being opened. limits: how many tokens each may read, of those that a
    person has limited.
    """

    used: Mapping[str, int]
    now: float
    support: ModelSupport
    current: str = ""
    loading: ModelLoading | None = None
    check: CheckState = field(default_factory=CheckState)
    limits: Mapping[str, int] = field(default_factory=dict)


def rows_of(entries: Iterable[ModelEntry], standing: Standing) -> tuple[ModelRow, ...]:
    """Return a row for each model: those that can be opened first, the last used before the others, then by name."""
    rows = [(_row(entry, standing), entry) for entry in entries]
    rows.sort(key=lambda pair: (bool(pair[0].reason), -standing.used.get(pair[1].path, 0), pair[0].name.casefold()))
    return tuple(row for row, _ in rows)


def _row(entry: ModelEntry, standing: Standing) -> ModelRow:
    used = standing.used.get(entry.path)
    reason = entry.reason or _unknown_type(entry, standing.support)
    is_too_large, fit = _fit(entry, standing.support.memory)
    stage, done = _progress(entry, standing)
    limit, weights = standing.limits.get(entry.path), formatting.size(entry.weight_bytes) if entry.weight_bytes else ""
    return ModelRow(
        id=entry.path,
        name=entry.name,
        source=DOT.join(part for part in (entry.owner, entry.source.value) if part),
        details=_details(entry, limit, weights),
        said=_details(entry, limit, f"{weights} of weights" if weights else ""),
        fit="" if reason else fit,
        is_too_large=is_too_large,
        reason=reason,
        age=formatting.age(used, standing.now) if used else "",
        is_current=entry.path == standing.current,
        stage=stage,
        done=done,
        root=entry.root,
        is_added=entry.source is Source.ADDED,
        can_be_verified=entry.source is Source.OLLAMA and not entry.reason,
    )


def _progress(entry: ModelEntry, standing: Standing) -> tuple[str, float | None]:
    """Return what is being done with a model, and how far that is."""
    if standing.loading is not None and standing.loading.path == entry.path:
        return standing.loading.stage or "Opening", standing.loading.fraction
    if standing.check.model_id == entry.path:
        return "Verifying its files", standing.check.done
    return "", None


def _unknown_type(entry: ModelEntry, support: ModelSupport) -> str:
    if not support.model_types or not entry.model_type or entry.model_type in support.model_types:
        return ""
    return f"mlx-lm has no model of type “{entry.model_type}”."


def _fit(entry: ModelEntry, memory: Memory | None) -> tuple[bool, str]:
    """Return whether a model is too large for this machine, and what it leaves for the cache, in words."""
    if memory is None or not entry.weight_bytes:
        return False, ""
    if entry.weight_bytes > room_for_weights(memory):
        return True, f"too large: {formatting.share(entry.weight_bytes, room_for_weights(memory))}"
    budget = default_budget(entry.weight_bytes, memory)
    return False, f"fits, {formatting.size(budget)} for the cache" if budget else "fits, no room for the cache"


def _details(entry: ModelEntry, limit: int | None, weights: str) -> str:
    unused = "text only" if entry.sees else ""
    parts = (
        entry.model_type,
        formatting.parameters(entry.parameters) if entry.parameters else "",
        entry.precision,
        weights,
        _context(entry.context or 0, limit),
        ", ".join(part for part in (unused, "without tools" if entry.calls_tools else "") if part),
    )
    unknown = _UNTOLD if entry.source is Source.SERVER else ""
    return DOT.join(part for part in parts if part) or unknown


def _context(own: int, limit: int | None) -> str:
    """Say how many tokens a model reads: as many as it can, or as a person lets it."""
    could = formatting.context(own) if own else ""
    if limit is None or (own and limit >= own):
        return could
    return ", ".join(part for part in (could, f"limited to {formatting.number(limit)}") if part)


class ModelRows(KeyedListModel[ModelRow]):
    """Models in their order. What cannot be opened is said, and can be gone to all the same."""

    def text(self, number: int, role: int) -> str | None:
        """Return the name, what a screen reader says, or where the model lies."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        return row.reason or row.id if role == Qt.ItemDataRole.ToolTipRole else None
