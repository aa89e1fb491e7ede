"""The questions and answers of the chat, as far as what is stored of conversations depends on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from app.conversation.message import Message
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.open_paths import OpenPaths
from app.viewmodels.chat.questions import Questions


class ChatAnswers:
    """Tells the library of questions and answers on their way: its `AnswersUnderWay`."""

    def __init__(self, questions: Questions, answer_saver: AnswerSaver, open_paths: OpenPaths) -> None:
        self._questions, self._answer_saver, self._open_paths = questions, answer_saver, open_paths

    @property
    def held(self) -> Mapping[str, str]:
        """Messages that are being answered or written, each with its conversation."""
        return self._questions.held

    @property
    def writing_ids(self) -> Collection[str]:
        """The conversations in which an answer is being written."""
        return frozenset(question.conversation_id for question in self._questions.at_engine)

    @property
    def unsaved_answers(self) -> Collection[Message]:
        """Answers that the database does not have to their end."""
        return self._questions.unsaved_answers

    @property
    def moved_ids(self) -> Collection[str]:
        """The conversations whose open path is not stored yet."""
        return self._open_paths.waiting

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do something once every answer that has ended is in the database."""
        self._answer_saver.when_saved(act)

    def when_stored(self, message_id: str, act: Callable[[], None]) -> bool:
        """Do something once the database has a message; returns whether it is done by now."""
        return self._answer_saver.when_stored(message_id, act)

    def save_path(self, conversation_id: str) -> None:
        """Have the open path of a conversation stored."""
        self._open_paths.save(conversation_id)
