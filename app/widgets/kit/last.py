"""Whether anything differs from the last time: the status changes often, and most of it not at all."""

from __future__ import annotations


class Last:
    """Remembers the values it was last asked about."""

    def __init__(self) -> None:
        self._values: tuple[object, ...] | None = None

    def differs(self, *values: object) -> bool:
        """Whether these are other values than those of the last call; True the first time."""
        is_new = values != self._values
        self._values = values
        return is_new
