"""Tooltips that are shown at once."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolTip, QWidget

from app.viewmodels.kit.plain_tips import plain_tip


def show_tip(at: QPoint, text: str, widget: QWidget) -> None:
    """Show words as they are, at a place on screen; "" takes away what is shown."""
    QToolTip.showText(at, plain_tip(text), widget)
