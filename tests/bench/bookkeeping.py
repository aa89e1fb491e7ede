"""What the index costs in Python: matching and planning a long request in a large trie, bytes for a token, whole turns
of a full memory, and views of it.

Run as `python -m tests.bench.bookkeeping`; writes build/bench/bookkeeping.json. The cache is the real one over layers
that are only sizes, so that nothing but bookkeeping is timed.
"""

from __future__ import annotations

import gc
import random
import sys
import time
import tracemalloc
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from app.kvcache.view import EdgeLabel, Views
from tests.bench.paper import PaperCache
from tests.bench.report import machine, say, write

NODES, TOKENS = 1_000, 32_768
MANY_NODES, TRUNK = (10_000, 50_000), 8_192
REPEATS = 25
ROW_BYTES, STATE_BYTES = 16 << 10, 60_000_000
ROOMY = 1 << 60


@dataclass(frozen=True, slots=True)
class Figure:
    """A median of `REPEATS` and what it may be at most, in `unit`."""

    value: float
    limit: float
    unit: str

    @property
    def is_kept(self) -> bool:
        return self.value <= self.limit


class Forest:
    """A cache of paper with one conversation of `tokens` tokens, and forks of it until there are `nodes` edges."""

    def __init__(self, nodes: int, tokens: int, state_bytes: int = STATE_BYTES) -> None:
        self.random = random.Random(nodes)
        self.cache = PaperCache(ROW_BYTES, state_bytes, ROOMY)
        self.trunk = self.words(tokens)
        self.points = tuple(range(0, tokens, max(64, 4 * tokens // nodes)))
        self.cache.ask(self.trunk, self.words(16), self.points)
        while self.nodes < nodes:
            self.cache.ask(*self.fork())

    @property
    def nodes(self) -> int:
        return len(self.cache.trie.nodes)

    @property
    def tokens(self) -> int:
        """Tokens on all edges."""
        return sum(len(node.tokens) for node in self.cache.trie)

    def words(self, count: int) -> array[int]:
        return array("i", (self.random.randrange(50_000) for _ in range(count)))

    def fork(self) -> tuple[array[int], array[int], tuple[int, ...]]:
        """Another question at a place where one began, its answer, and its restore points."""
        at = self.random.randrange(len(self.points))
        prompt = self.trunk[: self.points[at]] + self.words(40)
        return prompt, self.words(16), (*self.points[: at + 1], len(prompt) - 1)

    def long_request(self) -> array[int]:
        """The trunk and a new question."""
        return self.trunk + self.words(40)


def timed(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> float:
    """Median milliseconds of processor time; `prepare` comes before each repetition and is not timed."""
    gc.collect()
    spent = []
    for _ in range(REPEATS):
        prepare()
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return median(spent) * 1e3


def match_ms(forest: Forest) -> float:
    wanted = forest.long_request()
    return timed(lambda: forest.cache.trie.match(wanted))


def planning_ms(forest: Forest) -> float:
    """`begin` and the end of a session that computed nothing, coming from another branch each time."""
    wanted = forest.long_request()
    points = (*forest.points, len(wanted) - 1)

    def begin() -> None:
        with forest.cache.begin(wanted, points, owner="bench"):
            pass

    return timed(begin, prepare=lambda: forest.cache.ask(*forest.fork()))


def index_bytes(tokens: int = 200_000) -> float:
    """Bytes of Python for a token, edges and records of calls included: prompts of 2,000 and answers decoded singly."""
    words = random.Random(1)
    cache = PaperCache(ROW_BYTES, 0, ROOMY)
    texts = [array("i", (words.randrange(50_000) for _ in range(2_400))) for _ in range(tokens // 2_400)]
    gc.collect()
    tracemalloc.start()
    for text in texts:
        with cache.begin(text[:2_000]) as session:
            while session.prefill(512):
                pass
            for token in text[1_999:]:
                cache.active.compute((token,))
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / sum(map(len, texts))


def turn_ms(forest: Forest) -> tuple[float, float]:
    """Median and worst of turns in a memory that is full: match, plan, switch, captures, eviction, ghosts, record."""
    cache = forest.cache
    cache.set_budget(int(0.9 * (cache.paged_bytes + cache.live_bytes)))
    gc.collect()
    spent = []
    for _ in range(4 * REPEATS):
        asked = forest.fork()
        begun = time.thread_time()
        cache.ask(*asked)
        spent.append(time.thread_time() - begun)
    return median(spent) * 1e3, max(spent) * 1e3


def view_ms(forest: Forest) -> float:
    """A view after a turn."""
    views = Views(forest.cache, lambda node: EdgeLabel(""))
    views.take(0)
    return timed(lambda: views.take(1), prepare=lambda: forest.cache.ask(*forest.fork()))


def figures() -> dict[str, Figure]:
    """All figures by name."""
    forest = Forest(NODES, TOKENS)
    found = {
        "match": Figure(match_ms(forest), 1.0, "ms"),
        "planning and bookkeeping of a request": Figure(planning_ms(forest), 5.0, "ms"),
        "index": Figure(index_bytes(), 16.0, "bytes a token"),
    }
    for nodes in MANY_NODES:
        for kind, state_bytes in (("whole states", STATE_BYTES), ("rows only", 0)):
            forest = Forest(nodes, TRUNK, state_bytes)
            usual, worst = turn_ms(forest)
            found[f"turn of a full memory, {nodes:,} nodes, {kind}"] = Figure(usual, 10.0, "ms")
            found[f"the worst of a hundred, {nodes:,} nodes, {kind}"] = Figure(worst, 10.0, "ms")
            found[f"view after a turn, {nodes:,} nodes, {kind}"] = Figure(view_ms(forest), 50.0, "ms")
    return found


def main() -> int:
    """Measure; 1 when a limit is missed."""
    found = figures()
    for name, figure in found.items():
        verdict = "" if figure.is_kept else "  NOT KEPT"
        say(f"{name}: {figure.value:.2f} {figure.unit} (at most {figure.limit:g}){verdict}")
    rows = [{"name": name, "value": f.value, "limit": f.limit, "unit": f.unit} for name, f in found.items()]
    write("bookkeeping.json", {"machine": machine(), "rows": rows})
    return 0 if all(figure.is_kept for figure in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
