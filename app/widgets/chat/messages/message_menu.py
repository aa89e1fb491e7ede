"""What can be done with a message: the menu under the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.action import Actions


def branch_action(row: MessageRow) -> str:
    """Return the id of the command that begins a branch from a message."""
    return "fork" if row.role == "user" else "regenerate"


def message_menu(
    row: MessageRow,
    selected: str,
    actions: Actions,
    branch: Callable[[], None],
    delete: Callable[[], None],
    parent: QWidget,
    *,
    can_branch: bool,
) -> QMenu:
    """Return a menu for one message, which is deleted when it is closed.

    selected: text of the message that Copy copies, "" for all of it.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    text = selected or row.text
    menu.addAction("Copy" if selected else "Copy Message", lambda: QGuiApplication.clipboard().setText(text))
    menu.addAction(actions[branch_action(row)].title, branch).setEnabled(can_branch)
    menu.addSeparator()
    menu.addAction(actions["delete_message"].title, delete)
    return menu
