"""How files hang in a trie: whole or not at all, and listed as they hang.

No disk is known here, and neither are arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from app.kvcache.disk.index import Entry, Kind, Listed
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, TrieNode
from app.protocol.reports import Reason

Shorten = Callable[[FileRef, TrieNode], FileRef | None]
"""Writes anew what a file holds up to the end of an edge. None when it cannot be read, or there is no room."""


def settle(trie: CacheTrie, shorten: Shorten) -> set[FileRef]:
    """Have every file hang whole or not at all. Returns those that were taken down and hang nowhere any more.

    Of one of which only the beginning is left, that is written anew: others may have built on it, and what follows it
    may be somebody's who is gone.
    """
    gone: set[FileRef] = set()
    while loosened := trie.take_loosened():
        broken = {ref for ref in loosened if 0 < trie.files.get(ref, 0) < ref.tokens}
        for ref, nodes in _edges_of(trie, broken).items():
            if ref not in trie.files:  # taken down with another one
                continue
            is_beginning = trie.files[ref] == nodes[-1].end - ref.start
            new = shorten(ref, nodes[-1]) if is_beginning else None
            if new is None:
                forget(trie, nodes[-1])
                continue
            for node in nodes:
                rows = [new if one is ref else one for one in node.stored.disk_rows]
                trie.set_disk(node, rows, node.stored.disk_state)
        gone |= loosened - trie.files.keys()
    return gone


def forget(trie: CacheTrie, node: TrieNode, why: Reason = Reason.NONE) -> None:
    """Take down what lies on disk of a node and below it; files that it shares with those above go whole.

    why: told of what was nowhere else.
    """
    while node.parent is not None and node.shares_file(node.parent):
        node = node.parent
    if why:
        for one in trie.below(node, lambda child: child.is_on_disk):
            one.stored.lost = one.stored.lost if one.holds else why
    trie.forget_files(node)


def entry_of(node: TrieNode, kind: Kind, ref: FileRef, nbytes: int, erased: int = 0) -> Entry:
    """Return what a file of a node's state says of itself. nbytes: of the file; erased: see `Entry`."""
    usage, is_rows = node.usage, kind == "rows"
    uses = float(usage.uses) if is_rows else usage.state_uses
    times = uses, usage.last_use if is_rows else usage.state_used, usage.used_at
    owners = tuple(sorted(usage.owners))
    return Entry(ref.name, nbytes, kind, ref.start, ref.end, *times, owners, ref.runs, ref.above, erased)


def listed(trie: CacheTrie, size: Callable[[str], int]) -> Iterator[Listed]:
    """Give the entries of all files that are in place, in the order of an index. size: bytes of a file, by its name."""
    path, shared = array("i"), 0  # of the node at hand; how many of its tokens are the last entry's, too
    for node in trie.below(trie.root, lambda child: child.is_on_disk):
        shared = min(shared, node.start)
        del path[node.start :]
        path.extend(node.tokens)
        for kind, ref in _in_place(node):
            yield Listed(entry_of(node, kind, ref, size(ref.name)), shared, path[shared : ref.end])
            shared = ref.end


def _edges_of(trie: CacheTrie, refs: set[FileRef]) -> dict[FileRef, list[TrieNode]]:
    """Return the edges that each of these files of rows hangs on, in order."""
    found: dict[FileRef, list[TrieNode]] = {}
    for node in trie.nodes.values() if refs else ():
        for ref in refs.intersection(node.stored.disk_rows):
            found.setdefault(ref, []).append(node)
    return {ref: sorted(nodes, key=lambda node: node.end) for ref, nodes in found.items()}


def _in_place(node: TrieNode) -> Iterator[tuple[Kind, FileRef]]:
    """Give the files that end on an edge, in the order of their ends."""
    for ref in node.stored.disk_rows:
        if ref.name and node.start < ref.end <= node.end:
            yield "rows", ref
    if node.stored.disk_state is not None and node.stored.disk_state.name:
        yield "state", node.stored.disk_state
