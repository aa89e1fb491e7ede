from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine import open_model
from tests.scenarios.sitting import LONGEST, SitDown, Sitting


@pytest.fixture
def sit_down(qtbot: QtBot, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SitDown]:
    """Start the program once more on the same folder; the run before is closed first.

    That may take as long as it takes: what does not come onto the disk in a second is computed again.
    """
    monkeypatch.setattr(open_model, "_DISK_SECONDS", LONGEST / 2000)
    made: list[Sitting] = []

    def sit(keeps_every_fork: bool = False) -> Sitting:
        while made:
            made.pop().end()
        made.append(Sitting(qtbot, data_folder, keeps_every_fork))
        return made[-1]

    yield sit
    while made:
        made.pop().end()
