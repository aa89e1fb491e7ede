"""Whether values have changed since they were last compared: the status is sent often, and most of it is as before."""

from __future__ import annotations


class ChangeDetector:
    """Compares values with those of the call before."""

    def __init__(self) -> None:
        self._values: tuple[object, ...] | None = None

    def has_changed(self, *values: object) -> bool:
        """Tell whether these values differ from those of the last call, and remember them; True the first time."""
        is_new = values != self._values
        self._values = values
        return is_new
