"""What a person does with messages of the sample conversation."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent
from PySide6.QtWidgets import QApplication, QMessageBox

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


def make_folder(app: App, window: MainWindow) -> None:
    """Have a folder with a conversation in it."""
    known = next(one.id for one in app.library.library.conversations if one.title == "Parser review, Rust")
    app.library.edits.create_folder("Work", known)


def drag_into_folder(app: App) -> bool:
    """Hold a conversation over the folder, once that is there; return whether it would come to it."""
    rows, folders = app.library.conversation_model.rows, app.library.library.folders
    if not folders or not any(row.is_folder for row in rows):
        return False
    (window,) = (one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
    view, model = window.sidebar.list, app.library.conversation_model
    window.setFocus()
    dragged = next(row.id for row in rows if row.title == "Letter to the landlord")
    data = model.mimeData([model.index(model.row_of(dragged))])
    at = view.visualRect(model.index(model.row_of(folders[0].id))).bottomLeft() + QPoint(60, -8)
    mouse = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), QDragEnterEvent(at, Qt.DropAction.MoveAction, data, *mouse))
    move = QDragMoveEvent(at, Qt.DropAction.MoveAction, data, *mouse)
    QApplication.sendEvent(view.viewport(), move)
    return move.isAccepted()


def delete_much(app: App, window: MainWindow) -> None:
    """Delete the first question of the conversation, with every branch."""
    app.chat.open_branch.delete_message(app.library.tree.path[0].id)


def box(window: MainWindow) -> QMessageBox:
    """Return the box that asks."""
    (found,) = window.findChildren(QMessageBox)
    return found
