"""Presets of sampling: those that come with the program, and those that a person has saved by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversation.message import checked_title
from app.conversation.records import Preset
from app.protocol.excerpts import one_line
from app.viewmodels.chat.sampling_fields import known_values
from app.viewmodels.kit.store_link import StoreLink

DEFAULTS = "Model’s Defaults"
SHIPPED: tuple[Preset, ...] = (
    Preset(DEFAULTS, {}),
    Preset("Precise", {"temperature": 0.2, "top_p": 0.9}),
    Preset("Creative", {"temperature": 1.1, "top_p": 1.0, "min_p": 0.05}),
)


class Presets(QObject):
    """All presets, the shipped ones first. What a person does to their own is stored at once.

    Signal: changed(), there are others.
    """

    changed = Signal()

    def __init__(self, store: StoreLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._own: tuple[Preset, ...] = ()

    def read(self) -> None:
        """Read what was saved in earlier runs."""
        self._store.do(lambda store: store.presets.all(), self._take)

    @property
    def all(self) -> tuple[Preset, ...]:
        """All presets."""
        return (*SHIPPED, *self._own)

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the settings of a preset, those of the model where there is none of this name."""
        return next((known_values(one.sampling) for one in self.all if one.name == name), {})

    def has(self, name: str) -> bool:
        """Return whether there is a preset of this name."""
        return any(one.name == name for one in self.all)

    def is_own(self, name: str) -> bool:
        """Return whether a person saved a preset of this name."""
        return any(one.name == name for one in self._own)

    def problem_of(self, name: str, renamed: str = "") -> str:
        """Say why a preset cannot be saved under a name, "" where it can. renamed: the one that is to have it."""
        if any(one.name.casefold() == one_line(name).casefold() for one in SHIPPED):
            return "This name belongs to a preset of Espalier’s own."
        try:
            title = checked_title(name)
            alike = [one.name for one in self._own if one.name.casefold() == title.casefold() and one.name != renamed]
            is_itself = not renamed and alike == [title]
            taken = bool(alike) and not is_itself
        except ValueError:
            return "A name has 1 to 200 characters."
        return "Another preset has this name." if taken else ""

    def save(self, name: str, sampling: Mapping[str, Any]) -> None:
        """Save settings under a name, in place of those that have it. Nothing happens for a name that cannot be."""
        if self.problem_of(name):
            return
        preset = Preset(checked_title(name), dict(sampling))
        is_there = self.is_own(preset.name)
        own = (preset if one.name == preset.name else one for one in self._own)
        self._put(tuple(own) if is_there else (*self._own, preset))
        self._store.do(lambda store: store.presets.save(preset))

    def rename(self, name: str, new_name: str) -> None:
        """Give a preset another name. Nothing happens for one that cannot be."""
        if self.is_own(name) and not self.problem_of(new_name, name):
            title = checked_title(new_name)
            self._put(tuple(Preset(title, one.sampling) if one.name == name else one for one in self._own))
            self._store.do(lambda store: store.presets.rename(name, title))

    def delete(self, name: str) -> None:
        """Delete a preset that a person saved."""
        self._put(tuple(one for one in self._own if one.name != name))
        self._store.do(lambda store: store.presets.delete(name))

    def _take(self, found: tuple[Preset, ...]) -> None:
        since = {one.name for one in self._own}
        self._put((*(one for one in found if one.name not in since), *self._own))

    def _put(self, own: tuple[Preset, ...]) -> None:
        self._own = own
        self.changed.emit()
