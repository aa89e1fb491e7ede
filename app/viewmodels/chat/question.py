"""One question on its way: from Return to the last word of its answer in the database.

Properties: a question goes through its stages in their order and may leave some out; it comes to DONE once, and knows
then how it ended; its answer's words only grow, and DONE comes before the database has all of them only when the
program ends.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from app.conversation.kept_choices import NewChoices
from app.conversation.message import Message
from app.conversation.message_store import Progress
from app.protocol.chat import Resumption, Sampling
from app.protocol.events import PrefillProgress, TextKind
from app.protocol.reports import Problem, RequestReport, StopReason
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.fork import Fork
from app.viewmodels.chat.stored_answer import NOTHING, StoredAnswer, StoredSiblings


class Stage(Enum):
    """The stages of a question, in their order.

    COMMITTING: it is painted, and on its way to the database. WAITING: it is stored, and waits for a model and for the
    answers before it. READING: the engine reads it. WRITING: its answer grows. SAVING: the answer has ended, and the
    database does not have all of it. DONE: nothing is left to do.
    """

    COMMITTING = "committing"
    WAITING = "waiting"
    READING = "reading"
    WRITING = "writing"
    SAVING = "saving"
    DONE = "done"


class Outcome(Enum):
    """The ways in which a question can end.

    ANSWERED: with an answer that ended by itself. STOPPED: its answer was ended by a person, a limit or another model.
    FAILED: the engine could not answer it, or not to the end. REFUSED: it could not be stored, and is gone. WITHDRAWN:
    it is stored, and nobody answers it.
    """

    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


_LEAST_TIMED = 0.25  # seconds; of words that come all at once no speed can be told
_NEXT: Mapping[Stage, frozenset[Stage]] = {
    Stage.COMMITTING: frozenset({Stage.WAITING, Stage.DONE}),
    Stage.WAITING: frozenset({Stage.READING, Stage.DONE}),
    Stage.READING: frozenset({Stage.WRITING, Stage.SAVING, Stage.DONE}),
    Stage.WRITING: frozenset({Stage.SAVING, Stage.DONE}),
    Stage.SAVING: frozenset({Stage.DONE}),
    Stage.DONE: frozenset(),
}
_HELD = frozenset({Stage.COMMITTING, Stage.WAITING, Stage.READING, Stage.WRITING})
_AT_ENGINE = frozenset({Stage.READING, Stage.WRITING})


class Question:
    """A question, its stage, and all that belongs to its answer. RuntimeError where a stage does not follow the last.

    Attributes: message, what was asked; is_again, it is stored already and gets another answer; copies, the questions
    with the same words that were asked at once on several branches, this one included; stage; outcome, None before it
    is done or saved; problem, why it was refused or failed.

    Of the answer: answer, the message, None before the engine is asked, with its words once it has ended; run_id, the
    engine's name for it; text, thinking, all of its words so far; tokens, how many have come; request, what the cache
    did for the prompt, None until the engine has begun; prefill, how far the prompt is read; awaited, the server that
    it waits for, "" for none; is_server_away, nothing answers there; heard_at, when the engine was heard of last, and
    first_at, when the first token came, by `time.monotonic`; is_stopping, the person has ended it; sampling, how its
    tokens are to be chosen, None for what is chosen in its conversation then; begun, the answer as it stood, where it
    is one that goes on; resumptions, of the answer that is to be written once more; edited, the answer that `begun` is
    an edit of, which is not stored yet then; fork, the place in another answer that this one goes on from, None for
    none; choices, what its tokens were chosen from, None where that is not known; like_id, the answer that it begins
    like, by the same tokens: another one, or itself where it goes on.

    Of several answers that are asked for at once: plan, how many there are and in what they differ; siblings, one
    question to each of them, this one included, once the engine is asked; lane, the number of this one among them;
    run_lane, its number in the engine's run; seed, with which it is written, None until the engine has begun;
    ended_beside, an answer without an engine that is to stand before them, None for none; together, the questions whose
    answers are stored in one commit; is_whole, its answer is stored there with all of its words.

    Of its thought: thinking_tokens, how many have come; thinking_since, when it was begun that goes on, None when none
    does; thinking_before, the seconds of those before it.

    Of its way to the database: progress, what the database is known to have; requests, how many are under way; stored,
    for the store's thread; refusal, why the last request was refused, None when it was not.
    """

    def __init__(
        self,
        message: Message,
        is_again: bool = False,
        begun: Message | None = None,
        edited: Message | None = None,
    ) -> None:
        """Begin with a message that is not stored yet; with one that is, where it is answered again or goes on."""
        self.message = message
        self.is_again = is_again
        self.copies: tuple[Question, ...] = (self,)
        is_stored = is_again or (begun is not None and edited is None)
        self.stage = Stage.WAITING if is_stored else Stage.COMMITTING
        self.outcome: Outcome | None = None
        self.problem: Problem | None = None
        self.begun, self.edited = begun, edited
        self.answer: Message | None = None
        self.run_id: int | None = None
        self.text = "" if begun is None else begun.text
        self.thinking = "" if begun is None else begun.thinking
        self._known: dict[TextKind, int] = {"text": len(self.text), "thinking": len(self.thinking)}
        figures = (begun.stats if begun is not None else None) or {}
        self.thinking_since: float | None = None
        self.thinking_before: float = figures.get("thinking_seconds") or 0.0
        self.thinking_tokens: int = figures.get("thinking_tokens") or 0
        self.tokens = 0
        self.request: RequestReport | None = None
        self.prefill: PrefillProgress | None = None
        self.awaited, self.is_server_away = "", False
        self.heard_at = 0.0
        self.first_at: float | None = None
        self.is_stopping = False
        self.sampling: Sampling | None = None
        self.resumptions: tuple[Resumption, ...] = ()
        self.fork: Fork | None = None
        self.choices: NewChoices | None = None
        self.like_id: str | None = None
        self.plan = AnswerPlan()
        self.siblings: tuple[Question, ...] = (self,)
        self.lane = self.run_lane = 0
        self.seed: int | None = None
        self.ended_beside: Message | None = None
        self.together: tuple[Question, ...] = (self,)
        self.is_whole = False
        self.progress = NOTHING if begun is None else Progress(True, len(self.text), False, len(self.thinking))
        self.requests = 0
        self.stored = StoredAnswer() if begun is None else StoredAnswer(None, begun)
        self.refusal: Problem | None = None

    @property
    def conversation_id(self) -> str:
        """The conversation in which it was asked."""
        return self.message.conversation_id

    @property
    def held_id(self) -> str:
        """The message at the end of its branch: the answer, or the question itself before there is one."""
        return (self.answer or self.begun or self.message).id

    @property
    def is_held(self) -> bool:
        """Whether its branch is not complete, so that nothing can be said after it."""
        return self.stage in _HELD

    @property
    def is_at_engine(self) -> bool:
        """Whether the engine reads it or writes its answer."""
        return self.stage in _AT_ENGINE

    @property
    def is_reading(self) -> bool:
        """Whether no word of the answer has come yet."""
        return self.stage is Stage.READING

    @property
    def rate(self) -> float | None:
        """Tokens per second since the first one; None before there are enough, and time enough has passed, to tell."""
        spent = 0.0 if self.first_at is None else time.monotonic() - self.first_at
        return (self.tokens - 1) / spent if self.tokens >= 3 and spent >= _LEAST_TIMED else None

    @property
    def silence(self) -> float:
        """Seconds since the engine was heard of last."""
        return time.monotonic() - self.heard_at

    @property
    def is_thinking(self) -> bool:
        """Whether the words that came last belong to the thought."""
        return self.thinking_since is not None

    @property
    def thinking_seconds(self) -> float:
        """Seconds that the thought has taken so far."""
        under_way = 0.0 if self.thinking_since is None else time.monotonic() - self.thinking_since
        return self.thinking_before + under_way

    @property
    def is_kept(self) -> bool:
        """Whether there is an answer to keep: one with words, or an empty one that ended by itself."""
        return bool(self.text or self.thinking) or self.outcome is Outcome.ANSWERED

    @property
    def is_unsaved(self) -> bool:
        """Whether there is an answer of which the database does not know the end."""
        return self.answer is not None and self.stage is not Stage.DONE

    @property
    def is_behind(self) -> bool:
        """Whether there is more of the answer than the database is known to have."""
        has_ended = self.stage is Stage.SAVING
        all_of_it = Progress(True, len(self.text), has_ended, len(self.thinking))
        return bool(self.text or self.thinking or has_ended) and self.progress < all_of_it

    @property
    def unsaved_length(self) -> int:
        """Characters of the answer that the database is not known to have."""
        return len(self.text) - self.progress.length + len(self.thinking) - self.progress.thinking

    @property
    def answer_so_far(self) -> Message:
        """Return the answer with all of its words; LookupError before the engine is asked."""
        return replace(self._answer, text=self.text, thinking=self.thinking)

    # To the engine

    def commit(self) -> None:
        """Wait for an answer: the database has the question."""
        self._go(Stage.WAITING)

    def refuse(self, problem: Problem) -> None:
        """End: the database did not take the question."""
        self._go(Stage.DONE, before=Stage.COMMITTING)
        self.outcome, self.problem = Outcome.REFUSED, problem

    def withdraw(self) -> None:
        """End without an answer, while nobody has begun one."""
        self._go(Stage.DONE, before=Stage.WAITING)
        self.outcome = Outcome.WITHDRAWN

    def ask(self, run_id: int, answer: Message, run_lane: int = 0) -> None:
        """Be read by the engine, to be answered with this message."""
        self._go(Stage.READING)
        self.run_id, self.answer, self.run_lane = run_id, answer, run_lane
        self.heard_at = time.monotonic()

    def spread(self, count: int) -> tuple[Question, ...]:
        """Return a question to each of so many answers, itself first, which go their own ways from now on."""
        if count > 1:
            siblings = (self, *(Question(self.message, is_again=True) for _ in range(count - 1)))
            stored = StoredSiblings()
            for lane, one in enumerate(siblings):
                one.siblings, one.lane, one.stored.siblings, one.sampling = siblings, lane, stored, self.sampling
                one.fork, one.together = self.fork, siblings
        return self.siblings

    def with_ended_beside(self) -> Question | None:
        """Return a question that has the answer already which is to stand before those of the siblings, None for none.

        It leaves the engine as others do, without having been there.
        """
        answer, fork = self.ended_beside, self.fork
        if answer is None or fork is None:
            return None
        ended, stored = Question(self.message, is_again=True), self.stored.siblings or StoredSiblings()
        together = (ended, *self.siblings)
        for one in together:
            one.together, one.stored.siblings = together, stored
        ended.stored.progress = None  # the commit of all of them brings it, of which the database is asked
        ended.is_whole, ended.choices = True, fork.choices_of_ended
        ended.answer, ended.text, ended.thinking = answer, answer.text, answer.thinking
        ended._go(Stage.READING)
        ended.end(answer)
        return ended

    # At the engine

    def unsaid(self, text: str, kind: TextKind) -> str:
        """Return what is new of words that came: those of an answer that goes on come again first."""
        known = self._known[kind]
        self._known[kind] = max(0, known - len(text))
        return text[known:]

    def grow(self, text: str, tokens: int = 0, kind: TextKind = "text") -> None:
        """Take on new words of the answer or its thought, and count its tokens. A token may complete no character."""
        now = time.monotonic()
        if self.stage is not Stage.WRITING:
            self._go(Stage.WRITING)
            self.first_at = now
        self.heard_at = now
        self.tokens += tokens
        if kind == "thinking":
            self.thinking += text
            self.thinking_tokens += tokens
            self.thinking_since = now if self.thinking_since is None else self.thinking_since
        else:
            self.text += text
            if self.thinking_since is not None:
                self.thinking_before += now - self.thinking_since
                self.thinking_since = None

    def end(self, answer: Message, problem: Problem | None = None) -> None:
        """Leave the engine with the answer's figures; its words are those that came. ValueError without a reason."""
        if answer.stop is None:
            raise ValueError(f"answer {answer.id} ended for no reason")
        self._check(Stage.SAVING)
        self.answer, self.problem = replace(answer, text=self.text, thinking=self.thinking), problem
        self.outcome = _OUTCOMES.get(answer.stop, Outcome.STOPPED)
        self._go(Stage.SAVING if self.is_kept else Stage.DONE)

    # To the database

    def confirm(self, progress: Progress) -> None:
        """Note what the database has of the answer; once that is all of it, this is done."""
        if progress.has_ended and self.stage is not Stage.DONE:
            self._go(Stage.DONE, before=Stage.SAVING)
        self.progress = max(progress, self.progress)

    def let_go(self) -> None:
        """End as the program does, with an answer that is not in the database to its end."""
        self._go(Stage.DONE, before=Stage.SAVING)

    @property
    def _answer(self) -> Message:
        if self.answer is None:
            raise LookupError(f"question {self.message.id} has not been asked")
        return self.answer

    def _go(self, stage: Stage, before: Stage | None = None) -> None:
        """Go to another stage; before: only from this one."""
        self._check(stage, before)
        self.stage = stage

    def _check(self, stage: Stage, before: Stage | None = None) -> None:
        if stage not in _NEXT[self.stage] or before not in (None, self.stage):
            raise RuntimeError(f"question {self.message.id} cannot go from {self.stage.value} to {stage.value}")


_OUTCOMES: Mapping[str, Outcome] = {
    StopReason.FINISHED: Outcome.ANSWERED,
    StopReason.FAILED: Outcome.FAILED,
}
