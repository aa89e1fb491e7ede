"""The measure of JSON that nobody vouches for, before it is parsed: a short file of brackets becomes gigabytes."""

from __future__ import annotations

# A vocabulary of 262,144 tokens with its merges comes to two million values; deep configurations to eight levels.
_MOST_VALUES = 8_000_000
_DEEPEST = 64
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_MARKS = bytes(set(range(256)) - set(b'[]{}"'))


def is_modest(data: bytes) -> bool:
    """Return whether JSON is nested at most 64 deep and has at most eight million values, without parsing it."""
    if data.count(b"[") + data.count(b"{") + data.count(b",") > _MOST_VALUES:
        return False
    marks = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(_ONE_KIND, _NO_MARKS)
    # A pair of quotes, of one string or of two, says nothing of what is within strings.
    brackets = b"".join(marks.replace(b'""', b"").split(b'"')[::2])
    for _ in range(_DEEPEST):
        brackets = brackets.replace(b"[]", b"")
    # What opens and does not close is no JSON: parsers find that, unless they are lost in it before.
    return b"[]" not in brackets and brackets.count(b"[") <= _DEEPEST
