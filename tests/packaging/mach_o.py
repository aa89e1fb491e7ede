"""The smallest Mach-O files: a header, a stamp, and names of libraries."""

from __future__ import annotations

import struct

ARM64, X86_64 = 0x0100000C, 0x01000007
DYLIB = 6
LC_VERSION_MIN, LC_BUILD_VERSION, LC_LOAD_DYLIB, LC_ID_DYLIB = 0x24, 0x32, 0xC, 0xD
LC_LOAD_WEAK_DYLIB, LC_RPATH = 0x80000018, 0x8000001C
SEGMENT = 72 + 80
"""Bytes of a segment with one section."""


def slice_for(
    processor: int,
    oldest: tuple[int, int] | None,
    is_old: bool = False,
    linked: tuple[str, ...] = (),
    weak: tuple[str, ...] = (),
    search: tuple[str, ...] = (),
    identity: str = "",
    room: int = 0,
) -> bytes:
    """One processor's part.

    oldest: the system it is stamped with, in the older kind of stamp when `is_old`. linked, weak: what it asks for.
    search: its search paths. room: bytes free behind the commands, before one section of content.
    """
    commands = [_named(LC_ID_DYLIB, identity)] if identity else []
    commands += [_named(LC_LOAD_DYLIB, name) for name in linked] + [_named(LC_LOAD_WEAK_DYLIB, name) for name in weak]
    commands += [_string(LC_RPATH, 12, path) for path in search]
    if oldest is not None:
        number = oldest[0] << 16 | oldest[1] << 8
        stamp = struct.pack("<IIII", LC_VERSION_MIN, 16, number, number)
        commands.append(stamp if is_old else struct.pack("<IIIIII", LC_BUILD_VERSION, 24, 1, number, number, 0))
    length = sum(map(len, commands)) + (SEGMENT if room else 0)
    if room:
        commands.append(_segment(32 + length + room))
    body = b"".join(commands)
    end = b"\0" * room + b"CONTENT" if room else b""
    return _head(processor, commands, body) + body + end


def _head(processor: int, commands: list[bytes], body: bytes) -> bytes:
    return struct.pack("<IIIIIIII", 0xFEEDFACF, processor, 0, DYLIB, len(commands), len(body), 0x85, 0)


def _named(kind: int, name: str) -> bytes:
    return _string(kind, 24, name, struct.pack("<III", 2, 0x10000, 0x10000))


def _string(kind: int, offset: int, text: str, rest: bytes = b"") -> bytes:
    data = text.encode() + b"\0"
    data += b"\0" * (-(offset + len(data)) % 8)
    return struct.pack("<III", kind, offset + len(data), offset) + rest + data


def _segment(start: int) -> bytes:
    """__TEXT with one section that begins at `start`."""
    head = struct.pack("<II16sQQQQIIII", 0x19, SEGMENT, b"__TEXT", 0, start, 0, start + 7, 5, 5, 1, 0)
    return head + struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", start, 7, start, 0, 0, 0, 0, 0, 0, 0)


def fat(*slices: tuple[int, bytes]) -> bytes:
    """Several processors' parts in one file."""
    place, table, body = 4096, b"", b""
    for processor, data in slices:
        table += struct.pack(">IIIII", processor, 0, place + len(body), len(data), 12)
        body += data + b"\0" * (-len(data) % 4096)
    head = struct.pack(">II", 0xCAFEBABE, len(slices)) + table
    return head + b"\0" * (place - len(head)) + body
