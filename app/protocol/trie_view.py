"""An immutable picture of the prefix trie, for the panel that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Where the state of a place is. "none": the tokens are known, their state must be computed again.
Place = Literal["live", "memory", "none"]


@dataclass(frozen=True, slots=True)
class TrieNodeView:
    """One edge of the trie: tokens [start, end) of every prompt that passes through it.

    label: its first words. bytes: stored and live state that belongs to the edge. lanes: which lanes stand on it.
    last_use: number of the last request that passed; used_at: the same as seconds since the epoch.
    """

    id: int
    parent_id: int | None
    start: int
    end: int
    label: str
    bytes: int
    place: Place
    lanes: tuple[int, ...]
    has_state: bool
    is_restore_point: bool
    last_use: int
    used_at: float

    @property
    def tokens(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class TrieView:
    """Nodes in depth-first order, parents before children, the root left out (`parent_id` None marks its children).

    live_bytes, paged_bytes: as used by tokens; live_allocated_bytes includes the padding of growing buffers.
    mlx_cache_bytes: freed buffers that MLX keeps for itself.
    """

    serial: int
    nodes: tuple[TrieNodeView, ...] = ()
    live_tokens: int = 0
    live_bytes: int = 0
    live_allocated_bytes: int = 0
    paged_bytes: int = 0
    budget_bytes: int = 0
    mlx_cache_bytes: int = 0
