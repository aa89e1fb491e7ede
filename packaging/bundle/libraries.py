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
    """The entries without the links to what is not among them."""
    names = {dest for dest, _, _ in entries}
    return [entry for entry in entries if entry[2] != "SYMLINK" or _target(entry) in names]


def _target(link: Entry) -> str:
    """What a link in the bundle leads to, by its name in the bundle."""
    return os.path.normpath(Path(link[0]).parent / link[1])


def is_root(entry: Entry) -> bool:
    """Whether Python or a library loads it by its place, so that nothing has to link to it."""
    dest, _, kind = entry
    path = Path(dest)
    return kind == "EXTENSION" or "plugins" in path.parts or path.parts[0] == "mlx" or "libpython" in path.name


def minimum_system(entries: list[Entry]) -> str:
    """The oldest macOS that all these libraries run on, by their own stamps, like "15.0"."""
    from mac.stamps import oldest_for_all

    major, minor = oldest_for_all(Path(source) for _, source, kind in entries if kind in {"BINARY", "EXTENSION"})
    return f"{major}.{minor}"
