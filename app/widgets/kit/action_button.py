"""Commands of the menus outside of them: the words of a tool tip, and tool buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.viewmodels.actions import action
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style


def native_keys(action_id: str) -> str:
    """Return the keys of a command as this system writes them, or "" without any.

    Raises KeyError for an id that is not in the table.
    """
    keys = action(action_id).keys
    return QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if keys else ""


def title_with_keys(action_id: str) -> str:
    """Return a command's title and its keys, for example "Stop (Esc)"; the title alone without keys."""
    keys, title = native_keys(action_id), action(action_id).title
    return f"{title} ({keys})" if keys else title


class ActionButton(ToolButton):
    """A tool button named like its command, with the keys in the tool tip. `asked` carries the command's id.

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
        name, tip = action(action_id).title, title_with_keys(action_id)
        super().__init__(style, icon, name, tip, stands_out=stands_out, is_on_fill=is_on_fill, parent=parent)
        self.action_id = action_id
        self.clicked.connect(self._ask)

    def _ask(self) -> None:
        self.asked.emit(self.action_id)
