"""One message on its way: painted, committed, answered. What is said to the engine was in the database before."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.reports import Problem, StopReason
from app.viewmodels.chat.generations import Generation, Generations
from app.viewmodels.library.library import Library
from app.viewmodels.model.current_model import CurrentModel


class QuestionQueue(QObject):
    """Takes questions through commit and answer, one at a time.

    A question is in its tree from the moment it is sent. Once the database has it, it waits for a model that is ready
    and for the answer before it, and is then answered.

    Signals: moved(str) the tree of this conversation or its run changed; begun() an answer was asked for;
    refused(object, object), a `Message` that could not be committed and is gone from its tree, and the `Problem`;
    ended(object, object), the `Generation` and the `Problem` that it ended with or None.
    """

    moved = Signal(str)
    refused = Signal(object, object)
    begun = Signal()
    ended = Signal(object, object)

    def __init__(
        self, library: Library, runs: Generations, models: CurrentModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._runs = runs
        self._models = models
        self._committing: dict[str, str] = {}
        self._asked: list[Message] = []
        self._again: set[str] = set()
        self._is_open = True
        runs.ended.connect(self._on_ended)
        models.ready.connect(self.answer_next)
        models.kept.connect(lambda _problem: self.answer_next())

    @property
    def is_busy(self) -> bool:
        """Whether anything is being asked or answered."""
        return not self._is_open or self._runs.current is not None or bool(self._committing) or bool(self._asked)

    @property
    def is_waiting_for_model(self) -> bool:
        """Whether a committed question waits for a model to be ready."""
        return bool(self._asked) and self._models.to_ask is None

    def is_busy_in(self, conversation_id: str) -> bool:
        """Whether another message of this conversation must wait: what it would follow is not complete."""
        return not self._is_open or conversation_id in self.held.values()

    def is_waiting_in(self, conversation_id: str) -> bool:
        """Whether a committed question of this conversation waits to be answered."""
        return any(question.conversation_id == conversation_id for question in self._asked)

    @property
    def held(self) -> dict[str, str]:
        """Questions on their way to an answer and the answer under way, by id, each with its conversation."""
        found = dict(self._committing)
        found |= {question.id: question.conversation_id for question in self._asked}
        run = self._runs.current
        if run is not None:
            found[run.answer.id] = run.answer.conversation_id
        return found

    def is_committing(self, message_id: str) -> bool:
        """Whether the database has not confirmed this question yet."""
        return message_id in self._committing

    def send(self, conversation_id: str, parent_id: str | None, text: str) -> Message:
        """Say something below a message, or as a first message. A second child is the fork."""
        message = Message.new(conversation_id, parent_id, "user", text)
        self._committing[message.id] = conversation_id
        self._runs.save_before(parent_id)
        self._library.add(message, partial(self._on_committed, message), partial(self._on_refused, message))
        self.moved.emit(conversation_id)
        return message

    def ask_again(self, question: Message) -> None:
        """Another answer to a question, beside those it has."""
        self._library.tree(question.conversation_id).select(question.id)
        self._asked.append(question)
        self._again.add(question.id)
        self.moved.emit(question.conversation_id)
        self.answer_next()

    def withdraw(self, conversation_id: str) -> None:
        """Leave the questions of a conversation that wait for a model or an answer unanswered, where they are.

        A path that ended with one that was to be answered again goes on to the answer that it has.
        """
        for question in [one for one in self._asked if one.conversation_id == conversation_id]:
            self._asked.remove(question)
            self._again.discard(question.id)
            tree = self._library.tree(conversation_id)
            if tree.leaf_id == question.id:
                tree.select(tree.leaf_below(question.id))
            self.moved.emit(conversation_id)

    def close(self) -> None:
        """Nothing more is answered; what is on its way to the database still gets there."""
        self._is_open = False
        self._asked.clear()
        self._again.clear()

    def answer_next(self) -> None:
        """Have the question that waits longest answered, if a model is ready for it."""
        model = self._models.to_ask
        is_free = self._is_open and self._runs.current is None
        if model is None or not is_free or not self._asked:
            return
        question = self._asked.pop(0)
        tree = self._library.tree(question.conversation_id)
        turns = Branch(tree.path_to(question.id), model.fingerprint)
        is_again = question.id in self._again
        self._again.discard(question.id)
        is_open = tree.leaf_id == question.id or (is_again and self._library.is_on_path(question))
        run = self._runs.start(question, turns, model, self._models.sampling, is_again)
        tree.add(run.answer, select=is_open)
        self.begun.emit()
        self.moved.emit(question.conversation_id)

    def _on_committed(self, message: Message) -> None:
        self._committing.pop(message.id, None)
        self._asked.append(message)
        self.answer_next()
        self.moved.emit(message.conversation_id)

    def _on_refused(self, message: Message, problem: Problem) -> None:
        self._committing.pop(message.id, None)
        self.moved.emit(message.conversation_id)
        self.refused.emit(message, self._runs.trouble_with(message.parent_id) or problem)

    def _on_ended(self, run: Generation, problem: Problem | None) -> None:
        answer = run.answer
        tree = self._library.tree(answer.conversation_id)
        if run.text or answer.stop == StopReason.FINISHED:
            tree.replace(answer)
        else:
            tree.remove(answer.id)
        self.ended.emit(run, problem)
        self.answer_next()
        self.moved.emit(answer.conversation_id)
