"""Nothing about a path depends on its depth: no recursion over the trie, and no step that looks at the whole path."""

from __future__ import annotations

import ast
import gc
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import app
from app.kvcache.call_log import CallLog, Provenance
from app.kvcache.event_log import EventLog
from app.kvcache.eviction import Eviction
from app.kvcache.invariants import check
from app.kvcache.layers import CacheFaultError
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, TrieNode
from app.kvcache.trie import Trie
from app.kvcache.view import EdgeLabel, dump, view
from app.protocol.reports import Reason
from tests.bench.paper import PaperCache, PaperRows

DEPTH = 50_000
# Everything that walks the trie, or pictures of it, or the chain of a call log's bases.
WALKERS = (
    "kvcache/**/*.py",
    "engine/*.py",
    "protocol/*.py",
    "viewmodels/cache/trie*.py",
    "viewmodels/chat/versions.py",
    "widgets/cache/trie*.py",
)
ALLOWED = {"flatten", "_quantized", "_look_again"}  # a model's compound cache objects; the levels of a balanced tree


def chain(depth: int = DEPTH) -> tuple[CacheTrie, list[TrieNode]]:
    """A trie of one path, one token to an edge, each with rows in memory and a file that holds them."""
    trie: CacheTrie = Trie()
    node, nodes = trie.root, []
    for at in range(depth):
        call_log = CallLog(at, nodes[-1].stored.provenances[0].call_log if nodes else None)
        call_log.add((1,))
        node = trie.append(node, (1,), [Provenance(call_log, at, at + 1)])
        nodes.append(node)
    for node in nodes:
        trie.set_rows(node, PaperRows(1, 10))  # type: ignore[arg-type]
        trie.set_disk(node, (FileRef(f"{node.id:064}", node.start, node.end),), None)
    return trie, nodes


def forget_memory(trie: CacheTrie, nodes: list[TrieNode]) -> None:
    for node in nodes:
        trie.set_rows(node, None)


class TestADeepTrie:
    def test_forgetting_a_branch(self) -> None:
        trie, nodes = chain()
        trie.forget(nodes[0], Reason.EVICTED)
        assert trie.paged_bytes == 0
        assert not any(node.is_on_disk or node.is_held for node in nodes)

    def test_forgetting_its_files(self) -> None:
        trie, nodes = chain()
        trie.forget_files(nodes[0])
        assert not any(node.is_on_disk for node in nodes)
        assert trie.paged_bytes == 10 * DEPTH

    def test_evicting_above_ghosts(self) -> None:
        """The last rows leave, and what may go next lies far above."""
        trie, nodes = chain()
        for node in nodes[1:-1]:
            trie.set_rows(node, None)
        Eviction(trie, has_states=False, event_log=EventLog()).run(1, lambda: trie.paged_bytes)
        assert trie.paged_bytes == 0

    def test_joining_its_edges(self) -> None:
        """What grows is the first edge's own: a copy for each edge that is joined would be a square of the depth."""
        trie, nodes = chain()
        forget_memory(trie, nodes)
        top = nodes[0]
        tokens, provenances, files = top.tokens, top.stored.provenances, top.stored.disk_rows
        for node in nodes[:-1]:
            trie.merge(node)
        (left,) = trie
        assert left is nodes[-1]
        assert left.tokens is tokens
        assert left.stored.provenances is provenances
        assert left.stored.disk_rows is files
        assert [(ref.start, ref.end) for ref in files] == [(at, at + 1) for at in range(DEPTH)]

    def test_its_garbage(self) -> None:
        trie, nodes = chain()
        del trie, nodes
        gc.collect()
        leaf: CallLog | None = None
        for at in range(DEPTH):
            leaf = CallLog(at, leaf)
        del leaf
        gc.collect()


