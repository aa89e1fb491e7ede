"""A style for every test of a widget, and the application's palette and font put back afterwards."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.viewmodels.app import App
from app.viewmodels.kit.settings import WindowState
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import show

MakeWindow = Callable[[WindowState], MainWindow]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Delete the windows of a test that failed while what they look at is there: they would end the next ones too.

    Those of a program go with it.
    """
    report = yield
    if report.failed and call.when == "call" and "make_program" not in getattr(item, "fixturenames", ()):
        for widget in QApplication.topLevelWidgets():
            widget.close()
            widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return report


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> Iterator[None]:
    """Qt paints nothing without an application, and each file is to pass by itself; none leaves a window to others."""
    yield
    left = [one for one in qapp.topLevelWidgets() if one.isVisible()]
    for one in left:
        one.close()
    assert left == []


@pytest.fixture
def style(qapp: QApplication) -> Iterator[Style]:
    """Light, at the usual text size."""
    palette, font = qapp.palette(), qapp.font()
    style = Style(LIGHT)
    style.apply_to_application()
    yield style
    style.formulas.close()
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.fixture
def make_window(qtbot: QtBot, style: Style, app: App) -> Iterator[MakeWindow]:
    made: list[MainWindow] = []

    def make(state: WindowState) -> MainWindow:
        window = MainWindow(style, app, state)
        made.append(window)
        show(window)
        for _ in range(3):
            QApplication.processEvents()
        return window

    yield make
    for window in filter(isValid, made):
        window.close()
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(qtbot: QtBot, make_window: MakeWindow, app: App) -> MainWindow:
    """The window where a person finds it: the model is ready, and what was stored is read and shown."""
    window = make_window(WindowState())
    read: list[None] = []
    app.workspace.store.do(lambda _store: None, read.append)
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready") and bool(read))
    return window
