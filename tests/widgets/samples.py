"""A trie, conversations and figures to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason
from app.protocol.trie_view import Residency, TrieNodeView, TrieView
from app.viewmodels.app_state import AppState
from app.viewmodels.cache.cache_state import CacheState
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.kit.activity import Activity
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.library import Library
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.library.search import Search
from app.viewmodels.model.model_state import ModelState

NOW = 1_700_000_000.0


def node(
    node_id: int,
    parent_id: int | None,
    start: int,
    end: int,
    label: str,
    residency: Residency = "memory",
    ago: float = 0.0,
) -> TrieNodeView:
    """An edge of 80 KB to a token, nothing where there is no snapshot."""
    held = 0 if residency == "none" else (end - start) * 80_000
    return TrieNodeView(
        node_id, parent_id, start, end, label, held, residency, (), residency != "none", True, 1, NOW - ago
    )


def on_disk(edge: TrieNodeView) -> TrieNodeView:
    """The same edge, when files are all that is held of it."""
    return replace(edge, residency="disk", bytes=0, disk_bytes=edge.tokens * 80_000)


NODES = (
    node(1, None, 0, 412, "You are a helpful assistant", "live"),
    node(2, 1, 412, 3412, "Three days in Lisbon, late October", "live"),
    node(3, 2, 3412, 3836, "By train instead, no flights", "memory", 720),
    node(4, 2, 3412, 3794, "Make it cheaper, under 300 euros each", "live"),
    node(5, 2, 3412, 3871, "With the children, six and nine years", "memory", 7200),
    node(6, 5, 3871, 4083, "The beach day, and shorter walks", "none", 7200),
    node(7, 1, 412, 1616, "Explain a KV cache to a chemist", "memory", 90_000),
    node(8, None, 0, 96, "Reply only with JSON", "memory", 2400),
)


def view(*nodes: TrieNodeView, serial: int = 1) -> TrieView:
    """A picture of these nodes, NODES without any."""
    shown = nodes or NODES
    live = sum(each.bytes for each in shown if each.residency == "live")
    held = sum(each.bytes for each in shown)
    return TrieView(serial, tuple(shown), 3794, live, live, held - live, 8_000_000_000)


def event(
    number: int, kind: CacheEventKind, offset: int, tokens: int, held: int = 0, reason: Reason = Reason.NONE
) -> CacheEvent:
    """The number-th event, a second after the one before it."""
    return CacheEvent(number, NOW + number, kind, tokens, held, reason, offset)


LOG = (
    event(1, CacheEventKind.REQUEST, 412, 3000, reason=Reason.DIVERGED),
    event(2, CacheEventKind.PAGED_OUT, 412, 3794, 304_000_000),
    event(3, CacheEventKind.EVICTED, 412, 1204, 96_000_000, Reason.EVICTED),
    event(4, CacheEventKind.PAGED_IN, 0, 3412, 240_000_000),
    event(5, CacheEventKind.SPLIT, 3412, 0),
    event(6, CacheEventKind.REQUEST, 3412, 168),
    event(7, CacheEventKind.CAPTURED, 412, 0, 1_500_000),
    event(8, CacheEventKind.FAULT, 412, 0, reason=Reason.FAULT),
)


def events(log: Iterable[CacheEvent]) -> EventModel:
    """A log of these."""
    model = EventModel()
    model.add(log)
    return model


def conversations() -> ConversationModel:
    """Three of today, the first open, the second writing; two earlier ones."""
    model = ConversationModel()
    model.show(
        [
            ConversationRow("a", "Trip plan", "now", "Today", is_open=True, is_writing=False),
            ConversationRow("b", "A KV cache, for a chemist", "18 min", "Today", is_open=False, is_writing=True),
            ConversationRow("c", "Letter to the landlord", "2 h", "Today", is_open=False, is_writing=False),
            ConversationRow("d", "Parser review, Rust", "yesterday", "Earlier", is_open=False, is_writing=False),
            ConversationRow("e", "Why is the sky darker in May", "3 Nov", "Earlier", is_open=False, is_writing=False),
        ]
    )
    return model


class _Silent:
    """A database that never answers."""

    def do(self, *_request: object) -> None:
        """Nothing comes of it."""


def search() -> Search:
    """A search that finds nothing by itself; its rows can be shown."""
    silent = _Silent()
    return Search(silent, Library(silent))  # type: ignore[arg-type]


def opened(model: ConversationModel, conversation_id: str) -> None:
    """Make another conversation the open one."""
    model.show([replace(row, is_open=row.id == conversation_id) for row in model.rows])


READY = AppState(
    chat=ChatState(title="Trip plan", subtitle="Warm · 3 794 tokens", warmth=1.0, context_used=3794, is_empty=False),
    cache=CacheState(line="Cache 3.1 of 8.0 GB"),
    model=ModelState(
        name="Qwen3 8B",
        detail="4-bit",
        context_length=32_768,
        activity=Activity("Ready · Qwen3 8B, 4.6 GB"),
    ),
)
READING = replace(
    READY,
    chat=replace(
        READY.chat,
        can_stop=True,
        activity=Activity("Reading 61 % · 1 840 of 3 012 tokens, 512 from cache", 0.61, 0.17),
    ),
)
