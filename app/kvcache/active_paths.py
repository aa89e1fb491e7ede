"""All active paths over one trie: what they hold together, and what one of them takes from another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from app.kvcache.active_path import ActivePath
from app.kvcache.layers import CacheFaultError
from app.kvcache.live_layers import RowSource
from app.kvcache.seat import Seats
from app.kvcache.snapshot import CacheTrie, RowsSnapshot, StateSnapshot, TrieNode
from app.protocol.reports import Reason


class DiskTier(Protocol):
    """Disk, as far as entering a path needs it. Raises CacheFaultError when something cannot be read."""

    def rows(self, node: TrieNode) -> Sequence[RowSource]: ...
    def recall(self, node: TrieNode) -> Sequence[RowSource]: ...
    def state(self, node: TrieNode) -> StateSnapshot: ...
    def bytes_of(self, nodes: Sequence[TrieNode], end: TrieNode) -> int: ...


class ActivePaths:
    """Active paths over one trie, in the order of their numbers, on layers of one model.

    disk: what lies below the memory of all of them. has_rows, has_states: what layers the model has. unsupported: the
    name of a cache kind that cannot be stored, or empty. seats: where sessions stand while calls are made on another.
    """

    def __init__(self, trie: CacheTrie) -> None:
        self.disk: DiskTier | None = None
        self.has_rows = self.has_states = False
        self.unsupported = ""
        self.seats = Seats(trie)
        self._trie = trie
        self._paths: dict[int, ActivePath] = {}

    def add(self, path: ActivePath) -> None:
        """Take in one more."""
        self._paths[path.number] = path
        self.has_rows, self.has_states = bool(path.layers.rows), bool(path.layers.states)
        self.unsupported = path.layers.unsupported

    def close(self) -> None:
        """Let go of all paths and of what they hold. They know these, so else only a collector would."""
        self.seats.clear()
        for path in self:
            path.drop(Reason.EVICTED)
        self._paths.clear()

    def __iter__(self) -> Iterator[ActivePath]:
        return iter(self._paths.values())

    # What the model keeps

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's rows in all layers; 0 where nothing was computed and nothing is on disk."""
        return max((path.layers.row_bytes for path in self), default=0)

    @property
    def state_bytes(self) -> int:
        """Bytes of the whole states of all layers; 0 where nothing was computed and nothing is on disk."""
        return max((path.layers.state_bytes for path in self), default=0)

    def arrays_of_states(self) -> list[int]:
        """Return of how many arrays the whole state of each layer that has one is made."""
        return [len(layer.take()) for layer in next(iter(self)).layers.states]

    # What is live

    @property
    def used_bytes(self) -> int:
        """Bytes of all live rows and states that are not stored as well, padding left out, copies counted."""
        used = self.seats.nbytes
        for path in self._paths.values():
            used += path.used_bytes
        return used

    @property
    def copied_bytes(self) -> int:
        """Bytes of rows that several paths run through, once for each path but the first."""
        return self._trie.copied_tokens * self.row_bytes if self._trie.copied_tokens else 0

    @property
    def allocated_bytes(self) -> int:
        """Bytes of the live buffers, with the rows that they have room for."""
        return sum(path.layers.allocated_bytes for path in self) + self.seats.nbytes

    @property
    def launched_bytes(self) -> int:
        """Bytes that launched calls will take when they are confirmed."""
        return sum(path.launched_bytes for path in self)

    @property
    def tokens(self) -> int:
        """Count of the tokens that are live, those that several paths share counted once."""
        return sum(path.offset for path in self) - self._trie.copied_tokens

    def copy_rows(self, node: TrieNode, start: int, end: int) -> RowsSnapshot:
        """Return rows [start, end) of an edge that a path runs through, evaluated."""
        return self._paths[min(node.active_paths)].layers.copy_rows(start, end)

    @property
    def state_ends(self) -> list[TrieNode]:
        """Nodes at whose end the whole states of a path or a seat are."""
        return [path.end for path in self if path.has_state] + self.seats.state_ends

    def live_state(self, node: TrieNode) -> StateSnapshot | None:
        """Return the whole state at a node's end, shared with the live arrays of a path or a seat; None where there is
        none."""
        live = next((path.layers.take_state() for path in self if path.end is node and path.has_state), None)
        return live or self.seats.state_at(node)

    # What can be gone on from

    def stored_rows(self, node: TrieNode) -> Sequence[RowSource]:
        """Return the rows of an edge from memory, a path or disk. Raises CacheFaultError when they cannot be had."""
        if found := self._rows_in_memory(node):
            return found
        if self.disk is None or not node.stored.disk_rows:
            raise CacheFaultError(f"rows [{node.start}, {node.end}) are missing")
        return self.disk.rows(node)

    def kept_rows(self, node: TrieNode) -> Sequence[RowSource]:
        """Return the rows of an edge that is computed again, to stay as they were; none when they cannot be had."""
        if found := self._rows_in_memory(node):
            return found
        return self.disk.recall(node) if self.disk is not None and node.stored.disk_rows else ()

    def _rows_in_memory(self, node: TrieNode) -> Sequence[RowSource]:
        if node.stored.rows is not None:
            return (node.stored.rows,)
        return (self.copy_rows(node, node.start, node.end),) if node.active_paths else ()

    def stored_state(self, node: TrieNode) -> StateSnapshot:
        """Return the whole state at a node's end, wherever it is. Raises CacheFaultError when it cannot be had."""
        state = node.stored.state or self.live_state(node)
        if state is not None:
            return state
        if self.disk is None or not node.stored.disk_state:
            raise CacheFaultError(f"the state at {node.end} is gone")
        return self.disk.state(node)

    def disk_bytes(self, nodes: Sequence[TrieNode], end: TrieNode) -> int:
        """Return how many bytes are read from disk for the rows of nodes and the whole state at the end."""
        return self.disk.bytes_of(nodes, end) if self.disk is not None else 0
