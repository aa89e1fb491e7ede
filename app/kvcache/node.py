"""Edges of the prefix trie, and what hangs on them."""

from __future__ import annotations

from array import array
from typing import Generic, Protocol, Self, TypeVar

from app.kvcache.call_log import Provenance
from app.protocol.reports import Reason


class Rows(Protocol):
    """Stored rows of keys and values over one edge, all layers together. `cut` and `join` consume their arguments."""

    @property
    def nbytes(self) -> int: ...
    def cut(self, at: int) -> tuple[Self, Self]: ...
    def join(self, below: Self) -> Self: ...


class State(Protocol):
    """Stored whole state at one offset, all layers together."""

    @property
    def nbytes(self) -> int: ...


_NOBODY: frozenset[str] = frozenset()


Runs = tuple[tuple[str, int], ...]  # see disk/identity.py


class FileRef:
    """Reference to a file that holds the rows [start, end) of a path, or the whole state at `end`.

    All edges that the file spans hold the same object.

    name: "" until it is in place. runs: which call logs computed its rows. above: the identity of the rows that it was
    computed on: those before `start`, and of a state all that lead to it.
    """

    __slots__ = ("above", "end", "name", "runs", "start")

    def __init__(self, name: str, start: int, end: int, runs: Runs = (), above: str = "") -> None:
        self.name, self.start, self.end, self.runs, self.above = name, start, end, runs, above

    @property
    def tokens(self) -> int:
        """Count of the tokens that the file is about."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"FileRef({self.name[:8]!r}, {self.start}, {self.end})"


R = TypeVar("R", bound=Rows)
S = TypeVar("S", bound=State)


class Node(Generic[R, S]):
    """Edge of the trie, tokens [start, end) of every path through it, and what hangs on it.

    rows, state: stored in memory, or None. disk_rows: the files that hold its rows, in order and all of them, or none;
    disk_state: the file that holds the state at its end, or None. One that is being written is as good as in place.
    provenances: which calls computed its rows; unknown while they are on disk only and were not read yet. owners:
    conversations that passed. active_paths: numbers of those that run through it, whose live arrays hold its rows, and
    which keep it from being removed. pins: how many places at or below its end the person wants kept. anchors: owners
    who will come back to its end. uses: requests that passed. state_uses, state_used: how often the state at its end
    was wanted, and by which request last; kept when the state is gone. is_answer_end: its state is an answer's end that
    no follow-up has replaced. lost: why there is no state. last_use: number of the last request that passed; used_at:
    the same in seconds since the epoch.
    """

    __slots__ = (
        "active_paths",
        "anchors",
        "children",
        "disk_children",
        "disk_rows",
        "disk_state",
        "held_children",
        "id",
        "is_answer_end",
        "last_use",
        "lost",
        "owners",
        "parent",
        "pins",
        "provenances",
        "rows",
        "start",
        "state",
        "state_used",
        "state_uses",
        "tokens",
        "used_at",
        "uses",
    )

    def __init__(self, id: int, parent: Node[R, S] | None, start: int, tokens: array[int]) -> None:
        self.id = id
        self.parent = parent
        self.children: dict[int, Node[R, S]] = {}
        self.start = start
        self.tokens = tokens
        self.rows: R | None = None
        self.state: S | None = None
        self.provenances: list[Provenance] = []
        self.active_paths: set[int] = set()
        self.pins = 0
        self.anchors: set[str] = set()
        self.is_answer_end = False
        self.lost = Reason.NONE
        self.last_use = 0
        self.used_at = 0.0
        self.uses = 0
        self.state_uses = 0.0
        self.state_used = 0
        self.held_children = 0
        self.owners: frozenset[str] = _NOBODY
        self.disk_rows: list[FileRef] = []
        self.disk_state: FileRef | None = None
        self.disk_children = 0

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    @property
    def has_rows(self) -> bool:
        """Whether the rows of the edge exist: stored, in live arrays, or on disk."""
        return self.rows is not None or bool(self.active_paths) or bool(self.disk_rows)

    @property
    def has_rows_in_memory(self) -> bool:
        """Whether the rows of the edge are stored in memory or in live arrays."""
        return self.rows is not None or bool(self.active_paths)

    @property
    def holds(self) -> bool:
        """Whether the node has state of its own in memory."""
        return self.rows is not None or self.state is not None or bool(self.active_paths)

    @property
    def is_held(self) -> bool:
        """Whether the node, or one below it, has state in memory."""
        return self.holds or self.held_children > 0

    @property
    def is_on_disk(self) -> bool:
        """Whether a file holds state of the node, or of one below it."""
        return bool(self.disk_rows) or self.disk_state is not None or self.disk_children > 0

    @property
    def files(self) -> list[FileRef]:
        """Files that hold state of the edge itself."""
        return self.disk_rows if self.disk_state is None else [*self.disk_rows, self.disk_state]

    def shares_file(self, above: Node[R, S]) -> bool:
        """Return whether a file holds rows of this edge and of its parent, `above`."""
        return bool(self.disk_rows and above.disk_rows) and self.disk_rows[0] == above.disk_rows[-1]

    @property
    def is_pinned_end(self) -> bool:
        """Whether the end of this very edge is pinned."""
        return self.pins > 0 and self.pins > sum(child.pins for child in self.children.values())

    @property
    def pinned_bytes(self) -> int:
        """Stored bytes that a pin keeps here: rows on the way to the place, the whole state only at it."""
        if not self.pins:
            return 0
        state = self.state.nbytes if self.state and self.is_pinned_end else 0
        return state + (self.rows.nbytes if self.rows else 0)

    @property
    def stored_bytes(self) -> int:
        return (self.rows.nbytes if self.rows else 0) + (self.state.nbytes if self.state else 0)
