"""Live arrays of one sequence: every layer of the model, standing at one token offset.

Properties it keeps at rest:

1. All layers stand at the same token offset, `offset`.
2. Whole states are those that `call_log` leaves at `offset`.

It knows no trie: `ActivePath` is what these arrays stand for there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import mlx.core as mx

from app.kvcache.call_log import CallLog
from app.kvcache.layers import (
    CacheFaultError,
    LayerWithRows,
    LayerWithState,
    RowArrays,
    UnsupportedCacheError,
    flatten,
    layers_of,
)
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot

# tokens [1, n] and the model's cache objects -> logits [1, n, vocabulary]
Forward = Callable[[mx.array, list[Any]], mx.array]


class RowSource(Protocol):
    """Stored rows of one run of tokens, in memory or on disk; `part` counts from the first of them."""

    @property
    def layers(self) -> Sequence[RowArrays]: ...
    @property
    def tokens(self) -> int: ...
    def part(self, start: int, end: int) -> Sequence[RowArrays]: ...


class LiveLayers:
    """Layers of one sequence, over a model's own cache objects. new_caches: a fresh list of these.

    shared: the snapshot whose arrays the live whole states are, or None. is_whole: the whole states are those at
    `offset`. unsupported: the name of the first cache kind that cannot be stored, or empty. With one, calls can still
    be made, but nothing can be kept of them.
    """

    def __init__(self, forward: Forward, new_caches: Callable[[], list[Any]]) -> None:
        self._forward, self._new_caches = forward, new_caches
        self._row_bytes = 0
        self._expected: Sequence[int] = ()  # bytes of a row in each layer
        self.state_bytes = 0  # of the whole states of all layers; until something was computed, what is expected
        self.renew()

    def renew(self) -> None:
        """Begin anew at the offset 0 with empty cache objects, whatever the old ones hold."""
        self.call_log = CallLog()
        self.offset = 0
        self.unsupported = ""
        self.rows: list[LayerWithRows] = []
        self.states: list[LayerWithState] = []
        self._caches = self._new_caches()
        self.shared: StateSnapshot | None = None
        self.is_whole = True
        self._is_detached = True  # the whole states have arrays of their own
        self._before: tuple[StateSnapshot | None, bool, bool] | None = None  # what a launched call began with
        try:
            self.rows, self.states = layers_of(self._caches)
        except UnsupportedCacheError as error:
            self.unsupported = error.name

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's rows in all layers; until something was computed, what is expected."""
        if not self._row_bytes:
            each = [layer.row_bytes for layer in self.rows]
            self._row_bytes = sum(each) if all(each) else 0
        return self._row_bytes or sum(self._expected)

    def expect(self, row_bytes: Sequence[int], state_bytes: int) -> None:
        """Take these sizes for those of a row in each layer, and of the whole states of all layers, until something was
        computed."""
        self._expected, self.state_bytes = row_bytes, state_bytes

    @property
    def allocated_bytes(self) -> int:
        """Bytes of the live buffers, with the rows that they have room for."""
        return sum(layer.allocated_bytes for layer in self.rows) + sum(layer.nbytes for layer in self.states)

    def bytes_at(self, offset: int) -> int:
        """Return the bytes that are in use when the layers stand at `offset`."""
        return self.row_bytes_at(offset) + (self.state_bytes if offset else 0)

    def row_bytes_at(self, offset: int) -> int:
        """Return the bytes of rows and sliding windows when the layers stand at `offset`."""
        return offset * self.row_bytes + self.window_bytes(offset)

    def window_bytes(self, offset: int) -> int:
        """Return the bytes of sliding windows when the layers stand at `offset`."""
        each = self._expected or [0] * len(self.rows)
        return sum(layer.window_bytes(offset, expected) for layer, expected in zip(self.rows, each, strict=True))

    def compute(self, tokens: Sequence[int]) -> mx.array:
        """Make one forward call over the next tokens. Returns logits [1, n, vocabulary], not evaluated."""
        logits = self._call(mx.array([list(tokens)]))
        self.confirm(tokens)
        return logits

    def launch(self, token: mx.array) -> mx.array:
        """Feed one token [1] whose value is not known yet. Returns logits [1, 1, vocabulary], not evaluated.

        The call counts as made only when it is confirmed; until then it can be taken back with `retract`.
        """
        self._before = self._live_state(), self.is_whole, self._is_detached
        return self._call(token.reshape(1, 1))

    def confirm(self, tokens: Sequence[int]) -> None:
        """Record the last call. tokens: those that it was made with."""
        self._before = None
        self.shared, self.is_whole = None, True
        self.call_log.add(tokens)
        self.offset += len(tokens)
        if len(tokens) > 1 or self.offset == 1:
            for layer in self.rows:
                layer.after_call(len(tokens))
            self.evaluate()

    def retract(self, last_prefill_end: int) -> None:
        """Undo the call that was launched and not confirmed. `last_prefill_end` as in `restore`, at `offset`."""
        if self._before is None:
            raise ValueError(f"no call was launched at {self.offset}")
        (state, is_whole, is_detached), self._before = self._before, None
        self.restore(self.offset, self.offset, (), state, last_prefill_end)
        self.is_whole, self._is_detached = is_whole, is_detached

    def discard(self) -> None:
        """Forget the launched call without undoing it: the layers must not be used again."""
        self._before = None

    @property
    def is_launched(self) -> bool:
        """Whether a call was launched and neither confirmed nor retracted."""
        return self._before is not None

    @property
    def bookmark(self) -> StateSnapshot | None:
        """Whole states after everything that counts as computed, shared with the live layers; None where there are
        none.

        They are not evaluated, and possibly views of larger arrays: see `ActivePath.keep`.
        """
        return self._before[0] if self._before is not None else self._live_state()

    def _live_state(self) -> StateSnapshot | None:
        """Return the whole states as they are, shared with the live layers; None where there are none."""
        if self.shared is not None or not self.states or not self.offset:
            return self.shared
        return StateSnapshot(tuple(layer.take() for layer in self.states), self.call_log, self.state_bytes)

    def _call(self, tokens: mx.array) -> mx.array:
        for layer in self.rows:
            layer.before_call(tokens.shape[1])
        self._is_detached = False
        return self._forward(tokens, self._caches)

    def evaluate(self) -> None:
        """Evaluate everything, with states in arrays of their own."""
        if self.unsupported:
            # What has no state to show is computed with the next logits.
            mx.eval([getattr(cache, "state", ()) for cache in flatten(self._caches)])
            return
        self._detach_states()
        layers: list[LayerWithRows | LayerWithState] = [*self.rows, *self.states]
        mx.eval([x for layer in layers for x in layer.arrays()])
        # Empty layers keep the figure, by which room is made before the next call.
        self.state_bytes = sum(layer.nbytes for layer in self.states) or self.state_bytes

    def _detach_states(self) -> None:
        for layer in () if self._is_detached else self.states:
            layer.detach()
        self._is_detached = True

    def copy_rows(self, start: int, end: int) -> RowsSnapshot:
        """Return rows [start, end) of all layers that have rows, evaluated."""
        return RowsSnapshot(tuple(layer.copy(start, end) for layer in self.rows))

    def overwrite(self, start: int, rows: Sequence[RowArrays], last_prefill_end: int) -> None:
        """Put rows that are stored in the place of those just computed again; `last_prefill_end` as in `restore`."""
        for layer, part in zip(self.rows, rows, strict=True):
            layer.overwrite(start, part, last_prefill_end)

    def take_state(self) -> StateSnapshot:
        """Return the whole state at `offset`, sharing the live arrays until the next call replaces them.

        One that is stored already is the same object, so that its bytes are never counted twice.
        """
        if self.shared is not None:
            return self.shared
        self._detach_states()
        arrays = tuple(layer.take() for layer in self.states)
        mx.eval([x for layer in arrays for x in layer if x is not None])
        self.shared = StateSnapshot(arrays, self.call_log, sum(layer.nbytes for layer in self.states))
        return self.shared

    def restore(
        self,
        keep: int,
        target: int,
        pieces: Sequence[RowSource] = (),
        state: StateSnapshot | None = None,
        last_prefill_end: int = 0,
    ) -> None:
        """Go back to `keep`, put stored rows after it up to `target`, and take the whole state of that offset.

        last_prefill_end: end of the last call of several tokens on the path, cut at `target` (see
        `call_log.last_prefill_end`). Layer by layer, so that no more than one layer's rows exist twice. Raises
        CacheFaultError when a layer does not fit.
        """
        if any(len(piece.layers) != len(self.rows) for piece in pieces):
            raise CacheFaultError(f"rows of {[len(x.layers) for x in pieces]} layers for a model of {len(self.rows)}")
        for index, rows in enumerate(self.rows):
            rows.write(keep, [piece.layers[index] for piece in pieces], last_prefill_end)
        self.is_whole = False  # until it is where it goes: what it had is not counted any more
        self.offset = target
        self.shared, self.is_whole = state, state is not None or target == 0 or not self.states
        self._is_detached = True  # what is stored has arrays of its own
        self.state_bytes = self.state_bytes if state is None else state.nbytes
        if state is None:
            for layer in self.states:
                layer.clear()
        elif len(state.layers) != len(self.states):
            raise CacheFaultError(f"a state of {len(state.layers)} layers for a model of {len(self.states)}")
        else:
            for layer, arrays in zip(self.states, state.layers, strict=True):
                layer.put(arrays)
        if not self.arrays_agree():
            raise CacheFaultError(f"rows restored to {[layer.offset for layer in self.rows]}, wanted {target}")

    @property
    def windows(self) -> list[LayerWithRows]:
        """Layers that hold a live window beside their rows."""
        return [layer for layer in self.rows if layer.has_window]

    def start_call_log(self, base: CallLog | None) -> None:
        """Begin the record of a new session where the layers stand, on states that `base` computed."""
        self.call_log = CallLog(self.offset, base if self.states else None)

    def arrays_agree(self) -> bool:
        """Return whether every layer with rows stands at `offset`, or one beyond while a call is launched."""
        return all(layer.offset == self.offset + self.is_launched for layer in self.rows)
