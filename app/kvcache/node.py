"""Edges of the prefix trie, and what hangs on them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Generic, Protocol, Self, TypeVar

from app.kvcache.call_log import Provenance, append_provenances, cut
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


class Stored(Generic[R, S]):
    """State of one edge that is stored, in memory or on disk.

    rows, state: in memory, or None. disk_rows: the files that hold its rows, in order and all of them, or none;
    disk_state: the file that holds the state at its end, or None. One that is being written is as good as in place.
    provenances: which calls computed its rows; unknown while they are on disk only and were not read yet.
    is_answer_end: its state is an answer's end that no follow-up has replaced. lost: why there is no state.
    """

    __slots__ = ("disk_rows", "disk_state", "is_answer_end", "lost", "provenances", "rows", "state")

    def __init__(self) -> None:
        self.rows: R | None = None
        self.state: S | None = None
        self.provenances: list[Provenance] = []
        self.disk_rows: list[FileRef] = []
        self.disk_state: FileRef | None = None
        self.is_answer_end = False
        self.lost = Reason.NONE

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return (self.rows.nbytes if self.rows else 0) + (self.state.nbytes if self.state else 0)

    @property
    def files(self) -> list[FileRef]:
        """Files that hold state of the edge itself."""
        return self.disk_rows if self.disk_state is None else [*self.disk_rows, self.disk_state]

    def cut_above(self, offset: int) -> Stored[R, S]:
        """Return what belongs to the edge up to a token offset, which this one begins at from now on; rows and state
        in memory stay."""
        above: Stored[R, S] = Stored()
        above.lost = self.lost
        above.provenances, self.provenances = cut(self.provenances, offset)
        above.disk_rows = self.disk_rows[: bisect_left(self.disk_rows, offset, key=lambda ref: ref.start)]
        self.disk_rows = self.disk_rows[bisect_right(self.disk_rows, offset, key=lambda ref: ref.end) :]
        return above

    def join_below(self, below: Stored[R, S]) -> None:
        """Have `below`, which is the child's, be that of both edges; rows in memory are left out.

        In place, so that a long run of edges is joined from above in linear time.
        """
        is_shared = bool(self.disk_rows and below.disk_rows) and self.disk_rows[-1] == below.disk_rows[0]
        append_provenances(self.provenances, below.provenances)
        self.disk_rows.extend(below.disk_rows[int(is_shared) :])
        below.provenances, below.disk_rows = self.provenances, self.disk_rows


class Usage:
    """Use of one edge: by whom, when, and who will come back.

    uses: requests that passed. last_use: number of the last of them; used_at: the same in seconds since the epoch.
    state_uses, state_used: how often the state at its end was wanted, and by which request last; kept when the state is
    gone. owners: conversations that passed. anchors: owners who will come back to its end. pins: how many places at or
    below its end the person wants kept. is_guest: only other programs passed.
    """

    __slots__ = ("anchors", "is_guest", "last_use", "owners", "pins", "state_used", "state_uses", "used_at", "uses")

    def __init__(self) -> None:
        self.uses = 0
        self.last_use = 0
        self.used_at = 0.0
        self.state_uses = 0.0
        self.state_used = 0
        self.owners: frozenset[str] = _NOBODY
        self.anchors: set[str] = set()
        self.pins = 0
        self.is_guest = False

    def of_upper_half(self) -> Usage:
        """Return how the upper half of an edge was used that is split: whoever passed the edge passed both."""
        upper = Usage()
        upper.uses, upper.last_use, upper.used_at = self.uses, self.last_use, self.used_at
        upper.owners, upper.pins, upper.is_guest = self.owners, self.pins, self.is_guest
        return upper

    def add(self, other: Usage) -> None:
        """Take in how another edge was used that is joined with this one."""
        self.uses, self.last_use = max(self.uses, other.uses), max(self.last_use, other.last_use)
        self.used_at = max(self.used_at, other.used_at)
        self.owners |= other.owners


class Node(Generic[R, S]):
    """Edge of the trie: tokens [start, end) of every path through it.

    active_paths: numbers of those that run through it, whose live arrays hold its rows, and which keep it from being
    removed. locks: how many open sessions stand at or below its end while calls are made on another. held_children,
    disk_children: how many children have state in memory, or on disk, at or below them.
    """

    __slots__ = (
        "active_paths",
        "children",
        "disk_children",
        "held_children",
        "id",
        "locks",
        "parent",
        "start",
        "stored",
        "tokens",
        "usage",
    )

    def __init__(self, id: int, parent: Node[R, S] | None, start: int, tokens: array[int]) -> None:
        self.id = id
        self.parent = parent
        self.children: dict[int, Node[R, S]] = {}
        self.start = start
        self.tokens = tokens
        self.stored: Stored[R, S] = Stored()
        self.usage = Usage()
        self.active_paths: set[int] = set()
        self.locks = 0
        self.held_children = 0
        self.disk_children = 0

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    @property
    def has_rows(self) -> bool:
        """Whether the rows of the edge exist: stored, in live arrays, or on disk."""
        stored = self.stored
        return stored.rows is not None or bool(self.active_paths) or bool(stored.disk_rows)

    @property
    def has_rows_in_memory(self) -> bool:
        """Whether the rows of the edge are stored in memory or in live arrays."""
        return self.stored.rows is not None or bool(self.active_paths)

    @property
    def holds(self) -> bool:
        """Whether the node has state of its own in memory, or an open session has, which stands there."""
        stored = self.stored
        return stored.rows is not None or stored.state is not None or bool(self.active_paths or self.locks)

    @property
    def is_held(self) -> bool:
        """Whether the node, or one below it, has state in memory."""
        return self.holds or self.held_children > 0

    @property
    def is_on_disk(self) -> bool:
        """Whether a file holds state of the node, or of one below it."""
        stored = self.stored
        return bool(stored.disk_rows) or stored.disk_state is not None or self.disk_children > 0

    def shares_file(self, above: Node[R, S]) -> bool:
        """Return whether a file holds rows of this edge and of its parent, `above`."""
        ours, theirs = self.stored.disk_rows, above.stored.disk_rows
        return bool(ours and theirs) and ours[0] == theirs[-1]

    @property
    def is_pinned_end(self) -> bool:
        """Whether the end of this very edge is pinned."""
        return self.usage.pins > 0 and self.usage.pins > sum(child.usage.pins for child in self.children.values())

    @property
    def pinned_bytes(self) -> int:
        """Stored bytes that a pin keeps here: rows on the way to the place, the whole state only at it."""
        if not self.usage.pins:
            return 0
        stored = self.stored
        state = stored.state.nbytes if stored.state and self.is_pinned_end else 0
        return state + (stored.rows.nbytes if stored.rows else 0)
