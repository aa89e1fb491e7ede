"""The first start: nothing moves while the engine gets ready, nothing asks, and what is asked early is answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.launch.paths import sample
from app.viewmodels.app import App
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.library.samples import SAMPLE_ID
from app.widgets.chat.welcome import WelcomePage
from app.widgets.window.main_window import MainWindow
from app.widgets.window.toolbar import TitleBlock
from tests.fakes.engine import Script
from tests.widgets.conftest import MakeWindow
from tests.widgets.pictures import picture


@pytest.fixture
def app(script: Script, make_app: Callable[[], App]) -> App:
    """Start over an empty data folder, with an engine that does not get ready yet."""
    script.load_gate.clear()
    return make_app()


@pytest.fixture
def window(make_window: MakeWindow) -> MainWindow:
    return make_window(WindowState())


def places(window: MainWindow) -> dict[QWidget, QRect]:
    seen = [one for one in window.findChildren(QWidget) if one.isVisible()]
    return {one: QRect(one.mapTo(window, QPoint(0, 0)), one.size()) for one in seen}


def greens(image: QImage) -> int:
    shades = (image.pixelColor(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4))
    return sum(color.green() > color.red() + 20 and color.green() > color.blue() + 10 for color in shades)


@pytest.mark.parametrize("height", [480, 860])
def test_the_icon_is_there_from_the_first_paint(make_window: MakeWindow, qtbot: QtBot, height: int) -> None:
    window = make_window(WindowState())
    window.resize(1200, height)
    page = window.chat.findChild(WelcomePage)
    qtbot.waitUntil(lambda: page.isVisible())
    icon = page._icon.toRect()
    assert greens(picture(page).copy(icon)) > icon.width() * icon.height() / 16 / 2


def test_the_cache_explains_itself_until_another_pane_is_chosen(window: MainWindow, make_window: MakeWindow) -> None:
    window.resize(1440, 900)
    assert window.cache.empty.isVisible()
    assert window.menus.actions["cache"].isChecked()
    assert window.state().pane == "cache"
    for pane in ("branches", "map", "settings"):
        window.inspector.show_pane(pane)
        again = make_window(window.state())
        again.resize(1440, 900)
        assert again.state().pane == pane
        assert not again.cache.isVisible()


def test_where_the_pane_has_no_room_nothing_lies_over_the_welcome(window: MainWindow) -> None:
    window.resize(1000, 900)
    assert not window.sides.is_shown("inspector")
    assert window.chat.welcome.page.isVisible()


def has_sample(app: App) -> bool:
    return any(one.id == SAMPLE_ID for one in app.library.library.conversations)


def get_ready(qtbot: QtBot, app: App, script: Script) -> None:
    script.load_gate.set()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    for _ in range(3):
        QApplication.processEvents()


def test_nothing_that_is_seen_moves_and_nothing_asks(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    window.resize(1440, 900)
    QApplication.processEvents()
    assert window.cache.empty.isVisible()
    before = places(window)
    app.library.add_sample(sample())
    qtbot.waitUntil(lambda: has_sample(app))
    get_ready(qtbot, app, script)
    after = places(window)
    changed = {one for one, rect in before.items() if after.get(one, rect) != rect}
    chip = window.chat.toolbar.chip
    assert {type(one) for one in changed} <= {type(chip), TitleBlock}
    assert after[chip].right() == before[chip].right(), "its words are others, and it stands where it stood"
    gone = [one.accessibleName() or type(one).__name__ for one in before if one not in after]
    assert gone == []
    assert [one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not window] == []


def test_a_question_of_the_page_that_is_pressed_early_is_answered(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    chip = window.chat.welcome.page.chips[0]
    assert chip.isVisible()
    assert chip.isEnabled()
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [row.text for row in app.chat.chat_model.rows][:1] == [chip.accessibleName()])
    assert not app.chat.state.now.card
    get_ready(qtbot, app, script)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].footer is not None)
    assert "You said" in app.chat.chat_model.rows[-1].text


def test_a_sample_that_was_deleted_does_not_come_back(
    qtbot: QtBot, make_app: Callable[[], App], app: App, script: Script
) -> None:
    script.load_gate.set()
    app.library.add_sample(sample())
    qtbot.waitUntil(lambda: has_sample(app))
    app.library.edits.delete_conversation(SAMPLE_ID)
    qtbot.waitUntil(lambda: not has_sample(app))
    again = make_app()
    again.library.add_sample(sample())
    qtbot.waitUntil(lambda: again.state.now.activity.text.startswith("Ready"))
    for _ in range(20):
        QApplication.processEvents()
    assert not has_sample(again)
