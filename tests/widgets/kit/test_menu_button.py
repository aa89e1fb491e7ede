"""Buttons with a menu: opened by mouse and keys, one menu at a time, of which nothing is left when it is closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.chat.settings_state import SettingsState
from app.widgets.chat.answer_count import AnswerCountButton
from app.widgets.kit.choice_button import ChoiceButton
from app.widgets.kit.menu_button import MenuButton
from app.widgets.kit.style import Style
from app.widgets.settings.preset_button import PresetButton
from tests.widgets.pictures import show

Make = Callable[[Style, QWidget], MenuButton]


def choice(style: Style, parent: QWidget) -> MenuButton:
    button = ChoiceButton(style, "Appearance", parent)
    button.show_choices([("light", "Light"), ("dark", "Dark")], "light", "Light")
    return button


def presets(style: Style, parent: QWidget) -> MenuButton:
    button = PresetButton(style, lambda _name, _other: "", parent)
    button.show_state(SettingsState(presets=("Precise",), preset="Precise"))
    return button


def answers(style: Style, parent: QWidget) -> MenuButton:
    button = AnswerCountButton(style, parent)
    button.show_count(1, 8)
    return button


@pytest.mark.parametrize("make", [choice, presets, answers])
@pytest.mark.parametrize("key", [None, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_a_click_and_keys_open_one_menu_of_which_nothing_is_left(
    qtbot: QtBot, style: Style, make: Make, key: Qt.Key | None
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    button = make(style, parent)
    show(parent, 300, 60)
    for _ in range(3):
        if key is None:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        else:
            qtbot.keyClick(button, key)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert menu.actions()
        menu.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert not button.findChildren(QMenu)
