"""An answer on its way to the database: its new text once a second while it grows, and its figures at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.edit import Edit
from app.conversation.message import Message
from app.conversation.store import Store
from app.protocol.reports import Problem
from app.viewmodels.store_link import StoreLink

SAVE_EVERY_MS = 1000


class AnswerSaver(QObject):
    """Keeps the stored text of one answer at most a second behind what is shown.

    Properties: the store gets every character once, in order; one request is under way at a time; what was refused (a
    full disk) is offered again every second until it is taken. An answer without a word is never stored, unless it
    ended by itself.

    Signals, with the answer's id: added(str) when the database knows it; done(str) when nothing is left to save. And
    failed(object), the `Problem` of a refused request.
    """

    added = Signal(str)
    failed = Signal(object)
    done = Signal(str)

    def __init__(
        self,
        store: StoreLink,
        answer: Message,
        record: Callable[[Edit], None] | None = None,
        is_on_path: Callable[[str], bool] = lambda _message_id: True,
        parent: QObject | None = None,
    ) -> None:
        """record: is told, on the store thread, that the answer was added, where that is a step of its own to undo.

        is_on_path: whether the person is on the path through the answer with this id, asked when it is added; the
        stored path then ends with it, whatever is looked at meanwhile.
        """
        super().__init__(parent)
        self._store = store
        self._record = record
        self._is_on_path = is_on_path
        self._answer = answer
        self._text = ""
        self._sent = 0
        self._saved = 0
        self._is_added = False
        self._is_busy = False
        self._is_ended = False
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
        return self._is_added

    def grow(self, text: str) -> None:
        """New text, to be saved with the next beat."""
        self._text += text

    def finish(self, answer: Message) -> None:
        """The answer as it ended; what is left is saved at once."""
        self._answer, self._is_ended = answer, True
        self.save()

    def save(self) -> None:
        """Save what is not saved yet, unless a request is under way; then its end goes on with it."""
        if self._is_busy:
            return
        if not self._is_added:
            self._add()
        elif self._saved < len(self._text):
            self._append()
        elif self._is_ended:
            self._end()

    def _add(self) -> None:
        if not self._text and not self._is_ended:
            return
        message = replace(self._answer, text=self._text, ids=None, stats=None, stop=None)
        record, is_selected = self._record, self._is_on_path(message.id)

        def add(store: Store) -> None:
            edit = store.add_message(message, select=is_selected)
            if record is not None:
                record(edit)

        self._ask(add, self._taken)

    def _append(self) -> None:
        answer_id, text = self._answer.id, self._text[self._saved :]
        self._ask(lambda store: store.append_text(answer_id, text), self._taken)

    def _end(self) -> None:
        self._timer.stop()
        answer = self._answer
        self._ask(
            lambda store: store.finish_message(
                answer.id,
                stop=answer.stop or "",
                ids=answer.ids,
                stats=answer.stats,
                model=answer.model,
                model_name=answer.model_name,
            ),
            self._finished,
        )

    def _ask(self, request: Callable[[Store], object], then: Callable[[object], None]) -> None:
        self._is_busy, self._sent = True, len(self._text)
        self._store.do(request, then, self._refused)

    def _taken(self, _result: object) -> None:
        is_first = not self._is_added
        self._is_busy, self._is_added, self._saved = False, True, self._sent
        if is_first:
            self.added.emit(self._answer.id)
        if self._is_ended:
            self.save()

    def _finished(self, _result: object) -> None:
        self._is_busy = False
        self.done.emit(self._answer.id)

    def _refused(self, problem: Problem) -> None:
        self._is_busy = False
        self._timer.start()
        self.failed.emit(problem)
