"""What can be done with a message: the menu under the mouse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.action import Actions
from app.widgets.kit.clipboard import copy_text

_OF_ANSWER = ("edit_answer", "branch_here", "repeat_answer", "answer_settings", "use_settings")


def branch_action(row: MessageRow) -> str:
    """Return the id of the command that begins a branch from a message."""
    return "fork" if row.role == "user" else "regenerate"


def message_menu(
    row: MessageRow,
    copy: Callable[[bool], object],
    actions: Actions,
    branch: Callable[[], None],
    delete: Callable[[], None],
    do: Callable[[str], None],
    parent: QWidget,
    *,
    can_branch: bool,
    is_selected: bool,
) -> QMenu:
    """Return a menu for one message, which is deleted when it is closed.

    copy: copies it, called with whether as Markdown. is_selected: that is what is selected, not the message. do:
    carries out another command on it.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Copy" if is_selected else "Copy Message", lambda: copy(False))
    menu.addAction(actions["copy_markdown"].title, lambda: copy(True))
    if row.thought is not None:
        both = f"{row.thought.text}\n\n{row.text}"
        menu.addAction("Copy with Thinking", lambda: copy_text(both.strip(), parent))
    menu.addAction(actions[branch_action(row)].title, branch).setEnabled(can_branch)
    if row.role == "assistant":
        for action_id in _OF_ANSWER:
            menu.addAction(actions[action_id].title, partial(do, action_id)).setEnabled(not row.is_streaming)
    if row.versions > 1:
        menu.addAction("Compare with Version Beside", partial(do, "compare"))
    if row.versions > 1 or row.branch:
        menu.addAction(actions["name_branch"].title, partial(do, "name_branch"))
    menu.addSeparator()
    menu.addAction(actions["delete_message"].title, delete)
    return menu
