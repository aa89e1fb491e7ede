"""The sentence on why nothing of a branch can be reused although something lies on disk."""

from __future__ import annotations

from app.protocol.events import CostEstimate
from app.protocol.reports import Reason
from app.protocol.trie_view import TrieView
from app.viewmodels.text import formatting
from app.viewmodels.text.reasons import why_read_again

OTHER_FILES = (
    "what lies on disk is of other models, or of this one with another template, adapter, KV cache or version of MLX"
)
NO_ANSWER = "the disk with the cache files does not answer"
_AS_KNOWN = (Reason.NONE, Reason.NEW, Reason.DIVERGED, Reason.NOT_CAPTURED)


def why_cold(priced: CostEstimate, view: TrieView, open_id: str) -> str:
    """Say why a branch is cold while there are files on disk: a sentence, "" where it is not cold, or there are none.

    view: the picture of the trie that its price is of. open_id: its conversation.
    """
    if priced.request.cached or not priced.turns or not view.disk_bytes:
        return ""
    on_disk = [node for node in view.nodes if node.residency == "disk"]
    if on_disk:
        why = _why(priced, is_own=any(open_id in node.owners for node in on_disk))
    else:
        why = "" if any(node.disk_bytes for node in view.nodes) else OTHER_FILES
    return f"Cold: {why}." if why else ""


def _why(priced: CostEstimate, is_own: bool) -> str:
    request = priced.request
    if request.reason is Reason.DISK and request.matched:
        return NO_ANSWER
    if request.reason not in _AS_KNOWN:
        return why_read_again(request.reason)
    if request.seen >= request.total - 1:
        return "no restore point of this branch lies on disk"
    at = f"at token {formatting.number(request.seen + 1)}"
    if not is_own:
        why = f"what lies on disk is of other conversations, from which this one differs {at}"
    elif request.seen < priced.turns[0].start:
        why = f"what lies on disk was read with another system prompt, and differs {at}"
    else:
        why = f"this branch differs {at} from what lies on disk"
    return f"{why}, before the first restore point" if request.reason is Reason.NOT_CAPTURED else why
