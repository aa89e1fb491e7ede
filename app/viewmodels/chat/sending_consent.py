"""Consent of the person to a conversation being sent to a server: asked for before its first word goes there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.protocol.references import server_model
from app.protocol.reports import ModelInfo
from app.viewmodels.chat.chat_settings import AllSettings
from app.viewmodels.chat.problem_cards import CardsByConversation
from app.viewmodels.chat.questions import Questions
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting

_SENTENCE = (
    "Your message, and all that stands above it on its branch, would go to {place}, which answers it. Nothing has "
    "been sent yet. You are asked once in each conversation."
)


class SendingConsent(QObject):
    """Keeps which servers each conversation may be sent to, and has the card stand where a question waits for that.

    Signals: given(), to a conversation that is asked about; asked(str, object), a conversation has this card now.
    """

    given = Signal()
    asked = Signal(str, object)

    def __init__(
        self,
        questions: Questions,
        current_model: CurrentModel,
        chosen: AllSettings,
        cards: CardsByConversation,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._questions, self._model, self._chosen = questions, current_model, chosen
        self._cards, self._settings = cards, settings
        self._shown: dict[str, ProblemCard] = {}
        current_model.changed.connect(self.follow)
        current_model.ready.connect(self.follow)  # which takes all cards away

    def is_given(self, conversation_id: str, model: ModelInfo) -> bool:
        """Return whether a conversation may be sent to where a model is: always, where that is this machine."""
        named = server_model(model.path)
        return named is None or named.server_id in self._chosen.of(conversation_id).servers

    def give(self, conversation_id: str) -> None:
        """Let a conversation be sent to the server of the model in use, from now on."""
        named = None if self._model.to_ask is None else server_model(self._model.to_ask.path)
        if named is not None:
            self._chosen.allow(conversation_id, named.server_id)
            self.given.emit()
            self.follow()

    def follow(self) -> None:
        """Have the card stand in the conversations in which a question waits for it, and in no others."""
        model = self._model.to_ask
        asking = {one.conversation_id: None for one in self._questions.waiting} if model is not None else {}
        wanted = [one for one in asking if model is not None and not self.is_given(one, model)]
        for conversation_id in [one for one in self._shown if one not in wanted]:
            if self._cards.of(conversation_id) is self._shown.pop(conversation_id):
                self._cards.drop(conversation_id)
        for conversation_id in wanted:
            card = self._cards.of(conversation_id)
            if model is not None and (card is None or card is not self._shown.get(conversation_id)):
                card = self._shown[conversation_id] = self._card(model)
                self._cards.put(conversation_id, card)
                self.asked.emit(conversation_id, card)

    def _card(self, model: ModelInfo) -> ProblemCard:
        named = server_model(model.path)
        servers = {one.id: one.name for one in self._settings.values.servers}
        name = servers.get(named.server_id, model.place) if named is not None else model.place
        return ProblemCard(
            f"Send this conversation to {name}?",
            _SENTENCE.format(place=model.place),
            *(f"Send to {formatting.first_words(name)}", "send_to_server", "Not Now", "keep_here"),
        )
