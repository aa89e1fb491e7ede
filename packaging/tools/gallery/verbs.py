"""What a person does with messages of the sample conversation."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow

_KEPT = 3  # lines of the answer before the edit


def edit_answer(app: App, window: MainWindow) -> None:
    """Edit the last answer: keep its first lines, and say how it is to go on."""
    app.chat.open_draft.edit_answer()
    lines = app.chat.open_draft.now.text.split("\n")
    window.chat.composer.edit.show_text("\n".join([*lines[:_KEPT], "- Breakfast comes from the market in"]))


def branch_after(app: App, window: MainWindow) -> None:
    """Begin a new branch after the first answer."""
    app.chat.open_draft.begin_after(app.library.tree.path[1].id)


def leave_unanswered(app: App, window: MainWindow) -> None:
    """Take the last answers away, so that the question before them is not answered."""
    question = app.library.tree.path[-2]
    app.library.edits.delete_message(app.library.open_id, app.library.tree.children(question.id)[0].id)


def is_unanswered(app: App) -> bool:
    """Return whether the path ends with a question that has its button, and nothing is told beside it."""
    app.notices.dismiss()
    return app.chat.state.now.has_unanswered


def delete_much(app: App, window: MainWindow) -> None:
    """Delete the first question of the conversation, with every branch."""
    app.chat.open_branch.delete_message(app.library.tree.path[0].id)


def box(window: MainWindow) -> QMessageBox:
    """Return the box that asks."""
    (found,) = window.findChildren(QMessageBox)
    return found
