"""The two trees as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.cache.event_text import explained
from app.viewmodels.cache.rows import RESIDENCY_NAMES, EventRow
from app.viewmodels.text import formatting


def conversation_text(tree: MessageTree) -> str:
    """Return a line to each message, answers below their question; the open path is marked with an asterisk."""
    lines: list[str] = []
    waiting = [(message, 0) for message in reversed(tree.children(None))]
    while waiting:
        message, level = waiting.pop()
        lines.append(_message_line(message, level, tree.is_on_path(message.id)))
        waiting.extend((child, level + 1) for child in reversed(tree.children(message.id)))
    return "\n".join(lines)


def cache_text(view: TrieView, events: Iterable[EventRow]) -> str:
    """Return the trie without any words of a message, and below it what happened, the newest first."""
    log = [f"{row.time}  {explained(row)}" for row in events]
    return "\n".join([trie_text(view, has_labels=False), *(["", *log] if log else [])])


def trie_text(view: TrieView, *, has_labels: bool = True) -> str:
    """Return a line to each edge, below the edge that it continues, and the totals.

    has_labels: each with its first words.
    """
    levels: dict[int | None, int] = {None: -1}
    lines = []
    for node in view.nodes:
        levels[node.id] = levels[node.parent_id] + 1
        lines.append(_node_line(node, levels[node.id], has_labels))
    held = f"{formatting.size(view.live_bytes)} live, {formatting.size(view.paged_bytes)} in memory"
    held += f" of {formatting.limit(view.budget_bytes)}"
    if view.disk_bytes or view.disk_allowed_bytes:
        held += f", {formatting.size(view.disk_bytes)} on disk of {formatting.limit(view.disk_allowed_bytes)}"
    return "\n".join([*lines, f"{formatting.plural(len(view.nodes), 'edge')}, {held}"])


def _message_line(message: Message, level: int, is_on_path: bool) -> str:
    return f"{'*' if is_on_path else ' '} {'  ' * level}{message.speaker}: {formatting.first_words(message.text, 80)}"


def _node_line(node: TrieNodeView, level: int, has_label: bool) -> str:
    place = formatting.token_range(node.start, node.end)
    label = f"{formatting.first_words(node.label, 40)}  " if has_label else ""
    marks = [formatting.size(node.held_bytes), RESIDENCY_NAMES[node.residency].lower()]
    marks += ["on disk too"] * (node.disk_bytes > 0 and node.residency != "disk") + ["pinned"] * node.is_pinned
    return f"{'  ' * level}{place}  {label}[{', '.join(marks)}]"
