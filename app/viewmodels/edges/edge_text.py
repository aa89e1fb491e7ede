"""The sentences about the rows of the cache pane: what became of them, and what they cost."""

from __future__ import annotations

from app.protocol.events import CostEstimate, Evicted, WarmedUp, WarmingUp
from app.protocol.reports import Problem, RequestReport
from app.viewmodels.cache.shown_trie import Others
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth import warmth_from

NO_REPORT = RequestReport(0, 0, 0, 0)
NOT_FOUND = Problem(
    "No message was found",
    "What this row holds was read for a branch that is not there any more, or was changed since.",
)
WARM_ALREADY = "All of this branch is warm already: going on with it begins at once."
NOT_PINNED = Problem("It was not unpinned", "The pinned message was not found. Unpin the branch in the chat.")


def evicted(event: Evicted) -> str:
    """Say what an eviction freed."""
    sizes = [formatting.size(event.bytes)] if event.bytes else []
    sizes += [f"{formatting.size(event.disk_bytes)} on disk"] if event.disk_bytes else []
    freed = f", {' and '.join(sizes)}" if sizes else ""
    return f"Evicted {formatting.tokens(event.tokens)}{freed}. No word is gone; they are read again when needed."


def warming_up(event: WarmingUp) -> str:
    """Say how far a warm up is: "Warming up: 1 840 of 3 012 tokens"."""
    if not event.total:
        return "Warming up"
    return f"Warming up: {formatting.number(event.done)} of {formatting.tokens(event.total)}"


def warmed_up(event: WarmedUp) -> str:
    """Say that a branch is held now."""
    return f"Warm: {formatting.tokens(event.tokens)} were read"


def price(priced: CostEstimate, context: int) -> str:
    """Say what a warm up would cost. context: how many tokens the model reads at most."""
    return price_sentence(warmth_from(priced, 0, context))


def others(found: Others) -> str:
    """Say what belongs to other conversations: "Other conversations · 12 edges · 240 MB"."""
    parts = ["Other conversations", formatting.plural(found.edges, "edge")]
    parts += [formatting.size(found.bytes)] if found.bytes else []
    return formatting.DOT.join(parts)
