"""Being asked to end from outside."""

from __future__ import annotations

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from app.launch.unix_signals import ASKED_TO_END, UnixSignals


@pytest.mark.parametrize("number", ASKED_TO_END)
def test_a_signal_reaches_qt_s_thread(qtbot: QtBot, number: signal.Signals) -> None:
    asked: list[int] = []
    before = signal.getsignal(number)
    signals = UnixSignals(lambda: asked.append(1))
    os.kill(os.getpid(), number)
    qtbot.waitUntil(lambda: asked == [1])
    signals.close()
    assert signal.getsignal(number) is before
    assert signal.set_wakeup_fd(-1) == -1
    signals.deleteLater()
