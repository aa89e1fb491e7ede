"""Fields of JSON that somebody else wrote: each of the kind that is wanted, or else nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

LONGEST_TEXT = 500
_LARGEST = 1 << 53  # no count is larger, and no size


def text(found: Any, most: int = LONGEST_TEXT) -> str:
    """Return a string on one line, cut to `most` characters, "" for anything else."""
    if not isinstance(found, str):
        return ""
    return "".join(letter if letter.isprintable() else " " for letter in found[:most]).strip()


def count(found: Any) -> int:
    """Return a number that is at least 0, 0 for anything else."""
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _LARGEST
    return found if is_count else 0


def texts(found: Any, most: int = 200) -> tuple[str, ...]:
    """Return the strings of a list, and of no more than its first `most` entries."""
    return tuple(one for one in map(text, found[:most]) if one) if isinstance(found, list) else ()


def fields(found: Any) -> dict[str, Any]:
    """Return an object's fields, none for anything else."""
    return found if isinstance(found, dict) else {}


def moment(found: Any) -> float:
    """Return the time of an ISO 8601 date in seconds since the epoch, 0 for anything else."""
    try:
        at = datetime.fromisoformat(text(found).replace("Z", "+00:00"))
        return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0
