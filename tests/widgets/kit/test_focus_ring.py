from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.kit.controls import Button
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.style import Style
from tests.widgets.pictures import picture, show


@pytest.fixture
def window(qtbot: QtBot, style: Style) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


def beside_a_field(qtbot: QtBot, style: Style, window: QWidget) -> tuple[QLineEdit, Button, FocusRing]:
    """A field that has the focus and a button beside it, in a window that is the active one; and its ring."""
    field = QLineEdit(window)
    field.setAccessibleName("field")
    button = Button(style, "Keep", parent=window)
    button.setGeometry(60, 60, 80, 28)
    ring = FocusRing(style, window)
    show(window, 220, 140)
    qtbot.waitUntil(window.isActiveWindow)
    field.setFocus()
    return field, button, ring


def test_the_ring_surrounds_the_control_with_the_focus_and_no_other(
    qtbot: QtBot, style: Style, window: QWidget
) -> None:
    field, button, ring = beside_a_field(qtbot, style, window)
    assert not ring.isVisible()
    before = picture(window)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(ring.isVisible)
    assert ring.geometry() == button.geometry().adjusted(-3, -3, 3, 3)
    assert picture(window) != before
    field.setFocus()
    assert not ring.isVisible()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert ring.isVisible()


def test_the_ring_moves_with_its_control(qtbot: QtBot, style: Style, window: QWidget) -> None:
    _, button, ring = beside_a_field(qtbot, style, window)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    button.move(20, 20)
    assert ring.geometry() == button.geometry().adjusted(-3, -3, 3, 3)


def test_no_gap_is_left_between_the_ring_and_a_round_corner(qtbot: QtBot, style: Style, window: QWidget) -> None:
    _, button, ring = beside_a_field(qtbot, style, window)
    before = picture(window)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(ring.isVisible)
    image, ratio = picture(window), window.devicePixelRatio()
    for corner in (button.geometry().topLeft(), button.geometry().bottomRight()):
        assert image.pixelColor(corner * ratio) != before.pixelColor(corner * ratio)
