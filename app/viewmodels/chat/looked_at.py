"""Which messages commands are about, while several could be meant."""

from __future__ import annotations

from typing import NamedTuple


class LookedAt(NamedTuple):
    """Ids of messages of the open conversation that the keyboard is on, or that are in sight.

    fork: one that has versions beside it. answer: one that is shown by its tokens. None for the last one of the path.
    """

    fork: str | None = None
    answer: str | None = None
