"""Branches in words, for the outline's foot and for screen readers."""

from __future__ import annotations

from app.viewmodels.branches.branch_rows import BranchRow
from app.viewmodels.branches.outline_nodes import OutlineNode
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import tokens_held
from app.viewmodels.warmth.warmth import Warmth


def spoken_branch(row: BranchRow, warmth: Warmth | None, node: OutlineNode, now: float) -> str:
    """Say a row: "Level 2, cheaper, favourite, 2 messages, now, 382 tokens, warm, open", with what hangs below it."""
    parts = [f"Level {node.level + 1}", row.title, *["favourite"] * row.is_favourite]
    parts += [formatting.ago(row.used_at, now) if node.folded else row.detail(now)]
    if warmth is not None:
        tokens = warmth.row_tokens
        parts += [*([] if tokens is None else [formatting.tokens(tokens)]), warmth_word(warmth)]
    if node.has_below or node.folded:
        parts.append("collapsed" if node.is_closed else "expanded")
    return ", ".join([*parts, *["open"] * row.is_open])


def warmth_word(warmth: Warmth) -> str:
    """Say how much of a branch's own row is held: "warm", "part warm", "on disk", "cold"."""
    if warmth.is_on_disk:
        return "on disk"
    if warmth.share <= 0:
        return "cold"
    return "warm" if warmth.share >= 1 else "part warm"


def held_of(warmth: Warmth | None) -> str:
    """Say how much of the whole path is held: "3 794 of 3 794 tokens warm"; "" while not all of it is counted."""
    if warmth is None or warmth.has_more or warmth.is_far_too_long or warmth.refusal is not None:
        return ""
    return tokens_held(warmth, warmth.is_from_disk)
