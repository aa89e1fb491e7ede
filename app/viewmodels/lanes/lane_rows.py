"""The messages of one of several answers: it, and what was said after it on its own branch."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from app.conversation.tree import MessageTree
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_rows import message_row
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.rows import MessageRow, segments_of
from app.viewmodels.chat.unfolded import Unfolded


class LaneRows(QObject):
    """Shows one branch, from an answer on. Attributes: answer_id; leaf_id, where its branch ends; chat_model."""

    def __init__(self, answer_id: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.answer_id = self.leaf_id = answer_id
        self.chat_model = ChatModel(self, has_rail=False)

    def show(self, tree: MessageTree, questions: Questions, unfolded: Unfolded) -> None:
        """Show the branch as it is now. Figures and versions stand around the rows, and not in them."""
        self.leaf_id = tree.leaf_below(self.answer_id) or self.answer_id
        path = tree.path_to(self.leaf_id)[tree.depth(self.answer_id) :]
        under_way = {one.held_id: one for one in questions.at_engine}

        def row(number: int) -> MessageRow:
            message = path[number]
            made = message_row(message, (message,), under_way.get(message.id), opened=unfolded.ids)
            return replace(made, footer=None)

        self.chat_model.show(
            PathRows(
                [message.id for message in path],
                row,
                lambda first, end: [(one.role, segments_of(one.role, one.text)) for one in path[first:end]],
            )
        )
