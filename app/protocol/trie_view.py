"""An immutable picture of the prefix trie, for the panel that shows it."""

from __future__ import annotations

from typing import Literal

from app.protocol.chat import Role
from app.protocol.dataclass import dataclass
from app.protocol.reports import Reason

# Where the state of tokens is. "disk": only there. "believed": on a server, which should still have it. "none": the
# tokens are known, their state must be computed again.
Residency = Literal["live", "memory", "disk", "believed", "none"]
# An edge is named by so many tokens of a message at most, and by so many characters.
LABEL_TOKENS, LABEL_LENGTH = 24, 48


@dataclass(frozen=True, slots=True)
class TrieNodeView:
    """One edge of the trie: tokens [start, end) of every prompt that passes through it.

    label: words of one message of which it holds tokens, "" where all of it is the template's own text. role: who said
    them, None where that is not known. is_continued: they do not begin that message, and a blank stands before them
    where they begin a word. owners: who asked for it. is_guest: only other programs did. bytes:
    stored and live state that belongs to the edge. disk_bytes: of the files that hold it. lanes: of the answers being
    written on it, and 0 on the live path while none is. last_use: number of the last request that passed; used_at: the
    same as seconds since the epoch. lost: why state of it that there was is held no more.
    """

    id: int
    parent_id: int | None
    start: int
    end: int
    label: str
    bytes: int
    residency: Residency
    lanes: tuple[int, ...]
    has_state: bool
    is_restore_point: bool
    last_use: int
    used_at: float
    disk_bytes: int = 0
    is_pinned: bool = False
    role: Role | None = None
    is_continued: bool = False
    owners: frozenset[str] = frozenset()
    is_guest: bool = False
    lost: Reason = Reason.NONE

    @property
    def tokens(self) -> int:
        """Return how many tokens the edge holds."""
        return self.end - self.start

    @property
    def held_bytes(self) -> int:
        """Return the bytes of its state where that is: in memory or, when it is only there, on disk."""
        return self.disk_bytes if self.residency == "disk" else self.bytes


@dataclass(frozen=True, slots=True)
class TrieView:
    """A picture of the whole trie, and the totals of what is held.

    nodes: in depth-first order, parents before children, the root left out (`parent_id` None marks its children).
    live_bytes, paged_bytes: as used by tokens; live_allocated_bytes includes the padding of growing buffers.
    overhead_bytes: what MLX's buffers take beyond the arrays in them, of the budget too, where that is worth telling.
    mlx_cache_bytes: freed buffers that MLX keeps for itself. disk_bytes: of all files, other models' too;
    disk_allowed_bytes: what they may take, 0 when nothing is kept on disk; disk_problem: why the last file could not be
    written, in the system's words, or ""; dropped_files: how many were lost or not written. place: the server that
    should hold it, as the person calls it, "" for this computer.
    """

    serial: int
    nodes: tuple[TrieNodeView, ...] = ()
    live_tokens: int = 0
    live_bytes: int = 0
    live_allocated_bytes: int = 0
    paged_bytes: int = 0
    budget_bytes: int = 0
    overhead_bytes: int = 0
    mlx_cache_bytes: int = 0
    disk_bytes: int = 0
    disk_allowed_bytes: int = 0
    disk_problem: str = ""
    dropped_files: int = 0
    place: str = ""
