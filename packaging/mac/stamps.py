"""What a Mach-O file says of itself: for which processors it is built, and which macOS is the oldest it runs on.

The stamp is the load command LC_BUILD_VERSION (`minos`), in older files LC_VERSION_MIN_MACOSX (`version`): a number of
four bytes, major in the upper two, then minor, then patch. Source: <mach-o/loader.h>.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from macholib.mach_o import CPU_TYPE_NAMES, LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX
from macholib.MachO import MachO, MachOHeader

MAGIC = frozenset({b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"})
ARM64 = "ARM64"
"""Apple silicon, as macholib calls it."""

System = tuple[int, int]
"""A version of macOS: major and minor."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """One file: its processors, and for Apple silicon the oldest system, None where it is not built for that."""

    processors: frozenset[str]
    oldest: System | None

    @property
    def is_for_arm64(self) -> bool:
        """It runs on Apple silicon without translation."""
        return ARM64 in self.processors


def first_bytes(path: Path) -> bytes:
    """The four that say what kind of file it is."""
    with path.open("rb") as file:
        return file.read(4)


def is_mach_o(path: Path) -> bool:
    """The file begins as a program or library for macOS does."""
    return first_bytes(path) in MAGIC


def stamp(path: Path) -> Stamp:
    """Read a file. ValueError when it is no Mach-O file, or its part for Apple silicon has no stamp."""
    headers = MachO(str(path)).headers
    processors = {_processor(header): header for header in headers}
    ours = processors.get(ARM64)
    return Stamp(frozenset(processors), None if ours is None else _oldest(ours, path))


def _processor(header: MachOHeader) -> str:
    kind = header.header.cputype
    return str(CPU_TYPE_NAMES.get(kind, kind))


def _oldest(header: MachOHeader, path: Path) -> System:
    for load, command, _ in header.commands:
        if load.cmd == LC_BUILD_VERSION:
            return _system(command.minos)
        if load.cmd == LC_VERSION_MIN_MACOSX:
            return _system(command.version)
    raise ValueError(f"{path} does not say which macOS it needs")


def _system(number: int) -> System:
    return int(number) >> 16, int(number) >> 8 & 0xFF


def binaries(folder: Path) -> list[Path]:
    """Every Mach-O file below a folder, sorted; links and archives for a compiler (.a) are left out."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.suffix != ".a")
    return sorted(path for path in files if is_mach_o(path))


def oldest_for_all(paths: Iterable[Path]) -> System:
    """The oldest macOS that all of these run on. ValueError for one that is not for Apple silicon, or for none."""
    found = [(stamp(path), path) for path in paths]
    for each, path in found:
        if each.oldest is None:
            raise ValueError(f"{path} is not built for Apple silicon but for {', '.join(sorted(each.processors))}")
    return max(each.oldest for each, _ in found if each.oldest is not None)


def written(system: System) -> str:
    """A system as Info.plist has it: (15, 0) is "15.0"."""
    return f"{system[0]}.{system[1]}"
