"""The map in its window: what is drawn, how one goes about in it, and that work is bounded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.chat import Role
from app.protocol.reports import Source
from app.viewmodels.app import App
from app.viewmodels.map.map_region import NOTHING_SAID
from app.viewmodels.map.map_runs import MOST_ASKED
from app.viewmodels.warmth.warmth import Warmth
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.style import Style
from app.widgets.map import map_painter, map_view
from app.widgets.map.map_painter import NEAR
from app.widgets.map.map_pane import MapPane
from app.widgets.map.map_view import CLOSES, LEAST, MOST, OPENS, MapView
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import count, picture

_CTRL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def say(app: App, parent_id: str | None, role: Role, text: str, name: str | None = None) -> str:
    said = replace(Message.new(app.library.open_id, parent_id, role, text), name=name)
    app.library.tree.add(said)
    return said.id


def answered(app: App, texts: Iterable[str]) -> list[str]:
    """A question with these answers; returns their ids."""
    question = say(app, None, "user", "Which way?")
    return [say(app, question, "assistant", text) for text in texts]


def grow(app: App, forks: int) -> list[str]:
    """A question with so many answers, each gone on from; returns the ids of the answers."""
    answers = answered(app, (f"Way {number}. " * 20 for number in range(forks)))
    for answer in answers:
        say(app, answer, "user", "And then?", name=None if forks > 9 else f"Plan {answer[:4]}")
    app.library.state.refresh()
    app.catch_up()
    return answers


def open_map(qtbot: QtBot, window: MainWindow) -> MapPane:
    window.resize(1440, 900)
    window.do("map")
    finish(qtbot, window.map)
    return window.map


@pytest.fixture
def pane(qtbot: QtBot, window: MainWindow, app: App) -> MapPane:
    grow(app, 4)
    return open_map(qtbot, window)


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
    for zoom in (view.zoom, 1.0, 2.0):
        view.set_zoom(zoom)
        picture(view.viewport())
        boxes = [box for box, _number in view._painter.labels]
        assert not [(a, b) for n, a in enumerate(boxes) for b in boxes[:n] if a.intersects(b)]


def test_a_screen_reader_is_told_what_the_picture_shows(pane: MapPane, app: App) -> None:
    view = view_of(pane)
    assert view.accessibleName() == "Map of the branches"
    told = view.accessibleDescription()
    assert "4" in told
    assert "branches; open: Plan" in told
    for stop in pane.tab_order:
        assert stop.accessibleName()


def versions(app: App, count: int) -> list[str]:
    """A question with so many answers, of which nobody has gone on from one, and the middle one is open."""
    answers = answered(app, (f"Way {number}, and on" for number in range(count)))
    app.library.state.refresh()
    app.catch_up()
    app.chat.open_branch.show(answers[count // 2])
    app.catch_up()
    return answers


@pytest.fixture
def grouped(qtbot: QtBot, window: MainWindow, app: App) -> MapView:
    versions(app, 30)
    return view_of(open_map(qtbot, window))


def is_grouped(view: MapView, *, is_open: bool) -> bool:
    groups = [item for item in view.items if item.versions]
    return not view.is_busy and bool(groups) and all(item.is_open is is_open for item in groups)


def chip(view: MapView) -> QPointF:
    number = next(at for at, item in enumerate(view.items) if item.versions)
    picture(view.viewport())
    return view._painter._label_box(number).center() + view._origin()


def test_many_versions_are_one_until_a_click(qtbot: QtBot, grouped: MapView) -> None:
    assert [item.versions for item in grouped.items] == [0, 30, 0]
    for is_open in (True, False):
        qtbot.mouseClick(grouped.viewport(), Qt.MouseButton.LeftButton, pos=chip(grouped).toPoint())
        qtbot.waitUntil(lambda wanted=is_open: is_grouped(grouped, is_open=wanted))
        assert len(grouped.items) == (32 if is_open else 3)


def test_what_an_opened_group_answers_stays_where_it_is(qtbot: QtBot, window: MainWindow, app: App) -> None:
    window.resize(1440, 900)
    first = say(app, None, "user", "Where to?")
    for way in ("North", "South", "West"):
        answer = say(app, first, "assistant", way)
        question = say(app, answer, "user", f"{way}, and how far?", name=way)
        for number in range(20):
            say(app, question, "assistant", f"{number} miles")
    for _ in range(30):
        say(app, app.library.tree.leaf_id, "user", "And on? " * 40)
    app.library.state.refresh()
    app.catch_up()
    window.do("map")
    finish(qtbot, window.map)
    view = view_of(window.map)
    view.set_zoom(1.0)
    groups = [item.id for item in view.items if item.versions]
    assert len(groups) > 1
    for group in groups[:2]:
        number = view._number(group)
        fork = view.items[number].parent
        view._bring_into_sight(fork)
        before, moved = at(view, fork), view.layout_of_runs.runs[fork].x
        view._press(number)
        qtbot.waitUntil(lambda group=group: not view.is_busy and view.items[view._number(group)].is_open)
        after = view._number(view.items[view.items[view._number(group)].parent].id)
        moved -= view.layout_of_runs.runs[after].x
        bar = view.horizontalScrollBar()
        assert bar.value() in (bar.minimum(), bar.maximum()) or abs(at(view, after).x() - before.x()) < 2.0
        assert group != groups[1] or (moved != 0.0 and bar.minimum() < bar.value() < bar.maximum())


def test_a_group_has_its_chip_also_where_not_every_label_finds_room(qtbot: QtBot, grouped: MapView) -> None:
    for zoom in (0.8, 0.9, 1.0):
        grouped.set_zoom(zoom)
        grouped.show_open_run()
        picture(grouped.viewport())
        assert 1 in [number for _box, number in grouped._painter.labels]


def test_zooming_in_opens_the_groups_in_sight_and_zooming_out_closes_them(qtbot: QtBot, grouped: MapView) -> None:
    grouped.set_zoom(1.0)
    for zoom, is_open in ((OPENS, True), (CLOSES, True), (1.0, False)):
        grouped.set_zoom(zoom)
        qtbot.waitUntil(lambda wanted=is_open: is_grouped(grouped, is_open=wanted))
    qtbot.mouseClick(grouped.viewport(), Qt.MouseButton.LeftButton, pos=chip(grouped).toPoint())
    qtbot.waitUntil(lambda: is_grouped(grouped, is_open=True))
    for zoom in (OPENS, 1.0):
        grouped.set_zoom(zoom)
        assert is_grouped(grouped, is_open=True)  # a person opened it


def test_the_open_version_stands_beside_its_group_wherever_one_goes(qtbot: QtBot, grouped: MapView, app: App) -> None:
    for answer in app.library.tree.children(app.library.tree.path[0].id)[::7]:
        app.chat.open_branch.show(answer.id)
        app.catch_up()
        qtbot.waitUntil(lambda wanted=answer.id: not grouped.is_busy and grouped.items[-1].id == wanted)
        assert [item.versions for item in grouped.items] == [0, 30, 0]
        assert QRectF(grouped.viewport().rect()).contains(at(grouped, grouped._open_number()))


def test_the_open_run_has_room_for_its_label_at_first(qtbot: QtBot, window: MainWindow, app: App) -> None:
    answers = answered(app, (f"{number} WALKED WWW WAYS" for number in range(6)))
    app.library.state.refresh()
    app.catch_up()
    view = view_of(pane := open_map(qtbot, window))
    for answer in answers[::2]:
        app.chat.open_branch.show(answer)
        app.catch_up()
        finish(qtbot, pane)
        for width in range(280, 480, 20):
            view.resize(width, 400)
            at_edge = view.layout_of_runs.runs[view._open_number()].x - width + 42
            view.horizontalScrollBar().setValue(round(at_edge))
            view.fit()
            picture(view.viewport())
            boxes = [box for box, number in view._painter.labels if number == view._open_number()]
            assert len(boxes) == 1, width
            run = view.layout_of_runs.runs[view._open_number()]
            assert abs(boxes[0].center().x() - run.x * view.zoom) < 1, width  # not pushed in from the edge


def test_no_edge_cuts_the_label_of_the_open_run(qtbot: QtBot, grouped: MapView, app: App) -> None:
    qtbot.mouseClick(grouped.viewport(), Qt.MouseButton.LeftButton, pos=chip(grouped).toPoint())
    qtbot.waitUntil(lambda: is_grouped(grouped, is_open=True))
    grouped.set_zoom(1.0)
    for answer in app.library.tree.children(app.library.tree.path[0].id):
        app.chat.open_branch.show(answer.id)
        app.catch_up()
        number = grouped._open_number()
        grouped._move_by(QPoint(grouped.viewport().width(), 0))
        picture(grouped.viewport())
        (box,) = (box for box, one in grouped._painter.labels if one == number)
        in_window = box.translated(grouped._origin())
        if QRectF(grouped.viewport().rect()).contains(at(grouped, number)):
            assert QRectF(grouped.viewport().rect()).contains(in_window)


def name_branches(app: App, forks: int, words: str) -> None:
    """A question with so many answers, each of which has a name and is gone on from in two ways."""
    for number, answer in enumerate(answered(app, ("A plan. " * 40 for _ in range(forks)))):
        for way in ("by train", "by bus"):
            say(app, answer, "user", f"And {way}? " * 5, name=f"{words} {number} {way}")
    app.library.state.refresh()
    app.catch_up()


def is_whole(view: MapView) -> bool:
    """Whether all of the picture is in sight, beside the figures of the wires."""
    box, origin = view.layout_of_runs.box, view._origin()
    whole = QRectF(box.left * view.zoom, box.top * view.zoom, box.width * view.zoom, box.height * view.zoom)
    size = view.viewport().size()
    shown = QRectF(view._painter.axis, 0, size.width() - view._painter.axis, size.height())
    return shown.contains(whole.translated(origin))


@pytest.mark.parametrize("width", [1440, 900])
def test_a_tree_opens_whole_wherever_its_words_can_be_read_then(
    qtbot: QtBot, window: MainWindow, app: App, width: int
) -> None:
    """Six branches of a few words are, eighteen are not: those open in their usual size, where one is."""
    window.resize(width, 900)
    zooms = []
    for forks in (3, 9):
        app.library.new_conversation()
        name_branches(app, forks, "Plan")
        if not window.map.isVisible():
            window.do("map")
        finish(qtbot, window.map)
        view = view_of(window.map)
        view.fit()
        picture(view.viewport())
        number = view._open_number()
        assert number in [one for _box, one in view._painter.labels]
        assert QRectF(view.viewport().rect()).contains(at(view, number))
        assert is_whole(view) is (view.zoom < 1.0)
        zooms.append(view.zoom)
        labelled = [one for one, item in enumerate(view.items) if item.is_labelled]
        if view.zoom < 1.0:
            assert view.zoom > NEAR
            assert len(view._painter.labels) > len(labelled) / 2
    assert 0.6 <= zooms[0] < 0.8
    assert zooms[1] == 1.0


def test_what_opens_whole_has_all_its_chips(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """Of a group without its chip nobody can tell what it is."""
    question = say(app, None, "user", "Which way?")
    for number in range(32):
        answer = say(app, question, "assistant", f"Way {number}")
        if number in (10, 21):
            say(app, answer, "user", "And then?", name=f"The long way round {number}")
    app.library.state.refresh()
    app.catch_up()
    view, seen = view_of(open_map(qtbot, window)), set[bool]()
    for width in range(400, 1400, 50):
        view.resize(width, 800)
        view.fit()
        picture(view.viewport())
        groups = {number for number, item in enumerate(view.items) if item.versions}
        assert len(groups) == 3
        assert view.zoom == 1.0 or groups <= {number for _box, number in view._painter.labels}, width
        seen.add(is_whole(view))
    assert seen == {False, True}


def test_a_label_is_shortened_for_what_stands_beside_it_before_it_is_left_out(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_branches(app, 3, "Plan")
    view = view_of(open_map(qtbot, window))
    whole = {number: view._painter.label_size(item)[0] for number, item in enumerate(view.items)}
    shortened = set[int]()
    for percent in range(50, 100, 5):
        view.set_zoom(percent / 100)
        picture(view.viewport())
        lines = view._painter._lines_in_the_way(range(len(view.items)))
        boxes = {number: box.adjusted(3, 1, -3, -1) for box, number in view._painter.labels}
        assert not [(a, b) for a in boxes for b in boxes if a < b and boxes[a].intersects(boxes[b])]
        for number, box in boxes.items():
            if number == view._open_number():
                continue
            assert not any(line.intersects(box) for line in lines), percent
            assert box.width() >= min(60, whole[number]), percent
            run = view.layout_of_runs.runs[number]
            if box.width() < whole[number] - 1 and view.items[number].is_leaf:
                shortened.add(number)
                assert abs(box.center().x() - run.x * view.zoom) < 0.01, percent
    assert shortened


def test_what_is_under_the_words_is_what_they_name(pane: MapPane) -> None:
    view = view_of(pane)
    for zoom in (0.6, 0.8, 1.0, 2.0):
        view.set_zoom(zoom)
        picture(view.viewport())
        assert view._painter.labels
        for box, number in view._painter.labels:
            assert view.run_at(box.center() + view._origin()) == number


def test_the_arrow_keys_come_to_every_run_each_is_said_and_return_opens_it(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(map_view, "announce", lambda _widget, words: said.append(words))
    window.resize(1440, 900)
    versions(app, 20)
    grow(app, 3)
    window.do("map")
    finish(qtbot, window.map)
    view = view_of(window.map)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view._cursor() == view._open_number()
    waiting, met = [view._current], {view._current}
    while waiting:
        start = waiting.pop()
        for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right):
            view._current = start
            said.clear()
            qtbot.keyClick(view, key)
            assert view._current == start or said[0].startswith(view._region.told(view.items[view._cursor()])[0])
            assert QRectF(view.viewport().rect()).contains(at(view, view._cursor()))
            if view._current not in met:
                met.add(view._current)
                waiting.append(view._current)
    assert met == {item.id for item in view.items}
    answers = [number for number, item in enumerate(view.items) if item.label.startswith("“Way")]
    view._current = view.items[answers[0]].id
    for number in answers[1:]:
        qtbot.keyClick(view, Qt.Key.Key_Right)
        assert view._cursor() == number
    group = next(item.id for item in view.items if item.versions)
    view._current = group
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: is_grouped(view, is_open=True))
    assert said[-1].replace("\xa0", " ") == "20 answers, expanded"
    for item in [item for item in view.items if item.is_leaf and not item.versions][::4]:
        view._current = item.id
        qtbot.keyClick(view, Qt.Key.Key_Return)
        assert app.library.tree.is_on_path(item.id)
        qtbot.waitUntil(lambda: not view.is_busy)


def test_the_button_at_the_foot_shows_where_one_is(qtbot: QtBot, pane: MapPane) -> None:
    pane.window().resize(1440, 600)
    view = view_of(pane)
    view.set_zoom(MOST)
    view.verticalScrollBar().setValue(view.verticalScrollBar().minimum())
    assert not QRectF(view.viewport().rect()).contains(at(view, view._open_number()))
    pane.here.click()
    assert QRectF(view.viewport().rect()).contains(at(view, view._open_number()))


def test_far_out_what_is_held_is_wider_and_the_open_path_widest(
    qtbot: QtBot, pane: MapPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody has to tell them by their colours."""
    view = view_of(pane)
    monkeypatch.setattr(view._region, "residency", lambda item: "memory" if item.is_named else "none")
    monkeypatch.setattr(view._painter, "_paint_labels", lambda *_: None)
    view._painter.forget_held()
    view.set_zoom(0.3)
    held, rest = view._painter._far_lines()
    assert len(held) + len(rest) == 2 * len(view.items)
    assert held
    assert rest
    assert len(view._painter._path_lines()) == 2 * sum(view._region.is_on_path(item) for item in view.items)
    theme, image = view._style.theme, picture(view.viewport())

    def width(line: QLineF, color: QColor) -> int:
        middle = (line.center() * view.zoom + view._origin()).toPoint()
        return sum(image.pixelColor(middle.x() + step, middle.y()) == color for step in range(-4, 5))

    on_path = {line.p2().toTuple() for line in view._painter._path_lines()}
    upright = [line for line in held if line.x1() == line.x2() and line.p2().toTuple() not in on_path]
    others = [line for line in rest if line.x1() == line.x2() and line.p2().toTuple() not in on_path]
    assert {width(line, theme.accentgfx) for line in upright} == {2}
    assert {width(line, theme.mute) for line in others} <= {1}
    assert {width(line, theme.accentgfx) for line in view._painter._path_lines() if line.x1() == line.x2()} == {3}


