"""Cards in the composer's place: one to a conversation, the model's before them, none left when a model is ready."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import cast

from PySide6.QtCore import QObject, Signal

from app.viewmodels.chat.problem_cards import CardsByConversation, ProblemCards
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel as CurrentModelOfApp
from app.viewmodels.model.model_region import ModelRegion
from tests.seeds import chosen


class CurrentModel(QObject):
    """A model that is ready when the test says so."""

    ready = Signal()


class Model:
    """A region of models with a card of its own."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(now=SimpleNamespace(card=None))
        self.current_model = CurrentModel()

    def dismiss_card(self) -> None:
        """Take the card away."""
        self.state.now.card = None


def card(title: str) -> ProblemCard:
    return ProblemCard(title, "", "", "", "", "")


def test_the_card_shown_is_the_models_or_that_of_the_open_conversation() -> None:
    for seed in chosen(range(30)):
        rng = random.Random(seed)
        model, library, other = Model(), SimpleNamespace(open_id="a"), SimpleNamespace(open_id="b")
        by_conversation = CardsByConversation(cast(CurrentModelOfApp, model.current_model))
        cards, others = (
            ProblemCards(cast(LibraryRegion, one), cast(ModelRegion, model), by_conversation)
            for one in (library, other)
        )
        expected: dict[str, ProblemCard] = {}
        told: list[ProblemCard | None] = []
        cards.changed.connect(lambda cards=cards, told=told: told.append(cards.now))
        for step in range(40):
            before = cards.now
            told.clear()
            verb = rng.choice(("put", "dismiss", "ready", "open", "model"))
            if verb == "put":
                at = rng.choice("abc")
                expected[at] = card(str(step))
                cards.put(at, expected[at])
            elif verb == "dismiss":
                if model.state.now.card is None:
                    expected.pop(library.open_id, None)
                cards.dismiss()
            elif verb == "ready":
                expected.clear()
                model.current_model.ready.emit()
            elif verb == "open":
                library.open_id, other.open_id = rng.sample("abc", 2)
            else:
                model.state.now.card = card("model")
            assert cards.now == (model.state.now.card or expected.get(library.open_id)), seed
            assert others.now == (model.state.now.card or expected.get(other.open_id)), seed
            if verb in ("put", "dismiss", "ready") and cards.now != before and before != card("model"):
                assert told == [cards.now], seed
