"""Models that can be had, as rows: good ones to begin with, and those that a search has found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt

from app.hub.found import Found
from app.hub.starters import Starter
from app.protocol.dataclass import dataclass
from app.protocol.memory import Memory, ModelSupport, default_budget, room_for_weights
from app.viewmodels.kit.lists import ListModel
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT, HARD


@dataclass(frozen=True, slots=True)
class HubRow:
    """A row. line: what it is, in figures; mark: how it stands with this machine, is_warning where that is bad.

    author: shown beside the title. is_here: it need not be downloaded.
    """

    name: str
    title: str
    author: str
    line: str
    mark: str = ""
    is_warning: bool = False
    is_here: bool = False


class HubRows(ListModel[HubRow]):
    """The rows that are shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[HubRow, ...] = ()

    @property
    def rows(self) -> Sequence[HubRow]:
        """All rows, in order."""
        return self._rows

    def show(self, rows: Sequence[HubRow]) -> None:
        """Show these rows. What is only appended leaves the rows above, and the place in the list, alone."""
        new = tuple(rows)
        before = len(self._rows)
        if new == self._rows:
            return
        if before and new[:before] == self._rows:
            self.beginInsertRows(self.index(-1), before, len(new) - 1)
            self._rows = new
            self.endInsertRows()
        else:
            self.beginResetModel()
            self._rows = new
            self.endResetModel()

    def text(self, number: int, role: int) -> str | None:
        """Return a row in words."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (row.title, row.author, row.line.replace(DOT, ", "), row.mark) if part)
        return None


def fits(weight_bytes: int, memory: Memory | None) -> bool | None:
    """Return whether weights fit this machine, None where that is not known."""
    return None if memory is None or not weight_bytes else weight_bytes <= room_for_weights(memory)


def fit_line(weight_bytes: int, memory: Memory | None) -> str:
    """Say whether weights fit this machine, and what they leave for the cache; "" where that is not known."""
    fit = fits(weight_bytes, memory)
    if memory is None or fit is None:
        return ""
    if not fit:
        return f"Too large for the memory here, of which {formatting.size(room_for_weights(memory))} can be used."
    budget = default_budget(weight_bytes, memory)
    if not budget:
        return "Fits, but leaves hardly any memory for the cache."
    return f"Fits, and leaves {formatting.size(budget)} of memory for the cache."


def is_unsupported(architecture: str, support: ModelSupport) -> bool:
    """Return whether the engine is known not to open models of this architecture."""
    return bool(architecture and support.model_types) and architecture not in support.model_types


def found_row(found: Found, support: ModelSupport, here: bool) -> HubRow:
    """Return the row of a model that was found."""
    parts = (
        f"about {formatting.size(found.bytes)}" if found.bytes else "",
        parameters(found.parameters),
        precision(found.bits),
        found.licence,
        f"{counted(found.downloads)} downloads",
        f"{counted(found.likes)} likes",
        formatting.day(found.updated) if found.updated else "",
    )
    mark, is_warning = _mark(found.bytes, support.memory, here)
    if is_unsupported(found.architecture, support) and not here:
        mark, is_warning = "Not supported", True
    if found.is_gated and not here and not is_warning:
        mark = "Asks for access"
    title = found.name.rpartition("/")[2]
    return HubRow(found.name, title, found.author, DOT.join(one for one in parts if one), mark, is_warning, here)


def starter_row(starter: Starter, support: ModelSupport, here: bool) -> HubRow:
    """Return the row of a good model to begin with."""
    author, _, title = starter.repository.rpartition("/")
    line = f"about {formatting.size(starter.bytes)}{DOT}for {starter.memory}{HARD}GB of memory{DOT}{starter.line}"
    mark, is_warning = _mark(starter.bytes, support.memory, here)
    return HubRow(starter.repository, title, author, line, mark, is_warning, here)


def counted(count: int) -> str:
    """Write how often something was counted, rounded: "812", "3.8k", "96k", "2.4M"."""
    return formatting.short_count(count) if count < 999_500 else f"{count / 1e6:.1f}M"


def parameters(count: int) -> str:
    """Write a number of parameters: "8 B", "0.6 B", "135 M", "" for none."""
    if not count:
        return ""
    if count < 500_000_000:
        return f"{count / 1e6:.0f}{HARD}M parameters"
    return f"{count / 1e9:.1f}".removesuffix(".0") + f"{HARD}B parameters"


def precision(bits: float) -> str:
    """Write how many bits a parameter has: "4-bit", "" where that is not known."""
    return f"{bits:g}-bit" if bits else ""


def is_match(row: HubRow, words: str) -> bool:
    """Return whether a row has all of these words."""
    text = f"{row.name} {row.line}".casefold()
    return all(word in text for word in words.casefold().split())


def _mark(weight_bytes: int, memory: Memory | None, here: bool) -> tuple[str, bool]:
    if here:
        return "Here already", False
    fit = fits(weight_bytes, memory)
    return {None: ("", False), True: ("Fits", False), False: ("Too large", True)}[fit]
