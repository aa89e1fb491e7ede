from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.app_state import AppState
from app.viewmodels.gateway.local_api import LocalApiState
from app.viewmodels.kit.activity import Activity
from app.viewmodels.text.formatting import DOT, HARD
from app.widgets.kit import drawing
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import LARGEST_BODY, SMALLEST_BODY, TextStyle
from app.widgets.window import status_line
from app.widgets.window.main_window import MainWindow
from app.widgets.window.status_line import StatusLine
from tests.fakes.engine import Script
from tests.fakes.shown import Shown
from tests.viewmodels.test_app import ready, wait_for_text
from tests.widgets.painted import painted_by
from tests.widgets.pictures import count, picture
from tests.widgets.samples import READING, READY


@pytest.fixture
def state(qapp: object) -> Shown[AppState]:
    return Shown(AppState())


@pytest.fixture
def line(qtbot: QtBot, style: Style, state: Shown[AppState]) -> StatusLine:
    line = StatusLine(style, state)
    qtbot.addWidget(line)
    line.resize(840, 28)
    return line


def doing(activity: Activity) -> AppState:
    return replace(READY, model=replace(READY.model, activity=activity))


def test_it_says_what_it_shows(line: StatusLine, state: Shown[AppState]) -> None:
    state.show(READY)
    assert line.accessibleDescription() == "Ready · Qwen3 8B, 4.6 GB, Cache 3.1 of 8.0 GB"
    assert line.sizeHint().height() == 28


def test_it_is_painted_again_only_when_it_says_something_else(line: StatusLine, state: Shown[AppState]) -> None:
    state.show(READY)
    line.show()
    other = replace(READY, chat=replace(READY.chat, context_used=9_000))
    assert not painted_by(lambda: state.show(other), [line])
    assert painted_by(lambda: state.show(READING), [line])
    assert painted_by(lambda: line.show_tip("Begin a conversation."), [line])


def test_the_bar_stands_only_where_work_can_be_measured(line: StatusLine, state: Shown[AppState]) -> None:
    state.show(READY)
    assert count(picture(line), LIGHT.accentgfx) == 0
    state.show(READING)
    image = picture(line)
    assert count(image, LIGHT.accentgfx) > 40
    assert count(image, LIGHT.mute) > 100
    assert count(image, LIGHT.track) > 100


def test_loading_is_all_accent_since_nothing_of_it_is_computed(line: StatusLine, state: Shown[AppState]) -> None:
    state.show(doing(Activity("Loading", 0.5)))
    image = picture(line)
    assert count(image, LIGHT.accentgfx) > 100
    assert count(image, LIGHT.mute) == 0


def test_the_bar_makes_room_for_words(line: StatusLine, state: Shown[AppState]) -> None:
    line.resize(380, 28)
    state.show(READING)
    assert count(picture(line), LIGHT.accentgfx) == 0


def test_the_caches_words_are_never_cut(line: StatusLine, state: Shown[AppState]) -> None:
    state.show(doing(Activity("A very long line about what the engine does " * 6)))
    wide = picture(line).copy(700, 0, 140, 28)
    state.show(READY)
    assert picture(line).copy(720, 0, 120, 28) == wide.copy(20, 0, 120, 28)


@pytest.mark.parametrize("text", ["Checking the branch: it is computed again", "Downloading " + "long-name-" * 9])
def test_what_there_is_no_room_for_is_read_in_a_tip_at_any_size_of_text(
    qtbot: QtBot, state: Shown[AppState], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    style, drawn, right = Style(LIGHT), dict[str, bool](), drawing.draw_text
    line = StatusLine(style, state)
    qtbot.addWidget(line)

    def noting(painter: Any, text_style: TextStyle, rect: QRectF, words: str, *how: Any) -> float:
        drawn[words] = text_style.width(words) <= rect.width()
        return right(painter, text_style, rect, words, *how)

    monkeypatch.setattr(status_line, "draw_text", noting)
    state.show(doing(Activity(text)))
    tips = set()
    for body in range(SMALLEST_BODY, LARGEST_BODY + 1):
        style.set_text_size(body)
        for width in (360, 560, 840, 1600):
            line.resize(width, 40)
            drawn.clear()
            line.grab()
            tips.add(line.toolTip())
            assert line.toolTip() == ("" if drawn.get(text) else text), (body, width)
            if ": " in text and width > 360:
                assert all(drawn.values()), (body, width)
    assert tips == {"", text}


def test_the_tip_of_a_menu_s_entry_stands_in_the_place_of_the_activity(
    line: StatusLine, state: Shown[AppState]
) -> None:
    state.show(READING)
    before = picture(line)
    line.show_tip("Opens at once.")
    told = picture(line)
    assert count(told, LIGHT.accentgfx) == 0, "no bar"
    assert told != before
    line.show_tip("")
    assert picture(line) == before


def test_what_is_done_elsewhere_is_a_link_that_leads_there(
    qtbot: QtBot, line: StatusLine, state: Shown[AppState]
) -> None:
    line.show()
    state.show(doing(Activity("Writing")))
    assert line.link.isHidden()
    state.show(doing(Activity("Reading 61 % in “Trip plan”", 0.61, 0.17, ("trip", "answer"))))
    image = picture(line)
    assert image.width() > 0
    first = min(x for x in range(20, 400) for y in range(8, 24) if image.pixelColor(x, y) == LIGHT.text2)
    assert abs(line.link.x() - first) < 4
    with qtbot.waitSignal(line.placeAsked) as heard:
        qtbot.mouseClick(line.link, Qt.MouseButton.LeftButton)
    assert heard.args == ["trip", "answer"]
    line.resize(200, 28)
    assert line.link.geometry().right() <= 200 - 20
    line.show_tip("Opens at once.")
    assert line.link.isHidden()


def test_what_other_programs_are_answered_is_a_link_that_ends_it(
    qtbot: QtBot, line: StatusLine, state: Shown[AppState]
) -> None:
    line.show()
    leads = line.link.accessibleName()
    state.show(replace(READY, api=LocalApiState(answers=1)))
    assert line.accessibleDescription().startswith(f"API, 1{HARD}answer{DOT}Stop")
    assert line.link.accessibleName() == "Stop the API’s Answers"
    with qtbot.assertNotEmitted(line.placeAsked), qtbot.waitSignal(line.stopAsked):
        qtbot.mouseClick(line.link, Qt.MouseButton.LeftButton)
    state.show(READING)
    assert line.link.isHidden()
    state.show(doing(Activity("Writing", place=("trip", "answer"))))
    assert line.link.accessibleName() == leads


def test_the_link_of_the_window_opens_the_conversation(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("Why?")
    wait_for_text(qtbot, app)
    left = app.library.open_id
    app.library.new_conversation()
    app.catch_up()
    window.chat.status_line.link.click()
    assert app.library.open_id == left
