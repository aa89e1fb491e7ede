"""What the About box says: what this is, under which licences, and the versions that a report of a fault needs."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion

from app.protocol.versions import package_version

WHAT = "Conversations with a local language model that grow as a tree, over a KV cache that is kept as a tree too."
LICENCE = "Free software under the MIT licence, without any warranty."
QT = (
    "Qt and Qt for Python are used under the GNU Lesser General Public License, version 3, unchanged and as separate "
    "libraries that you may replace. Acknowledgements has its text, says where the source is, and names everything "
    "else that Espalier is built from."
)
_LIBRARIES = {"mlx": "mlx", "mlx-lm": "mlx-lm", "PySide6": "PySide6-Essentials"}


def versions(program: str) -> tuple[tuple[str, str], ...]:
    """(name, version) of the program and of what decides how it behaves; what is not known is left out."""
    found = [
        ("Espalier", program),
        *((name, package_version(project)) for name, project in _LIBRARIES.items()),
        ("Qt", qVersion()),
    ]
    found += [("Python", platform.python_version()), ("System", _system())]
    return tuple((name, number) for name, number in found if number)


def versions_text(program: str) -> str:
    """Return the versions as lines, to be pasted into a report."""
    return "\n".join(f"{name} {number}" for name, number in versions(program))


def _system() -> str:
    release = platform.mac_ver()[0]
    name = f"macOS {release}" if release else f"{platform.system()} {platform.release()}"
    return f"{name}, {platform.machine()}"
