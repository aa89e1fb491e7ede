"""How high many rows are, of which only those near what is seen are known one by one.

Properties: the height of a row that is not known is the same for all of them, and never part of a long sum; a block of
rows is known whole or not at all; `top(number)` is the sum of the heights above, and `row_at` its reverse.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

BLOCK = 512
# A usual height, in points, until some are known.
_USUAL = 120.0


class _Block:
    """Neighbouring rows. heights: None while they are not known. tops: from the block's own top."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.heights: list[float] | None = None
        self.tops: list[float] | None = None

    def height(self, usual: float) -> float:
        return self.count * usual if self.heights is None else self.known_tops()[-1]

    def known_tops(self) -> list[float]:
        if self.tops is None:
            self.tops = [0.0, *accumulate(self.heights or ())]
        return self.tops

    def cut(self, count: int) -> None:
        self.count = count
        self.tops = None
        if self.heights is not None:
            del self.heights[count:]


class Heights:
    """Heights in points. Adding, changing and finding a row costs its block and the number of blocks."""

    def __init__(self, estimate: Callable[[int, int], Sequence[float]]) -> None:
        """estimate: about how high the rows from one number up to another are."""
        self._estimate = estimate
        self._usual = _USUAL
        self._blocks: list[_Block] = []
        self._count = 0
        self._ends: list[float] = [0.0]

    def __len__(self) -> int:
        return self._count

    def top(self, number: int) -> float:
        """Return where a row begins; that of the row after the last is where the last one ends."""
        at, inner = divmod(number, BLOCK)
        if at == len(self._blocks):
            return self._end_of(at - 1)
        block = self._blocks[at]
        return self._end_of(at - 1) + (inner * self._usual if block.heights is None else block.known_tops()[inner])

    def height(self, number: int) -> float:
        """Return the height of a row."""
        known = self._blocks[number // BLOCK].heights
        return self._usual if known is None else known[number % BLOCK]

    def row_at(self, y: float) -> int:
        """Return the row at a height, or -1."""
        if y < 0 or y >= self.top(self._count):
            return -1
        at = bisect_right(self._ends, y) - 1
        block, inner = self._blocks[at], y - self._ends[at]
        if block.heights is None:
            return at * BLOCK + min(int(inner / self._usual), block.count - 1)
        return at * BLOCK + min(bisect_right(block.known_tops(), inner) - 1, block.count - 1)

    def know(self, first: int, last: int) -> bool:
        """Estimate the rows from one to another, `last` included, one by one; returns whether any was not known."""
        first, last = max(first, 0), min(last, self._count - 1)
        unknown = [at for at in range(first // BLOCK, last // BLOCK + 1) if self._blocks[at].heights is None]
        is_first = all(block.heights is None for block in self._blocks)
        for at in unknown:
            block = self._blocks[at]
            block.heights = list(self._estimate(at * BLOCK, at * BLOCK + block.count))
        if unknown and is_first:
            known = [self._blocks[at] for at in unknown]
            self._usual = sum(block.height(0) for block in known) / sum(block.count for block in known)
            self._forget_from(0)
        elif unknown:
            self._forget_from(unknown[0])
        return bool(unknown)

    def set(self, number: int, height: float) -> bool:
        """Take the height of a row, if it is known at all; returns whether it was another one."""
        at, inner = divmod(number, BLOCK)
        block = self._blocks[at]
        if block.heights is None or block.heights[inner] == height:
            return False
        block.heights[inner] = height
        block.tops = None
        self._forget_from(at)
        return True

    def extend(self, count: int) -> None:
        """Add rows at the end. Those that share a block with known ones are known at once."""
        old, self._count = self._count, self._count + count
        if self._blocks and self._blocks[-1].count < BLOCK:
            block, at = self._blocks[-1], len(self._blocks) - 1
            block.count = min(BLOCK, self._count - at * BLOCK)
            block.tops = None
            if block.heights is not None:
                block.heights += self._estimate(old, at * BLOCK + block.count)
            self._forget_from(at)
        for start in range(len(self._blocks) * BLOCK, self._count, BLOCK):
            self._blocks.append(_Block(min(BLOCK, self._count - start)))

    def cut(self, count: int) -> None:
        """Keep the first so many rows."""
        self._count = count
        del self._blocks[-(-count // BLOCK) :]
        if count % BLOCK:
            self._blocks[-1].cut(count % BLOCK)
        self._forget_from(count // BLOCK)

    def forget(self) -> None:
        """Take every height as unknown again."""
        for block in self._blocks:
            block.heights = block.tops = None
        self._forget_from(0)

    def _end_of(self, at: int) -> float:
        """Return where a block ends; that of -1 is the top."""
        while len(self._ends) <= at + 1:
            self._ends.append(self._ends[-1] + self._blocks[len(self._ends) - 1].height(self._usual))
        return self._ends[at + 1]

    def _forget_from(self, at: int) -> None:
        """Forget where the blocks after this one stand."""
        del self._ends[at + 1 :]
