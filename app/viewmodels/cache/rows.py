"""What one row of the cache pane shows, and how a screen reader says it."""

from __future__ import annotations

from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Role
from app.protocol.dataclass import dataclass
from app.protocol.trie_view import Residency, TrieNodeView
from app.viewmodels.text import formatting

RESIDENCY_NAMES: dict[Residency, str] = {
    "live": "Live",
    "memory": "In memory",
    "disk": "On disk",
    "believed": "Should be there",
    "none": "No snapshot",
}


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line of the cache's log. `time` as shown ("09:41:07"); `why` in one sentence or empty."""

    time: str
    kind: CacheEventKind
    text: str
    why: str


_SPEAKERS: dict[Role | None, str] = {"user": "You: ", "assistant": "Answer: ", "system": "System prompt: ", None: ""}
_BEGINNING = "Beginning of every conversation"


def title_of(node: TrieNodeView) -> str:
    """Return what an edge is called: who said its words, and the words; "You: …under 300 euros" where they go on."""
    if not node.label:
        return _BEGINNING
    return f"{_SPEAKERS[node.role]}{'…' * node.is_continued}{node.label.strip()}"


def spoken_node(node: TrieNodeView, level: int) -> str:
    """Say an edge: "Level 2, tokens 412 to 3 412, 3 000 tokens, 240 MB, in memory: Three days in Lisbon"."""
    residency = RESIDENCY_NAMES[node.residency].lower()
    parts = [
        f"Level {level}",
        f"tokens {formatting.number(node.start)} to {formatting.number(node.end)}",
        formatting.tokens(node.tokens),
        formatting.size(node.held_bytes),
        residency,
    ]
    if node.disk_bytes and node.residency != "disk":
        parts.append("on disk too")
    if node.is_restore_point:
        parts.append("restore point")
    if node.is_pinned:
        parts.append("pinned")
    return ", ".join(parts) + f": {title_of(node)}"
