"""What the window shows of the prefix cache beside its pane."""

from __future__ import annotations

from dataclasses import replace

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.kit.activity import Activity
from app.viewmodels.text import formatting

CHECKING = Activity("Checking the branch: it is computed again")


@dataclass(frozen=True, slots=True)
class CacheState:
    """The cache as a whole.

    line: its size, for the right of the status line. is_empty: it holds no edge. folder: where its files lie, "" for
    nowhere. disk_trouble: why no cached state is written although it is wanted, or None. is_checking: a branch is being
    computed again. activity: that, or None.
    """

    line: str = ""
    is_empty: bool = True
    folder: str = ""
    disk_trouble: Problem | None = None
    is_checking: bool = False

    @property
    def activity(self) -> Activity | None:
        """Return what the engine does for the cache alone."""
        return CHECKING if self.is_checking else None


def cache_line(view: TrieView) -> str:
    """Say how full the memory is: "Cache 3.1 of 8.0 GB"; "Cache 4.6 GB on disk" when that is all.

    Without a budget, what is live is still held. Of a server: "About 1 200 tokens on Studio".
    """
    if view.place:
        held = sum(node.tokens for node in view.nodes if node.residency == "believed")
        return f"About {formatting.tokens(held)} on {view.place}" if held else ""
    used = view.live_bytes + view.paged_bytes
    if not used and any(node.residency == "disk" for node in view.nodes):
        return f"Cache {formatting.size(view.disk_bytes)} on disk"
    if not used:
        return "Cache empty"
    return f"Cache {formatting.share(used, view.budget_bytes) if view.budget_bytes else formatting.size(used)}"


def left_of(view: TrieView) -> TrieView:
    """Return what stays of a picture when its model is closed: its edges, and the files where there are some."""
    nodes = tuple(
        replace(node, residency="disk" if node.disk_bytes else "none", bytes=0, lanes=()) for node in view.nodes
    )
    return TrieView(
        view.serial,
        nodes,
        budget_bytes=view.budget_bytes,
        disk_bytes=view.disk_bytes,
        disk_allowed_bytes=view.disk_allowed_bytes,
    )


def short_of_memory(most: int) -> Problem:
    """Say that the cache was made smaller. most: bytes that it may take until there is room again."""
    return Problem(
        "This computer is short of memory",
        f"The cache holds at most {formatting.size(most)} for now. Nothing you said is lost, and it grows again by "
        "itself.",
    )
