"""Drafts on their way to be asked, in whichever window they were written."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message
from app.protocol.chat import Sampling
from app.viewmodels.chat.chosen_settings import ChosenSettings
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.question import Outcome, Question
from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.versions import is_edit_gone, is_end_open, parent_for
from app.viewmodels.library.stored_conversations import StoredConversations


class Outbox(QObject):
    """Sends drafts, at once or when nothing keeps them any more, and puts back what could not be stored.

    Signal: moved(str), a draft of this conversation was sent or came back.
    """

    moved = Signal(str)

    def __init__(
        self,
        stored: StoredConversations,
        questions: Questions,
        question_queue: QuestionQueue,
        drafts: Drafts,
        chosen: ChosenSettings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._stored, self._questions, self._question_queue = stored, questions, question_queue
        self._drafts, self._chosen = drafts, chosen
        stored.changes.recorded.connect(self.send_waiting)

    def send(self, conversation_id: str) -> None:
        """Say what stands in the composer of a conversation; its draft is what was put aside, or nothing.

        Words that were in line are said on the branch where they were put there. A person who looks at another one by
        then goes on with that.
        """
        tree = self._stored.library.tree(conversation_id)
        draft = self._drafts.take(conversation_id)
        is_here = is_end_open(tree, draft)
        end = None if is_here or draft.end is None else tree.leaf_below(draft.end)
        at = draft.editing if draft.editing is not None and draft.editing in tree else end
        parent, said, plan = (
            parent_for(tree, at),
            self._chosen.take(conversation_id, at),
            self._chosen.plan(conversation_id),
        )
        words = (draft.text, draft.attachments, said, plan)
        self._question_queue.send(conversation_id, parent, *words, select=is_here)
        self.moved.emit(conversation_id)

    def send_to_each(self, conversation_id: str, leaves: Mapping[str, Sampling | None]) -> None:
        """Say what stands in the composer at the end of several branches, each of which gets one answer.

        leaves: the last messages, each with how the tokens of its answer are chosen, None for what is chosen now.
        """
        draft = self._drafts.take(conversation_id)
        said = self._chosen.take(conversation_id, None)
        words = (draft.text, draft.attachments, said)
        copies = tuple(
            self._question_queue.send(conversation_id, leaf_id, *words, sampling=sampling)
            for leaf_id, sampling in leaves.items()
        )
        for question in copies:
            question.copies = copies
        self.moved.emit(conversation_id)

    def send_waiting(self) -> None:
        """Send the words that are in line, where nothing keeps them any more."""
        for waiting in self._drafts.sent:
            if self._questions.is_busy_in(waiting) or self._stored.changes.is_pending:
                continue
            if is_edit_gone(self._stored.library.tree(waiting), self._drafts.of(waiting)):
                self._drafts.hold(waiting)
            else:
                self.send(waiting)

    def give_back(self, question: Question) -> None:
        """Put the words of a question that could not be stored back to where they were typed.

        Words that were asked on several branches come back once.
        """
        if any(one.outcome is Outcome.REFUSED for one in takewhile(lambda one: one is not question, question.copies)):
            return
        message, conversation_id = question.message, question.conversation_id
        if question.begun is not None and question.edited is not None:
            self.give_back_edit(question.begun, question.edited)
            return
        beside = next(iter(self._stored.library.tree(conversation_id).children(message.parent_id)), None)
        self._drafts.give_back(conversation_id, message.text, beside.id if beside else None, message.attachments)
        self._chosen.give_back(conversation_id, message)
        self.moved.emit(conversation_id)

    def give_back_edit(self, edit: Message, edited: Message) -> None:
        """Put the text of an edited answer that could not be stored back to where it was typed.

        A thought is not edited there: of one that was, the words are given back that it has of its own.
        """
        if edit.text:
            self._drafts.give_back(edit.conversation_id, edit.text, edited.id)
        else:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(edit.thinking, edited.thinking, strict=False))
            own = edit.thinking[sum(1 for _ in same) :]
            self._drafts.give_back(edit.conversation_id, own.strip(), None)
        self.moved.emit(edit.conversation_id)
