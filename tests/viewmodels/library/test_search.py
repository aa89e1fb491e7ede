"""Titles are found by the same words as messages."""

from __future__ import annotations

import random

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.conversation.terms import terms_of
from app.viewmodels.app import App
from app.viewmodels.library.search import _is_titled
from tests.seeds import chosen
from tests.viewmodels.library.test_library_region import at_rest
from tests.viewmodels.test_app import ask

TITLE = "Crème brûlée, the second-best try"


def test_a_title_is_found_by_whatever_finds_a_message_that_says_the_same() -> None:
    """Also by the beginning of any of its words."""
    words = [
        "crème",
        "creme",
        "CREME",
        "cre\u0300me",
        '"brûlée, the"',
        "second-best",
        "(try)",
        "br",
        "梨",
        "!",
        "pears",
        '"',
    ]
    store, home = Store(None), Conversation.new()
    store.messages.begin(home, Message.new(home.id, None, "user", f"{TITLE} 梨子"))
    while store.idle_step():
        pass
    titled = Conversation.new(f"{TITLE} 梨子")
    for seed in chosen(range(200)):
        rng = random.Random(seed)
        typed = " ".join(rng.sample(words, rng.randint(1, 3)))
        assert _is_titled(titled, terms_of(typed)) >= bool(store.search.find(typed)), f"seed {seed}: {typed}"
    assert not _is_titled(titled, terms_of("!"))
    assert not _is_titled(titled, terms_of("reme"))
    assert not _is_titled(Conversation.new(), terms_of("creme"))
    store.close()


@pytest.mark.parametrize("typed", ["creme", "Brûlée", '"best try"', "second-b"])
def test_the_conversation_stands_among_what_was_found(qtbot: QtBot, app: App, typed: str) -> None:
    ask(qtbot, app, "Hello")
    app.library.edits.rename(app.library.open_id, TITLE)
    at_rest(qtbot, app)
    app.library.search.look_for(typed)
    qtbot.waitUntil(lambda: [row.title for row in app.library.search.rows.rows] == [TITLE])