class Life:
    """What may be done with one path whose every token is a restore point, by name, in an order that makes sense.

    Of paper: rows of 16 bytes a token, whole states of 100.
    """

    def __init__(self, depth: int) -> None:
        self.cache = PaperCache(16, 100, 1 << 60)
        self._path = array("i", (at % 1_000 for at in range(depth)))
        self.operations: dict[str, Callable[[], object]] = {
            "read it": lambda: self._ask(self._path, range(1, depth)),
            "go on": lambda: self._ask(self._path + array("i", (1_001, 1_002))),
            "price": lambda: self.cache.price(self._path),
            "residencies": lambda: self.cache.residencies(self._path, range(0, depth, depth // 10)),
            "picture": lambda: view(self.cache, 1, lambda _node: EdgeLabel("")),
            "text": lambda: dump(self.cache),
            "pin": lambda: self.cache.pin(self._path),
            "leave": lambda: self._ask(array("i", (1_003, 1_004))),
            "come back": lambda: self._ask(self._path + array("i", (1_005,))),
            "split at the top": lambda: self._ask(self._path[:3] + array("i", (1_006,))),
            "make room beside a pin": self._halve,
            "unpin": lambda: self.cache.unpin(self._path[:-1]),
            "make room": self._halve,
            "read what went": lambda: self._ask(self._path + array("i", (1_005,)), range(1, depth)),
            "fail to restore": self._fail,
            "read it once more": lambda: self._ask(self._path, range(1, depth)),
            "leave once more": lambda: self._ask(array("i", (1_003, 1_004))),
            "release": lambda: self.cache.release("chat"),
            "join the edges": lambda: self._ask(self._path + array("i", (1_005,))),
            "erase": lambda: self.cache.erase("chat"),
            "close": self.cache.close,
        }

    def _ask(self, prompt: array[int], points: Sequence[int] = ()) -> None:
        with self.cache.begin(prompt, points, owner="chat") as session:
            while session.prefill(1 << 30):
                pass
            for token in (prompt[-1], *range(2_000, 2_010)):
                self.cache.active.compute((token,))

    def _halve(self) -> None:
        self.cache.set_budget(self.cache.live_bytes + self.cache.paged_bytes // 2)
        self.cache.set_budget(1 << 60)

    def _fail(self) -> None:
        self._ask(array("i", (1_003, 1_004)))

        def page_in(*args: Any) -> None:
            raise CacheFaultError("on purpose")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.cache.active, "page_in", page_in)
            self._ask(self._path)
        assert self.cache.faults == 1


def test_a_whole_life_at_a_great_depth() -> None:
    life = Life(DEPTH // 5)
    for operation in life.operations.values():
        operation()
    check(life.cache)
    assert not life.cache.trie.nodes


def lines_run(operation: Callable[[], object]) -> int:
    """How many lines of the program an operation runs, each pass of a loop counted."""
    lines = 0

    def local(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return local

    def called(frame: FrameType, event: str, arg: object) -> Any:
        return local if "/app/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        operation()
    finally:
        sys.settrace(before)
    return lines


def test_work_grows_with_the_depth_and_no_faster() -> None:
    """Four times the depth is at most six times the lines; a look at the whole path for each edge would be sixteen."""
    short, long = Life(250), Life(1_000)
    for name in short.operations:
        few, many = lines_run(short.operations[name]), lines_run(long.operations[name])
        assert many <= 6 * few + 1_000, f"{name}: {few} lines at a depth of 250, {many} at 1,000"


AGES: dict[str, Callable[[int, int], int]] = {
    "those above first": lambda at, depth: at,
    "those below first": lambda at, depth: depth - at,
    "here and there": lambda at, depth: at * 7_919 % depth,
}


@pytest.mark.parametrize("order", AGES)
@pytest.mark.parametrize("row_bytes", [0, 16])
def test_making_room_grows_with_the_depth_and_no_faster(order: str, row_bytes: int) -> None:
    """Whichever states of a path were used last, and so stay longest."""

    def work(depth: int) -> int:
        cache = PaperCache(row_bytes, 100, 1 << 60)
        for path, points in ((range(depth), range(1, depth)), (range(depth, depth + 2), ())):
            with cache.begin(array("i", path), points) as session:
                while session.prefill(1 << 30):
                    pass
        cache.budget.clock = depth
        for node in cache.trie:
            node.usage.last_use = node.usage.state_used = AGES[order](node.start, depth)
            cache.trie.changed(node)
        return lines_run(lambda: cache.set_budget(cache.live_bytes + cache.paged_bytes // 100))

    few, many = work(250), work(1_000)
    assert many <= 6 * few, f"{few} lines at a depth of 250, {many} at 1,000"


def functions(path: Path) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """Every function of a file, and whether it is a method."""
    tree = ast.parse(path.read_text())
    methods = {
        child for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in ast.iter_child_nodes(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node, node in methods


def calls_itself(function: ast.FunctionDef, is_method: bool) -> bool:
    """Whether a function calls its own name, a method that of its own object."""
    name = f"self.{function.name}" if is_method else function.name
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == name for node in ast.walk(function))


def test_no_function_that_may_walk_the_trie_calls_itself() -> None:
    root = Path(app.__file__).parent
    found = [
        f"{path.relative_to(root)}: {function.name}"
        for pattern in WALKERS
        for path in sorted(root.glob(pattern))
        for function, is_method in functions(path)
        if function.name not in ALLOWED and calls_itself(function, is_method)
    ]
    assert not found
