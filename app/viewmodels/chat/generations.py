"""The answer that is being written: from the question's commit to the last word in the database."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message
from app.conversation.records import ViewState
from app.conversation.unsaved import UnsavedRecord
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel, Generate
from app.protocol.events import Event, PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta
from app.protocol.reports import ModelInfo, Problem, RequestReport, StopReason
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.kit.store_link import StoreLink
from app.worker.engine_host import EngineHost

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Generation:
    """One answer under way. `text` is all of it so far; `tokens` counts what has been written.

    request: what the cache did for the prompt, None until the engine has begun. prefill: how far the prompt is read,
    None once the first word came. first_at: when that was, by `time.monotonic`.
    """

    id: int
    answer: Message
    saver: AnswerSaver
    text: str = ""
    tokens: int = 0
    request: RequestReport | None = None
    prefill: PrefillProgress | None = None
    first_at: float | None = None
    is_stopping: bool = False

    @property
    def rate(self) -> float | None:
        """Tokens per second since the first one; None before there are enough to tell."""
        if self.first_at is None or self.tokens < 3:
            return None
        return (self.tokens - 1) / max(time.monotonic() - self.first_at, 1e-3)

    @property
    def is_reading(self) -> bool:
        """Whether no word of the answer has come yet."""
        return self.first_at is None


class Generations(QObject):
    """Generations one answer at a time and sees to it that its words are kept, however it ends.

    Attributes: current, the answer being written; lost, what to tell of words that `close` could save nowhere.

    Signals: grew(str) new text of the current one; moved() other news of it; ended(object, object), the `Generation`,
    no longer current, and the `Problem` it failed with or None; failed(object), a `Problem` with saving.
    """

    grew = Signal(str)
    moved = Signal()
    ended = Signal(object, object)
    failed = Signal(object)
    mended = Signal(object)

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        is_on_path: Callable[[Message], bool],
        parent: QObject | None = None,
    ) -> None:
        """is_on_path: whether an answer is on the selected path of its conversation."""
        super().__init__(parent)
        self._host = host
        self._store = store
        self._is_on_path = is_on_path
        self._ids = count(1)
        self._savers: dict[str, AnswerSaver] = {}
        self._waiting: list[Callable[[], None]] = []
        self.current: Generation | None = None
        self.lost: Problem | None = None

    def start(
        self,
        question: Message,
        turns: Sequence[Turn],
        model: ModelInfo,
        sampling: Sampling,
        is_step: bool = False,
    ) -> Generation:
        """Have a question answered. The question must be committed: the engine is asked before this returns.

        is_step: the answer can be taken back by itself; else it goes with its question.
        """
        if self.current is not None:
            raise RuntimeError(f"run {self.current.id} has not ended")
        owner = question.conversation_id
        answer = Message.new(
            *(owner, question.id, "assistant"),
            model=model.fingerprint,
            model_name=model.name,
            sampling=asdict(sampling),
        )
        run = Generation(next(self._ids), answer, self._saver(answer, is_step))
        self.current = run
        self._host.submit(Generate(run.id, turns, sampling, owner))
        return run

    def stop(self) -> None:
        """End the current run within a token; what was written is kept."""
        if self.current is not None:
            self.current.is_stopping = True
            self._host.submit(Cancel(self.current.id))

    def abandon(self, problem: Problem | None) -> None:
        """The engine will say no more about the current run: keep what there is."""
        if self.current is not None:
            self._end(replace(self.current.answer, stop=str(StopReason.FAILED)), problem)

    def settled(self, path: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a path without the answer that is being written, which ends it: its tokens are not known yet."""
        is_growing = self.current is not None and path[-1:] and path[-1].id == self.current.answer.id
        return path[:-1] if is_growing else path

    def is_stored(self, message_id: str) -> bool:
        """False for an answer that the database does not know yet."""
        saver = self._savers.get(message_id)
        return saver is None or saver.is_stored

    @property
    def unsaved(self) -> tuple[Message, ...]:
        """Answers of which the database does not know the end, as far as they have come."""
        return tuple(saver.answer for saver in self._savers.values())

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do this once every answer that has ended is in the database to its end; at once where that is so.

        Where one cannot be saved, `failed` tells so and this is not done.
        """
        if self._is_saving:
            self._waiting.append(act)
            for saver in self._savers.values():
                saver.save()
        else:
            act()

    def close(self) -> None:
        """Save every word as the program ends: in the database, or else in a file for the next start.

        Where the disk hangs, that is left to `keep_for_next_start`.
        """
        for has_room in (False, True):
            if has_room:
                self._store.do(lambda store: store.search.drop_index())
            for saver in self._savers.values():
                saver.save_now()
            self._store.drain()
            if not self._savers or self._store.is_stuck:
                return
        answers = self.unsaved
        self._store.do(lambda store: store.keep_for_next_start(answers), self._tell_of_unsaved)
        self._store.drain()

    def keep_for_next_start(self, views: Sequence[ViewState]) -> None:
        """The disk hangs: put the answers that it did not take, and these drafts, into a file elsewhere."""
        records: tuple[UnsavedRecord, ...] = (*self.unsaved, *views)
        if not records:
            return
        length = sum(len(answer.text) for answer in self.unsaved)
        length += sum(len(view.draft) + len(view.aside) for view in views)
        what = f"{len(self.unsaved)} answers and {len(views)} drafts, {length} characters,"
        if self._store.keep_for_next_start(records):
            logger.critical("%s are kept in a file: the disk does not answer", what)
        else:
            logger.critical("%s could not be saved anywhere: the disk does not answer", what)
            self.lost = Problem(
                "What you wrote last could not be saved",
                f"The disk does not answer. {length:,} characters may not be there at the next start.",
            )

    def _tell_of_unsaved(self, is_kept: bool) -> None:
        count, length = len(self._savers), sum(len(answer.text) for answer in self.unsaved)
        if is_kept:
            logger.warning("%d answers are kept in a file: the database refused them", count)
        else:
            logger.error("%d answers with %d characters could not be saved anywhere", count, length)
            self.lost = Problem(
                "The last answer could not be saved",
                f"Neither the conversations nor a file of its own had room for {length:,} characters. They are lost.",
            )

    def save_before(self, message_id: str | None) -> None:
        """Have an answer, if this is one, in the database before whatever the store is asked next."""
        saver = None if message_id is None else self._savers.get(message_id)
        if saver is not None:
            saver.save_now()

    def trouble_with(self, message_id: str | None) -> Problem | None:
        """Return why an answer could not be saved; None for one that is saved, or was not refused."""
        saver = None if message_id is None else self._savers.get(message_id)
        return None if saver is None else saver.problem

    @property
    def _is_saving(self) -> bool:
        current = None if self.current is None else self.current.answer.id
        return any(known != current for known in self._savers)

    def take(self, event: Event) -> None:
        """An event of the engine; those of other runs are dropped."""
        run = self.current
        if run is None or getattr(event, "run_id", None) != run.id:
            return
        if isinstance(event, TextDelta):
            self._grow(run, event)
        elif isinstance(event, RunStarted):
            run.request = event.request
            self.moved.emit()
        elif isinstance(event, PrefillProgress):
            run.prefill = event
            self.moved.emit()
        elif isinstance(event, RunFinished):
            self._finish(run, event)
        elif isinstance(event, RunFailed):
            self.abandon(event.problem)

    def _saver(self, answer: Message, is_step: bool) -> AnswerSaver:
        saver = AnswerSaver(self._store, answer, is_step, lambda _id: self._is_on_path(answer), self)
        self._savers[answer.id] = saver
        saver.failed.connect(self._on_failed)
        saver.mended.connect(self.mended)
        saver.done.connect(self._forget)
        return saver

    def _grow(self, run: Generation, delta: TextDelta) -> None:
        is_first = run.is_reading
        run.tokens += len(delta.tokens)
        if run.first_at is None:
            run.first_at = time.monotonic()
        if is_first:
            self.moved.emit()
        self._append(run, delta.text)

    def _append(self, run: Generation, text: str) -> None:
        if text:
            run.text += text
            run.saver.grow(text)
            self.grew.emit(text)

    def _finish(self, run: Generation, event: RunFinished) -> None:
        if event.text.startswith(run.text):
            self._append(run, event.text.removeprefix(run.text))
        stats = asdict(event.stats)
        self._end(replace(run.answer, ids=event.ids or None, stats=stats, stop=str(event.stats.stop)), None)

    def _end(self, answer: Message, problem: Problem | None) -> None:
        run, self.current = self.current, None
        if run is None:
            return
        run.answer = replace(answer, text=run.text)
        if run.text or answer.stop == StopReason.FINISHED:
            run.saver.finish(run.answer)
        else:
            self._forget(run.answer.id)
        self.ended.emit(run, problem)

    def _on_failed(self, problem: Problem) -> None:
        self._waiting.clear()
        self.failed.emit(problem)

    def _forget(self, message_id: str) -> None:
        self._savers.pop(message_id).deleteLater()
        while self._waiting and not self._is_saving:
            self._waiting.pop(0)()
