"""Answers on their way to the database: new text once a second while they grow, and their figures at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message
from app.conversation.message_store import Progress
from app.conversation.store import Store
from app.protocol.reports import Problem
from app.viewmodels.chat.question import Question, Stage
from app.viewmodels.chat.questions import Questions
from app.viewmodels.kit.store_link import StoreLink

SAVE_EVERY_MS = 1000


class AnswerSaver(QObject):
    """Keeps the stored text of answers at most a second behind what is shown.

    Properties: the store gets every character once, in order; what comes while a request is under way goes with the
    next one; what was refused (a full disk) is offered again every second until it is taken. An answer without a word
    is never stored, unless it ended by itself.

    Signals: failed(object), the `Problem` of a refused request; mended(object), the same when the next one was taken.
    """

    failed = Signal(object)
    mended = Signal(object)

    def __init__(
        self,
        store: StoreLink,
        questions: Questions,
        is_on_path: Callable[[Message], bool],
        parent: QObject | None = None,
    ) -> None:
        """is_on_path: whether the person is on the path through an answer, asked when it is saved; the stored path
        then ends with it, whatever is looked at meanwhile.
        """
        super().__init__(parent)
        self._store = store
        self._questions = questions
        self._is_on_path = is_on_path
        self._waiting: list[Callable[[], None]] = []
        self._when_stored: dict[str, list[Callable[[], None]]] = {}
        self._refused: list[Callable[[Store], None]] = []
        self._timer = QTimer(self, interval=SAVE_EVERY_MS)
        self._timer.timeout.connect(self._save_all)

    def start(self) -> None:
        """Save what there is every second, until every answer is saved to its end."""
        if not self._timer.isActive():
            self._timer.start()

    def save(self, question: Question) -> None:
        """Save what is not saved yet of an answer, unless a request is under way: its end goes on with the rest."""
        if not question.requests:
            self.save_now(question)

    def save_now(self, question: Question) -> None:
        """Have all there is of an answer in the database before whatever the store is asked next."""
        if not question.is_behind:
            return
        question.requests += 1
        answer, stored, is_step = question.answer_so_far, question.stored, question.is_again
        choices = question.choices
        is_selected, keep_siblings = self._is_on_path(answer), self._keeping_siblings(question)

        def save(store: Store) -> Progress:
            keep_siblings(store)
            return stored.save_rest(store, answer, is_selected, is_step, choices)

        self._store.do(
            save,
            partial(self._on_saved, question),
            partial(self._on_refused, question),
            question.unsaved_length,
        )
        for act in self._when_stored.pop(question.held_id, ()):
            act()

    def _keeping_siblings(self, question: Question) -> Callable[[Store], None]:
        """Return a request that stores all answers which are written together with this one, in one commit."""
        siblings = question.stored.siblings
        if siblings is None or question.progress.is_stored:
            return lambda _store: None
        answers = [one.answer_so_far for one in question.together if one.stage is not Stage.DONE]
        whole = {one.held_id: one.choices for one in question.together if one.is_whole and one.choices is not None}
        selected_id = next((answer.id for answer in answers if self._is_on_path(answer)), None)
        is_step = question.siblings[0].is_again
        return lambda store: siblings.keep(store, answers, selected_id, is_step, whole)

    def discard(self, question: Question) -> None:
        """Take an answer out of the database that was written together with others, and ended without a word.

        What was to be done once it is stored is not done.
        """
        self._when_stored.pop(question.held_id, None)
        siblings, answer = question.stored.siblings, question.answer
        if siblings is not None and answer is not None:
            self._discard(partial(siblings.discard, answer_id=answer.id))

    def _discard(self, discard: Callable[[Store], None]) -> None:
        """Do this, again every second where it is refused."""

        def try_again(_problem: Problem) -> None:
            self._refused.append(discard)
            self.start()

        self._store.do(discard, None, try_again)

    def save_before(self, message_id: str | None) -> None:
        """Have an answer, if this is one, in the database before whatever the store is asked next."""
        question = self._questions.answered_by(message_id)
        if question is not None:
            self.save_now(question)

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do this once every answer that has ended is in the database to its end; at once where that is so.

        Where one cannot be saved, `failed` tells so and this is not done.
        """
        if self._questions.saving:
            self._waiting.append(act)
            self._save_all()
        else:
            act()

    def when_stored(self, message_id: str, act: Callable[[], None]) -> bool:
        """Do this once the database has an answer, which is with its first word; at once with any other message.

        Returns whether it is done by now: what it asks of the store comes after the answer.
        """
        question = self._questions.answered_by(message_id)
        if question is not None:
            self.save_now(question)
        if not self._questions.can_end_path(message_id):
            self._when_stored.setdefault(message_id, []).append(act)
            return False
        act()
        return True

    def save_rest(self) -> None:
        """Have every word saved now, and nothing later by itself: the program ends."""
        self._timer.stop()
        for question in self._questions.unsaved:
            self.save_now(question)

    def _save_all(self) -> None:
        refused, self._refused = self._refused, []
        for discard in refused:
            self._discard(discard)
        for question in self._questions.unsaved:
            self.save(question)
        if not self._questions.unsaved and not refused:
            self._timer.stop()

    def _on_saved(self, question: Question, progress: Progress) -> None:
        was_done = question.stage is Stage.DONE
        question.requests -= 1
        refusal, question.refusal = question.refusal, None
        question.confirm(progress)
        if refusal is not None:
            self.mended.emit(refusal)
        if question.stage is Stage.SAVING:
            self.save(question)
        elif question.stage is Stage.DONE and not was_done:
            self._go_on()

    def _go_on(self) -> None:
        """Do what waits for answers to be saved, unless one of them is not."""
        while self._waiting and not self._questions.saving:
            self._waiting.pop(0)()

    def _on_refused(self, question: Question, problem: Problem) -> None:
        question.requests -= 1
        if question.stage is not Stage.DONE:
            question.refusal = problem
            self._waiting.clear()
            self.failed.emit(problem)
