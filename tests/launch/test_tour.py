"""The tour sleeps while it waits: what it waits for is computed by this very process."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.launch.tour import LONGEST_TURN_MS, Tour, TourError

PATIENCE = 0.5  # seconds


class Loading:
    """A program whose model is never loaded. looks: how often somebody looked whether it is."""

    looks = 0
    notices = SimpleNamespace(now=SimpleNamespace(text=""))
    chat = SimpleNamespace(state=SimpleNamespace(now=SimpleNamespace(card=None)))

    @property
    def state(self) -> SimpleNamespace:
        self.looks += 1
        return SimpleNamespace(now=SimpleNamespace(activity=SimpleNamespace(text="Loading")))


def test_while_it_waits_it_looks_a_few_times_a_second(qtbot: QtBot, tmp_path: Path) -> None:
    program, window = Loading(), QWidget()
    qtbot.addWidget(window)
    with pytest.raises(TourError, match="until the model is loaded"):
        Tour(cast(Any, program), window, tmp_path / "shots", PATIENCE).take()
    assert 1 < program.looks < 5 * PATIENCE * 1000 / LONGEST_TURN_MS
