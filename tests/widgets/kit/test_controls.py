from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.widgets.kit.controls import Button, Control, RoundButton, State, ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from tests.widgets.pictures import count, picture


def make(style: Style, kind: str) -> Control:
    if kind == "tool":
        return ToolButton(style, Icon.FORK, "Fork")
    if kind == "round":
        return RoundButton(style, Icon.SEND, "Send")
    return Button(style, "Keep", is_default=kind == "default")


def test_an_ampersand_is_a_letter_and_no_key(qtbot: QtBot, style: Style) -> None:
    control = Button(style, "Use R&D")
    qtbot.addWidget(control)
    assert control.shortcut().isEmpty()
    control.set_text("M&A")
    assert (control.text(), control.shortcut().isEmpty()) == ("M&A", True)


def in_state(control: Control, state: State) -> QImage:
    """As it is painted in this state."""
    control.setEnabled(state is not State.DISABLED)
    control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, state is State.HOVER)
    control.setDown(state is State.PRESSED)
    control.resize(control.sizeHint())
    assert control.state is state
    return picture(control)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("kind", ["plain", "default", "tool", "round"])
def test_every_state_looks_different(qtbot: QtBot, style: Style, kind: str, theme: Theme) -> None:
    style.set_theme(theme)
    control = make(style, kind)
    qtbot.addWidget(control)
    seen = {state: in_state(control, state) for state in State}
    assert all(seen[one] != seen[other] for one, other in combinations(State, 2))


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
@pytest.mark.parametrize("kind", ["plain", "default", "tool", "round"])
def test_the_keyboard_presses(qtbot: QtBot, style: Style, kind: str, key: Qt.Key) -> None:
    control = make(style, kind)
    qtbot.addWidget(control)
    with qtbot.waitSignal(control.clicked):
        qtbot.keyClick(control, key)


@pytest.mark.parametrize("kind", ["plain", "default", "tool", "round"])
def test_a_disabled_control_does_nothing(qtbot: QtBot, style: Style, kind: str) -> None:
    control = make(style, kind)
    qtbot.addWidget(control)
    control.setEnabled(False)
    with qtbot.assertNotEmitted(control.clicked):
        qtbot.mouseClick(control, Qt.MouseButton.LeftButton)
        control.click()


@pytest.mark.parametrize("kind", ["plain", "default", "tool", "round"])
def test_a_click_leaves_the_focus_where_it_is_but_tab_reaches_it(qtbot: QtBot, style: Style, kind: str) -> None:
    control = make(style, kind)
    qtbot.addWidget(control)
    assert control.focusPolicy() is Qt.FocusPolicy.TabFocus
    assert control.accessibleName()
    assert control.sizeHint().height() >= 24


def test_a_tool_button_names_itself_in_its_tooltip_and_stays_on_when_checked(qtbot: QtBot, style: Style) -> None:
    button = ToolButton(style, Icon.INSPECTOR, "Show Cache")
    qtbot.addWidget(button)
    assert button.toolTip() == "Show Cache"
    button.setCheckable(True)
    off = picture(button)
    button.click()
    assert button.isChecked()
    assert picture(button) != off
    assert count(picture(button), LIGHT.fill2) > 300


def test_hovering_shows_on_the_sidebar_too(qtbot: QtBot, style: Style) -> None:
    button = ToolButton(style, Icon.NEW, "New", is_on_fill=True)
    qtbot.addWidget(button)
    assert count(in_state(button, State.HOVER), LIGHT.fill2) > 300


def _contrast(one: QColor, other: QColor) -> float:
    """Of two colours, from 1 to 21 (WCAG 2)."""

    def light(color: QColor) -> float:
        parts = (color.redF(), color.greenF(), color.blueF())
        red, green, blue = (part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_what_cannot_act_is_still_seen_in_the_dark(qtbot: QtBot, style: Style) -> None:
    style.set_theme(DARK)
    send = RoundButton(style, Icon.SEND, "Send")
    stop = ToolButton(style, Icon.STOP, "Stop", stands_out=True)
    for button in (send, stop):
        qtbot.addWidget(button)
        button.resize(28, 28)
    assert count(in_state(send, State.DISABLED), DARK.track) > 300
    assert _contrast(DARK.text3, DARK.track) > 3
    assert count(in_state(stop, State.DISABLED), DARK.mute) > 20
    assert _contrast(DARK.mute, DARK.window) > 3


def test_send_becomes_stop(qtbot: QtBot, style: Style) -> None:
    button = RoundButton(style, Icon.SEND, "Send")
    qtbot.addWidget(button)
    button.resize(28, 28)
    before = picture(button)
    button.show_action(Icon.STOP, "Stop", "Stop (Esc)", is_accented=False)
    assert (button.accessibleName(), button.toolTip()) == ("Stop", "Stop (Esc)")
    assert count(before, LIGHT.accentfill) > 200
    assert count(picture(button), LIGHT.accentfill) == 0


def test_new_words_are_spoken_and_measured(qtbot: QtBot, style: Style) -> None:
    button = Button(style, "Go")
    qtbot.addWidget(button)
    width = button.sizeHint().width()
    button.set_text("Locate Folder…")
    assert button.accessibleName() == "Locate Folder…"
    assert button.sizeHint().width() > width


def test_buttons_grow_with_the_text(qtbot: QtBot, style: Style) -> None:
    button = Button(style, "Keep", icon=Icon.CHECK)
    qtbot.addWidget(button)
    before = button.sizeHint()
    style.set_text_size(24)
    assert button.sizeHint().height() > before.height()
    assert button.sizeHint().width() > before.width()


@pytest.mark.parametrize(("body", "size"), [(10, 16), (14, 16), (20, 23), (24, 24)])
def test_icons_grow_with_the_text_and_stay_inside(qtbot: QtBot, style: Style, body: int, size: int) -> None:
    style.set_text_size(body)
    button = ToolButton(style, Icon.STOP, "Stop")
    qtbot.addWidget(button)
    assert style.typography.icon() == size
    assert count(picture(button).copy(0, 0, 28, 2), LIGHT.text2) == 0


def test_a_button_that_is_too_narrow_cuts_its_words_inside_itself(qtbot: QtBot, style: Style) -> None:
    button = Button(style, "Use the Guide Meanwhile", is_default=True)
    qtbot.addWidget(button)
    button.resize(60, 28)
    image = picture(button)
    assert count(image, LIGHT.onaccent) > 10
    assert count(image.copy(0, 6, 7, 16), LIGHT.onaccent) == count(image.copy(53, 6, 7, 16), LIGHT.onaccent) == 0
