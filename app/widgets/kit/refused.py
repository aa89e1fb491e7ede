"""What cannot be done says so before it is tried."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton


def refuse(what: QAction | QAbstractButton, why: str) -> None:
    """Disable a menu entry or a button, with the reason as its tip; "" is no reason and changes nothing."""
    if not why:
        return
    what.setEnabled(False)
    what.setToolTip(why)
    if isinstance(what, QAbstractButton):
        what.setAccessibleDescription(why)
    else:
        what.setStatusTip(why)
