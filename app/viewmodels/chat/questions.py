"""The questions on their way, whatever their stage: who asks which of them are busy, waiting or unsaved asks here.

Properties: nothing that is held is followed by another question; those that are done are forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.viewmodels.chat.question import Question, Stage


class Questions:
    """All questions that are not done, those that were asked first before the others.

    Attribute: is_closed, the program ends and nothing more is answered.
    """

    def __init__(self) -> None:
        self._questions: list[Question] = []
        self.is_closed = False

    def __iter__(self) -> Iterator[Question]:
        return (question for question in self._questions if question.stage is not Stage.DONE)

    def add(self, question: Question) -> None:
        """Have a question on its way. RuntimeError where what it would follow is not complete."""
        message = question.message
        follows = {message.parent_id} if question.stage is Stage.COMMITTING else {message.id, question.held_id}
        if self.is_closed or not follows.isdisjoint(self.held):
            raise RuntimeError(f"its branch is busy: {message.id} must wait")
        self._questions = [*self, question]

    def add_siblings(self, question: Question) -> None:
        """Have the siblings of a question on their way, which are asked with it."""
        self._questions = [*self, *question.siblings[1:]]

    def add_ended(self, question: Question) -> None:
        """Have a question on its way whose answer only has to be saved."""
        self._questions = [*self, question]

    def close(self) -> None:
        """Leave what waits unanswered, and take no more."""
        self.is_closed = True
        for question in self.waiting:
            question.withdraw()

    # Before there is an answer

    @property
    def waiting(self) -> tuple[Question, ...]:
        """Questions that wait for a model or for the answers before them."""
        return tuple(question for question in self if question.stage is Stage.WAITING)

    def is_waiting_in(self, conversation_id: str) -> bool:
        """Return whether a committed question of a conversation waits to be answered."""
        return any(question.conversation_id == conversation_id for question in self.waiting)

    def is_committing(self, message_id: str) -> bool:
        """Return whether a message is a question, or an edited answer, that the database has not confirmed yet."""
        return any(one.held_id == message_id and one.stage is Stage.COMMITTING for one in self)

    def is_busy_in(self, conversation_id: str) -> bool:
        """Return whether any branch of a conversation is not complete."""
        return self.is_closed or any(one.conversation_id == conversation_id and one.is_held for one in self)

    def is_busy_on(self, tree: MessageTree) -> bool:
        """Return whether nothing can be said at the end of the selected path: it is not complete."""
        return self.is_closed or self.held_on(tree) is not None

    def held_on(self, tree: MessageTree) -> Question | None:
        """Return the question by which the selected path is not complete, or None."""
        return next((one for one in self if one.is_held and one.held_id == tree.leaf_id), None)

    @property
    def held(self) -> dict[str, str]:
        """Questions on their way to an answer and answers under way, by id, each with its conversation."""
        return {question.held_id: question.conversation_id for question in self if question.is_held}

    def unanswered(self, tree: MessageTree) -> Message | None:
        """Return the question that ends the selected path, where nobody answers it or is about to."""
        leaf = None if tree.leaf_id is None else tree.message(tree.leaf_id)
        return leaf if leaf is not None and leaf.role == "user" and leaf.id not in self.held else None

    # While there is one

    @property
    def at_engine(self) -> tuple[Question, ...]:
        """Questions that are being read or answered."""
        return tuple(question for question in self if question.is_at_engine)

    def at_engine_in(self, conversation_id: str) -> tuple[Question, ...]:
        """Return the questions of a conversation that are being read or answered."""
        return tuple(question for question in self.at_engine if question.conversation_id == conversation_id)

    def at_engine_on(self, tree: MessageTree) -> Question | None:
        """Return the question that is being read or answered at the end of the selected path, or None."""
        held = self.held_on(tree)
        return held if held is not None and held.is_at_engine else None

    def of_run(self, run_id: int, lane: int | None = None) -> tuple[Question, ...]:
        """Return the questions that the engine reads or answers under this id. lane: of one answer, None for all."""
        return tuple(one for one in self.at_engine if one.run_id == run_id and lane in (None, one.run_lane))

    def settled(self, path: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a path without an answer that is being written, which ends it: its tokens are not known yet."""
        is_growing = bool(path) and any(one.held_id == path[-1].id for one in self.at_engine)
        return path[:-1] if is_growing else path

    # After that

    @property
    def unsaved(self) -> tuple[Question, ...]:
        """Questions of whose answer the database does not know the end."""
        return tuple(question for question in self if question.is_unsaved)

    @property
    def saving(self) -> tuple[Question, ...]:
        """Questions whose answer has ended and is not in the database to its end."""
        return tuple(question for question in self if question.stage is Stage.SAVING)

    @property
    def unsaved_answers(self) -> tuple[Message, ...]:
        """Answers of which the database does not know the end, as far as they have come."""
        return tuple(question.answer_so_far for question in self.unsaved)

    def answered_by(self, message_id: str | None) -> Question | None:
        """Return the question whose answer a message is, or None; also where the database has the answer to its end."""
        return next((one for one in self.unsaved if one.held_id == message_id), None)

    def can_end_path(self, message_id: str) -> bool:
        """Return whether the database has a message, or was asked to take it, so that a path may end with it."""
        question = self.answered_by(message_id)
        return question is None or question.progress.is_stored or question.requests > 0
