"""The rate at which prompts are read, and so how much of one to read in one step."""

from __future__ import annotations

# A step holds up cancel, estimates and the window's picture of the trie: half a second at most, aimed lower.
_STEP_SECONDS = 0.35
_SMALLEST, _FIRST, _LARGEST = 16, 128, 2048
# How much of the past is left in the rate after each measurement.
_MEMORY = 0.6


class PrefillRate:
    """The measured rate of prefill. `fixed`: read in chunks of this many tokens, whatever is measured."""

    def __init__(self, fixed: int | None = None) -> None:
        if fixed is not None and fixed < 1:
            raise ValueError(f"a chunk of {fixed} tokens")
        self._fixed = fixed
        self._tokens = self._seconds = 0.0

    @property
    def rate(self) -> float | None:
        """Return prompt tokens per second lately; None before anything was read."""
        return self._tokens / self._seconds if self._seconds > 0 else None

    @property
    def chunk(self) -> int:
        """Return how many tokens to read next: a power of two, so that shapes repeat."""
        if self._fixed is not None:
            return self._fixed
        if self.rate is None:
            return _FIRST
        fitting = max(int(self.rate * _STEP_SECONDS), 1)
        return min(max(1 << (fitting.bit_length() - 1), _SMALLEST), _LARGEST)

    def measured(self, tokens: int, seconds: float) -> None:
        """Add to the measurement that `tokens` were read in `seconds`."""
        self._tokens = self._tokens * _MEMORY + tokens
        self._seconds = self._seconds * _MEMORY + seconds

    def seconds(self, tokens: int) -> float | None:
        """Estimate how many seconds reading so many tokens takes; None before anything was read."""
        return tokens / self.rate if self.rate else None
