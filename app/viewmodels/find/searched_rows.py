"""The messages in which something is looked for: those of one path, or of several that are shown beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Signal

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.rows import MessageRow


class _Listener(QObject):
    """Hears of the model with a number. Signals: exchanged(number, row), from this row on; grew(), its last row."""

    exchanged = Signal(int, int)
    grew = Signal()

    def __init__(self, number: int, model: ChatModel) -> None:
        super().__init__()
        self._number = number
        model.rowsRemoved.connect(self._on_rows)
        model.rowsInserted.connect(self._on_rows)
        model.tailAppended.connect(self.grew)
        model.dataChanged.connect(self.grew)

    def _on_rows(self, _parent: QModelIndex, first: int, _last: int) -> None:
        self.exchanged.emit(self._number, first)


class SearchedRows(QObject):
    """Numbers the rows of some models from 0 on, those of one after those of the other.

    Signals: exchanged(int), the rows from this number on are others; grew(), the last row of a model says something
    else.
    """

    exchanged = Signal(int)
    grew = Signal()

    def __init__(self, model: ChatModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models: list[ChatModel] = []
        self._listeners: list[_Listener] = []
        self.show([model])

    def show(self, models: Sequence[ChatModel]) -> bool:
        """Number the rows of these models from now on. Returns whether they are others than before."""
        if list(models) == self._models:
            return False
        self._models = list(models)
        self._listeners = [_Listener(number, one) for number, one in enumerate(models)]
        for listener in self._listeners:
            listener.exchanged.connect(self._on_rows)
            listener.grew.connect(self.grew)
        return True

    def __len__(self) -> int:
        return sum(len(one.rows) for one in self._models)

    def __getitem__(self, number: int) -> MessageRow:
        model, place = self._place(number)
        return model.rows[place]

    def id_of(self, number: int) -> str:
        """Return the id of the message with a number, which costs no row. IndexError where there is none."""
        model, place = self._place(number)
        return model.rows.ids[place]

    def row_of(self, message_id: str) -> int:
        """Return the number of a message, or -1 when it is in none of the models."""
        for number, model in enumerate(self._models):
            place = model.row_of(message_id)
            if place >= 0:
                return self._first_of(number) + place
        return -1

    def growing(self, number: int) -> MessageRow | None:
        """Return a row that may say more than is stored, the last one of a model, where it is made."""
        model, place = self._place(number)
        return model.rows.made.get(place) if place == len(model.rows) - 1 else None

    @property
    def lasts(self) -> list[int]:
        """Return the number of the last row of each model that has any."""
        return [self._first_of(number + 1) - 1 for number, one in enumerate(self._models) if len(one.rows)]

    def _on_rows(self, number: int, first: int) -> None:
        self.exchanged.emit(self._first_of(number) + first)

    def _first_of(self, number: int) -> int:
        return sum(len(one.rows) for one in self._models[:number])

    def _place(self, number: int) -> tuple[ChatModel, int]:
        for model in self._models:
            if number < len(model.rows):
                return model, number
            number -= len(model.rows)
        raise IndexError("no such row")
