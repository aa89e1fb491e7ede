"""The program's icon within its windows."""

from __future__ import annotations

from PySide6.QtGui import QIcon


def program_icon() -> QIcon:
    """Return the icon, which is drawn when it is painted first, in that size alone."""
    return QIcon("resources:icon/espalier.svg")
