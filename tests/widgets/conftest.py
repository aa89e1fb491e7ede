"""A look for every test of a widget, and the application's palette and font put back afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets.look import Look
from app.widgets.theme import LIGHT


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    """Light, at the usual text size."""
    palette, font = qapp.palette(), qapp.font()
    look = Look(LIGHT)
    look.dress_application()
    yield look
    qapp.setPalette(palette)
    qapp.setFont(font)
