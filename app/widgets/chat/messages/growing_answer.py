"""How the answer that is being written grows on the screen: a moment at a time, and only what is new of it."""

from __future__ import annotations

import math

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.rows import ThoughtRow
from app.widgets.chat.messages.row_view import RowView

_BESIDE_NEW = 3  # points that a caret or a letter may reach out of its line
_EVERY = 25  # ms at least between two moments in which an answer grows on the screen


class GrowingAnswer(QObject):
    """Takes up in a view what was written of its last message, and what is known of its figures.

    Signal: grew, what was written since the last time stands in the layout and is about to be painted.
    """

    grew = Signal()

    def __init__(self, view: RowView, model: ChatModel) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.take_up)
        self._taken = QElapsedTimer()
        self._placed: tuple[str, float, ThoughtRow | None] | None = None  # as it was when all was placed last
        model.tailAppended.connect(self._wake)
        model.tailFigures.connect(self._wake)

    @property
    def is_waiting(self) -> bool:
        """Whether something was written that is not taken up yet."""
        return self._timer.isActive()

    def _wake(self) -> None:
        """Take up what was written in the next turn of the event loop, unless the last time was just before."""
        if not self._timer.isActive():
            since = self._taken.elapsed() if self._taken.isValid() else _EVERY
            self._timer.start(max(0, _EVERY - since))

    def take_up(self) -> None:
        """Take up what was written since the last time."""
        rows = self._view.layout_of_rows
        number = len(rows) - 1
        if number < 0 or number >= len(self._model.rows):
            return
        rows.renew(number)
        item = rows.item(number)
        # Most words stand in a line that was there already: nothing has another place then.
        if not item.body.is_measured or self._placed != (item.row.id, item.height, item.row.thought):
            self._view.updateGeometries()
            self._placed = (item.row.id, item.height, item.row.thought)
        self.grew.emit()
        rect, changed = self._view.row_rect(number), item.take_changed()
        top, end = rect.top(), self._view.viewport().height()
        first = top + max(0, math.floor(changed.top) - _BESIDE_NEW)
        last = min(float(end), top + changed.bottom + _BESIDE_NEW)
        self._view.viewport().update(rect.left(), first, rect.width(), math.ceil(last) - first)
        self._taken.start()
