"""Two windows over one cache: each shows the rows of its own conversation, and what is asked in one is seen in both."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel, Evict, Pin, WarmUp
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.windows import Windows
from tests.fakes.engine import Script
from tests.viewmodels.cache.test_cache_region import of_kind
from tests.viewmodels.edges.test_edge_region import ask, rows


@pytest.fixture
def script() -> Script:
    return Script(tells_edges=True)


@pytest.fixture(autouse=True)
def _looked_at(app: App) -> None:
    """Somebody looks at the cache pane."""
    app.edges.wake()


def window_beside(app: App) -> App:
    """Open another window over the same workspace."""
    windows = app.workspace.findChild(Windows)
    assert isinstance(windows, Windows)
    beside = windows.open()
    beside.edges.wake()
    return beside


def test_each_window_shows_the_rows_of_its_own_conversation(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    second = window_beside(app)
    ask(qtbot, second, "something else")
    own, other = rows(app), rows(second)
    assert own
    assert other
    assert own != other
    assert app.edges.state.now.others.edges
    second.edges.show_others(True)
    assert set(rows(second)) > set(other)
    assert rows(app) == own
    second.library.new_conversation()
    assert rows(app) == own
    assert app.edges.state.now.shows_others is False


def test_a_window_that_is_opened_later_knows_the_model_and_the_cache(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    home = app.library.open_id
    app.library.new_conversation()
    second = window_beside(app)
    assert second.cache_rows.trie_model.view == app.cache_rows.trie_model.view
    assert second.edges.state.now.others == app.edges.state.now.others
    second.chat.open_draft.write("hello there")
    qtbot.waitUntil(lambda: second.chat.branch_costs.sending is not None)
    qtbot.waitUntil(lambda: second.chat.warmth.warmth_of_conversation(home) is not None)


def test_a_warm_up_is_seen_and_stopped_in_every_window(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    second = window_beside(app)
    script.warm_up_gate.clear()
    app.act("warm_up")
    qtbot.waitUntil(lambda: "Warming up" in second.edges.state.now.warming)
    second.act("warm_up")
    (begun,), (stopped,) = of_kind(script, WarmUp), of_kind(script, Cancel)
    assert isinstance(begun, WarmUp)
    assert isinstance(stopped, Cancel)
    assert stopped.run_id == begun.query_id


def test_pins_of_two_windows_are_kept_each_with_its_own_message(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    second = window_beside(app)
    ask(qtbot, second, "something else")
    told: list[str] = []
    app.notices.announced.connect(told.append)
    app.act("pin")
    second.act("pin")
    for one in (app, second):
        qtbot.waitUntil(lambda one=one: one.library.tree.path[-1].is_pinned)
    assert len(of_kind(script, Pin)) == 2
    assert len(told) == 2
    second.act("undo")
    qtbot.waitUntil(lambda: not second.library.tree.path[-1].is_pinned)
    assert app.library.tree.path[-1].is_pinned


def test_an_eviction_is_told_once(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "hello there")
    window_beside(app)
    told: list[str] = []
    app.notices.announced.connect(told.append)
    app.edges.choose(rows(app)[-1])
    app.act("evict_row")
    qtbot.waitUntil(lambda: bool(told))
    assert len(of_kind(script, Evict)) == len(told) == 1


def test_a_message_is_let_go_of_also_where_the_engine_holds_nothing_of_it(
    qtbot: QtBot, app: App, script: Script
) -> None:
    """As where another model is open: what it has pinned has no mark there, and the message has one."""
    ask(qtbot, app, "hello there")
    app.act("pin")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    told: list[str] = []
    app.notices.announced.connect(told.append)
    app.workspace.host.submit(Pin(1, (), False, message_id=app.library.tree.path[-1].id))
    app.act("unpin")
    qtbot.waitUntil(lambda: not app.library.tree.path[-1].is_pinned)
    assert told == ["No longer pinned."]


def test_what_is_pinned_for_another_branch_is_not_let_go_of_on_this_one(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "hello there")
    app.act("pin")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].is_pinned)
    app.chat.requests.regenerate(app.library.tree.path[-1].id)
    qtbot.waitUntil(lambda: not app.chat.state.now.can_stop and len(app.library.tree) == 3)
    assert "unpin" not in enabled(app.state.now)
