"""Nothing about a path depends on its depth: no recursion over the trie, and no step that looks at the whole path."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from pathlib import Path

import app
from app.kvcache.eviction import Eviction
from app.kvcache.journal import Journal
from app.kvcache.lane import TrieNode
from app.kvcache.paging import CacheTrie, forget, forget_files
from app.kvcache.trail import Piece, Trail
from app.kvcache.trie import Part, Trie
from app.protocol.reports import Reason
from tests.bench.paper import PaperRows

DEPTH = 50_000
# Everything that walks the trie, or pictures of it, or the chain of a trail's bases.
WALKERS = ("kvcache", "engine", "protocol", "viewmodels", "widgets")
ALLOWED = {"flatten"}  # of a model's own compound cache objects


def chain(depth: int = DEPTH) -> tuple[CacheTrie, list[TrieNode]]:
    """A trie of one path, one token to an edge, each with rows in memory and a file that holds them."""
    trie: CacheTrie = Trie()
    node, nodes = trie.root, []
    for at in range(depth):
        trail = Trail(at, nodes[-1].pieces[0].trail if nodes else None)
        trail.add((1,))
        node = trie.append(node, (1,), [Piece(trail, at, at + 1)])
        nodes.append(node)
    for node in nodes:
        trie.set_rows(node, PaperRows(1, 10))  # type: ignore[arg-type]
        trie.set_disk(node, (Part(f"{node.id:064}", node.start, node.end),), "")
    return trie, nodes


class TestADeepTrie:
    def test_forgetting_a_branch(self) -> None:
        trie, nodes = chain()
        forget(trie, nodes[0], Reason.EVICTED)
        assert trie.paged_bytes == 0
        assert not any(node.is_on_disk or node.is_held for node in nodes)

    def test_forgetting_its_files(self) -> None:
        trie, nodes = chain()
        forget_files(trie, nodes[0])
        assert not any(node.is_on_disk for node in nodes)
        assert trie.paged_bytes == 10 * DEPTH

    def test_evicting_above_ghosts(self) -> None:
        """The last rows leave, and what may go next lies far above."""
        trie, nodes = chain()
        for node in nodes[1:-1]:
            trie.set_rows(node, None)
        eviction = Eviction(trie, 1, has_states=False, journal=Journal())
        eviction.run(lambda: trie.paged_bytes)
        assert trie.paged_bytes == 0

    def test_its_garbage(self) -> None:
        trie, nodes = chain()
        del trie, nodes
        gc.collect()
        leaf: Trail | None = None
        for at in range(DEPTH):
            leaf = Trail(at, leaf)
        del leaf
        gc.collect()


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
        for room in WALKERS
        for path in sorted((root / room).rglob("*.py"))
        for function, is_method in functions(path)
        if function.name not in ALLOWED and calls_itself(function, is_method)
    ]
    assert not found
