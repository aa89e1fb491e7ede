"""The memory that the next step needs, compared with what there is before it is taken.

A step is a call of the model, or what is kept of a branch coming into live arrays, from memory or from disk. An
allocation that fails inside MLX ends the process: nothing is thrown that could be caught. So what a call needs is
estimated, from the model's sizes at first and then from what earlier calls were seen to need, and compared with what
there is. Smaller calls need less; when even the smallest does not fit, cached state is let go, and then the run ends
with a sentence. Nothing is let go for a pin or a check, which answer nobody's question.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx

from app.engine.memory import Memory
from app.kvcache.prefix_cache import PrefixCache
from app.prompting.problems import ShortOfMemoryError
from app.protocol.attachments import length_of
from app.protocol.chat import Turn
from app.protocol.figures import size

# Bytes left for everything else: Python, stacks, buffers of the window.
_RESERVE = 48 << 20
# Rows by which buffers grow at once; the old buffer of a layer lives until the new one is filled.
_GROWTH = 256
_NUMBER = 4  # bytes of a float32
# How many arrays of a layer's width live at once for each token of a call, at most, before anything was measured.
_ARRAYS = 24
_SCORES = 2  # attention scores and their softmax
_LOGITS = 8  # a token's logits, sorted, summed and drawn from
_TELLING = 32  # tokens of a call whose need is believed
_LEAST = 8  # tokens of the smallest call that is tried
_CAUTION = 1.3  # of what was measured
_CHARACTER = 200  # bytes that a tokenizer and a template take for one
_TITLE = "There is not enough memory to go on"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a model that a call's memory depends on.

    widest: of a layer's arrays for one token. vocabulary: logits for one.
    """

    widest: int
    heads: int
    vocabulary: int


class StepMemory:
    """An estimate of the memory that calls of one model need. Owned by the model thread."""

    def __init__(self, sizes: Sizes, memory: Memory) -> None:
        self._sizes, self._memory = sizes, memory
        self._measured = 0.0  # bytes for each token of a call, and
        self._context = 1  # how long the context was then

    def need(self, tokens: int, context: int, cache: PrefixCache) -> int:
        """Return about how many bytes a call over `tokens` needs beside what is held; `context`: tokens after it."""
        return round(tokens * self._each(context)) + self._logits + self._rows(tokens, cache)

    def _each(self, context: int) -> float:
        if self._measured:
            return self._measured * max(1.0, context / self._context) * _CAUTION
        return float(_NUMBER * (_ARRAYS * self._sizes.widest + _SCORES * self._sizes.heads * context))

    @property
    def _logits(self) -> int:
        return _NUMBER * _LOGITS * self._sizes.vocabulary

    def _rows(self, tokens: int, cache: PrefixCache) -> int:
        """Return what buffers of rows grow by, and the largest that is copied for it."""
        layers = cache.active.layers
        return layers.row_bytes * (tokens + _GROWTH) + layers.row_bytes * layers.offset // max(len(layers.rows), 1)

    def begin(self) -> int:
        """Begin to measure a call that is about to be made, and return what `measured` wants to know."""
        mx.reset_peak_memory()
        return int(mx.get_active_memory())

    def measured(self, held: int, tokens: int, context: int, cache: PrefixCache) -> None:
        """Add to the estimate what a call over `tokens` needed beyond what was `held` before it.

        Small calls say little: what does not depend on their size is most of what they need.
        """
        if tokens < _TELLING:
            return
        peak = int(mx.get_peak_memory()) - held - self._rows(0, cache)
        self._measured, self._context = max(peak / tokens, 1.0), context

    def fitting(self, wanted: int, context: int, cache: PrefixCache) -> int:
        """Return how many tokens, at most `wanted`, can be computed in the next call.

        `context`: tokens there are before it. Raises ShortOfMemoryError where there is memory for none.
        """
        for give_way in (lambda _missing: None, _clear, lambda missing: _evict(cache, missing)):
            least = self.need(min(wanted, _LEAST), context + min(wanted, _LEAST), cache)
            give_way(least - self._free())
            free, tokens = self._free(), wanted
            while tokens > _LEAST and self.need(tokens, context + tokens, cache) > free:
                tokens //= 2
            if self.need(tokens, context + tokens, cache) <= free:
                return tokens
        raise _short(least, self._free())

    def has_room_to_read(self, turns: Sequence[Turn]) -> bool:
        """Return whether there is memory for turning these turns into tokens: tokenizers abort without."""
        return self._to_read(turns) <= self._free()

    def require_room_to_read(self, turns: Sequence[Turn]) -> None:
        """Refuse turns for whose tokens there is no memory: raise ShortOfMemoryError.

        The buffers that MLX keeps are let go before.
        """
        self.require(self._to_read(turns))

    def make_room_to_enter(self, tokens: Sequence[int], cache: PrefixCache) -> None:
        """Evict cached state until what is kept of these tokens can be brought into live arrays.

        What went is computed again when it is wanted, these tokens' own state included, but for what other sessions
        hold. Raises ShortOfMemoryError where there is no memory even so.
        """
        need = cache.bytes_to_enter(tokens)
        for give_way in (_clear, lambda missing: _evict(cache, missing), lambda _missing: _abandon(cache, tokens)):
            if not need or need <= self._free():
                return
            give_way(need - self._free())
            need = cache.bytes_to_enter(tokens)
        self.require(need)

    def require(self, need: int, title: str = _TITLE) -> None:
        """Refuse what needs more bytes than there are, even without the buffers that MLX keeps: ShortOfMemoryError."""
        if need > self._free():
            mx.clear_cache()
        if need > self._free():
            raise _short(need, self._free(), title)

    @staticmethod
    def _to_read(turns: Sequence[Turn]) -> int:
        return sum(map(length_of, turns)) * _CHARACTER

    def _free(self) -> int:
        """Bytes that may be taken now."""
        in_working_set = self._memory.working_set - int(mx.get_active_memory())
        return min(in_working_set, _address_space(), _available()) - _RESERVE


