"""The paths that a person is on, on their way to the database."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.library.changes import Changes
from app.viewmodels.library.library import Library


class OpenPaths(QObject):
    """Stores where each conversation's path ends, after the changes and the question that are under way.

    Attribute: waiting, ids of the conversations whose path is stored as soon as those are done. Signal: moved(str), the
    path of this conversation ends elsewhere, in whichever window.
    """

    moved = Signal(str)

    def __init__(
        self,
        library: Library,
        changes: Changes,
        questions: Questions,
        question_queue: QuestionQueue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._changes = library, changes
        self._questions = questions
        self.waiting: set[str] = set()
        changes.recorded.connect(self._save_what_waits)
        question_queue.moved.connect(self._save_what_waits)

    def save(self, conversation_id: str) -> None:
        """Store the end of a path as it is in memory.

        What the database was asked to take before it has then, unless it refuses. Where it refuses a question, the path
        ends elsewhere and is stored again; an answer is offered again, and makes itself the end of its path.
        """
        self.moved.emit(conversation_id)
        if self._changes.is_pending:
            self.waiting.add(conversation_id)
            return
        tree = self._library.tree_of(conversation_id)
        leaf = None if tree is None else tree.leaf_id
        if leaf is not None and self._questions.is_committing(leaf):
            self.waiting.add(conversation_id)
        while tree is not None and leaf is not None and not self._questions.can_end_path(leaf):
            leaf = tree.message(leaf).parent_id
        if leaf is not None:
            self._library.save_path(conversation_id, leaf)

    def _save_what_waits(self) -> None:
        if not self._changes.is_pending:
            waiting, self.waiting = self.waiting, set()
            for conversation_id in waiting:
                self.save(conversation_id)
