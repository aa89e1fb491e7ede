"""The cache's log in words: what happened, how much of it, and why."""

from __future__ import annotations

from collections.abc import Callable

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.dataclass import dataclass
from app.protocol.reports import Reason
from app.viewmodels.cache.rows import EventRow
from app.viewmodels.text import formatting
from app.viewmodels.text.reasons import why_read_again


@dataclass(frozen=True, slots=True)
class Happening:
    """Events of one kind and of one request, added up.

    at: when the first was, seconds since the epoch. last: the newest of them. tokens, bytes: of all. states: how many
    of them were about a stored state alone.
    """

    at: float
    last: CacheEvent
    tokens: int
    bytes: int
    states: int

    @classmethod
    def of(cls, event: CacheEvent) -> Happening:
        """Return a single event."""
        return cls(event.at, event, event.tokens, event.bytes, int(not event.tokens))

    def with_another(self, event: CacheEvent) -> Happening:
        """Return these events and one more."""
        states = self.states + (not event.tokens)
        return Happening(self.at, event, self.tokens + event.tokens, self.bytes + event.bytes, states)


def event_row(happening: Happening) -> EventRow:
    """Return the line of the log."""
    last = happening.last
    why = why_read_again(last.reason) if last.kind in (CacheEventKind.REQUEST, CacheEventKind.GUEST) else ""
    return EventRow(formatting.clock(happening.at), last.kind, _TEXTS[last.kind](happening), why[:1].upper() + why[1:])


def spoken_event(row: EventRow) -> str:
    """Say an event, for example "09:41:07, Restored 3 412 tokens, 240 MB"."""
    return f"{row.time}, {explained(row)}"


def explained(row: EventRow) -> str:
    """Return the line and its why."""
    return f"{row.text}. {row.why}." if row.why else row.text


def _request(happening: Happening) -> str:
    computed, reused = happening.tokens, happening.last.offset
    if not reused:
        return f"Computed {formatting.tokens(computed)}, reused none"
    return f"Computed {formatting.number(computed)}, reused {formatting.tokens(reused)}"


def _guest(happening: Happening) -> str:
    text = _request(happening)
    return f"API: {text[:1].lower()}{text[1:]}"


def _checked(happening: Happening) -> str:
    return f"Went back to {formatting.tokens(happening.last.offset)} to check them"


def _captured(happening: Happening) -> str:
    at, size = formatting.number(happening.last.offset), formatting.size(happening.bytes)
    if happening.states > 1:
        return f"Stored {formatting.plural(happening.states, 'state')} up to {at}, {size}"
    return f"Stored the state at {at}, {size}"


def _evicted(happening: Happening) -> str:
    if not happening.bytes:
        return f"Evicted {formatting.tokens(happening.tokens)}: no room to store them"
    what = [formatting.tokens(happening.tokens)] if happening.tokens else []
    if happening.states == 1 and not what:
        what.append(f"the state at {formatting.number(happening.last.offset)}")
    elif happening.states:
        what.append(formatting.plural(happening.states, "state"))
    why = "least value" if happening.last.reason is Reason.EVICTED else "as you asked"
    return f"Evicted {', '.join(what)}, {formatting.size(happening.bytes)}: {why}"


def _moved(verb: str, where: str = "") -> Callable[[Happening], str]:
    def text(happening: Happening) -> str:
        size = f", {formatting.size(happening.bytes)}" if happening.bytes else ""
        return f"{verb} {_what(happening)}{where}{size}"

    return text


def _what(happening: Happening) -> str:
    """ "459 tokens", "the state at 3 412", "459 tokens and 2 states"."""
    tokens, states = formatting.tokens(happening.tokens), formatting.plural(happening.states, "state")
    if happening.tokens:
        return f"{tokens} and {states}" if happening.states else tokens
    return states if happening.states > 1 else f"the state at {formatting.number(happening.last.offset)}"


def _split(happening: Happening) -> str:
    return f"Split at {formatting.number(happening.last.offset)}: a fork began here"


def _dropped(happening: Happening) -> str:
    return f"Deleted {formatting.size(happening.bytes)} of files: longest unused"


def _fault(happening: Happening) -> str:
    if happening.last.reason == Reason.DISK and happening.bytes:
        count = happening.states
        files = "A cache file was" if count == 1 else f"{formatting.number(count)} cache files were"
        return f"{files} missing or damaged: dropped"
    if happening.last.reason == Reason.DISK:
        return f"Could not write {_what(happening)} to disk"
    return f"Restore failed at {formatting.number(happening.last.offset)}: computed again"


_TEXTS: dict[CacheEventKind, Callable[[Happening], str]] = {
    CacheEventKind.REQUEST: _request,
    CacheEventKind.GUEST: _guest,
    CacheEventKind.CHECKED: _checked,
    CacheEventKind.CAPTURED: _captured,
    CacheEventKind.PAGED_OUT: _moved("Paged out"),
    CacheEventKind.PAGED_IN: _moved("Restored"),
    CacheEventKind.EVICTED: _evicted,
    CacheEventKind.WRITTEN: _moved("Wrote", " to disk"),
    CacheEventKind.READ: _moved("Read", " from disk"),
    CacheEventKind.DROPPED: _dropped,
    CacheEventKind.SPLIT: _split,
    CacheEventKind.FAULT: _fault,
}
