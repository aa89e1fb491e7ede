"""The answers that the engine writes: asked for, followed by its events, and handed on when they end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.kept_choices import NewChoices
from app.conversation.message import EDITED, Message
from app.protocol.chat import Resumption, Sampling
from app.protocol.commands import Cancel, Generate, Lane
from app.protocol.events import (
    Event,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    ServerAwaited,
    TextDelta,
    TextKind,
)
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
        self,
        host: EngineHost,
        questions: Questions,
        answer_saver: AnswerSaver,
        keeps_alternatives: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """keeps_alternatives: says whether the next answer comes with what else could have stood in it."""
        super().__init__(parent)
        self._host = host
        self._keeps_alternatives = keeps_alternatives
        self._questions = questions
        self._answer_saver = answer_saver
        self._ids = count(1)

    def start(
        self, question: Question, turns: Branch, model: ModelInfo, settings: Sequence[Sampling]
    ) -> tuple[Message, ...]:
        """Ask the engine a question that waits, with its siblings; returns an answer to each, which have no words yet.

        settings: how the tokens of each are chosen.
        """
        owner, fork = question.conversation_id, question.fork
        answers = tuple(
            Message.new(
                *(owner, question.message.id, "assistant"),
                model=model.fingerprint,
                model_name=model.name,
                sampling=asdict(one),
            )
            for one in settings
        )
        if fork is not None and fork.answer.model != model.fingerprint:
            for number, (one, answer) in enumerate(zip(question.siblings, answers, strict=True)):
                command = self._generate(question, turns, (Lane(settings[number]),))
                self._submit((one,), (answer,), replace(command, begun=fork.begun(number)))
            return answers
        lanes = [Lane(one, () if fork is None else fork.forced(number)) for number, one in enumerate(settings)]
        for one in question.siblings:
            one.like_id = None if fork is None else fork.answer.id
        self._submit(question.siblings, answers, self._generate(question, turns, lanes))
        return answers

    def _generate(self, question: Question, turns: Branch, lanes: Sequence[Lane]) -> Generate:
        first, *beside = lanes
        return Generate(
            *(next(self._ids), turns, first.sampling, question.conversation_id, first.forced, tuple(beside)),
            options=turns.options,
            resumptions=question.resumptions,
            alternatives=self._keeps_alternatives(),
        )

    def go_on(self, question: Question, begun: Message, turns: Branch, model: ModelInfo, sampling: Sampling) -> Message:
        """Have an answer go on that has ended; returns it as one that grows."""
        writer = (begun.model or model.fingerprint, begun.model_name or model.name)
        answer = replace(begun, stop=None, ids=None, stats=None, model=writer[0], model_name=writer[1])
        question.sampling = sampling
        like = question.edited or begun
        question.like_id = like.id if like.model == model.fingerprint else None
        edited = question.edited.turn(model.fingerprint).ids if question.edited is not None else None
        command = self._generate(question, turns, (Lane(sampling),))
        self._submit((question,), (answer,), replace(command, begun=begun.turn(model.fingerprint), edited=edited or ()))
        return answer

    def _submit(self, siblings: Sequence[Question], answers: Sequence[Message], command: Generate) -> None:
        for lane, (question, answer) in enumerate(zip(siblings, answers, strict=True)):
            question.ask(command.run_id, answer, lane)
        self._answer_saver.start()
        self._host.submit(command)

    def stop(self, question: Question) -> None:
        """End the answer to a question that is at the engine within a token; what was written is kept."""
        if question.run_id is not None:
            question.is_stopping = True
            self._host.submit(Cancel(question.run_id, question.run_lane))
            self.moved.emit()

    def abandon(self) -> None:
        """Keep what there is of all answers: the engine will say no more."""
        for question in self._questions.at_engine:
            self._fail(question, None)

    def take(self, event: Event) -> None:
        """Follow an event of the engine; those of runs that have ended are dropped."""
        for question in self._questions.of_run(getattr(event, "run_id", 0), getattr(event, "lane", None)):
            if isinstance(event, TextDelta):
                self._grow(question, event)
            elif isinstance(event, RunStarted):
                question.request = event.request
                question.seed = event.seeds[question.run_lane] if question.run_lane < len(event.seeds) else None
                self.moved.emit()
            elif isinstance(event, ServerAwaited):
                question.awaited, question.is_server_away = event.name, event.is_away
                self.moved.emit()
            elif isinstance(event, PrefillProgress):
                question.prefill, question.heard_at = event, time.monotonic()
                self.moved.emit()
            elif isinstance(event, RunFinished):
                self._finish(question, event)
            elif isinstance(event, RunFailed):
                self._fail(question, event.problem, event.ids)

    def _grow(self, question: Question, delta: TextDelta) -> None:
        text = question.unsaid(delta.text, delta.kind)
        if delta.text and not text:
            return  # words of an answer that goes on
        was_reading, was_thinking = question.is_reading, question.is_thinking
        question.grow("", _drawn(question, delta), delta.kind)
        if was_reading or was_thinking != question.is_thinking:
            self.moved.emit()
        self._append(question, text, delta.kind)

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
        begun, stats = question.begun, asdict(event.stats)
        if begun is not None and not event.stats.tokens and event.stats.stop is StopReason.CANCELLED:
            self._end(question, _as_before(begun, StopReason.CANCELLED), None)
            return
        if begun is not None:
            stats = _summed(begun.stats or {}, stats) | _went_on(question, begun, event)
        elif question.fork is not None:
            stats |= question.fork.figures
        elif question.resumptions:
            reached = [one for one in question.resumptions if one.at < len(event.ids)]
            stats |= {"resumptions": [_as_stored(one) for one in reached]}
        if event.choices:
            question.choices = NewChoices(event.choices, question.like_id)
        answer = replace(question.answer_so_far, ids=event.ids or None, stats=stats, stop=str(event.stats.stop))
        self._end(question, answer, None)

    def _fail(self, question: Question, problem: Problem | None, ids: tuple[int, ...] = ()) -> None:
        begun, so_far = question.begun, question.answer_so_far
        has_grown = begun is None or (begun.text, begun.thinking) != (so_far.text, so_far.thinking)
        failed = replace(so_far, ids=ids or None, stop=str(StopReason.FAILED))
        self._end(question, failed if begun is None or has_grown else _as_before(begun, StopReason.FAILED), problem)

    def _end(self, question: Question, answer: Message, problem: Problem | None) -> None:
        question.end(answer, problem)
        if question.is_kept:
            self._answer_saver.save(question)
        else:
            self._answer_saver.discard(question)
        self.ended.emit(question)


def _drawn(question: Question, delta: TextDelta) -> int:
    """Count the tokens that the model drew: those before a fork, or of an answer that goes on, were given to it."""
    if question.fork is not None:
        words, thinking = question.fork.place.words, question.fork.place.thinking
    elif question.begun is not None:
        words, thinking = question.begun.text, question.begun.thinking
    else:
        return len(delta.tokens) + delta.uncounted
    given = len(words if delta.kind == "text" else thinking)
    return sum(one.end > given for one in delta.tokens) + delta.uncounted


def _as_before(begun: Message, stop: StopReason) -> Message:
    """Return an answer that was to go on and did not, as it was. stop: why it has ended, where that is not known."""
    return replace(begun, stop=begun.stop or str(stop))


def _summed(before: Mapping[str, Any], since: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of an answer and of what came to it later as those of one.

    The seed is the one that its beginning was written with, or none: another one does not give that beginning again.
    """
    kept = {EDITED: before[EDITED]} if EDITED in before else {}
    sums = {name: since[name] + before[name] for name in _SUMMED if before.get(name) and since.get(name) is not None}
    first = before.get("first_token")
    return since | kept | sums | ({} if first is None else {"first_token": first}) | {"seed": before.get("seed")}


def _went_on(question: Question, begun: Message, event: RunFinished) -> dict[str, Any]:
    """Return how an answer came to be that went on, for whoever wants it once more; nothing known where that is so."""
    before = (begun.stats or {}).get("resumptions", [])
    ids = begun.ids
    if not isinstance(before, list) or not ids or event.ids[: len(ids)] != ids or question.sampling is None:
        return {"resumptions": None}
    sampling = replace(question.sampling, seed=event.stats.seed)
    return {"resumptions": [*before, _as_stored(Resumption(len(ids), sampling))]}


def _as_stored(resumption: Resumption) -> dict[str, Any]:
    """Return it as the database gives it back."""
    stored: dict[str, Any] = json.loads(json.dumps(asdict(resumption)))
    return stored


_SUMMED = ("tokens", "seconds", "thinking_tokens", "thinking_seconds")
