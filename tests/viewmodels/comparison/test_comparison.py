"""Which branches are compared, and what stands beside what."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.chat import Role
from app.viewmodels.app import App
from app.viewmodels.comparison.comparison import MOST_OFFERED, Comparison
from tests.seeds import each_seed
from tests.viewmodels.test_app import ask, ended, ready


@pytest.fixture
def comparison(qtbot: QtBot, app: App) -> Comparison:
    """Over a question with two answers, the second of them gone on from."""
    ready(qtbot, app)
    ask(qtbot, app, "First")
    app.chat.requests.regenerate()
    ended(qtbot, app, 2)
    ask(qtbot, app, "More")
    return app.comparison


def shown(comparison: Comparison) -> list[tuple[str | None, str | None]]:
    return [(a and a.text, b and b.text) for a, b in comparison.state.now.pairs]


def say(app: App, text: str, parent_id: str | None, role: Role = "user", name: str | None = None) -> str:
    """Put a message into the open tree; nothing is stored or asked."""
    message = Message.new(app.library.open_id, parent_id, role, text)
    app.library.tree.add(message, select=False)
    if name is not None:
        app.library.tree.replace(replace(message, name=name))
    return message.id


def test_the_open_branch_is_compared_with_the_version_beside_its_last_fork(comparison: Comparison, app: App) -> None:
    assert not comparison.state.now.is_open
    app.act("compare")
    now = comparison.state.now
    assert (now.shared, now.left and now.left.leaf_id) == (1, app.library.tree.leaf_id)
    assert shown(comparison) == [("You said: First", "You said: First"), ("More", None), ("You said: More", None)]
    assert [one.text for one in comparison.shared_messages()] == ["First"]
    app.act("compare")
    assert not comparison.state.now.is_open


def test_the_branch_that_was_open_before_is_the_other_one(comparison: Comparison, app: App) -> None:
    first = app.library.tree.children(None)[0].id
    third = say(app, "Third", first, "assistant")
    say(app, "Fourth", first, "assistant")
    app.chat.open_branch.show(third)
    left = app.library.tree.leaf_id
    answer = app.library.tree.children(first)[0].id
    app.chat.open_branch.show(answer)
    comparison.open()
    now = comparison.state.now
    assert now.left is not None
    assert now.right is not None
    assert (now.left.leaf_id, now.right.leaf_id) == (answer, left)


def test_a_side_takes_another_branch_and_both_change_places(comparison: Comparison, app: App) -> None:
    first = app.library.tree.children(None)[0].id
    third = say(app, "Third", first, "assistant", name="a third way")
    comparison.open()
    comparison.choose("right", third)
    now = comparison.state.now
    assert now.right is not None
    assert (now.right.leaf_id, now.right.name) == (third, "a third way")
    assert now.left is not None
    comparison.choose("left", third)
    after = comparison.state.now
    assert after.left == now.right
    assert after.right == now.left
    assert third in [one.leaf_id for one in comparison.branches()]
    assert len(comparison.branches()) == 3


def test_of_very_many_branches_those_that_were_used_last_are_offered(comparison: Comparison, app: App) -> None:
    first = app.library.tree.children(None)[0].id
    comparison.open()
    ways = [say(app, f"Way {number}", first, "assistant") for number in range(MOST_OFFERED + 40)]
    leaves = [one.leaf_id for one in comparison.branches()]
    now = comparison.state.now
    assert now.left is not None
    assert now.right is not None
    assert {now.left.leaf_id, now.right.leaf_id} <= set(leaves)
    assert leaves[-MOST_OFFERED:] == ways[-MOST_OFFERED:]
    assert len(leaves) <= MOST_OFFERED + 2


def test_a_branch_below_a_named_one_is_told_by_that_name(comparison: Comparison, app: App) -> None:
    first = app.library.tree.children(None)[0].id
    home = say(app, "Home", first, "assistant", name="the way home")
    for text in ("By bus", "On foot"):
        say(app, text, home)
    names = [one.name for one in comparison.branches()]
    assert names[-2:] == ["the way home › “By bus”", "the way home › “On foot”"]


def test_the_chat_goes_on_in_either(comparison: Comparison, app: App) -> None:
    comparison.open()
    right = comparison.state.now.right
    assert right is not None
    heard: list[bool] = []
    comparison.closed.connect(lambda: heard.append(True))
    comparison.go_on("right")
    assert app.library.tree.leaf_id == right.leaf_id
    assert not comparison.state.now.is_open
    assert heard == [True]


def test_a_message_is_compared_with_the_version_beside_it(comparison: Comparison, app: App) -> None:
    tree = app.library.tree
    answers = tree.children(tree.children(None)[0].id)
    comparison.open_beside(answers[0].id)
    now = comparison.state.now
    assert now.left is not None
    assert now.right is not None
    assert (now.left.leaf_id, now.right.leaf_id) == (answers[0].id, tree.leaf_below(answers[1].id))
    comparison.close()
    comparison.open_beside("gone")
    comparison.open_beside(tree.path[-1].id)  # which is alone
    assert not comparison.state.now.is_open


def test_what_is_compared_and_deleted_or_left_is_compared_no_more(
    qtbot: QtBot, comparison: Comparison, app: App
) -> None:
    comparison.open()
    app.library.edits.delete_message(
        app.library.open_id, app.library.tree.children(app.library.tree.children(None)[0].id)[0].id
    )
    qtbot.waitUntil(lambda: not comparison.state.now.is_open)
    app.act("undo")
    qtbot.waitUntil(lambda: bool(app.library.tree.forks))
    comparison.open()
    assert comparison.state.now.is_open
    app.library.new_conversation()
    assert not comparison.state.now.is_open


def test_nothing_is_compared_where_nothing_forks(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    app.comparison.open()
    assert not app.comparison.state.now.is_open
    ask(qtbot, app, "Alone")
    app.comparison.open()
    assert not app.comparison.state.now.is_open


@each_seed(range(60))
def test_both_columns_say_their_whole_branch_in_order(qtbot: QtBot, app: App, seed: int) -> None:
    rng = random.Random(seed)
    app.library.new_conversation()
    tree: MessageTree = app.library.tree
    ids: list[str | None] = [None]
    for number in range(40):
        ids.append(say(app, f"text {number}", rng.choice(ids[-8:])))
    tree.select(tree.leaf_below(None))
    known = [one for one in ids if one is not None]
    left, right = rng.sample(known, 2)
    tree.select(left)
    app.comparison._show(left, right)
    now = app.comparison.state.now
    shared = [one.id for one in app.comparison.shared_messages()]
    for leaf, side in ((left, 0), (right, 1)):
        column = [pair[side] for pair in now.pairs]
        said = [one.id for one in column if one is not None]
        assert [*shared, *said] == [one.id for one in tree.path_to(leaf)]
    assert all(a is None or b is None or a.id != b.id for a, b in now.pairs)
    app.comparison.close()
