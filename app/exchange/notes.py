"""The count of what an import leaves out or changes, for the person to know."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from app.exchange.faults import shown


class Change(Enum):
    """A kind of change, with a sentence for one and one for several."""

    MERGED = (
        "1 message continued an answer and was joined to it.",
        "{} messages continued an answer and were joined to it.",
    )
    CIRCLE = (
        "1 message followed itself in a circle, which was opened: it stands at the beginning.",
        "{} messages followed themselves in circles, which were opened: they stand at the beginning.",
    )
    ORPHAN = (
        "1 message followed one that is not in the file: it stands at the beginning.",
        "{} messages followed some that are not in the file: they stand at the beginning.",
    )
    DATE = (
        "1 message had no date or an impossible one, and was given that of the message before it.",
        "{} messages had no dates or impossible ones, and were given those of the messages before them.",
    )
    CLOCK = (
        "1 date lay before 1990 or in the future, and was set to the nearest that does not.",
        "{} dates lay before 1990 or in the future, and were set to the nearest that do not.",
    )
    TOKENS = (
        "1 answer had token ids that cannot be its own. They were left out: its text is read anew.",
        "{} answers had token ids that cannot be their own. They were left out: their text is read anew.",
    )
    CHOICES = (
        "1 answer had alternatives that cannot be those of its tokens. They were left out.",
        "{} answers had alternatives that cannot be those of their tokens. They were left out.",
    )
    HALF = (
        "1 text held half of a character, which is shown as a question mark.",
        "{} texts held halves of characters, which are shown as question marks.",
    )
    EMPTY = (
        "1 conversation had nothing in it that could be imported, and was left out.",
        "{} conversations had nothing in them that could be imported, and were left out.",
    )


_KINDS = 12  # that a sentence names


class Notes:
    """The counts of an import while its file is read."""

    def __init__(self) -> None:
        self._changes: Counter[Change] = Counter()
        self._left_out: Counter[str] = Counter()

    def add(self, change: Change, times: int = 1) -> None:
        """Count a change."""
        self._changes[change] += times

    def leave_out(self, what: str, times: int = 1) -> None:
        """Count something that could not be kept: "image", or a word of the other program's."""
        self._left_out[what] += times

    def add_all(self, other: Notes) -> None:
        """Add all that other notes counted."""
        self._changes += other._changes
        self._left_out += other._left_out

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the words for what could not be kept."""
        return tuple(what for what, count in self._left_out.items() if count)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences to show, most important first."""
        counts = [(what, count) for what, count in self._left_out.most_common() if count]
        told = [f"{count} × {what}" for what, count in counts[:_KINDS]]
        if others := sum(count for _, count in counts[_KINDS:]):
            told.append(f"{others} × something else")
        first = [f"Left out, because a conversation here is text: {', '.join(told)}."] if told else []
        changes = [(change, self._changes[change]) for change in Change if self._changes[change]]
        return (*first, *(change.value[count > 1].format(count) for change, count in changes))


def named(kind: str) -> str:
    """Quote a word of the other program's."""
    return shown(kind, 40)
