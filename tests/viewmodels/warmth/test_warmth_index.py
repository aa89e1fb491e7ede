"""The warmth of branches and conversations, looked up by id."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.commands import EstimateCost
from app.viewmodels.app import App
from app.viewmodels.warmth import closed_trees
from app.viewmodels.warmth.warmth import Warmth
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ready


def run_ends(app: App) -> list[str]:
    return [run.last_id for run in app.library.tree.runs().values()]


def known(app: App) -> dict[str, Warmth]:
    index = app.chat.warmth
    found = {message_id: index.warmth_of(message_id, app.library.open_id) for message_id in run_ends(app)}
    return {message_id: warmth for message_id, warmth in found.items() if warmth is not None}


def fork(qtbot: QtBot, app: App, text: str) -> None:
    """Ask another question in the place of the last one."""
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, text)


def until_quiet(qtbot: QtBot, script: Script) -> None:
    """Wait until the engine is asked nothing any more: it hears of each question on a thread that may be late."""
    count, still = -1, 0
    while still < 3:
        still = still + 1 if count == len(script.commands) else 0
        count = len(script.commands)
        qtbot.wait(200)


def test_every_branch_of_the_open_conversation_is_known(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    ask(qtbot, app, "And the weather?")
    fork(qtbot, app, "And the news of today?")
    assert len(run_ends(app)) == 3
    tree = app.library.tree

    def is_known() -> bool:
        if len(known(app)) < 3:
            return False
        trunk, *branches = (known(app)[message_id] for message_id in run_ends(app))
        return {one.total - one.tokens for one in branches} == {trunk.tokens + 1}  # the mark after the last message

    qtbot.waitUntil(is_known)
    assert app.chat.warmth.warmth_of_conversation(app.library.open_id) is not None
    whole = app.chat.warmth.warmth_of_conversation(app.library.open_id)
    assert whole is not None
    assert whole.tokens > known(app)[tree.leaf_id or ""].tokens
    assert app.chat.warmth.warmth_of("no such message", tree.conversation_id) is None


def test_what_cannot_have_changed_is_not_asked_again(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    fork(qtbot, app, "And the news of today?")
    qtbot.waitUntil(lambda: len(known(app)) == 2)
    until_quiet(qtbot, script)
    sent = len(script.commands)
    app.chat.open_branch.select_version(None, -1)
    assert len(known(app)) == 2
    app.chat.warmth.follow()
    until_quiet(qtbot, script)
    again = [command for command in script.commands[sent:] if isinstance(command, EstimateCost)]
    assert len(again) <= 2  # the open path and the version beside it, by those who show these


def test_a_closed_conversation_is_read_when_it_is_looked_up(qtbot: QtBot, make_app: Callable[[], App]) -> None:
    first = make_app()
    ready(qtbot, first)
    ask(qtbot, first, "How are you?")
    closed = first.library.open_id
    leaf = first.library.tree.leaf_id or ""
    first.library.new_conversation()
    ask(qtbot, first, "Something else?")
    app = make_app()
    ready(qtbot, app)
    index = app.chat.warmth
    assert index.warmth_of_conversation(closed) is None
    assert app.library.library.tree_of(closed) is None
    qtbot.waitUntil(lambda: index.warmth_of_conversation(closed) is not None)
    assert app.library.library.tree_of(closed) is None
    qtbot.waitUntil(lambda: index.warmth_of(leaf, closed) == index.warmth_of_conversation(closed))
    assert index.warmth_of_conversation("0" * 32) is None
    qtbot.wait(30)
    assert index.warmth_of_conversation("0" * 32) is None


def test_a_branch_of_a_closed_conversation_is_known_once_the_conversation_is(
    qtbot: QtBot, make_app: Callable[[], App]
) -> None:
    first = make_app()
    ready(qtbot, first)
    ask(qtbot, first, "One")
    fork(qtbot, first, "Two")
    tree, closed = first.library.tree, first.library.open_id
    branch, end = tree.path[0].id, tree.leaf_id or ""
    first.library.new_conversation()
    ask(qtbot, first, "Something else?")
    app = make_app()
    ready(qtbot, app)
    index = app.chat.warmth

    def known() -> Warmth | None:
        index.warmth_of_conversation(closed)  # as the sidebar does for the row above
        return index.warmth_of_branch(branch, closed)

    assert known() is None
    qtbot.waitUntil(lambda: known() is not None)
    assert known() == index.warmth_of(end, closed)
    assert index.warmth_of_branch("gone", closed) is None


def test_a_closed_conversation_that_is_too_long_is_not_read(
    qtbot: QtBot, make_app: Callable[[], App], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_app()
    ready(qtbot, first)
    ask(qtbot, first, "How are you?")
    closed = first.library.open_id
    first.library.new_conversation()
    ask(qtbot, first, "Something else?")
    monkeypatch.setattr(closed_trees, "MOST_MESSAGES", 1)
    app = make_app()
    ready(qtbot, app)
    assert app.chat.warmth.warmth_of_conversation(closed) is None
    qtbot.wait(100)
    assert app.chat.warmth.warmth_of_conversation(closed) is None


def test_another_model_makes_all_unknown(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    qtbot.waitUntil(lambda: len(known(app)) == 1)
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: app.model.current_model.path == "/models/one")
    qtbot.waitUntil(lambda: len(known(app)) == 1 and not next(iter(known(app).values())).is_warm)


def test_a_branch_that_ends_without_words_is_priced_up_to_where_there_are_some(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    tree = app.library.tree
    said = tree.leaf_id or ""
    empty = Message.new(tree.conversation_id, said, "user", " ")
    tree.add(empty)
    app.chat.warmth.follow()
    qtbot.waitUntil(lambda: app.chat.warmth.warmth_of(empty.id, tree.conversation_id) is not None)
    tree.remove(empty.id)
