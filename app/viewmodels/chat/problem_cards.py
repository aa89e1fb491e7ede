"""The cards that stand in the composer's place where a conversation cannot go on as it is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.model.model_region import ModelRegion


class CardsByConversation(QObject):
    """Keeps a card at most to each conversation, until another model is opened: it may do what that one could not.

    Signal: changed(), a conversation has another card, or none.
    """

    changed = Signal()

    def __init__(self, current_model: CurrentModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: dict[str, ProblemCard] = {}
        current_model.ready.connect(self._clear)

    def of(self, conversation_id: str) -> ProblemCard | None:
        """Return the card of a conversation."""
        return self._cards.get(conversation_id)

    def put(self, conversation_id: str, card: ProblemCard) -> None:
        """Put a card in the composer's place in a conversation, instead of one that is there."""
        self._cards[conversation_id] = card
        self.changed.emit()

    def drop(self, conversation_id: str) -> None:
        """Take the card of a conversation away."""
        self._cards.pop(conversation_id, None)
        self.changed.emit()

    def _clear(self) -> None:
        self._cards.clear()
        self.changed.emit()


class ProblemCards(QObject):
    """The card of the open conversation; one about the model stands before it.

    Signal: changed(), another card of a conversation stands in the composer's place, or none.
    """

    changed = Signal()

    def __init__(
        self, library: LibraryRegion, model: ModelRegion, cards: CardsByConversation, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library, self._model, self._cards = library, model, cards
        cards.changed.connect(self.changed)

    @property
    def now(self) -> ProblemCard | None:
        """The card that stands in the composer's place."""
        return self._model.state.now.card or self._cards.of(self._library.open_id)

    def put(self, conversation_id: str, card: ProblemCard) -> None:
        """Put a card in the composer's place in a conversation, instead of one that is there."""
        self._cards.put(conversation_id, card)

    def dismiss(self) -> None:
        """Take away the card that stands in the way, and change nothing else."""
        if self._model.state.now.card is not None:
            self._model.dismiss_card()
        else:
            self._cards.drop(self._library.open_id)
