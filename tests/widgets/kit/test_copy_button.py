from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import app.widgets.kit.copy_button as copy_button
from app.widgets.kit.copy_button import CopyButton
from app.widgets.kit.style import Style
from tests.widgets.pictures import picture


def test_it_shows_for_a_moment_that_it_copied(qtbot: QtBot, style: Style, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_button, "SHOWN_MS", 50)
    home = QWidget()
    qtbot.addWidget(home)
    button = CopyButton(style, "Copy Code", "Copy code", 24, 14, home)
    button.words = lambda: "x = 1"
    button.adjustSize()
    before = picture(button)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert (QGuiApplication.clipboard().text(), button.toolTip()) == ("x = 1", "Copied")
    assert picture(button) != before
    qtbot.waitUntil(lambda: button.toolTip() == "Copy code")
    assert picture(button) == before
