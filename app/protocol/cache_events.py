"""The log of what the prefix cache did, one entry at a time, for the window to show. No entry holds any words."""

from __future__ import annotations

from enum import StrEnum

from app.protocol.dataclass import dataclass
from app.protocol.reports import Reason


class CacheEventKind(StrEnum):
    """The kind of thing that the prefix cache did. A closed set."""

    REQUEST = "request"  # one was begun: `offset` tokens reused, `tokens` left to compute
    GUEST = "guest's request"  # another program's was begun, or gone on with, told as `REQUEST` is
    CHECKED = "checked"  # `offset` tokens were gone back to in order to compare them with computing them again
    CAPTURED = "captured"  # the whole state at `offset` was stored
    PAGED_OUT = "paged out"  # live state became stored state
    PAGED_IN = "paged in"  # stored state became live
    EVICTED = "evicted"  # stored state was let go of for room
    WRITTEN = "written"  # stored state is on disk now
    READ = "read"  # what lay on disk became live state
    DROPPED = "dropped"  # files were deleted, so that the rest fits its budget
    SPLIT = "split"  # an edge was cut in two at `offset`
    FAULT = "fault"  # a restore or a call failed; what it concerned is computed again


@dataclass(frozen=True, slots=True)
class CacheEvent:
    """One entry of the prefix cache's log.

    number: counts up by one for each event of a model, so that a reader sees what it missed. at: seconds since the
    epoch. tokens, bytes: how much it concerned. reason: why, where there is a why. offset: token offset where the
    tokens begin, or, of a state, where it stands.
    """

    number: int
    at: float
    kind: CacheEventKind
    tokens: int
    bytes: int
    reason: Reason
    offset: int
