"""Branches listed, opened, named, marked and deleted, with a scripted engine and a real database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.viewmodels.app import App
from app.viewmodels.branches.branches_region import NO_BRANCHES
from tests.fakes.engine import Script
from tests.viewmodels.library.test_library_region import at_rest
from tests.viewmodels.test_app import ask, stored, texts
from tests.viewmodels.warmth.test_warmth_index import until_quiet

NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def forked(qtbot: QtBot, app: App) -> App:
    """One, its answer, and below that two versions of a question; the second is shown."""
    app.branches.wake()
    ask(qtbot, app, "One")
    ask(qtbot, app, "Two")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "Three")
    app.catch_up()
    return app


def listed(app: App) -> list[str]:
    model = app.branches.model
    return [model.row(node).title for node in model.rows]


def chosen(app: App) -> str:
    row = app.branches.state.now.chosen
    return "" if row is None else row.title


def test_the_outline_follows_what_is_said_and_chooses_the_open_branch(forked: App) -> None:
    assert listed(forked) == ["“One”", "“Two”", "“Three”"]
    now = forked.branches.state.now
    assert (now.title, now.summary, now.hint) == ("One", f"6{NBSP}messages, 2{NBSP}branches", "")
    assert (chosen(forked), now.used) == ("“Three”", "last used now")


def test_figures_that_come_before_the_rows_do_not_choose_another_one(forked: App) -> None:
    """The tree has forked, and the outline has not heard of it."""
    tree = forked.library.tree
    tree.add(Message.new(tree.conversation_id, tree.path[1].id, "user", "Four"))
    forked.chat.warmth.changed.emit()
    forked.library.state.refresh()
    forked.catch_up()
    assert chosen(forked) == "“Four”"


def test_the_outline_follows_in_a_turn_of_its_own(qtbot: QtBot, forked: App, script: Script) -> None:
    """Where the sidebar and all else that follows a conversation has had its own."""
    until_quiet(qtbot, script)  # what branches hold is told to the outline, too
    told: list[str] = []
    forked.library.state.refreshed.connect(lambda: told.append("library"))
    forked.branches.model.shown.connect(lambda: told.append("outline"))
    forked.library.state.refresh()
    QApplication.processEvents()
    assert told == ["library"]
    QApplication.processEvents()
    assert told == ["library", "outline"]


def test_what_is_read_before_the_outline_has_followed_tells_nothing_of_how_it_was(qtbot: QtBot, forked: App) -> None:
    """The branch has grown, so that what was counted of it is not all of it."""
    qtbot.waitUntil(lambda: "warm" in forked.branches.state.now.held)
    forked.chat.requests.send("Four")
    assert (forked.branches.state.now.held, forked.branches.state.now.summary[0]) == ("", "7")


def test_a_branch_is_opened_and_one_that_is_looked_at_stays_chosen(qtbot: QtBot, forked: App) -> None:
    model = forked.branches.model
    one, two, three = [node.id for node in model.rows]
    forked.branches.choose(one)
    assert chosen(forked) == "“One”"
    forked.catch_up()
    assert chosen(forked) == "“One”"
    forked.branches.open(two)
    forked.catch_up()
    assert (texts(forked)[-2], chosen(forked)) == ("Two", "“Two”")
    row = model.row_of(three)
    assert row is not None
    assert not row.is_on_path


def test_names_and_favourites_are_kept_and_can_be_taken_back(qtbot: QtBot, forked: App, data_folder: Path) -> None:
    *_, three = [node.id for node in forked.branches.model.rows]
    forked.branches.name(three, "  cheaper \n trip " + "x" * 300)
    forked.branches.mark(three)
    at_rest(qtbot, forked)
    forked.catch_up()
    assert listed(forked)[-1].startswith("cheaper trip xxx")
    row = forked.branches.model.row_of(three)
    assert row is not None
    assert row.is_favourite
    named = [one for one in stored(data_folder) if one.name]
    assert [(one.text, len(one.name or ""), one.is_favourite) for one in named] == [("Three", 200, True)]
    for _ in range(2):
        forked.act("undo")
        at_rest(qtbot, forked)
    forked.catch_up()
    assert listed(forked)[-1] == "“Three”"
    forked.branches.name(three, "cheaper")
    forked.branches.name(three, " ")
    at_rest(qtbot, forked)
    assert not [one for one in stored(data_folder) if one.name]


def test_a_branch_is_deleted_with_what_hangs_below_it_and_comes_back(qtbot: QtBot, forked: App) -> None:
    *_, three = [node.id for node in forked.branches.model.rows]
    forked.branches.delete(three)
    at_rest(qtbot, forked)
    forked.catch_up()
    assert listed(forked) == ["“One”"]
    assert (forked.branches.state.now.hint, chosen(forked)) == (NO_BRANCHES, "“One”")
    forked.act("undo")
    at_rest(qtbot, forked)
    forked.catch_up()
    assert listed(forked) == ["“One”", "“Two”", "“Three”"]


def test_what_is_put_away_and_listed_alone_is_so_after_the_next_start(
    qtbot: QtBot, app: App, make_app: Callable[[], App]
) -> None:
    app.branches.wake()
    ask(qtbot, app, "One")
    ask(qtbot, app, "Two")
    ask(qtbot, app, "Three")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "Four")
    app.chat.open_draft.begin_edit(app.library.tree.path[2].id)
    ask(qtbot, app, "Five")
    app.catch_up()
    assert listed(app) == ["“One”", "“Two”", "“Three”", "“Four”", "“Five”"]
    home, (one, two, *_others) = app.library.open_id, [node.id for node in app.branches.model.rows]
    app.branches.put_away(two, is_away=True)
    app.branches.hoist(two)
    assert listed(app) == ["“Two”"]
    app.library.new_conversation()
    app.catch_up()
    assert (listed(app), app.branches.state.now.top) == ([], "")
    again = make_app()
    again.branches.wake()
    qtbot.waitUntil(lambda: again.library.library.conversation(home) is not None)
    again.library.open(home)
    qtbot.waitUntil(lambda: listed(again) == ["“Two”"])
    again.branches.hoist("")
    assert listed(again) == ["“One”", "“Two”", "“Five”"]
    again.branches.put_away(one, is_away=True, with_all=True)
    assert listed(again) == ["“One”"]
    again.branches.put_away(one, is_away=False, with_all=True)
    values = again.settings.values
    assert (len(listed(again)), values.outline_closed, values.outline_tops) == (5, (), ())


def test_a_branch_is_compared_with_the_open_one(forked: App) -> None:
    _one, two, three = [node.id for node in forked.branches.model.rows]
    forked.branches.compare(two)
    now = forked.comparison.state.now
    assert (now.left is not None, now.right is not None) == (True, True)
    forked.comparison.close()
    forked.branches.compare(three)
    assert forked.comparison.state.now.is_open


def test_what_is_not_looked_at_is_not_followed(qtbot: QtBot, forked: App) -> None:
    forked.branches.rest()
    ask(qtbot, forked, "Four")
    forked.library.new_conversation()
    forked.catch_up()
    assert len(listed(forked)) == 3
    forked.branches.wake()
    assert listed(forked) == []


def test_nothing_is_done_with_a_branch_that_is_gone(forked: App) -> None:
    region = forked.branches
    for act in (region.open, region.mark, region.delete, region.compare):
        act("0" * 32)
    region.name("0" * 32, "nothing")
    assert listed(forked) == ["“One”", "“Two”", "“Three”"]
