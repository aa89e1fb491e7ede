"""Rows as a screen reader says them. State is never told by colour or shape alone: here it is told in words."""

from __future__ import annotations

from app.protocol.trie_view import Residency, TrieNodeView
from app.viewmodels.rows import ConversationRow, MessageRow
from app.viewmodels.text import formatting

RESIDENCY_NAMES: dict[Residency, str] = {
    "live": "Live",
    "memory": "In memory",
    "disk": "On disk",
    "none": "No snapshot",
}
_WARMTH: dict[Residency, str] = {
    "live": "warm, live",
    "memory": "warm, in memory",
    "disk": "warm, on disk",
    "none": "cold",
}


def spoken_message(row: MessageRow, position: int, count: int) -> str:
    """For example "Espalier Guide, message 4 of 9, version 2 of 3, 214 tokens, warm, live: The plan holds…"."""
    parts = [row.name, f"message {position} of {count}"]
    if row.versions > 1:
        parts.append(f"version {row.version} of {row.versions}")
    if row.prefill:
        parts.append("reading the prompt")
    elif row.is_streaming:
        parts.append("writing")
    elif row.footer and row.footer.tokens is not None:
        parts.append(formatting.tokens(row.footer.tokens))
    parts.append(_WARMTH[row.residency])
    if row.note:
        parts.append(row.note)
    return ", ".join(parts) + (f": {formatting.first_words(row.text, 200)}" if row.text else "")


def spoken_conversation(row: ConversationRow) -> str:
    """For example "Trip plan, 12 min, open, writing" or "Folder Work, 12 conversations, closed"."""
    if row.is_folder:
        count = f"{row.age}{formatting.HARD}conversation{'' if row.age == '1' else 's'}"
        return f"Folder {row.title}, {count}, {'closed' if row.is_folded else 'open'}"
    marks = (("favourite", row.is_favourite), ("open", row.is_open), ("writing", row.is_writing))
    states = [word for word, holds in marks if holds]
    return ", ".join([row.title, row.age, *states])


def spoken_node(node: TrieNodeView, level: int) -> str:
    """For example "Level 2, tokens 412 to 3 412, 3 000 tokens, 240 MB, in memory: Three days in Lisbon"."""
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
    return ", ".join(parts) + f": {node.label}"
