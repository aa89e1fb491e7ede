"""Where this installation keeps what a person does not choose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folders:
    """guide: of the built-in model. snapshots: where cached state is written, "" for nowhere."""

    guide: str
    snapshots: str = ""
