"""Tool buttons that stand for a command of the menus."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.viewmodels.actions import ACTIONS
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style

_BY_ID = {action.id: action for action in ACTIONS}


class ActionButton(ToolButton):
    """Named like its command, with the keys in the tooltip: "Stop (Esc)". `asked` carries the command's id.

    Raises KeyError for an id that is not in the table.
    """

    asked = Signal(str)

    def __init__(
        self,
        style: Style,
        icon: Icon,
        action_id: str,
        stands_out: bool = False,
        is_on_fill: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        action = _BY_ID[action_id]
        tip = action.title
        if action.keys:
            tip += f" ({QKeySequence(action.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)})"
        super().__init__(style, icon, action.title, tip, stands_out=stands_out, is_on_fill=is_on_fill, parent=parent)
        self.action_id = action_id
        self.clicked.connect(self._ask)

    def _ask(self) -> None:
        self.asked.emit(self.action_id)
