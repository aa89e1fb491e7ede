"""What goes with a message is counted before it is deleted, and asked about where it is more than one sees."""

from __future__ import annotations

import random

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.viewmodels.app import App
from app.viewmodels.library.deletion import Deletion, deletion_of, others_of
from tests.seeds import chosen
from tests.viewmodels.library.test_library_region import at_rest
from tests.viewmodels.test_app import ask, ended, ready
from tests.viewmodels.test_windows import windows_of


def below(tree: MessageTree, message_id: str) -> list[str]:
    return [message_id, *(one for child in tree.children(message_id) for one in below(tree, child.id))]


def test_the_count_is_that_of_the_tree() -> None:
    """At random: trees with names, which end runs, and any open path."""
    for seed in chosen(range(60)):
        rng, home = random.Random(seed), new_id()
        tree, ids = MessageTree(home), list[str]()
        for _ in range(rng.randint(1, 40)):
            parent = rng.choice([*ids[-3:], *ids[:4], None])
            role = "assistant" if parent is not None and tree.message(parent).role == "user" else "user"
            message = Message.new(home, parent, role, "x")
            tree.add(message, select=rng.random() < 0.5)
            ids.append(message.id)
        tree.select(rng.choice(ids))
        for one in ids:
            going = below(tree, one)
            found = deletion_of(tree, one)
            assert found.messages == len(going), seed
            assert found.branches == sum(not tree.children(each) for each in going), seed
            assert found.hidden == sum(not tree.is_on_path(each) for each in going), seed
        others, going = others_of(tree), [one for one in ids if not tree.is_on_path(one)]
        assert (others.messages, others.hidden, others.message_id) == (len(going), len(going), ""), seed
        assert others.branches == sum(not tree.children(each) for each in going), seed


def test_the_sentence_says_how_much_and_what_is_not_seen() -> None:
    def said(messages: int, branches: int, hidden: int) -> str:
        return Deletion("", "", messages, branches, hidden).sentence

    assert said(7, 3, 2) == "7\u00a0messages in 3\u00a0branches, 2 of them not visible"
    assert said(1, 1, 1) == "1\u00a0message, not visible"
    assert said(4, 1, 4) == "4\u00a0messages, none of them visible"
    assert said(4, 1, 0) == "4\u00a0messages"


def test_more_than_an_exchange_in_sight_is_asked_about(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    ask(qtbot, app, "Twice")
    asked: list[Deletion] = []
    app.library.edits.deletionAsked.connect(asked.append)
    tree = app.library.tree
    first, second = tree.path[0].id, tree.path[2].id
    app.chat.open_branch.delete_message(first)
    assert [(one.message_id, one.messages, one.hidden) for one in asked] == [(first, 4, 0)]
    app.chat.requests.regenerate()
    ended(qtbot, app, 4)
    app.chat.open_branch.delete_message(second)
    assert (asked[-1].messages, asked[-1].branches, asked[-1].hidden) == (3, 2, 1)
    assert len(tree) == 5
    app.chat.open_branch.delete_message(tree.path[-1].id)
    qtbot.waitUntil(lambda: len(app.library.tree) == 4)
    app.chat.open_branch.delete_message(second)
    qtbot.waitUntil(lambda: len(app.library.tree) == 2)
    assert len(asked) == 2


def named_branch(qtbot: QtBot, app: App, question: str) -> str:
    """Ask a question in two versions, name the second one, and return the id of its message."""
    app.library.new_conversation()
    ask(qtbot, app, question)
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, f"{question} Or else")
    message_id = app.chat.chat_model.rows[0].id
    app.branches.name(message_id, "else")
    at_rest(qtbot, app)
    return message_id


@pytest.mark.parametrize("is_in_sight", [True, False])
def test_a_branch_of_another_conversation_is_asked_about_where_it_is_shown(
    qtbot: QtBot, app: App, is_in_sight: bool
) -> None:
    """Also one exchange, which goes at once where it is in sight: here nothing was. is_in_sight: once it is open."""
    branch = named_branch(qtbot, app, "One")
    home = app.library.open_id
    if not is_in_sight:
        app.chat.open_branch.select_version(branch, -1)
    app.library.fold(home, False)
    app.library.new_conversation()
    ask(qtbot, app, "Other")
    at_rest(qtbot, app)
    asked: list[tuple[Deletion, str]] = []
    app.library.edits.deletionAsked.connect(lambda one: asked.append((one, app.library.open_id)))
    row = next(one for one in app.library.conversation_model.rows if one.is_branch)
    app.library.delete_row(row)
    qtbot.waitUntil(lambda: bool(asked))
    at_rest(qtbot, app)
    ((deletion, open_id),) = asked
    assert (deletion.conversation_id, deletion.message_id, deletion.messages) == (home, branch, 2)
    assert open_id == home
    assert branch in app.library.tree, "it goes when the person says so"


def test_who_goes_elsewhere_meanwhile_is_asked_nothing(qtbot: QtBot, app: App) -> None:
    named_branch(qtbot, app, "One")
    home = app.library.open_id
    app.library.fold(home, False)
    app.library.new_conversation()
    ask(qtbot, app, "Other")
    at_rest(qtbot, app)
    asked: list[Deletion] = []
    app.library.edits.deletionAsked.connect(asked.append)
    row = next(one for one in app.library.conversation_model.rows if one.is_branch)
    app.library.library._trees.pop(home)  # so that it is read first
    app.library.delete_row(row)
    app.library.new_conversation()
    at_rest(qtbot, app)
    qtbot.wait(50)
    assert not asked


def test_it_is_asked_in_the_window_that_has_the_conversation(qtbot: QtBot, app: App) -> None:
    branch = named_branch(qtbot, app, "One")
    second = windows_of(app).open()
    second.library.fold(app.library.open_id, False)
    at_rest(qtbot, app)
    asked: list[tuple[App, str]] = []
    for one in (app, second):
        one.library.edits.deletionAsked.connect(lambda deletion, one=one: asked.append((one, deletion.message_id)))
    second.catch_up()
    row = next(one for one in second.library.conversation_model.rows if one.is_branch)
    second.library.delete_row(row)
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(app, branch)]
