"""The cards that stand in the composer's place where a conversation cannot go on as it is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion


class ProblemCards(QObject):
    """Keeps a card at most to each conversation; one about the model stands before them all.

    Signal: changed(), another card of a conversation stands in the composer's place, or none.
    """

    changed = Signal()

    def __init__(self, library: LibraryRegion, model: ModelRegion, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library, self._model = library, model
        self._cards: dict[str, ProblemCard] = {}
        model.current_model.ready.connect(self._clear)

    @property
    def now(self) -> ProblemCard | None:
        """The card that stands in the composer's place."""
        return self._model.state.now.card or self._cards.get(self._library.open_id)

    def put(self, conversation_id: str, card: ProblemCard) -> None:
        """Put a card in the composer's place in a conversation, instead of one that is there."""
        self._cards[conversation_id] = card
        self.changed.emit()

    def dismiss(self) -> None:
        """Take away the card that stands in the way, and change nothing else."""
        if self._model.state.now.card is not None:
            self._model.dismiss_card()
        else:
            self._cards.pop(self._library.open_id, None)
            self.changed.emit()

    def _clear(self) -> None:
        """Drop the cards of all conversations: another model may do what the one before could not."""
        self._cards.clear()
        self.changed.emit()
