"""Values on a pipe: JSON in ASCII, after its length in four bytes."""

from __future__ import annotations

import json
import struct
from typing import Any

_LENGTH = struct.Struct(">I")


def packed(value: Any) -> bytes:
    """Return a value as one frame."""
    content = json.dumps(value, default=str).encode("ascii")
    return _LENGTH.pack(len(content)) + content


class Frames:
    """The frames in a stream of bytes, which come in pieces of any size. most: bytes that a frame may have."""

    def __init__(self, most: int = (1 << 32) - 1) -> None:
        self.most = most
        self._bytes = bytearray()

    def add(self, piece: bytes) -> None:
        """Add what came."""
        self._bytes += piece

    def take(self) -> bytes | None:
        """Take the content of the first frame, None while it is not complete.

        Raises OverflowError as soon as that frame is known to be longer than it may be.
        """
        if self._length > self.most:
            raise OverflowError(f"a frame of {self._length} bytes")
        end = _LENGTH.size + self._length
        if len(self._bytes) < max(end, _LENGTH.size):
            return None
        content = bytes(self._bytes[_LENGTH.size : end])
        del self._bytes[:end]
        return content

    @property
    def _length(self) -> int:
        return int(_LENGTH.unpack_from(self._bytes)[0]) if len(self._bytes) >= _LENGTH.size else 0