def sizes_of(shapes: list[tuple[int, ...]], heads: int, vocabulary: int) -> Sizes:
    """Return the sizes of a model from the shapes of its weights [..., out, in], its attention heads, its logits."""
    outs = [shape[-2] for shape in shapes if len(shape) >= 2 and shape[-2] != vocabulary]
    return Sizes(max(outs, default=1), heads, vocabulary)


def _clear(_missing: int) -> None:
    """Let go of the buffers that MLX keeps for later."""
    mx.clear_cache()


def _evict(cache: PrefixCache, missing: int) -> None:
    """Let go of cached state; what went is computed again when it is wanted."""
    budget = cache.budget_bytes
    cache.set_budget(max(0, cache.live_bytes + cache.paged_bytes - max(0, missing)))
    cache.set_budget(budget)
    mx.clear_cache()


def _abandon(cache: PrefixCache, tokens: Sequence[int]) -> None:
    """Let go of what is live beyond what these tokens share with it, unless a session computes on it."""
    if not cache.sessions:
        cache.abandon(tokens)


def _short(need: int, free: int, title: str = _TITLE) -> ShortOfMemoryError:
    return ShortOfMemoryError(
        title,
        f"The next step needs about {size(need)}, and {size(max(0, free))} can be had. Close other programs, lower the "
        "memory budget in the Cache menu, or open a smaller model; what was written is kept.",
    )


_NO_LIMIT = 1 << 62


def _address_space() -> int:
    """Return what the process may still map, where that is limited."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _NO_LIMIT
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        return _NO_LIMIT
    return limit - pages * os.sysconf("SC_PAGE_SIZE")


def _available() -> int:
    """Return what the system can give without swapping, where it says so."""
    try:
        with Path("/proc/meminfo").open("rb") as file:
            line = next(line for line in file if line.startswith(b"MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError, StopIteration):
        return _NO_LIMIT
