"""Which shared libraries the kept ones ask for. The analysis collects for every plugin, those that are left out too."""

from __future__ import annotations

import os
from pathlib import Path

from bundle.contents import Entry, keeps_library, needed_libraries


def kept(entries: list[Entry]) -> list[Entry]:
    """The libraries that are shipped: extension modules and plugins that are kept, and what these link to."""
    from PyInstaller.depend.bindepend import get_imports

    wanted = [entry for entry in entries if keeps_library(entry[0])]
    asks_for: dict[str, set[str]] = {}
    for dest, source, kind in wanted:
        if kind != "SYMLINK":
            asks_for.setdefault(Path(dest).name, set()).update(Path(name).name for name, _ in get_imports(source))
    return needed_libraries(wanted, asks_for, {entry[0] for entry in wanted if is_root(entry)})


def without_loose_ends(entries: list[Entry]) -> list[Entry]:
    """The entries without what belongs to a library that is not among them: links to it, the rest of its framework."""
    libraries = {dest for dest, _, kind in entries if kind in {"BINARY", "EXTENSION"}}
    frameworks = {framework for dest in libraries if (framework := framework_of(dest))}
    there = {str(path) for dest, _, kind in entries if kind != "SYMLINK" for path in (Path(dest), *Path(dest).parents)}
    return [entry for entry in entries if _is_whole(entry, frameworks, there)]


def _is_whole(entry: Entry, frameworks: set[str], there: set[str]) -> bool:
    framework = framework_of(entry[0])
    if framework:
        return framework in frameworks
    return entry[2] != "SYMLINK" or os.path.normpath(Path(entry[0]).parent / entry[1]) in there


def framework_of(dest: str) -> str:
    """The framework that a file on a Mac is part of, "" for none. Its inner links lead to each other."""
    return next((str(folder) for folder in reversed(Path(dest).parents) if folder.suffix == ".framework"), "")


def is_root(entry: Entry) -> bool:
    """Whether Python or a library loads it by its place, so that nothing has to link to it."""
    dest, _, kind = entry
    path = Path(dest)
    is_python = "libpython" in path.name or path.parts[0] in {"Python", "Python.framework"}
    return kind == "EXTENSION" or "plugins" in path.parts or path.parts[0] == "mlx" or is_python


def minimum_system(entries: list[Entry]) -> str:
    """The oldest macOS that all these libraries run on, by their own stamps, like "15.0"."""
    from mac.stamps import oldest_for_all

    major, minor = oldest_for_all(Path(source) for _, source, kind in entries if kind in {"BINARY", "EXTENSION"})
    return f"{major}.{minor}"
