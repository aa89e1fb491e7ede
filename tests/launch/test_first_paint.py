"""The first paint is told once, and the log says so only when it happened."""

from __future__ import annotations

import logging

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.launch.first_paint import PAINTED, FirstPaint


def test_a_painted_window_is_told_and_logged_once(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "app")
    window = QWidget()
    qtbot.addWidget(window)
    watch = FirstPaint(window, at_latest_ms=60_000)
    with qtbot.waitSignal(watch.painted):
        window.show()
    window.repaint()
    qtbot.wait(20)
    assert caplog.messages == [PAINTED]


def test_a_window_that_stays_hidden_is_not_waited_for_and_not_logged(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "app")
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitSignal(FirstPaint(window, at_latest_ms=1).painted):
        pass
    assert caplog.messages == []
