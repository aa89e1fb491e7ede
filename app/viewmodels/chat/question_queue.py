"""Questions from Return to the engine: painted, committed, answered when their turn comes.

Property: what is said to the engine was in the database before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.chat import Resumption, Sampling
from app.protocol.reports import ModelInfo, Problem
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.drafts import Attachments
from app.viewmodels.chat.fork import Fork
from app.viewmodels.chat.generations import Generations
from app.viewmodels.chat.prompt_settings import Told
from app.viewmodels.chat.question import Question, Stage
from app.viewmodels.chat.questions import Questions
from app.viewmodels.library.library import Library
from app.viewmodels.model.current_model import CurrentModel

logger = logging.getLogger(__name__)

_NOTHING, _ONE = Told(), AnswerPlan()


class QuestionQueue(QObject):
    """Takes questions through commit and answer, in the order in which the database had them.

    Attribute: most_at_once, how many answers the engine writes at the same time.

    A question is in its tree from the moment it is sent. Once the database has it, it waits for a model that is ready
    and for the answers before it, and is then answered.

    Signals: moved(str) the tree of this conversation or its answer changed; begun() an answer was asked for;
    refused(object), a `Question` that could not be committed and is gone from its tree; ended(object), a `Question`
    that has left the engine.
    """

    moved = Signal(str)
    refused = Signal(object)
    begun = Signal()
    ended = Signal(object)

    def __init__(
        self,
        questions: Questions,
        library: Library,
        generations: Generations,
        answer_saver: AnswerSaver,
        current_model: CurrentModel,
        sampling: Callable[[str], Sampling],
        of_preset: Callable[[str], Sampling | None],
        may_ask: Callable[[str, ModelInfo], bool],
        parent: QObject | None = None,
    ) -> None:
        """sampling: says how the next answer of a conversation is sampled. of_preset: says what a preset is. may_ask:
        says whether a conversation may be sent to a model; its questions wait until it may.
        """
        super().__init__(parent)
        self._questions = questions
        self._library = library
        self._generations = generations
        self._answer_saver = answer_saver
        self._current_model = current_model
        self._sampling, self._of_preset, self._may_ask = sampling, of_preset, may_ask
        self.most_at_once = 1
        generations.ended.connect(self._on_ended)
        current_model.ready.connect(self.answer_next)
        current_model.kept.connect(lambda *_refused: self.answer_next())

    def send(
        self,
        conversation_id: str,
        parent_id: str | None,
        text: str,
        attachments: Attachments = (),
        said: Told = _NOTHING,
        plan: AnswerPlan = _ONE,
        sampling: Sampling | None = None,
        *,
        select: bool = True,
    ) -> Question:
        """Say something below a message, or as a first message. A second child is the fork.

        said: what holds from it on. plan: the answers it gets, not more than can be written at the same time. sampling:
        how their tokens are chosen, None for what is chosen in its conversation. select: have the path end with it.
        Returns the question on its way.
        """
        message = Message.new(
            *(conversation_id, parent_id, "user", text),
            attachments=attachments,
            instructions=said.instructions,
            thinks=said.thinks,
        )
        question = Question(message)
        question.plan, question.sampling = plan, sampling
        self._questions.add(question)
        self._answer_saver.save_before(parent_id)
        committed, refused = partial(self._on_committed, question), partial(self._on_refused, question)
        self._library.add(question.message, committed, refused, select=select)
        self.moved.emit(conversation_id)
        return question

    def ask_again(
        self,
        message: Message,
        sampling: Sampling | None = None,
        resumptions: tuple[Resumption, ...] = (),
        plan: AnswerPlan = _ONE,
    ) -> None:
        """Have a question answered that is stored, with an answer beside those it has.

        sampling: how its tokens are chosen, None for what is chosen in its conversation. resumptions: of the answer
        that is to be written once more. plan: the answers it gets.
        """
        question = Question(message, is_again=True)
        question.sampling, question.resumptions = sampling, resumptions
        question.plan = plan
        self._ask_again(question)

    def fork(self, message: Message, fork: Fork, ended: Message | None = None) -> None:
        """Have a question answered that is stored, with answers that go on from a place in one of those it has.

        As many as can be written at the same time. ended: an answer that ends at the place, which is stored with them.
        """
        question = Question(message, is_again=True)
        question.fork, question.ended_beside, question.plan = fork, ended, AnswerPlan(len(fork.ids))
        self._ask_again(question)

    def go_on(self, answer: Message, sampling: Sampling | None = None) -> None:
        """Have an answer that has ended go on. LookupError for one that follows nothing.

        sampling: how its tokens are chosen, None for what is chosen in its conversation.
        """
        tree = self._library.tree(answer.conversation_id)
        question = Question(tree.message(answer.parent_id or ""), begun=answer)
        question.sampling = sampling
        self._questions.add(question)
        self.moved.emit(answer.conversation_id)
        self.answer_next()

    def go_on_from(self, edit: Message, edited: Message, sampling: Sampling) -> None:
        """Store an edit of an answer beside it, and have it go on from there. LookupError for one that follows nothing.

        sampling: how its tokens are chosen.
        """
        tree = self._library.tree(edit.conversation_id)
        question = Question(tree.message(edit.parent_id or ""), begun=edit, edited=edited)
        question.sampling = sampling
        self._questions.add(question)
        self._library.add(edit, partial(self._on_committed, question), partial(self._on_refused, question))
        self.moved.emit(edit.conversation_id)

    def withdraw(self, question: Question) -> None:
        """Leave a question unanswered, where it is, that waits for a model or for the answers before it.

        One that is being stored is withdrawn as soon as it is. A path that ended with one that was to be answered again
        goes on to the answer that it has.
        """
        if question.stage is Stage.COMMITTING:
            question.is_stopping = True
        elif question.stage is Stage.WAITING:
            question.withdraw()
            tree = self._library.tree(question.conversation_id)
            if tree.leaf_id == question.message.id:
                tree.select(tree.leaf_below(question.message.id))
            self.moved.emit(question.conversation_id)
            self.answer_next()  # behind one that had to wait for more room

    def answer_next(self) -> None:
        """Have the questions that wait longest answered, as many as the engine takes, if a model is ready for them.

        Answers to one question begin together, when there is room for all of them.
        """
        while (model := self._current_model.to_ask) is not None:
            waiting = self._questions.waiting
            question = next((one for one in waiting if self._may_ask(one.conversation_id, model)), None)
            if question is None or len(self._questions.at_engine) + self._count(question) > self.most_at_once:
                return
            self._answer(question, model)

    def _count(self, question: Question) -> int:
        """Return how many answers a question gets: never more than the engine can write."""
        return max(1, min(question.plan.count, self.most_at_once))

    def _ask_again(self, question: Question) -> None:
        self._questions.add(question)
        self._library.tree(question.conversation_id).select(question.message.id)
        self.moved.emit(question.conversation_id)
        self.answer_next()

    def _answer(self, question: Question, model: ModelInfo) -> None:
        message = question.message
        tree = self._library.tree(question.conversation_id)
        turns = Branch(tree.path_to(message.id), model.fingerprint)
        is_open = tree.leaf_id == message.id or (question.is_again and self._library.is_on_path(message))
        sampling = question.sampling or self._sampling(question.conversation_id)
        if question.begun is not None:
            tree.replace(self._generations.go_on(question, question.begun, turns, model, sampling))
        else:
            siblings = question.spread(self._count(question))
            self._questions.add_siblings(question)
            settings = question.plan.settings(sampling, len(siblings), self._of_preset)
            answers = self._generations.start(question, turns, model, settings)
            ended = question.with_ended_beside()
            if ended is not None:
                tree.add(ended.answer_so_far, select=False)
            for answer in answers:
                tree.add(answer, select=is_open and answer is answers[0])
            if ended is not None:
                self._questions.add_ended(ended)
                self._answer_saver.save(ended)
        self.begun.emit()
        self.moved.emit(question.conversation_id)

    def _on_committed(self, question: Question) -> None:
        question.commit()
        if self._questions.is_closed or question.is_stopping:
            question.withdraw()
        self.answer_next()
        self.moved.emit(question.conversation_id)

    def _on_refused(self, question: Question, problem: Problem) -> None:
        before = self._questions.answered_by(question.message.parent_id)
        question.refuse(problem if before is None or before.refusal is None else before.refusal)
        self.moved.emit(question.conversation_id)
        self.refused.emit(question)

    def _on_ended(self, question: Question) -> None:
        tree = self._library.tree(question.conversation_id)
        if question.held_id not in tree:
            logger.error("an answer ended that is on no branch any more")  # the database has its words
        elif question.answer is not None and question.is_kept:
            tree.replace(question.answer.marked_as(tree.message(question.held_id)))
        else:
            tree.remove(question.held_id)
        self.ended.emit(question)
        self.answer_next()
        self.moved.emit(question.conversation_id)
