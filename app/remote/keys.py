"""Keys for servers: what a person may enter."""

from __future__ import annotations

_LONGEST = 1000  # characters
_NO_KEY = "This is not a key. One has letters without accents, digits and signs, and no spaces."


def key_problem(key: str) -> str:
    """Say why a key cannot be sent to a server, "" where it can, and where there is none."""
    is_key = key.isascii() and key.isprintable() and " " not in key and len(key) <= _LONGEST
    return "" if is_key else _NO_KEY
