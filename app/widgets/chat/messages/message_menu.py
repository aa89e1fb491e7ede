"""What can be done with a message: the menu under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.action import Actions
from app.widgets.kit.refused import refuse

_OF_ANSWER = ("edit_answer", "branch_here", "tokens", "repeat_answer", "answer_settings", "use_settings")


def branch_action(row: MessageRow) -> str:
    """Return the id of the command that begins a branch from a message."""
    return "fork" if row.role == "user" else "regenerate"


class MessageMenu(QMenu):
    """The menu of one message. Attributes: message_id; entries, by the ids of the commands that they are of."""

    def __init__(self, message_id: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.message_id = message_id
        self.entries: dict[str, QAction] = {}


def message_menu(
    row: MessageRow,
    actions: Actions,
    copy: Callable[[bool], object],
    do: Callable[[str], None],
    parent: QWidget,
    *,
    copy_whole: Callable[[str], object],
    can_branch: bool,
    can_pin: bool,
    more: Sequence[str],
    is_selected: bool,
    refusal: str = "",
) -> MessageMenu:
    """Return a menu for one message, which is deleted when it is closed.

    copy: copies it, called with whether as Markdown; copy_whole: copies it in these words. do: carries out another
    command on it. more: commands that few messages have. is_selected: what is copied is what is selected, not the
    message. refusal: why nothing can be changed, "" where it can.
    """
    menu = MessageMenu(row.id, parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)

    def add(action_id: str, can: bool = True, act: Callable[[], object] | None = None) -> None:
        entry = menu.entries[action_id] = menu.addAction(actions[action_id].title, act or partial(do, action_id))
        entry.setEnabled(can)
        entry.setToolTip(actions[action_id].tip)
        entry.setStatusTip(actions[action_id].tip)
        refuse(entry, refusal if actions[action_id].writes else "")

    menu.addAction("Copy" if is_selected else "Copy Message", lambda: copy(False))
    add("copy_markdown", act=lambda: copy(True))
    if row.thought is not None:
        both = f"{row.thought.text}\n\n{row.text}"
        menu.addAction("Copy with Thinking", lambda: copy_whole(both.strip()))
    for action_id in more:
        add(action_id)
    add(branch_action(row), can_branch)
    if row.role == "assistant":
        for action_id in _OF_ANSWER:
            add(action_id, not row.is_streaming)
    if row.versions > 1:
        menu.addAction("Compare with Version Beside", partial(do, "compare"))
    if row.versions > 1 or row.branch:
        add("name_branch")
    if row.is_pinned or can_pin:
        add("unpin" if row.is_pinned else "pin")
    menu.addSeparator()
    add("delete_message")
    return menu
