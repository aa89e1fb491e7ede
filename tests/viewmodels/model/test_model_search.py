"""A search tells what it finds on the window's thread, and nothing once another one has begun."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models.entry import ModelEntry
from app.viewmodels.model.model_search import ModelSearch
from tests.models.folders import write_model


@pytest.fixture
def search(qtbot: QtBot) -> Iterator[ModelSearch]:
    search = ModelSearch()
    yield search
    search.close()


def wait_for_threads() -> None:
    """Let every search end, while nothing of it is told yet."""
    for thread in threading.enumerate():
        if thread.name == "models":
            thread.join(10)


def test_what_a_search_found_before_the_next_began_is_not_told(
    qtbot: QtBot, search: ModelSearch, tmp_path: Path
) -> None:
    found: list[ModelEntry] = []
    search.found.connect(found.extend)
    search.look_for(str(write_model(tmp_path / "old")))
    wait_for_threads()
    with qtbot.waitSignal(search.ended):
        search.look_for(str(write_model(tmp_path / "new")))
    assert [entry.name for entry in found] == ["new"]
    assert not search.is_running


def test_a_search_that_was_stopped_does_not_end(qtbot: QtBot, search: ModelSearch, tmp_path: Path) -> None:
    told: list[str] = []
    search.found.connect(lambda _entries: told.append("found"))
    search.ended.connect(lambda: told.append("ended"))
    search.look_for(str(write_model(tmp_path / "m")))
    wait_for_threads()
    search.stop()
    qtbot.wait(20)
    assert told == []
