"""Where things lie, and what happens when they cannot lie there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QStandardPaths
from pytestqt.qtbot import QtBot

from app.paths import Paths, guide_model, paths_in, resources, standard_paths, usable


def test_a_named_folder_holds_everything(tmp_path: Path) -> None:
    paths = paths_in(tmp_path)
    assert {paths.database.parent, paths.settings.parent, paths.caches.parent, paths.logs.parent} == {tmp_path}


def test_the_guide_model_ships_with_the_program() -> None:
    assert (guide_model() / "config.json").is_file()
    assert (resources() / "icon" / "espalier.svg").is_file()


def test_a_frozen_program_finds_its_resources_in_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    assert resources() == Path("/bundle/resources")


def test_standard_places_bear_the_program_s_name(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    QStandardPaths.setTestModeEnabled(True)
    before = QCoreApplication.applicationName()
    QCoreApplication.setApplicationName("Espalier")
    paths = standard_paths()
    QCoreApplication.setApplicationName(before)
    QStandardPaths.setTestModeEnabled(False)
    assert all("Espalier" in str(path) for path in (paths.data, paths.caches, paths.logs))
    assert len({paths.data, paths.caches, paths.logs}) == 3


def test_a_usable_folder_is_made_and_used(tmp_path: Path) -> None:
    wanted = paths_in(tmp_path / "new" / "deeper")
    paths, problem = usable(wanted)
    assert paths == wanted
    assert problem is None
    assert wanted.data.is_dir()
    assert wanted.data.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_used_is_replaced_for_this_session(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    paths, problem = usable(paths_in(blocked / "data"))
    assert problem is not None
    assert str(blocked / "data") in problem.sentence
    assert str(paths.data) in problem.sentence
    assert paths.data.is_dir()
    assert blocked.read_text() == "in the way"


def test_logs_that_cannot_be_written_move_to_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("in the way")
    wanted = Paths(tmp_path / "data", tmp_path / "caches", tmp_path / "elsewhere" / "logs")
    paths, problem = usable(wanted)
    assert problem is None
    assert paths == Paths(wanted.data, wanted.caches, wanted.data / "logs")
