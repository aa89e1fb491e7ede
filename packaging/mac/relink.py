"""Stand-ins for two of Apple's tools, so that PyInstaller's own code for a Mac can run where there is no Mac: `lipo`
takes one processor's part out of a file, `install_name_tool` writes other names of libraries into it.

Both work on Mach-O files of 64 bits and little-endian processors; the format is that of <mach-o/loader.h>. What
they write is for inspection: the signature of a changed file is void, as it is after Apple's tools.

    relink.py lipo -thin arm64 FILE -output FILE
    relink.py install_name_tool [-id NAME] [-change OLD NEW] [-delete_rpath PATH] [-add_rpath PATH] FILE
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FAT, THIN = 0xCAFEBABE, 0xFEEDFACF
PROCESSORS = {"arm64": 0x0100000C, "x86_64": 0x01000007}
HEADER = struct.Struct("<IIIIIIII")
"""magic, processor, its kind, kind of file, number of commands, their bytes, flags, reserved"""
LC_SEGMENT_64, LC_ID_DYLIB, LC_RPATH = 0x19, 0xD, 0x8000001C
LOADS = frozenset({0xC, 0x80000018, 0x8000001F, 0x80000023, 0x10})
"""LC_LOAD_DYLIB, weak, re-exported, upward, prebound."""


def thin(data: bytes, processor: str) -> bytes:
    """One processor's part of a file; the file itself when it has just that one. ValueError when it has not."""
    wanted = PROCESSORS[processor]
    if struct.unpack(">I", data[:4])[0] == FAT:
        for number in range(struct.unpack(">I", data[4:8])[0]):
            kind, _, start, size, _ = struct.unpack_from(">IIIII", data, 8 + 20 * number)
            if kind == wanted:
                return data[start : start + size]
    elif struct.unpack("<II", data[:8]) == (THIN, wanted):
        return data
    raise ValueError(f"there is no part for {processor}")


@dataclass(slots=True)
class Changes:
    """What is to be written: the file's own name, names of libraries, search paths that go or come."""

    identity: str = ""
    renamed: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    added: list[str] = field(default_factory=list)


def relinked(data: bytes, changes: Changes) -> bytes:
    """The file with other names. ValueError when it is of another kind, or the commands outgrow their place."""
    head = HEADER.unpack_from(data)
    if head[0] != THIN:
        raise ValueError("not a Mach-O file for one processor")
    commands = [new for old in _commands(data, head[4]) if (new := _changed(old, changes)) is not None]
    commands += [_with_name(struct.pack("<III", LC_RPATH, 0, 12), 12, path) for path in changes.added]
    block, room = b"".join(commands), _room(data, head[4]) - HEADER.size
    if len(block) > room:
        raise ValueError(f"{len(block)} bytes of load commands do not fit into {room}")
    new_head = HEADER.pack(*head[:4], len(commands), len(block), *head[6:])
    return new_head + block + b"\0" * (room - len(block)) + data[HEADER.size + room :]


def _commands(data: bytes, count: int) -> Iterator[bytes]:
    place = HEADER.size
    for _ in range(count):
        size = struct.unpack_from("<I", data, place + 4)[0]
        yield data[place : place + size]
        place += size


def _room(data: bytes, count: int) -> int:
    """Where the first content begins: commands must end before it."""
    starts = [len(data)]
    for command in _commands(data, count):
        if struct.unpack_from("<I", command)[0] != LC_SEGMENT_64:
            continue
        for number in range(struct.unpack_from("<I", command, 64)[0]):
            start, kind = struct.unpack_from("<I", command, 72 + 80 * number + 48)[0], 72 + 80 * number + 64
            is_without_content = struct.unpack_from("<I", command, kind)[0] & 0xFF in {1, 12}
            if start and not is_without_content:
                starts.append(start)
    return min(starts)


def _changed(command: bytes, changes: Changes) -> bytes | None:
    """The command as it shall be, None when it goes."""
    kind = struct.unpack_from("<I", command)[0]
    if kind == LC_ID_DYLIB and changes.identity:
        return _with_name(command, 24, changes.identity)
    if kind in LOADS and (name := _name(command)) in changes.renamed:
        return _with_name(command, 24, changes.renamed[name])
    return None if kind == LC_RPATH and _name(command) in changes.removed else command


def _name(command: bytes) -> str:
    start = struct.unpack_from("<I", command, 8)[0]
    return command[start:].split(b"\0")[0].decode()


def _with_name(command: bytes, start: int, name: str) -> bytes:
    """The command's fixed part with another name behind it, filled up to eight bytes."""
    text = name.encode() + b"\0"
    text += b"\0" * (-(start + len(text)) % 8)
    return command[:4] + struct.pack("<II", start + len(text), start) + command[12:start] + text


def parse(arguments: list[str]) -> tuple[Changes, Path]:
    """install_name_tool's options, as PyInstaller gives them. ValueError for one that is not known."""
    changes, left = Changes(), list(arguments[:-1])
    while left:
        option = left.pop(0)
        if option == "-id":
            changes.identity = left.pop(0)
        elif option == "-change":
            old, new = left.pop(0), left.pop(0)
            changes.renamed[old] = new
        elif option == "-delete_rpath":
            changes.removed.add(left.pop(0))
        elif option == "-add_rpath":
            changes.added.append(left.pop(0))
        else:
            raise ValueError(f"install_name_tool here does not know {option}")
    return changes, Path(arguments[-1])


def main(arguments: list[str]) -> int:
    """Do as the tool would that is named first."""
    match arguments:
        case ["lipo", "-thin", processor, source, "-output", target]:
            Path(target).write_bytes(thin(Path(source).read_bytes(), processor))
        case ["install_name_tool", *rest]:
            changes, path = parse(rest)
            path.write_bytes(relinked(path.read_bytes(), changes))
        case _:
            print(f"no such use: {' '.join(arguments)}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
