"""Sentences on why tokens are computed that had been computed before."""

from __future__ import annotations

from app.protocol.reports import Reason

_SENTENCES: dict[Reason, str] = {
    Reason.NONE: "",
    Reason.NEW: "",
    Reason.DIVERGED: "",
    Reason.EVICTED: "this part was given up to stay within the memory limit, so it is read again",
    Reason.NOT_CAPTURED: "the last restore point lies further up, so what follows it is read again",
    Reason.CANCELLED: "reading it was stopped before it could be kept, so it is read again",
    Reason.UNSUPPORTED: "this model's cache cannot be kept yet, so everything is read again",
    Reason.FAULT: "the cache had a fault, so everything is read again to be safe",
    Reason.DISK: "a cache file was missing, damaged or could not be written, so this part is read again",
    Reason.LET_GO: "the server did not keep this part, so it is read again",
    Reason.THINKING: "the model is not shown what it thought before, so its last answer is read again",
}


def why_read_again(reason: Reason) -> str:
    """Say why tokens are read again: a sentence without its capital and its full stop, "" where none are."""
    return _SENTENCES[reason]
