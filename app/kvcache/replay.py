"""Repeating the recorded calls of a path from empty caches: what "exact" is measured against.

Rows come from the calls of each edge's provenances, in the order of their offsets. A call begins with the whole states
that its call log had there; where these were rebuilt from an earlier state, that rebuilding is repeated too, over the
rows of the path, as it was done the first time (stored rows win over recomputed ones).

All calls are listed before the first is made, so that of the whole states only those are held that a later call begins
with. It takes the memory of the path's rows once, and of a few whole states.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import mlx.core as mx

from app.kvcache.call_log import Call, CallLog, last_prefill_end
from app.kvcache.layers import Arrays
from app.kvcache.live_layers import LiveLayers
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import StateSnapshot, TrieNode

StatePoint = tuple[CallLog, int]  # the whole states that the call log's call which ended at this offset left


@dataclass
class Replay:
    """Path computed again.

    layers: live ones that stand at its end. logits: [vocabulary] of each single-token call, by the offset of the token
    that was fed. most_states: how many whole states were held at once.
    """

    layers: LiveLayers
    logits: dict[int, mx.array] = field(default_factory=dict)
    most_states: int = 0


class _Step(NamedTuple):
    """One call to make, of which the rows [begin, end) are kept; none where only its whole state is wanted."""

    call_log: CallLog
    call: Call
    begin: int
    end: int


def replay(cache: PrefixCache, tokens: Sequence[int], call_log: CallLog | None = None) -> Replay:
    """Compute a recorded path again. call_log: the one whose states it ends with; by default the active path's.

    Raises ValueError when the tokens are not a recorded path with an edge ending at their last one.
    """
    steps = replay_steps(cache, tokens, call_log)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            replayed: Replay = end.value
            return replayed


def replay_steps(
    cache: PrefixCache, tokens: Sequence[int], call_log: CallLog | None = None, keeps_logits: bool = True
) -> Generator[Call, None, Replay]:
    """Compute a recorded path again as `replay` does, each call after it was told as the next."""
    path, length = cache.trie.match(tokens)
    if length != len(tokens) or path[-1].end != length:
        raise ValueError(f"{len(tokens)} tokens are not a recorded path: {length} match, to node end {path[-1].end}")
    return _Player(cache, path, call_log or cache.active.layers.call_log).play(keeps_logits)


class _Player:
    """Plays one path on live arrays of its own, at whose end the states are those of `call_log`."""

    def __init__(self, cache: PrefixCache, path: Sequence[TrieNode], call_log: CallLog) -> None:
        self._provenances = [provenance for node in path for provenance in node.stored.provenances]
        self._call_log = call_log
        self._layers = LiveLayers(cache.forward, cache.new_caches)
        self._steps = self._plan(path[-1].end)
        begins = [(step.call_log, step.call.start) for step in self._steps]
        self._wanted = Counter(_origin(*point) for point in (*begins, (call_log, path[-1].end)))
        self._held: dict[StatePoint, tuple[Arrays, ...]] = {}

    def play(self, keeps_logits: bool) -> Generator[Call, None, Replay]:
        """Make the calls one by one, each after it was told."""
        played = Replay(self._layers)
        for step in self._steps:
            yield step.call
            logits = self._make(step)
            played.most_states = max(played.most_states, len(self._held))
            if keeps_logits and step.call.length == 1 and step.begin < step.end:
                played.logits[step.call.start] = logits[0, -1]
            del logits
        end = self._layers.offset
        self._layers.restore(end, end, (), self._state(self._call_log, end), self._last_prefill_end(end))
        return played

    # What to do

    def _plan(self, end: int) -> list[_Step]:
        """Return the calls of all provenances, each after those that rebuild the states which it begins with."""
        steps: list[_Step] = []
        known: set[StatePoint] = set()
        for provenance in self._provenances:
            for call in provenance.call_log.calls(provenance.start, provenance.end):
                begin = max(call.start, provenance.start)
                steps += self._rebuild(provenance.call_log, call.start, begin, known)
                steps.append(_Step(provenance.call_log, call, begin, min(call.end, provenance.end)))
                known.add((provenance.call_log, call.end))
        return steps + self._rebuild(self._call_log, end, end, known)

    def _rebuild(self, call_log: CallLog, offset: int, at: int, known: set[StatePoint]) -> list[_Step]:
        """Return the calls that are still to be made for the states that a call log had at `offset`.

        at: where the layers stand meanwhile.
        """
        steps: list[_Step] = []
        owner, end = _origin(call_log, offset)
        while self._layers.states and end > 0 and (owner, end) not in known:
            call = next(owner.calls(end - 1, end))
            steps.append(_Step(owner, call, at, at))
            known.add((owner, end))
            owner, end = _origin(owner, call.start)
        return steps[::-1]

    # Doing it

    def _make(self, step: _Step) -> mx.array:
        """Make one call, whole, and keep of its rows those that are wanted. Returns its logits."""
        layers, start = self._layers, step.call.start
        at = layers.offset
        before = [layers.copy_rows(start, at)] if layers.rows and start < at else []
        layers.restore(start, start, (), self._state(step.call_log, start), self._last_prefill_end(start))
        logits = layers.compute(step.call_log.tokens(step.call).tolist())
        mx.eval(logits)
        if self._wanted[step.call_log, step.call.end] and layers.states:
            self._held[step.call_log, step.call.end] = layers.take_state().layers
        if (start, step.call.end) != (step.begin, step.end):
            kept = [layers.copy_rows(step.begin, step.end)] if layers.rows and step.begin < step.end else []
            layers.restore(start, step.end, (*before, *kept), None, self._last_prefill_end(step.end))
        return logits

    def _state(self, call_log: CallLog, offset: int) -> StateSnapshot | None:
        """Return the whole states that a call log had at an offset, let go of when nobody else begins with them."""
        point = _origin(call_log, offset)
        if not self._layers.states or point[1] == 0:
            return None
        self._wanted[point] -= 1
        layers = self._held[point] if self._wanted[point] else self._held.pop(point)
        return StateSnapshot(layers, call_log, 0)

    def _last_prefill_end(self, at: int) -> int:
        first = bisect_left(
            self._provenances, at, key=lambda provenance: provenance.start
        )  # that begins there or later
        return last_prefill_end((self._provenances[index] for index in range(first - 1, -1, -1)), at)


def _origin(call_log: CallLog, offset: int) -> StatePoint:
    """Return the call log whose call ended at `offset`: at its start, one has the states of the one it began on."""
    while offset == call_log.start and call_log.base is not None:
        call_log = call_log.base
    return call_log, offset
