"""An application for every test of a view model: most of them start timers, which Qt refuses without one."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Make the application, whichever test comes first."""
