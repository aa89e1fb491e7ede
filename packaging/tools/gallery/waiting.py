"""Waiting for what a picture is to show."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop

PATIENCE = 120.0  # seconds


def wait(what: str, holds: Callable[[], bool]) -> None:
    """Do what is to be done until something holds. SystemExit when it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"waited {PATIENCE:.0f} s until {what}")
        turn()


def turn() -> None:
    """Sleep until there is something to do, and do it."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    time.sleep(0.005)
