"""The answers that the engine writes: asked for, followed by its events, and handed on when they end."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.chat import Sampling
from app.protocol.commands import Cancel, Generate
from app.protocol.events import Event, PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta, TextKind
from app.protocol.reports import ModelInfo, Problem, StopReason
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.questions import Questions
from app.worker.engine_host import EngineHost


class Generations(QObject):
    """Has the engine answer questions, any number at a time, and sees to it that the words are saved.

    Signals: grew(str, str, str), the id of an answer, new text of it and the text's kind; moved() other news of one;
    ended(object), a `Question` that has left the engine.
    """

    grew = Signal(str, str, str)
    moved = Signal()
    ended = Signal(object)

    def __init__(
        self, host: EngineHost, questions: Questions, answer_saver: AnswerSaver, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._questions = questions
        self._answer_saver = answer_saver
        self._ids = count(1)

    def start(self, question: Question, turns: Branch, model: ModelInfo, sampling: Sampling) -> Message:
        """Ask the engine a question that waits; returns the answer, which has no words yet."""
        owner = question.conversation_id
        answer = Message.new(
            *(owner, question.message.id, "assistant"),
            model=model.fingerprint,
            model_name=model.name,
            sampling=asdict(sampling),
        )
        run_id = next(self._ids)
        question.ask(run_id, answer)
        self._answer_saver.start()
        self._host.submit(Generate(run_id, turns, sampling, owner, options=turns.options))
        return answer

    def stop(self, conversation_id: str) -> None:
        """End the answer in a conversation, if there is one, within a token; what was written is kept."""
        question = self._questions.at_engine_in(conversation_id)
        if question is not None and question.run_id is not None:
            question.is_stopping = True
            self._host.submit(Cancel(question.run_id))

    def abandon(self) -> None:
        """Keep what there is of all answers: the engine will say no more."""
        for question in self._questions.at_engine:
            self._fail(question, None)

    def take(self, event: Event) -> None:
        """Follow an event of the engine; those of runs that have ended are dropped."""
        question = self._questions.of_run(getattr(event, "run_id", 0))
        if question is None:
            return
        if isinstance(event, TextDelta):
            self._grow(question, event)
        elif isinstance(event, RunStarted):
            question.request = event.request
            self.moved.emit()
        elif isinstance(event, PrefillProgress):
            question.prefill = event
            self.moved.emit()
        elif isinstance(event, RunFinished):
            self._finish(question, event)
        elif isinstance(event, RunFailed):
            self._fail(question, event.problem)

    def _grow(self, question: Question, delta: TextDelta) -> None:
        was_reading, was_thinking = question.is_reading, question.is_thinking
        question.grow("", len(delta.tokens), delta.kind)
        if was_reading or was_thinking != question.is_thinking:
            self.moved.emit()
        self._append(question, delta.text, delta.kind)

    def _append(self, question: Question, text: str, kind: TextKind) -> None:
        """Take on new text and tell it at once: whoever has read the text before adds this."""
        if text:
            question.grow(text, kind=kind)
            self.grew.emit(question.held_id, text, kind)

    def _finish(self, question: Question, event: RunFinished) -> None:
        if event.thinking.startswith(question.thinking):
            self._append(question, event.thinking.removeprefix(question.thinking), "thinking")
        if event.text.startswith(question.text):
            self._append(question, event.text.removeprefix(question.text), "text")
        stats = asdict(event.stats)
        answer = replace(question.answer_so_far, ids=event.ids or None, stats=stats, stop=str(event.stats.stop))
        self._end(question, answer, None)

    def _fail(self, question: Question, problem: Problem | None) -> None:
        self._end(question, replace(question.answer_so_far, stop=str(StopReason.FAILED)), problem)

    def _end(self, question: Question, answer: Message, problem: Problem | None) -> None:
        question.end(answer, problem)
        self._answer_saver.save(question)
        self.ended.emit(question)
