"""The limits on a file and on what is in it. What would be refused when it comes in is not written either."""

from __future__ import annotations

LARGEST_FILE = 256 << 20  # bytes of a file, and of what is unpacked from one
LARGEST_ARCHIVE = 4 << 30  # bytes of all documents in an archive of several
LARGEST_MANIFEST = 4 << 20  # bytes of what such an archive tells of itself
LARGEST_VALUE = 32 << 20  # characters of one value in its JSON
MOST_BRACKETS = 1_000_000  # in one value: each becomes an object of 50 to 300 bytes
MOST_ATTACHED = 256 << 20  # characters attached to the questions of one conversation, each time they are used
MOST_MESSAGES = 250_000  # of one conversation
MOST_IN_A_FILE = 1_000_000  # messages
MOST_CONVERSATIONS = 50_000


def fault_of_value(text: str, start: int, end: int) -> str:
    """Return why the JSON of one value, text[start:end], is too large, or nothing where it is not."""
    if end - start > LARGEST_VALUE:
        return f"it has more than {LARGEST_VALUE >> 20} million characters"
    if end - start > 2 * MOST_BRACKETS and text.count("[", start, end) + text.count("{", start, end) > MOST_BRACKETS:
        return f"it holds more than {MOST_BRACKETS} lists and objects"
    return ""
