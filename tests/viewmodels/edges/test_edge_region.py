"""Rows and messages find each other, and what is done with a row is done in the engine and kept in the database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.protocol.commands import Cancel, Evict, Pin, WarmUp
from app.protocol.events import TrieChanged
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.edges import edge_text
from app.viewmodels.edges.pin_keeper import PinKeeper
from app.viewmodels.unavailable import tips
from tests.fakes.engine import Script
from tests.viewmodels.cache.test_cache_region import of_kind, plain, ready


@pytest.fixture
def script() -> Script:
    return Script(tells_edges=True)


@pytest.fixture(autouse=True)
def _looked_at(app: App) -> None:
    """Somebody looks at the cache pane."""
    app.edges.wake()


def ask(qtbot: QtBot, app: App, words: str, rows: int = 2) -> None:
    ready(qtbot, app)
    app.chat.requests.send(words)
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == rows and not app.chat.state.now.can_stop)
    qtbot.waitUntil(lambda: len(app.edges._along().priced.turns) == rows and app.edges._along().priced.known > 2)


def rows(app: App) -> list[int]:
    return [node.id for node in app.cache_rows.trie_model.shown.nodes]


def test_a_message_s_rows_are_marked_and_the_last_is_chosen(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    chosen: list[int] = []
    app.edges.chosenByMessage.connect(chosen.append)
    app.edges.select_message(app.library.tree.path[0].id)
    assert app.edges.state.now.marked == frozenset(rows(app))
    assert chosen == rows(app)[-1:]
    app.edges.select_message("")
    assert not app.edges.state.now.marked


def test_the_pane_comes_to_the_open_path_and_not_again_while_it_stays(qtbot: QtBot, app: App) -> None:
    wanted: list[int] = []
    app.edges.rowWanted.connect(wanted.append)
    ask(qtbot, app, "hello there")
    first = app.library.open_id
    count = len(wanted)
    assert count
    app.chat.branch_costs.renew()
    qtbot.wait(50)
    assert len(wanted) == count
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    app.library.open(first)
    qtbot.waitUntil(lambda: wanted[-1] == 1)
    assert wanted[-1] == rows(app)[-1]


def test_other_conversations_are_one_line_until_they_are_asked_for(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    assert len(rows(app)) == 1
    assert app.edges.state.now.others.edges == 1
    app.edges.show_others(True)
    assert len(rows(app)) == 2
    assert app.edges.state.now.shows_others
    app.edges.show_others(False)
    assert len(rows(app)) == 1


def test_a_row_of_another_conversation_is_shown_in_its_chat(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    first, message = app.library.open_id, app.library.tree.path[0].id
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    app.edges.show_others(True)
    app.edges.choose(rows(app)[0])
    assert [home.conversation_id for home in app.edges.homes(rows(app)[0])] == [first]
    assert "show_row" in enabled(app.state.now)
    with qtbot.waitSignal(app.chat.open_branch.messageShown) as shown:
        app.act("show_row")
    assert shown.args == [message]
    assert app.library.open_id == first


def test_a_row_is_evicted_and_no_word_is_gone(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    app.edges.choose(rows(app)[0])
    app.act("evict_row")
    qtbot.waitUntil(lambda: app.notices.now.text.startswith("Evicted"))
    (command,) = of_kind(script, Evict)
    assert isinstance(command, Evict)
    assert len(command.node_ids) == 1
    assert not rows(app)
    assert len(app.library.tree.path) == 2
    qtbot.waitUntil(lambda: app.edges.state.now.chosen == 0)
    assert "evict_row" not in enabled(app.state.now)


def test_a_branch_is_warmed_up_and_that_can_be_stopped(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    script.warm_up_gate.clear()
    app.act("warm_up")
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Warming up: "))
    assert "tokens" in plain(app.edges.state.now.warming)
    app.act("warm_up")
    (begun,) = of_kind(script, WarmUp)
    (stopped,) = of_kind(script, Cancel)
    assert isinstance(begun, WarmUp)
    assert isinstance(stopped, Cancel)
    assert stopped.run_id == begun.query_id
    assert begun.owner == app.library.open_id
    assert [turn.text for turn in begun.turns] == ["hello there", "You said: hello there"]


def test_a_warm_up_that_ends_is_no_activity_any_more(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.act("warm_up")
    qtbot.waitUntil(lambda: app.edges.warm_ups.now is None)
    assert not app.edges.state.now.warming


def test_where_all_is_warm_already_that_is_said(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.act("warm_up")
    qtbot.waitUntil(lambda: app.notices.now.text == edge_text.WARM_ALREADY)
    app.edges.choose(rows(app)[0])
    app.act("evict_row")
    qtbot.waitUntil(lambda: app.notices.now.text.startswith("Evicted"))
    app.act("warm_up")
    qtbot.waitUntil(lambda: app.edges.warm_ups.now is None)
    assert app.notices.now.text != edge_text.WARM_ALREADY


def test_a_pin_is_kept_with_its_message_and_can_be_taken_back(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    last = app.library.tree.path[-1].id
    app.edges.choose(rows(app)[0])
    app.act("pin_row")
    qtbot.waitUntil(lambda: app.library.tree.message(last).is_pinned)
    qtbot.waitUntil(lambda: "unpin_row" in enabled(app.state.now))
    assert len(of_kind(script, Pin)) == 1
    app.act("undo")
    qtbot.waitUntil(lambda: not app.library.tree.message(last).is_pinned)
    qtbot.waitUntil(lambda: len(of_kind(script, Pin)) == 2)
    command = of_kind(script, Pin)[-1]
    assert isinstance(command, Pin)
    assert not command.is_pinned


def test_pins_are_asked_for_again_when_the_model_is_ready(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    app.act("pin")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    app.model.open("/models/another")
    qtbot.waitUntil(lambda: len(of_kind(script, Pin)) == 2)
    command = of_kind(script, Pin)[-1]
    assert isinstance(command, Pin)
    assert command.is_pinned
    assert [turn.text for turn in command.turns] == ["hello there", "You said: hello there"]


def test_a_row_that_was_unpinned_is_let_go_in_the_database_too(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.act("pin")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    app.edges.choose(rows(app)[0])
    qtbot.waitUntil(lambda: "unpin_row" in enabled(app.state.now))
    app.act("unpin_row")
    qtbot.waitUntil(lambda: not app.library.tree.path[-1].is_pinned)


def test_nothing_is_pinned_by_itself_while_an_answer_is_written(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    app.act("pin")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    script.hold = 1
    app.chat.requests.send("and on")
    qtbot.waitUntil(lambda: app.chat.state.now.can_stop)
    qtbot.wait(50)
    keeper: PinKeeper = app.workspace.cached_branches.pin_keeper
    keeper.forget()
    asked = len(of_kind(script, Pin))
    keeper.renew()
    qtbot.wait(50)
    assert len(of_kind(script, Pin)) == asked
    script.hold = None
    qtbot.waitUntil(lambda: len(of_kind(script, Pin)) == asked + 1)


def test_nothing_is_offered_of_a_branch_that_the_engine_refuses_while_it_writes(
    qtbot: QtBot, app: App, script: Script
) -> None:
    """In whichever conversation it does; why is said."""
    refused = {"pin", "warm_up", "verify"}
    ask(qtbot, app, "hello there")
    assert refused <= enabled(app.state.now)
    first = app.library.open_id
    app.library.new_conversation()
    script.hold = 1
    app.chat.requests.send("and elsewhere")
    qtbot.waitUntil(lambda: app.chat.state.now.is_answering)
    app.library.open(first)
    qtbot.waitUntil(lambda: app.library.open_id == first)
    assert not refused & enabled(app.state.now)
    why = tips(app.state.now)
    assert all("no answer is being written" in why[one] for one in refused)
    script.hold = None
    qtbot.waitUntil(lambda: refused <= enabled(app.state.now))


def test_a_pin_that_is_taken_back_at_once_is_not_asked_for_again(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    path = app.chat.open_branch.path
    app.edges.pin(path, True)
    app.edges.pin(path, False)
    qtbot.waitUntil(lambda: not app.workspace.cached_branches._asked_pins)
    qtbot.wait(100)
    assert not app.library.tree.path[-1].is_pinned
    assert not app.workspace.cached_branches.pin_keeper._kept


def test_paths_to_pinned_messages_are_read_from_all_conversations() -> None:
    store = Store(None)
    conversation = Conversation.new("Trip")
    store.conversations.create(conversation)
    first = Message.new(conversation.id, None, "user", "one")
    second = Message.new(conversation.id, first.id, "assistant", "two")
    store.messages.add(first)
    store.messages.save_answer(second)
    assert store.messages.pinned_paths() == ()
    store.messages.pin(second.id, True)
    assert [[one.id for one in path] for path in store.messages.pinned_paths()] == [[first.id, second.id]]
    store.messages.pin(second.id, False)
    assert store.messages.pinned_paths() == ()
    store.close()


def test_the_price_of_warming_up_is_told_for_a_row_of_any_conversation(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    first, last = app.library.open_id, app.library.tree.path[-1].id
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    app.edges.show_others(True)
    for row in rows(app):
        app.edges.choose(row)
        assert not app.edges.state.now.price
        qtbot.waitUntil(lambda: plain(app.edges.state.now.price) == "opens at once")
    app.edges.choose(rows(app)[0])
    qtbot.waitUntil(lambda: app.edges.chosen_branch is not None)
    branch = app.edges.chosen_branch
    assert branch is not None
    assert (branch.conversation_id, branch.message_id) == (first, last)
    assert branch.place == "after 2\u00a0messages"


def test_what_warming_the_open_branch_up_costs_is_told_while_it_is_known(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "hello there")
    qtbot.waitUntil(lambda: tips(app.state.now)["warm_up"].startswith("Opens at once. Reads the branch"))
    app.edges.choose(rows(app)[0])
    app.act("evict_row")
    qtbot.waitUntil(lambda: tips(app.state.now)["warm_up"].startswith("Cold: "))
    script.warm_up_gate.clear()
    app.act("warm_up")
    qtbot.waitUntil(lambda: tips(app.state.now)["warm_up"].startswith("Reads the branch"))


def test_a_branch_that_cannot_be_read_says_so_in_the_place_of_its_price(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    script.unreadable = "hello there"
    app.chat.branch_costs.renew()
    qtbot.waitUntil(lambda: tips(app.state.now)["warm_up"].startswith("Cannot be read: the template refuses"))


def test_a_price_is_looked_up_again_when_the_row_is_another(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.edges.choose(rows(app)[0])
    qtbot.waitUntil(lambda: bool(app.edges.state.now.price))
    view = app.cache.view
    app.cache.take(TrieChanged(replace(view, nodes=(replace(view.nodes[0], residency="none", bytes=0),))))
    assert not app.edges.state.now.price
    qtbot.waitUntil(lambda: bool(app.edges.state.now.price))


def test_looking_for_a_price_takes_the_place_of_no_verb(qtbot: QtBot, app: App, script: Script) -> None:
    """A pin is asked for at the very moment at which the price of the row is."""
    ask(qtbot, app, "hello there")
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    app.edges.show_others(True)
    app.edges.choose(rows(app)[0])
    app.edges.pin_row()
    app.edges.chosen_price._look_up()
    qtbot.waitUntil(lambda: len(of_kind(script, Pin)) == 1)


def test_a_pin_that_is_noted_while_the_database_is_read_is_not_let_go(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    path = app.chat.open_branch.path
    keeper = app.workspace.cached_branches.pin_keeper
    keeper.renew()
    keeper.note(path, True)
    app.library.changes.make(lambda store: store.messages.pin(path[-1].id, True))
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    keeper.note(path, True)
    read: list[object] = []
    app._store.do(lambda _store: None, read.append, read.append)
    qtbot.waitUntil(lambda: bool(read))
    assert not of_kind(script, Pin)
    assert path[-1].id in keeper._kept


def test_rows_that_nobody_looks_at_are_not_followed_and_no_command_is_about_one(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.edges.choose(rows(app)[-1])
    assert app.edges.state.now.can_evict
    app.edges.rest()
    assert not app.edges.state.now.chosen
    chosen, wanted = list[int](), list[int]()
    app.edges.chosenByMessage.connect(chosen.append)
    app.edges.rowWanted.connect(wanted.append)
    app.library.new_conversation()
    ask(qtbot, app, "something else")
    app.edges.select_message(app.library.tree.path[0].id)
    assert (chosen, wanted) == ([], [])
    app.edges.wake()
    assert chosen == wanted == rows(app)[-1:]
    app.edges.rest()
    app.edges.wake()
    assert len(chosen) == len(wanted) == 1
