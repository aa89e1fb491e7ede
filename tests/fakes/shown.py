"""A state that a test says, in place of one that is computed."""

from __future__ import annotations

from typing import TypeVar

from app.viewmodels.kit.live_state import LiveState

T = TypeVar("T")


class Shown(LiveState[T]):
    """Shows what it was given last."""

    def __init__(self, value: T) -> None:
        self._shown = value
        super().__init__(lambda: self._shown)

    def show(self, value: T) -> None:
        """Show this from now on, and tell at once."""
        self._shown = value
        self.refresh()
        self.tell()