def test_lengths_are_those_that_the_engine_counts_as_soon_as_it_has_counted_all(
    qtbot: QtBot, pane: MapPane, app: App
) -> None:
    view = view_of(pane)

    def counts() -> list[int | None]:
        warmth = [app.chat.warmth.warmth_of(item.last_id, app.library.open_id) for item in view.items]
        return [None if one is None else one.total for one in warmth]

    qtbot.waitUntil(lambda: None not in counts())
    qtbot.waitUntil(lambda: [item.end for item in view.items] == counts())
    assert app.map.is_counted
    with qtbot.assertNotEmitted(app.map.grew, wait=50):
        app.chat.warmth.changed.emit()


@pytest.mark.parametrize("way", ["unknown", "predicted", "far too long"])
def test_the_axis_says_about_while_a_length_is_not_counted(
    qtbot: QtBot, pane: MapPane, app: App, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    view = view_of(pane)
    qtbot.waitUntil(lambda: app.map.is_counted)
    finish(qtbot, pane)
    before = picture(view.viewport())
    index, known = app.chat.warmth, app.chat.warmth.warmth_of
    last = view.items[-1].last_id

    def otherwise(message_id: str, conversation_id: str) -> Warmth | None:
        found = known(message_id, conversation_id)
        if found is None or message_id != last or way == "unknown":
            return found if message_id != last else None
        return replace(found, is_far_too_long=True) if way != "predicted" else replace(found, source=Source.PREDICTED)

    monkeypatch.setattr(index, "warmth_of", otherwise)
    app.map.grew.emit()
    finish(qtbot, pane)
    assert not app.map.is_counted
    assert picture(view.viewport()) != before
    monkeypatch.undo()
    app.chat.warmth.changed.emit()  # the count may be the same, and no more than about right before
    finish(qtbot, pane)
    assert app.map.is_counted
    assert picture(view.viewport()) == before


def test_many_runs_are_drawn_far_out_in_lines_and_the_engine_is_not_asked_about_all(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.resize(1440, 900)
    grow(app, 1_500)
    asked: list[str] = []
    monkeypatch.setattr(app.chat.warmth, "warmth_of", lambda message_id, *_: asked.append(message_id))
    items = [item for some in app.map.items() for item in some]
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
    lines = view._painter._far_lines()
    assert sum(map(len, lines)) == 2 * len(items)
    for zoom in (LEAST, 0.1):
        view.set_zoom(zoom)
        app.map.changed.emit()
        assert view._painter._far_lines() is lines  # nothing is made anew for a frame
    view.set_zoom(1.0)
    asked.clear()
    picture(view.viewport())
    assert len(set(asked)) < len(items) / 3


@pytest.mark.parametrize("body", [14, 24])
def test_figures_and_labels_are_whole_wherever_the_picture_is_moved(
    qtbot: QtBot, pane: MapPane, style: Style, body: int
) -> None:
    """No line runs into the figures of the wires, and no side of the window cuts a label."""
    style.set_text_size(body)
    view = view_of(pane)
    finish(qtbot, pane)
    bar, axis, shown = view.horizontalScrollBar(), view._painter.axis, 0
    view.set_zoom(2.0 if body == 14 else 1.2)
    assert bar.maximum() > bar.minimum()
    ends = {bar.minimum(), bar.maximum()}
    for offset in sorted(ends | set(range(bar.minimum(), bar.maximum(), 23))):
        bar.setValue(offset)
        before = picture(view.viewport())
        column = before.copy(0, 0, int(axis), before.height())
        assert count(column, style.theme.accentgfx) == 0, offset
        assert count(column, style.theme.mute) == 0, offset
        open_run, origin = view._open_number(), view._origin()
        boxes = [box.translated(origin) for box, number in view._painter.labels if number != open_run]
        assert all(axis <= box.left() + 3 and box.right() - 3 <= view.viewport().width() for box in boxes), offset
        shown += len(boxes)
    assert shown


def test_a_picture_that_nearly_has_room_is_shown_from_its_edge(qtbot: QtBot, pane: MapPane) -> None:
    """Unless the words of the open branch, which stand under its end, would be cut then."""
    view, moved = view_of(pane), 0
    for width in range(300, 800, 20):
        view.resize(width, 700)
        view.fit()
        picture(view.viewport())
        bar, number = view.horizontalScrollBar(), view._open_number()
        (label,) = [box for box, one in view._painter.labels if one == number]
        x, half = view.layout_of_runs.runs[number].x * view.zoom, label.width() / 2
        assert abs(label.center().x() - x) < 1, width
        for edge in (bar.minimum(), bar.maximum()):
            is_near = abs(edge - (x - bar.pageStep() / 2)) < 0.18 * bar.pageStep()
            has_room = view._painter.axis + half + 9 < x - edge < bar.pageStep() - half - 9
            if is_near and has_room:
                assert bar.value() in (bar.minimum(), bar.maximum()), width
                moved += bar.minimum() < bar.maximum()
    assert moved


def test_labels_of_versions_that_begin_alike_say_in_what_they_differ(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(map_painter, "draw_text", lambda *given: (drawn.append(given[3]), draw_text(*given))[1])
    answer = say(app, say(app, None, "user", "Where to?"), "assistant", "Anywhere")
    for kind in ("a wolf", "a hen"):
        say(app, answer, "user", f"Tell me a long story about {kind}")
    say(app, answer, "user", "North")
    app.library.state.refresh()
    app.catch_up()
    view = view_of(open_map(qtbot, window))
    view.set_zoom(1.0)
    drawn.clear()
    picture(view.viewport())
    assert {"“…about a wolf”", "“…about a hen”", "“North”"} <= set(drawn)
    said = {app.map.told(item)[0] for item in view.items}
    assert {f"“Tell me a long story about {kind}”" for kind in ("a wolf", "a hen")} <= said, "that is never cut"


def test_without_a_message_it_says_what_will_be_there(qtbot: QtBot, window: MainWindow, app: App) -> None:
    window.do("map")
    QApplication.processEvents()
    view = view_of(window.map)
    assert view.accessibleDescription() == NOTHING_SAID
    theme = window._style.theme
    assert count(picture(view.viewport()), theme.text2) > 0
    assert count(picture(view.viewport()), theme.text3) == 0, "no axis"
    say(app, None, "user", "Where to?")
    app.library.state.refresh()
    app.catch_up()
    finish(qtbot, window.map)
    assert view.accessibleDescription().startswith("1\N{NO-BREAK SPACE}message, ")
    assert view.items
