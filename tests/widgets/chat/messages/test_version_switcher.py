from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.style import Style
from tests.widgets.pictures import picture


@pytest.fixture
def switcher(qtbot: QtBot, style: Style) -> VersionSwitcher:
    switcher = VersionSwitcher(style)
    qtbot.addWidget(switcher)
    switcher.show_version(2, 3)
    switcher.resize(switcher.sizeHint())
    switcher.show()
    return switcher


def test_it_says_which_of_how_many(switcher: VersionSwitcher) -> None:
    assert switcher.text == "2 of 3"
    assert switcher.accessibleName() == "Version 2 of 3"
    assert switcher.sizeHint().height() == 22


@pytest.mark.parametrize(("key", "step"), [(Qt.Key.Key_Left, -1), (Qt.Key.Key_Right, 1)])
def test_arrow_keys_step(qtbot: QtBot, switcher: VersionSwitcher, key: Qt.Key, step: int) -> None:
    with qtbot.waitSignal(switcher.stepped) as heard:
        qtbot.keyClick(switcher, key)
    assert heard.args == [step]


@pytest.mark.parametrize(("x", "step"), [(8, -1), (-8, 1)])
def test_clicks_on_the_arrows_step(qtbot: QtBot, switcher: VersionSwitcher, x: int, step: int) -> None:
    at = QPoint(x % switcher.width(), 11)
    with qtbot.waitSignal(switcher.stepped) as heard:
        qtbot.mouseClick(switcher, Qt.MouseButton.LeftButton, pos=at)
    assert heard.args == [step]


def test_a_click_on_the_words_does_nothing(qtbot: QtBot, switcher: VersionSwitcher) -> None:
    with qtbot.assertNotEmitted(switcher.stepped):
        qtbot.mouseClick(switcher, Qt.MouseButton.LeftButton, pos=switcher.rect().center())


def test_dragging_off_an_arrow_takes_the_press_back(qtbot: QtBot, switcher: VersionSwitcher) -> None:
    with qtbot.assertNotEmitted(switcher.stepped):
        qtbot.mousePress(switcher, Qt.MouseButton.LeftButton, pos=QPoint(8, 11))
        qtbot.mouseRelease(switcher, Qt.MouseButton.LeftButton, pos=switcher.rect().center())


@pytest.mark.parametrize(("version", "key"), [(1, Qt.Key.Key_Left), (3, Qt.Key.Key_Right)])
def test_there_is_nothing_beyond_the_ends(qtbot: QtBot, switcher: VersionSwitcher, version: int, key: Qt.Key) -> None:
    switcher.show_version(version, 3)
    with qtbot.assertNotEmitted(switcher.stepped):
        qtbot.keyClick(switcher, key)


def test_hover_press_and_the_ends_can_be_seen(qtbot: QtBot, switcher: VersionSwitcher) -> None:
    rest = picture(switcher)
    qtbot.mouseMove(switcher, QPoint(8, 11))
    hover = picture(switcher)
    qtbot.mousePress(switcher, Qt.MouseButton.LeftButton, pos=QPoint(8, 11))
    pressed = picture(switcher)
    qtbot.mouseRelease(switcher, Qt.MouseButton.LeftButton, pos=switcher.rect().center())
    switcher.show_version(3, 3)
    assert len({image.bits().tobytes() for image in (rest, hover, pressed, picture(switcher))}) == 4
