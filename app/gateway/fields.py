"""The fields of a JSON object that nobody vouches for: each is of its kind and within bounds, or it is refused.

A field that is null counts as one that is not there, as clients of OpenAI's interface mean it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.gateway.refused import RefusedError


class Fields:
    """The fields of one object. Every method raises RefusedError for a value of another kind."""

    def __init__(self, found: Any, what: str = "The request") -> None:
        if not isinstance(found, Mapping):
            raise RefusedError(400, f"{what} is no JSON object.")
        self._found = found

    def get(self, *names: str) -> Any:
        """Return the first of some fields that is there, as it is; None where none is."""
        return next((self._found[name] for name in names if self._found.get(name) is not None), None)

    def text(self, *names: str) -> str:
        """Return a text, "" where there is none."""
        found = self.get(*names)
        return "" if found is None else require_text(found, names[0])

    def is_on(self, name: str) -> bool:
        """Return whether a switch is on, which it is not where nothing is said of it."""
        found = self.get(name)
        if not isinstance(found, bool | None):
            raise RefusedError(400, f"{name} must be true or false.")
        return bool(found)

    def list(self, name: str, most: int) -> list[Any]:
        """Return a list of at most so many entries."""
        found = self.get(name)
        if not isinstance(found, list):
            raise RefusedError(400, f"{name} must be a list.")
        if len(found) > most:
            raise RefusedError(400, f"{name} may have at most {most:,} entries.")
        return found

    def object(self, *names: str) -> Fields:
        """Return the fields of an object within this one, none where it is not there."""
        found = self.get(*names)
        return Fields({} if found is None else found, names[0])


def require_text(found: Any, name: str) -> str:
    """Return a text. Raises RefusedError where it is none, or holds half a character."""
    if not isinstance(found, str):
        raise RefusedError(400, f"{name} must be a text.")
    try:
        found.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(400, f"{name} holds half a character, which is no text.") from None
    return found
