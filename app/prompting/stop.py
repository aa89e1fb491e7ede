"""The texts that end an answer. A text that could still become one of them is held back until it has or cannot."""

from __future__ import annotations

from collections.abc import Sequence


class StopText:
    """A filter of text: `is_met` once one of the stop texts came, and nothing from it on is let through."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.is_met = False

    def push(self, text: str) -> str:
        """Add new text and return what of the text so far can be shown now."""
        if self.is_met or not self._stops:
            return "" if self.is_met else text
        self._held += text
        found = [at for at in (self._held.find(stop) for stop in self._stops) if at >= 0]
        if found:
            self.is_met = True
            return self._release(min(found), keep=False)
        return self._release(len(self._held) - waiting_length(self._held, self._stops))

    @property
    def held(self) -> str:
        """Return the text that waits, as it may turn out to be a stop text."""
        return self._held

    @property
    def is_holding_back(self) -> bool:
        """Return whether text waits."""
        return bool(self._held)

    def rest(self) -> str:
        """Return what was held back when the answer ended without a stop text."""
        return "" if self.is_met else self._release(len(self._held))

    def _release(self, length: int, keep: bool = True) -> str:
        shown, self._held = self._held[:length], self._held[length:] if keep else ""
        return shown


def waiting_length(text: str, marks: Sequence[str]) -> int:
    """Return the length of the longest end of a text that one of these marks begins with."""
    longest = max(map(len, marks), default=0)
    for length in range(min(longest - 1, len(text)), 0, -1):
        if any(mark.startswith(text[-length:]) for mark in marks):
            return length
    return 0
