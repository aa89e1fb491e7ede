"""Branches that cannot be read: they are told at once, and keep no other branch from being priced or found."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.warmth import cost_queries, warmth_index
from app.viewmodels.warmth.price_card import PricedBranch, price_card
from app.viewmodels.warmth.price_text import price_sentence
from tests.fakes.engine import UNREADABLE, Script
from tests.viewmodels.test_app import ask, ready

SAID = "cannot be read: the template refuses this conversation"


@pytest.fixture
def script() -> Script:
    return Script(tells_edges=True)


@pytest.fixture(autouse=True)
def _nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cost_queries, warmth_index):
        monkeypatch.setattr(module, "PATIENCE", 3600.0)


def fork(qtbot: QtBot, app: App) -> tuple[str, str]:
    """Return the ends of a branch that can be read and of one that cannot, which is open."""
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    readable = app.library.tree.leaf_id or ""
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And the fish?")
    return readable, app.library.tree.leaf_id or ""


def said_of(app: App, message_id: str) -> str:
    return price_sentence(app.chat.warmth.warmth_of(message_id, app.library.open_id))


def test_a_branch_that_is_refused_says_why_and_the_others_have_their_prices(
    qtbot: QtBot, app: App, script: Script
) -> None:
    script.unreadable = "And the fish?"
    readable, refused = fork(qtbot, app)
    qtbot.waitUntil(lambda: said_of(app, refused) == SAID)
    qtbot.waitUntil(lambda: said_of(app, readable) == "opens at once")
    card = price_card(PricedBranch("Fish", "2 of 2", ""), app.chat.warmth.warmth_of(refused, app.library.open_id))
    assert (card.reason, card.parts, card.time) == (UNREADABLE.sentence, None, "")
    script.unreadable = ""
    ask(qtbot, app, "Go on")
    qtbot.waitUntil(lambda: said_of(app, refused) == "opens at once")


def test_the_composer_says_so_of_the_open_branch_and_of_the_words_in_it(qtbot: QtBot, app: App, script: Script) -> None:
    script.unreadable = "And the fish?"
    fork(qtbot, app)
    price = f"C{SAID[1:]}"
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == price)
    app.chat.open_branch.select_version(None, -1)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == "Warm: only what you type is computed")
    app.chat.open_draft.write("And the fish?")
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == price)
    app.chat.open_draft.write("And the birds?")
    qtbot.waitUntil(lambda: "tokens to read" in app.chat.state.now.send_price)


def test_a_row_is_found_and_priced_beyond_a_branch_that_is_refused(qtbot: QtBot, app: App, script: Script) -> None:
    readable, _ = fork(qtbot, app)
    home = app.library.open_id
    app.library.new_conversation()
    ask(qtbot, app, "Something else")
    script.unreadable = "And the fish?"
    app.edges.wake()
    app.edges.show_others(True)
    qtbot.waitUntil(lambda: app.cache_rows.shown.shows_others)
    owners = {node.id: node.owners for node in app.cache_rows.trie_model.shown.nodes}
    rows = [row for row, whose in owners.items() if home in whose]
    assert rows
    app.edges.choose(rows[0])
    qtbot.waitUntil(lambda: app.edges.chosen_price.found is not None)
    app.edges.show_in_chat()
    qtbot.waitUntil(lambda: app.library.open_id == home)
    qtbot.waitUntil(lambda: app.library.tree.is_on_path(readable))
