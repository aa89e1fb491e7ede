"""Good models to begin with, by the memory they need: a list that ships with the program, and says "about"."""

from __future__ import annotations

import json
from pathlib import Path

from app.hub.naming import bytes_about
from app.protocol.dataclass import dataclass
from app.protocol.plain_files import read_plain

_LARGEST = 1 << 18


@dataclass(frozen=True, slots=True)
class Starter:
    """A model to begin with. memory: of the machine it is meant for, in GB; bytes: about, from parameters and bits."""

    repository: str
    memory: int
    parameters: int
    bits: int
    line: str

    @property
    def bytes(self) -> int:
        """Return about how large it is."""
        return bytes_about(self.parameters, self.bits)


def starters(path: str) -> tuple[Starter, ...]:
    """Return the list in a file, smallest first, none where the file cannot be read."""
    try:
        found = [Starter(**one) for one in json.loads(read_plain(Path(path), _LARGEST))] if path else []
    except (OSError, ValueError, TypeError):
        return ()
    return tuple(sorted(found, key=lambda one: one.parameters))
