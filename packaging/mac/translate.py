"""What the freeze on Linux collected, said for a Mac: the same modules and files, out of the wheels for a Mac.

Properties:
* An extension module is taken from the Mac's wheel that has it under the same name.
* A file of a package is taken from the Mac's wheel; the project's own files are the project's.
* Shared libraries are not translated: which ones a Mac needs is found anew, from the modules and Qt's plugins.
* A module of a package that was packed is looked for in the wheels as well, for it is packed anew on a Mac.
* What has no counterpart is listed: Python's own parts, and what is of use on Linux only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from bundle.contents import Entry, keeps_library

PLUGINS = PurePath("PySide6/Qt/plugins")
OURS = "espalier-"
"""What the folder of the project's own metadata begins with: it is installed here, and has no wheel."""
MODULES_OF_PYTHON = "base_library.zip"


@dataclass(slots=True)
class Translation:
    """binaries, files: as PyInstaller's lists have them. of_python: what Python itself brings. lacking: the rest."""

    binaries: list[Entry] = field(default_factory=list)
    files: list[Entry] = field(default_factory=list)
    of_python: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)


def collected(path: Path) -> list[Entry]:
    """The list that PyInstaller left after collecting (COLLECT-00.toc). FileNotFoundError before the first freeze."""
    return [tuple(entry) for entry in ast.literal_eval(path.read_text())[0]]


def translate(entries: Iterable[Entry], site: Path, linux_site: Path) -> Translation:
    """site: the unpacked wheels for a Mac. linux_site: where the freeze found the packages on this machine."""
    out = Translation()
    for dest, source, kind in entries:
        if kind == "EXTENSION":
            _extension(out, dest, site)
        elif kind == "DATA":
            is_ours = dest.startswith(OURS) or not Path(source).is_relative_to(linux_site)
            _file(out, (dest, source, kind), site, is_ours)
    out.binaries += plugins(site)
    return out


def _extension(out: Translation, dest: str, site: Path) -> None:
    path = PurePath(dest)
    if "lib-dynload" in path.parts:
        out.of_python.append(path.name.split(".")[0])
        return
    found = sorted((site / path.parent).glob(f"{path.name.split('.')[0]}.*so"))
    if found:
        out.binaries.append((str(found[0].relative_to(site)), str(found[0]), "EXTENSION"))
    else:
        out.lacking.append(dest)


def _file(out: Translation, entry: Entry, site: Path, is_ours: bool) -> None:
    dest, _, kind = entry
    here = None if is_ours else _in_site(PurePath(dest), site)
    if dest == MODULES_OF_PYTHON:
        out.of_python.append(dest)
    elif is_ours:
        out.files.append(entry)
    elif here is None:
        out.lacking.append(dest)
    else:
        out.files.append((str(here.relative_to(site)), str(here), kind))


def _in_site(dest: PurePath, site: Path) -> Path | None:
    """The same file for a Mac; a package's metadata may have another version there."""
    if (site / dest).is_file():
        return site / dest
    top, *rest = dest.parts
    if not top.endswith(".dist-info"):
        return None
    found = sorted(site.glob("/".join([f"{top.split('-')[0]}-*.dist-info", *rest])))
    return next((path for path in found if path.is_file()), None)


def modules_lacking(archive: Path, site: Path, linux_site: Path) -> tuple[int, list[str]]:
    """How many modules of packages the freeze packed (PYZ-00.toc), and which of them are not in the wheels."""
    entries = ast.literal_eval(archive.read_text())[1]
    sources = [Path(source) for _, source, _ in entries if Path(source).is_relative_to(linux_site)]
    names = [source.relative_to(linux_site) for source in sources]
    return len(names), sorted(str(name) for name in names if not (site / name).is_file())


def plugins(site: Path) -> list[Entry]:
    """Qt's plugins for a Mac that the bundle keeps."""
    found = sorted((site / PLUGINS).rglob("*.dylib"))
    names = [(str(path.relative_to(site)), path) for path in found]
    return [(dest, str(path), "BINARY") for dest, path in names if keeps_library(dest)]
