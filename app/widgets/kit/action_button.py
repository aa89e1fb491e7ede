"""Commands of the menus outside of them: the words of a tool tip, and tool buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.viewmodels.kit.action import AnyAction
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style


def native_keys(action: AnyAction) -> str:
    """Return the first keys of a command as this system writes them, or "" without any."""
    keys = action.keys
    return QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if keys else ""


def title_with_keys(action: AnyAction) -> str:
    """Return a command's title and its keys, for example "Stop (Esc)"; the title alone without keys."""
    keys = native_keys(action)
    return f"{action.title} ({keys})" if keys else action.title


class ActionButton(ToolButton):
    """A tool button named like its command, with the keys in the tool tip. `asked` carries the command's id."""

    asked = Signal(str)

    def __init__(
        self,
        style: Style,
        icon: Icon,
        action: AnyAction,
        stands_out: bool = False,
        is_on_fill: bool = False,
        parent: QWidget | None = None,
        *,
        size: int = 28,
        icon_size: int = 16,
    ) -> None:
        super().__init__(
            style,
            icon,
            action.title,
            title_with_keys(action),
            size,
            icon_size,
            stands_out=stands_out,
            is_on_fill=is_on_fill,
            parent=parent,
        )
        self.action_id = action.id
        self.clicked.connect(self._ask)

    def show_action(self, action: AnyAction) -> None:
        """Name the keys that the command has now."""
        self.setToolTip(title_with_keys(action))

    def _ask(self) -> None:
        self.asked.emit(self.action_id)
