"""The real cache over layers that are only sizes, to count what a policy computes again on long traces."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from app.kvcache.live_layers import LiveLayers, RowSource
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot


class PaperRows:
    """Rows of an edge: how many, and how large each is."""

    layers = ((),)

    def __init__(self, tokens: int, each: int) -> None:
        self.tokens, self.each, self.nbytes = tokens, each, tokens * each

    def part(self, start: int, end: int) -> tuple[()]:
        return ()

    def cut(self, at: int) -> tuple[PaperRows, PaperRows]:
        return PaperRows(at, self.each), PaperRows(self.tokens - at, self.each)

    def join(self, below: PaperRows) -> PaperRows:
        return PaperRows(self.tokens + below.tokens, self.each)


class PaperLayers(LiveLayers):
    """Layers that compute nothing: `each` bytes of rows a token, `state` bytes of whole states, either may be 0."""

    def __init__(self, each: int, state: int) -> None:
        super().__init__(lambda tokens, caches: tokens, list)
        self._row_bytes = each
        self.state_bytes = state
        self.rows = cast(Any, [SimpleNamespace(offset=0, has_window=False)] if each else [])
        self.states = cast(Any, [None] if state else [])

    def compute(self, tokens: Sequence[int]) -> Any:
        self.shared, self.is_whole = None, True
        self.call_log.add(tokens)
        self.offset += len(tokens)

    def evaluate(self) -> None:
        pass

    @property
    def allocated_bytes(self) -> int:
        return self.bytes_at(self.offset)

    def window_bytes(self, offset: int) -> int:
        return 0

    def arrays_agree(self) -> bool:
        return True

    def copy_rows(self, start: int, end: int) -> RowsSnapshot:
        return cast(RowsSnapshot, PaperRows(end - start, self._row_bytes))

    def overwrite(self, start: int, rows: Any, last_prefill_end: int) -> None:
        pass

    def take_state(self) -> StateSnapshot:
        self.shared = StateSnapshot(((),), self.call_log, self.state_bytes)
        return self.shared

    def restore(
        self,
        keep: int,
        target: int,
        pieces: Sequence[RowSource] = (),
        state: StateSnapshot | None = None,
        last_prefill_end: int = 0,
    ) -> None:
        self.offset = target
        self.shared, self.is_whole = state, state is not None or target == 0 or not self.states


class PaperCache(PrefixCache):
    """A prefix cache of paper. `row_bytes` for a token, `state_bytes` for a whole state."""

    def __init__(self, row_bytes: int, state_bytes: int, budget_bytes: int, grid: int = 0) -> None:
        self._sizes = row_bytes, state_bytes
        super().__init__(lambda tokens, caches: tokens, list, budget_bytes, grid)

    def _new_layers(self) -> LiveLayers:
        return PaperLayers(*self._sizes)

    def ask(
        self, prompt: array[int], answer: array[int], points: Sequence[int], *, is_guest: bool = False
    ) -> tuple[int, int]:
        """One request, its answer fed as one piece. Returns the tokens cached and the tokens seen before."""
        with self.begin(prompt, points, is_guest=is_guest) as session:
            while session.prefill(1 << 30):
                pass
            self.active.compute(prompt[-1:])
            self.active.compute(answer)
            report = session.report
        return report.cached, report.seen
