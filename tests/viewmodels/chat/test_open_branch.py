"""Going about in the open branch: from any message to any other, and which one is brought into view."""

from __future__ import annotations

import random

from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from tests.viewmodels.test_app import ask, ended, ready


def test_any_message_is_reached_from_anywhere_and_brought_into_view(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    for number in range(3):
        ask(qtbot, app, f"Question {number}")
        app.chat.requests.regenerate()
        ended(qtbot, app, 2 * (number + 1))
    tree, branch = app.library.tree, app.chat.open_branch
    shown, moved = list[str](), list[str]()
    branch.moved.connect(moved.append)
    branch.messageShown.connect(shown.append)
    ids, above = list[str](), [message.id for message in tree.children(None)]
    while above:
        ids += above
        above = [below.id for one in above for below in tree.children(one)]
    assert len(ids) == 9
    rng = random.Random(3)
    for _ in range(40):
        wanted = rng.choice(ids)
        moves = not tree.is_on_path(wanted)
        moved.clear()
        branch.show(wanted)
        assert moved == [app.library.open_id] * moves
        assert tree.is_on_path(wanted)
        assert shown[-1] == wanted
        assert [row.id for row in app.chat.chat_model.rows] == [one.id for one in tree.path]


def test_a_row_that_is_still_painted_may_be_of_a_message_that_is_gone(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    path = app.library.tree.path
    app.chat.open_branch.select_version("gone", 1)
    app.chat.open_branch.delete_message("gone")
    app.chat.open_branch.show("gone")
    assert app.library.tree.path == path
