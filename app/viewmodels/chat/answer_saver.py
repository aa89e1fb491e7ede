"""An answer on its way to the database: its new text once a second while it grows, and its figures at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message
from app.conversation.message_store import Progress
from app.conversation.store import Store
from app.protocol.reports import Problem
from app.viewmodels.kit.store_link import StoreLink

SAVE_EVERY_MS = 1000
NOTHING = Progress(False, 0, False)


@dataclass(slots=True)
class _Stored:
    """What the database has of an answer. On the store's thread alone.

    progress: None where a request failed, so that the database has to be asked.
    """

    progress: Progress | None = NOTHING

    def save_rest(self, store: Store, answer: Message, is_selected: bool, is_step: bool) -> Progress:
        before = self.progress or store.messages.progress_of(answer.id)
        self.progress = None
        edit = store.messages.save_answer(answer, before, is_selected)
        if edit is not None and is_step:
            store.record(edit)
        self.progress = max(before, Progress(True, len(answer.text), answer.stop is not None))
        return self.progress


class AnswerSaver(QObject):
    """Keeps the stored text of one answer at most a second behind what is shown.

    Properties: the store gets every character once, in order; what comes while a request is under way goes with the
    next one; what was refused (a full disk) is offered again every second until it is taken. An answer without a word
    is never stored, unless it ended by itself.

    Attribute: problem, why the last request was refused, None when it was not.

    Signals, with the answer's id: added(str) when the database knows it; done(str) when nothing is left to save. And
    failed(object), the `Problem` of a refused request, and mended(object), the same when the next one was taken.
    """

    added = Signal(str)
    failed = Signal(object)
    mended = Signal(object)
    done = Signal(str)

    def __init__(
        self,
        store: StoreLink,
        answer: Message,
        is_step: bool = False,
        is_on_path: Callable[[str], bool] = lambda _message_id: True,
        parent: QObject | None = None,
    ) -> None:
        """is_step: that the answer was added can be undone by itself.

        is_on_path: whether the person is on the path through the answer with this id, asked when it is added; the
        stored path then ends with it, whatever is looked at meanwhile.
        """
        super().__init__(parent)
        self.problem: Problem | None = None
        self._store = store
        self._is_step = is_step
        self._is_on_path = is_on_path
        self._answer = answer
        self._text = ""
        self._stored = _Stored()
        self._progress = NOTHING
        self._under_way = 0
        self._timer = QTimer(self, interval=SAVE_EVERY_MS)
        self._timer.timeout.connect(self.save)
        self._timer.start()

    @property
    def answer(self) -> Message:
        """The answer with all of its text."""
        return replace(self._answer, text=self._text)

    @property
    def is_stored(self) -> bool:
        """Whether the database knows this answer, so that a path may end with it."""
        return self._progress.is_stored

    def grow(self, text: str) -> None:
        """New text, to be saved with the next beat."""
        self._text += text

    def finish(self, answer: Message) -> None:
        """The answer as it ended; what is left is saved at once."""
        self._answer = answer
        self.save()

    def save(self) -> None:
        """Save what is not saved yet, unless a request is under way; then its end goes on with it."""
        if not self._under_way:
            self.save_now()

    def save_now(self) -> None:
        """Have all there is in the database before whatever the store is asked next."""
        if self._is_behind:
            self._under_way += 1
            answer, stored, is_step = self.answer, self._stored, self._is_step
            is_selected = self._is_on_path(answer.id)
            self._store.do(
                lambda store: stored.save_rest(store, answer, is_selected, is_step),
                self._taken,
                self._refused,
                len(self._text) - self._progress.length,
            )

    @property
    def _has_ended(self) -> bool:
        return self._answer.stop is not None

    @property
    def _is_behind(self) -> bool:
        if not self._text and not self._has_ended:
            return False
        return self._progress < Progress(True, len(self._text), self._has_ended)

    def _taken(self, progress: Progress) -> None:
        is_first, was_done = not self._progress.is_stored, self._progress.has_ended
        self._under_way -= 1
        trouble, self.problem = self.problem, None
        self._progress = max(progress, self._progress)
        if trouble is not None:
            self.mended.emit(trouble)
        if was_done:
            return
        if is_first:
            self.added.emit(self._answer.id)
        if progress.has_ended:
            self._timer.stop()
            self.done.emit(self._answer.id)
        elif self._has_ended:
            self.save()

    def _refused(self, problem: Problem) -> None:
        self._under_way -= 1
        if not self._progress.has_ended:
            self.problem = problem
            self._timer.start()
            self.failed.emit(problem)
