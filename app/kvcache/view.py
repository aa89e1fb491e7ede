"""Immutable pictures of the trie: for the window, and as text for the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import mlx.core as mx

from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session
from app.kvcache.snapshot import TrieNode, upwards
from app.protocol.chat import Role
from app.protocol.trie_view import LABEL_TOKENS, Residency, TrieNodeView, TrieView

DEEPEST_INDENT = 20  # levels; with more, the text of a deep trie would grow with the square of its depth
SETTLED = 4 * LABEL_TOKENS  # tokens of an edge: with more its name stays as it is


class EdgeLabel(NamedTuple):
    """The name of an edge: words of a message, who said them, and whether they go on with what began above.

    Words that go on begin with a blank where they begin a word.
    """

    words: str
    role: Role | None = None
    is_continued: bool = False


Label = Callable[[TrieNode], EdgeLabel]
Lanes = dict[int, tuple[int, ...]]  # by the edges' ids


class Views:
    """Maker of views of one cache; what has not changed since the last one is used again. label: see `view`."""

    def __init__(self, cache: PrefixCache, label: Label) -> None:
        self._cache, self._label = cache, label
        self._changed = cache.trie.watch(with_uses=True)
        self._nodes: dict[int, TrieNodeView] = {}
        self._lanes: Lanes = {}
        self._order: list[int] = []

    def take(self, serial: int) -> TrieView:
        """Return what `view` would."""
        self._cache.record()
        if self._update():
            self._order = [node.id for node in self._cache.trie]
        return _view(self._cache, serial, tuple(map(self._nodes.__getitem__, self._order)))

    def _update(self) -> bool:
        """Make the nodes that have changed anew. Whether their order may be another."""
        has_moved = False
        before_lanes, self._lanes = self._lanes, _lanes(self._cache)
        for number in {*self._changed, *_differing(before_lanes, self._lanes)}:
            node, before = self._cache.trie.nodes.get(number), self._nodes.pop(number, None)
            now = _node_view(node, self._cache, self._lanes, self._label, before) if node is not None else None
            if now is not None:
                self._nodes[number] = now
            has_moved |= before is None or now is None or before.parent_id != now.parent_id
        self._changed.clear()
        return has_moved


def view(cache: PrefixCache, serial: int, label: Label) -> TrieView:
    """Return a picture of what is where now. label: names an edge."""
    cache.record()
    lanes = _lanes(cache)
    return _view(cache, serial, tuple(_node_view(node, cache, lanes, label) for node in cache.trie))


def _view(cache: PrefixCache, serial: int, nodes: tuple[TrieNodeView, ...]) -> TrieView:
    paths, disk = cache.paths, cache.disk
    return TrieView(
        serial=serial,
        nodes=nodes,
        live_tokens=paths.tokens,
        live_bytes=cache.live_bytes,
        live_allocated_bytes=paths.allocated_bytes,
        paged_bytes=cache.paged_bytes,
        budget_bytes=cache.budget_bytes,
        overhead_bytes=cache.budget.overhead_bytes,
        mlx_cache_bytes=mx.get_cache_memory(),
        disk_bytes=disk.nbytes if disk else 0,
        disk_allowed_bytes=disk.allowed_bytes if disk else 0,
        disk_problem=disk.problem if disk else "",
        dropped_files=disk.dropped if disk else 0,
    )


def _lanes(cache: PrefixCache) -> Lanes:
    """Return for each edge the lanes of the open sessions that stand on it; without any, the paths that are live."""
    standing: dict[int, list[int]] = {}
    for session in cache.sessions:
        for node in _path_of(cache, session):
            standing.setdefault(node.id, []).append(session.lane)
    if not cache.sessions:
        for path in cache.paths:
            for node in path.path[1:]:
                standing.setdefault(node.id, []).append(path.number)
    return {number: tuple(sorted(lanes)) for number, lanes in standing.items()}


def _path_of(cache: PrefixCache, session: Session) -> Iterable[TrieNode]:
    """Return the edges that a session stands on, as far as they are held."""
    if session.is_mounted:
        return session.path.path[1:]
    node = cache.paths.seats[session.number].node
    return () if node is None else upwards(node)


def _differing(before: Lanes, now: Lanes) -> Iterator[int]:
    return (number for number in {*before, *now} if before.get(number) != now.get(number))


def _node_view(
    node: TrieNode, cache: PrefixCache, lanes: Lanes, label: Label, before: TrieNodeView | None = None
) -> TrieNodeView:
    """Return the view of one edge. before: what stood for it, whose words are used again where they are the same."""
    live = cache.paths.row_bytes * len(node.tokens) if node.active_paths else 0
    name = _known_name(node, before) or label(node)
    return TrieNodeView(
        id=node.id,
        parent_id=node.parent.id if node.parent is not None and node.parent.parent is not None else None,
        start=node.start,
        end=node.end,
        label=name.words,
        bytes=live + node.stored.nbytes,
        residency=residency(node),
        lanes=lanes.get(node.id, ()),
        has_state=node.stored.state is not None or bool(node.stored.disk_state),
        is_restore_point=bool(node.usage.anchors),
        last_use=node.usage.last_use,
        used_at=node.usage.used_at,
        disk_bytes=cache.disk.size_of(node) if cache.disk else 0,
        is_pinned=node.usage.pins > 0,
        role=name.role,
        is_continued=name.is_continued,
        owners=node.usage.owners,
        is_guest=node.usage.is_guest,
        lost=node.stored.lost,
    )


def _known_name(node: TrieNode, before: TrieNodeView | None) -> EdgeLabel | None:
    """Return the name that an edge had, where it still is its name: one that is long enough can only grow longer."""
    if before is None or before.start != node.start:
        return None
    is_long = bool(before.label) and min(before.tokens, len(node.tokens)) >= SETTLED
    return (
        EdgeLabel(before.label, before.role, before.is_continued)
        if is_long or before.tokens == len(node.tokens)
        else None
    )


def residency(node: TrieNode) -> Residency:
    """Return where a node's state is."""
    if node.holds:
        return "live" if node.active_paths or node.locks else "memory"
    return "disk" if node.stored.disk_rows or node.stored.disk_state else "none"


def dump(cache: PrefixCache) -> str:
    """Return the tree as text, one line to an edge, without any of its words."""
    lines = [f"trie: {sum(1 for _ in cache.trie)} nodes, {cache.live_bytes} B live, {cache.paged_bytes} B paged"]
    stack = [(child, 0) for child in reversed(cache.trie.root.children.values())]
    while stack:
        node, depth = stack.pop()
        has = {
            "state": node.stored.state,
            "file": node.stored.files,
            "anchor": node.usage.anchors,
            "pin": node.usage.pins,
        }
        marks = [residency(node), *(name for name, value in has.items() if value)]
        text = f"[{node.start}, {node.end}) {len(node.tokens)} tokens, {node.stored.nbytes} B"
        lines.append(f"{'  ' * min(depth + 1, DEEPEST_INDENT)}{text} ({', '.join(marks)})")
        stack.extend((child, depth + 1) for child in reversed(node.children.values()))
    return "\n".join(lines)
