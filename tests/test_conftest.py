"""A test that fails is one failure."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.conftest import pytest_runtest_teardown


def test_a_window_that_is_deleted_while_a_traceback_holds_it_fails_no_other_test(
    qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    gone, there = QWidget(), QWidget()
    qtbot.addWidget(gone)
    qtbot.addWidget(there)
    shiboken6.delete(gone)
    pytest_runtest_teardown(request.node)
    assert [reference() for reference, _ in request.node.qt_widgets] == [None, there]
    request.node.gone = gone  # as a traceback does: pytest-qt meets it when this test is taken down
