"""The map in its window: what is drawn, how one goes about in it, and that work is bounded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.chat import Role
from app.viewmodels.app import App
from app.viewmodels.map.map_runs import MOST_ASKED, map_items
from app.widgets.map.map_pane import MapPane
from app.widgets.map.map_view import LEAST, MOST, NEAR, MapView
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import count, picture

_CTRL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def say(app: App, parent_id: str | None, role: Role, text: str, name: str | None = None) -> str:
    said = replace(Message.new(app.library.open_id, parent_id, role, text), name=name)
    app.library.tree.add(said)
    return said.id


def grow(app: App, forks: int) -> list[str]:
    """A question with so many answers, each gone on from; returns the ids of the answers."""
    question = say(app, None, "user", "Which way?")
    answers = [say(app, question, "assistant", f"Way {number}. " * 20) for number in range(forks)]
    for answer in answers:
        say(app, answer, "user", "And then?", name=None if forks > 9 else f"Plan {answer[:4]}")
    app.library.state.refresh()
    app.catch_up()
    return answers


@pytest.fixture
def pane(qtbot: QtBot, window: MainWindow, app: App) -> MapPane:
    window.resize(1440, 900)
    grow(app, 4)
    window.do("map")
    finish(qtbot, window.map)
    return window.map


def view_of(pane: MapPane) -> MapView:
    assert pane.view is not None
    return pane.view


def finish(qtbot: QtBot, pane: MapPane) -> None:
    QApplication.processEvents()
    qtbot.waitUntil(lambda: not view_of(pane).is_busy and len(view_of(pane).items) > 0)


def at(view: MapView, number: int) -> QPointF:
    placed = view.layout_of_runs.runs[number]
    return QPointF(placed.x, placed.bottom) * view.zoom + view._origin()


def test_the_picture_is_made_when_it_is_first_shown_and_rests_when_hidden(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    grow(app, 3)
    assert window.map.view is None
    window.do("map")
    finish(qtbot, window.map)
    view = view_of(window.map)
    before = len(view.items)
    window.do("settings")
    say(app, app.library.tree.leaf_id, "assistant", "More.")
    say(app, app.library.tree.path[0].id, "assistant", "Other.")
    app.library.state.refresh()
    app.catch_up()
    assert len(view.items) == before
    assert not view.is_busy
    window.do("map")
    qtbot.waitUntil(lambda: len(view.items) > before)


def test_the_map_opens_the_inspector_wider_and_the_other_panes_as_it_was(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    window.resize(1440, 900)
    before = window.inspector.width()
    window.do("map")
    assert window.inspector.width() == MapPane.least_width
    assert window.state().splitter[2] == before
    window.do("settings")
    assert window.inspector.width() == before


def test_a_press_on_a_run_opens_its_branch(qtbot: QtBot, pane: MapPane, app: App) -> None:
    view = view_of(pane)
    for number, item in enumerate(view.items):
        point = at(view, number)
        assert view.run_at(point) == number
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
        assert app.library.tree.is_on_path(item.id)
    assert view.run_at(QPointF(1, view.viewport().height() - 2)) == -1


def test_what_the_pointer_is_on_is_told_with_its_price(qtbot: QtBot, pane: MapPane, app: App) -> None:
    view = view_of(pane)
    number = next(at for at, item in enumerate(view.items) if item.is_named)
    point = at(view, number).toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, point, view.viewport().mapToGlobal(point))
    QApplication.sendEvent(view.viewport(), event)
    title, detail, price = view._region.told(view.items[number])
    assert title.startswith("Plan ")
    assert "message" in detail
    assert price
    assert QToolTip.text() == "\n".join((title, detail, price))
    QToolTip.hideText()


def test_keys_buttons_and_the_wheel_zoom_and_the_point_under_the_pointer_stays(qtbot: QtBot, pane: MapPane) -> None:
    view = view_of(pane)
    view.set_zoom(1.0)
    pane.larger.click()
    assert view.zoom == pytest.approx(1.25)
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.zoom == pytest.approx(1.0)
    view.set_zoom(2.0)
    for steps, end in ((40, MOST), (-80, LEAST)):
        view.zoom_by(steps)
        assert view.zoom == end
    pane.window().resize(1440, 600)
    view.set_zoom(3.0)
    view.verticalScrollBar().setValue(100)
    point = QPointF(200, 300)
    fixed = (point - view._origin()) / view.zoom
    where = view.viewport().mapToGlobal(point)
    wheel = QWheelEvent(
        *(point, where, QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, _CTRL),
        *(Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(view.viewport(), wheel)
    assert view.zoom > 3.0
    off = (point - view._origin()) / view.zoom - fixed
    assert max(abs(off.x()), abs(off.y())) < 1.0
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.zoom <= 1.0


def test_the_picture_is_moved_by_hand_and_the_open_branch_comes_back_into_sight(
    qtbot: QtBot, pane: MapPane, app: App
) -> None:
    view = view_of(pane)
    pane.window().resize(1440, 600)
    view.set_zoom(MOST)
    bar = view.verticalScrollBar()
    bar.setValue(bar.minimum())
    middle = view.viewport().rect().center()
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(view.viewport(), middle - QPoint(0, 60))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=middle - QPoint(0, 60))
    assert bar.value() == bar.minimum() + 60
    for item in view.items:
        if not item.is_leaf:
            continue
        app.chat.open_branch.show(item.last_id)
        app.catch_up()
        number = view._open_number()
        assert view.items[number].id == item.id
        assert QRectF(view.viewport().rect()).contains(at(view, number))


def test_the_open_path_is_drawn_in_the_accent_and_labels_do_not_overlap(qtbot: QtBot, pane: MapPane) -> None:
    view = view_of(pane)
    image = picture(view.viewport())
    assert count(image, view._style.theme.accentgfx) > 100
    boxes = [view._label_box(number) for number, item in enumerate(view.items) if item.is_labelled]
    view.set_zoom(1.0)
    boxes = [view._label_box(number) for number, item in enumerate(view.items) if item.is_labelled]
    assert len(boxes) > 4
    assert not [(a, b) for n, a in enumerate(boxes) for b in boxes[:n] if a.intersects(b)]


def test_a_screen_reader_is_told_what_the_picture_shows(pane: MapPane, app: App) -> None:
    view = view_of(pane)
    assert view.accessibleName() == "Map of the branches"
    told = view.accessibleDescription()
    assert "4" in told
    assert "branches; open: Plan" in told
    for stop in pane.tab_order:
        assert stop.accessibleName()


def test_many_runs_are_drawn_far_out_in_lines_and_the_engine_is_not_asked_about_all(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.resize(1440, 900)
    grow(app, 1_500)
    asked: list[str] = []
    monkeypatch.setattr(app.chat.warmth, "warmth_of", lambda message_id, *_: asked.append(message_id))
    items = [item for some in map_items(app.library.tree, app.chat.warmth.warmth_of) for item in some]
    assert len(items) == 1_501
    assert asked == []
    window.do("map")
    finish(qtbot, window.map)
    view = view_of(window.map)
    view.set_zoom(0.05)
    asked.clear()
    picture(view.viewport())
    assert view.zoom < NEAR
    assert len(asked) <= MOST_ASKED
    lines = sum(len(some) for some in view._far_lines().values())
    assert 0 < lines < 2 * len(items)
    view.set_zoom(LEAST)
    assert sum(len(some) for some in view._far_lines().values()) < lines  # those that fall together are one
    view.set_zoom(1.0)
    asked.clear()
    picture(view.viewport())
    assert len(set(asked)) < 400
