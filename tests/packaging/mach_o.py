"""The smallest Mach-O files: a header and a stamp."""

from __future__ import annotations

import struct

ARM64, X86_64 = 0x0100000C, 0x01000007
DYLIB = 6
LC_VERSION_MIN, LC_BUILD_VERSION = 0x24, 0x32


def slice_for(processor: int, oldest: tuple[int, int] | None, is_old: bool = False) -> bytes:
    """One processor's part. oldest: the system it is stamped with, in the older kind of stamp when `is_old`."""
    commands: list[bytes] = []
    if oldest is not None:
        number = oldest[0] << 16 | oldest[1] << 8
        stamp = struct.pack("<IIII", LC_VERSION_MIN, 16, number, number)
        commands.append(stamp if is_old else struct.pack("<IIIIII", LC_BUILD_VERSION, 24, 1, number, number, 0))
    body = b"".join(commands)
    return struct.pack("<IIIIIIII", 0xFEEDFACF, processor, 0, DYLIB, len(commands), len(body), 0x85, 0) + body


def fat(*slices: tuple[int, bytes]) -> bytes:
    """Several processors' parts in one file."""
    place, table, body = 4096, b"", b""
    for processor, data in slices:
        table += struct.pack(">IIIII", processor, 0, place + len(body), len(data), 12)
        body += data + b"\0" * (-len(data) % 4096)
    head = struct.pack(">II", 0xCAFEBABE, len(slices)) + table
    return head + b"\0" * (place - len(head)) + body
