"""Repeating the recorded calls of a path from empty caches: what "exact" is measured against.

Rows come from the calls of each edge's pieces, in the order of their offsets. A call begins with the whole states that
its trail had there; where these were rebuilt from an earlier state, that rebuilding is repeated too, over the rows of
the path, as it was done the first time (stored rows win over recomputed ones).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mlx.core as mx

from app.kvcache.lane import Lane, TrieNode
from app.kvcache.layers import Arrays
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import StateSnapshot
from app.kvcache.trail import Call, Piece, Trail, multi_end

States = tuple[Arrays, ...]


@dataclass
class Replay:
    """A path computed again: a lane that stands at its end, and the logits [vocabulary] of each single-token call,
    by the offset of the token that was fed."""

    lane: Lane
    logits: dict[int, mx.array] = field(default_factory=dict)


def replay(cache: PrefixCache, tokens: Sequence[int], trail: Trail | None = None) -> Replay:
    """Compute a recorded path again. `trail` is the one whose states it ends with; by default the live lane's.

    Raises ValueError when the tokens are not a recorded path with an edge ending at their last one.
    """
    path, length = cache.trie.match(tokens)
    if length != len(tokens) or path[-1].end != length:
        raise ValueError(f"{len(tokens)} tokens are not a recorded path: {length} match, to node end {path[-1].end}")
    return _Player(cache, path).play(trail or cache.lane.trail)


class _Player:
    """Plays one path on `lane`. `known`: the whole states that each call left, by its trail and its end."""

    def __init__(self, cache: PrefixCache, path: list[TrieNode]) -> None:
        self._cache = cache
        self._pieces = [piece for node in path for piece in node.pieces]
        self._lane = self._fresh_lane()
        self._known: dict[tuple[Trail, int], States] = {}
        self._logits: dict[int, mx.array] = {}

    def play(self, trail: Trail) -> Replay:
        for piece in self._pieces:
            for call in piece.trail.calls(piece.start, piece.end):
                logits = self._repeat(piece, call)
                if call.length == 1:
                    self._logits[call.start] = logits[0, -1]
        end = self._lane.offset
        self._lane.restore(end, end, (), self._states(trail, end), self._multi_end(end))
        return Replay(self._lane, self._logits)

    def _repeat(self, piece: Piece, call: Call) -> mx.array:
        """Make one call, whole, and keep of its rows those that the piece kept."""
        begin, end = max(call.start, piece.start), min(call.end, piece.end)
        if (begin, end) == (call.start, call.end):
            self._lane.restore(begin, begin, (), self._states(piece.trail, begin), self._multi_end(begin))
            return self._compute(self._lane, piece.trail, call)
        scratch = self._scratch_lane(call.start)
        scratch.restore(call.start, call.start, (), self._states(piece.trail, call.start))
        logits = self._compute(scratch, piece.trail, call)
        rows = (scratch.copy_rows(begin, end),) if scratch.rows else ()
        self._lane.restore(begin, end, rows, None, self._multi_end(end))
        return logits

    def _compute(self, lane: Lane, trail: Trail, call: Call) -> mx.array:
        logits = lane.compute(trail.tokens(call).tolist())
        mx.eval(logits)
        self._known[trail, call.end] = lane.take_state().layers
        return logits

    def _states(self, trail: Trail, offset: int) -> StateSnapshot | None:
        """The whole states that a trail had at an offset, repeating as many calls as are needed to know them."""
        if not self._lane.states or offset == 0:
            return None
        todo: list[tuple[Trail, Call]] = []
        owner, end = _origin(trail, offset)
        while end > 0 and (owner, end) not in self._known:
            call = next(owner.calls(end - 1, end))
            todo.append((owner, call))
            owner, end = _origin(owner, call.start)
        for owner, call in reversed(todo):
            scratch = self._scratch_lane(call.start)
            scratch.restore(call.start, call.start, (), self._states(owner, call.start))
            self._compute(scratch, owner, call)
        return StateSnapshot(self._known[_origin(trail, offset)], trail, 0)

    def _scratch_lane(self, offset: int) -> Lane:
        """Another lane with the path's rows before `offset`."""
        lane = self._fresh_lane()
        if offset:
            rows = (self._lane.copy_rows(0, offset),) if lane.rows else ()
            lane.restore(0, offset, rows, None, self._multi_end(offset))
        return lane

    def _multi_end(self, at: int) -> int:
        return multi_end(self._pieces, at)

    def _fresh_lane(self) -> Lane:
        return Lane(0, self._cache.trie.root, self._cache.forward, self._cache.new_caches())


def _origin(trail: Trail, offset: int) -> tuple[Trail, int]:
    """The trail whose call ended at `offset`: at its own start, a trail has the states of the one it began on."""
    while offset == trail.start and trail.base is not None:
        trail = trail.base
    return trail, offset
