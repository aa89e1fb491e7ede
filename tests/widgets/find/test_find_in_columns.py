"""Words are found in the answers that stand beside each other, with real keys."""

from __future__ import annotations

import random

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.lanes.lanes_view import LanesView
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.seeds import each_seed
from tests.widgets.chat.lanes.test_lanes_view import asked, columns_of, finish, widen
from tests.widgets.find.test_find import look_for


def seen(view: LanesView) -> list[int]:
    return [number for number, one in enumerate(view.columns) if one.isVisible()]


def current(app: App) -> int:
    """The number of the column in which the current place is."""
    columns = [[mark for row in one.chat_model.rows for mark in app.find.marks(row)] for one in app.lanes.rows]
    [number] = [at for at, marks in enumerate(columns) if any(mark.is_current for mark in marks)]
    return number


def test_keys_go_through_the_places_of_all_columns_and_bring_each_into_sight(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["Why?"] = "A pear, **pears**.\n\n" + "Other words.\n\n" * 40 + "The last pear"
    view = asked(qtbot, window, app, 4, width=1000)
    finish(qtbot, app, script)
    window.chat.composer.edit.setFocus()
    window.do("find")
    assert columns_of(window) is view
    look_for_here(qtbot, app, window, "pear")
    assert app.find.told == "1 of 12"
    assert all(len(app.find.marks(one.chat_model.rows[0])) == 3 for one in app.lanes.rows)
    field, visited = window.chat.find_bar.field, []
    for _ in range(12):
        visited.append(current(app))
        assert current(app) in seen(view)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert visited == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert app.find.told == "1 of 12"
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert current(app) == 3
    assert view.columns[3].view.verticalOffset() > 0
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert window.chat.find_bar.isHidden()
    assert columns_of(window) is view
    assert view.columns[3].view.hasFocus()
    assert not any(app.find.marks(one.chat_model.rows[0]) for one in app.lanes.rows)


def look_for_here(qtbot: QtBot, app: App, window: MainWindow, text: str) -> None:
    window.chat.find_bar.field.selectAll()
    qtbot.keyClicks(window.chat.find_bar.field, text)
    qtbot.waitUntil(lambda: not app.find._work.is_running)


def test_what_is_counted_is_what_is_shown(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    """In the columns their words, in the chat those of the branch; and the place that one has come to stays."""
    script.answers["Why?"] = "pear, pear"
    asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    look_for(qtbot, app, window, "pear")
    assert app.find.told == "1 of 6"
    qtbot.keyClick(window.chat.find_bar.field, Qt.Key.Key_Return)
    assert app.find.told == "2 of 6"
    for width, told in ((700, "2 of 2"), (1400, "2 of 6")):
        widen(window, width)
        qtbot.waitUntil(lambda: not app.find._work.is_running)
        assert app.find.told == told
    app.lanes.close()
    QApplication.processEvents()
    qtbot.waitUntil(lambda: app.find.total == 2)
    app.lanes.open()
    QApplication.processEvents()
    qtbot.waitUntil(lambda: app.find.total == 6)


def test_answers_that_grow_are_counted(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    script.answers["Why?"], script.hold = "pear " * 9, 3
    view = asked(qtbot, window, app, 3)
    app.find._tail.setInterval(1)
    look_for(qtbot, app, window, "pear")
    qtbot.waitUntil(lambda: app.find.told == "1 of 9")
    finish(qtbot, app, script)
    qtbot.waitUntil(lambda: app.find.told == "1 of 27")
    app.lanes.discard(app.lanes.state.now.lanes[0].answer_id)
    qtbot.waitUntil(lambda: app.find.total == 18)
    assert columns_of(window) is view


def test_a_result_of_the_search_everywhere_is_shown_in_its_column_or_in_the_chat(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["Why?"] = "a pear"
    asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    for words, is_in_columns in (("pear", True), ("Why", False)):
        app.library.search.look_for(words)
        app.library.search.ask()
        app._store.drain()
        QApplication.processEvents()
        window.sidebar.found.emit(next(row for row in app.library.search.rows.rows if row.id))
        qtbot.waitUntil(lambda: app.find._current is not None)
        QApplication.processEvents()
        assert (columns_of(window) is not None) is is_in_columns
        models = [one.chat_model for one in app.lanes.rows] or [app.chat.chat_model]
        marks = [mark for model in models for row in model.rows for mark in app.find.marks(row)]
        assert sum(mark.is_current for mark in marks) == 1


@each_seed(range(8))
def test_at_random_the_count_is_that_of_what_is_shown(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, seed: int
) -> None:
    """Whatever is asked, written, put away, compared, discarded or made narrow meanwhile."""
    dice = random.Random(seed)
    app.comparison.close()
    app.library.new_conversation()
    script.go.clear()
    script.hold = dice.choice([1, 3, None])
    script.answers |= {f"Why {number}?": "pear " * number for number in range(9)}
    asked(qtbot, window, app, dice.randint(2, 4))
    app.find._tail.setInterval(1)
    look_for(qtbot, app, window, "pear")
    for _ in range(14):
        lanes = app.lanes.state.now.lanes
        match dice.randrange(9):
            case 0:
                app.lanes.toggle()
            case 1 if lanes:
                app.lanes.focus(dice.randrange(len(lanes)))
            case 2 if lanes:
                app.lanes.send(f"Why {dice.randrange(9)}?")
            case 3 if lanes and dice.random() < 0.5:
                app.lanes.discard(dice.choice(lanes).answer_id)
            case 4:
                widen(window, dice.choice([500, 1000, 1400]))
            case 5:
                window.do("compare")
            case 6:
                script.go.set()
            case 7:
                app.chat.open_branch.select_version(None, dice.choice([-1, 1]))
            case _:
                app.find.go(dice.choice([-1, 1]))
        qtbot.wait(dice.choice([0, 3]))
        qtbot.waitUntil(lambda: app.find.total == shown_pears(window, app), timeout=3000)
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions) and not app.library.changes.is_pending)
    qtbot.waitUntil(lambda: app.find.total == shown_pears(window, app), timeout=3000)


def shown_pears(window: MainWindow, app: App) -> int:
    app.catch_up()
    models = [app.chat.chat_model] if columns_of(window) is None else [one.chat_model for one in app.lanes.rows]
    if window.chat.comparison is not None and window.chat.comparison.isVisible() and app.lanes.rows:
        models = app.find._rows._models  # of either, while neither is seen
    return sum(row.text.count("pear") for model in models for row in model.rows)
