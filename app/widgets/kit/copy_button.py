"""A button that copies, and shows for a moment that it did."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style

SHOWN_MS = 1500


class CopyButton(ToolButton):
    """Copies what `words` returns; then it is a check mark for a moment, and its tooltip "Copied"."""

    def __init__(self, style: Style, name: str, tip: str, size: int, icon_size: int, parent: QWidget) -> None:
        super().__init__(style, Icon.COPY, name, tip, size, icon_size, parent=parent)
        self.words: Callable[[], str] = str
        self._tip = tip
        self._back = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._back.timeout.connect(self._show_rest)
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        copy_text(self.words(), self)
        self.show_icon(Icon.CHECK)
        self.setToolTip("Copied")
        self._back.start()

    def _show_rest(self) -> None:
        self.show_icon(Icon.COPY)
        self.setToolTip(self._tip)
