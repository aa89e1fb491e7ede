"""Objects of a JSON file that is not trusted: their values by name and kind, or an error that says where not so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from app.exchange.faults import MalformedError, shown

DEEPEST_FIGURES = 20  # levels: SQLite's JSON allows 1,000 and Python's more or less, ours have two
_LARGEST = 2**53  # what a number of JSON holds exactly everywhere, https://www.rfc-editor.org/rfc/rfc8259#section-6

Entries = dict[str, Any]


class JsonObject(NamedTuple):
    """A JSON object and where it stands: "message 12", or "" for the file itself.

    Every getter takes a name, gives None where there is no such entry or it is null, and raises MalformedError where it
    is of another kind.
    """

    entries: Entries
    place: str = ""

    def at(self, name: str) -> str:
        """Say where an entry stands, for the message of an error."""
        return f"{self.place}, {shown(name)}" if self.place else shown(name)

    def wrong(self, name: str, reason: str) -> MalformedError:
        """Make the error for an entry."""
        return MalformedError(self.at(name), reason)

    def text(self, name: str) -> str | None:
        """Get a string, which may hold halves of surrogate pairs."""
        found: str | None = self._of_kind(name, str, "a text")
        return found

    def whole_text(self, name: str, longest: int | None = None) -> str | None:
        """Get a string that UTF-8 can hold, with at most so many characters."""
        text = self.text(name)
        if text is not None:
            _check_text(text, self.at(name))
            if longest is not None and len(text) > longest:
                raise self.wrong(name, f"has {len(text)} characters, and may have {longest}")
        return text

    def flag(self, name: str) -> bool:
        """Get true or false; what is not there is false."""
        return bool(self.boolean(name))

    def boolean(self, name: str) -> bool | None:
        """Get true or false, None for what is not there."""
        value: bool | None = self._of_kind(name, bool, "true or false")
        return value

    def integer(self, name: str, below: int) -> int | None:
        """Get a whole number from 0 to less than `below`."""
        value: int | None = self._of_kind(name, int, "a whole number")
        if value is not None and not 0 <= value < below:
            raise self.wrong(name, f"has to lie between 0 and {below - 1}")
        return value

    def number(self, name: str, low: float = -math.inf, high: float = math.inf) -> float | None:
        """Get a number between two others, whole or not."""
        value = self.entries.get(name)
        if value is None:
            return None
        if type(value) not in (int, float):
            raise self.wrong(name, f"has to be a number, not {_kind(value)}")
        if abs(value) > 1e300 or not low <= value <= high:
            raise self.wrong(name, f"has to lie between {low:g} and {high:g}" if low > -math.inf else "is too large")
        return float(value)

    def array(self, name: str) -> list[Any] | None:
        """Get a list of anything."""
        found: list[Any] | None = self._of_kind(name, list, "a list")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Get the strings of a list."""
        values = self.array(name) or []
        for number, value in enumerate(values, 1):
            if type(value) is not str:
                raise self.wrong(name, f"number {number} has to be a text, not {_kind(value)}")
        return tuple(values)

    def below(self, name: str) -> JsonObject | None:
        """Get an object within this one."""
        found: Entries | None = self._of_kind(name, dict, "an object")
        return None if found is None else JsonObject(found, self.at(name))

    def each(self, name: str, word: str) -> Iterator[JsonObject]:
        """Yield the objects of a list; `word` and their number, from 1 on, say where they stand."""
        for number, value in enumerate(self.array(name) or (), 1):
            yield require_object(value, f"{self.place}, {word} {number}" if self.place else f"{word} {number}")

    def figures(self, name: str) -> Mapping[str, Any] | None:
        """Get an object whose values are of any kind, but neither deep nor large."""
        found = self.below(name)
        if found is None:
            return None
        front: list[tuple[Any, int]] = [(found.entries, 1)]
        while front:
            value, depth = front.pop()
            if depth > DEEPEST_FIGURES:
                raise self.wrong(name, f"nested more than {DEEPEST_FIGURES} levels deep")
            if isinstance(value, dict):
                front += [(one, depth + 1) for one in (*value, *value.values())]
            elif isinstance(value, list):
                front += [(one, depth + 1) for one in value]
            elif isinstance(value, str):
                _check_text(value, self.at(name))
            elif type(value) is int and abs(value) > _LARGEST:
                raise self.wrong(name, "holds a number that is too large")
        return found.entries

    def _of_kind(self, name: str, kind: type, words: str) -> Any:
        value = self.entries.get(name)
        if value is not None and type(value) is not kind:
            raise self.wrong(name, f"has to be {words}, not {_kind(value)}")
        return value


def require_object(value: Any, place: str) -> JsonObject:
    """Return a value as a JSON object. Raises MalformedError, which names this place, when it is none."""
    if not isinstance(value, dict):
        raise MalformedError(place, f"has to be an object, not {_kind(value)}")
    return JsonObject(value, place)


def _check_text(text: str, place: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError(place, f"its character {error.start + 1} is half of a surrogate pair") from error


def _kind(value: Any) -> str:
    names = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), "a number")
