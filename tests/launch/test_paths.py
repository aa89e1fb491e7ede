"""Where things lie, and what happens when they cannot lie there."""

from __future__ import annotations

import errno
import sys
import tempfile
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QStandardPaths
from pytestqt.qtbot import QtBot

from app.launch import paths as places
from app.launch.paths import NowhereError, Paths, guide_model, notices, paths_in, resources, standard_paths, usable


def test_a_named_folder_holds_everything(tmp_path: Path) -> None:
    paths = paths_in(tmp_path)
    assert {paths.database.parent, paths.settings.parent, paths.caches.parent, paths.logs.parent} == {tmp_path}


def test_the_guide_model_ships_with_the_program() -> None:
    assert (guide_model() / "config.json").is_file()
    assert (resources() / "icon" / "espalier.svg").is_file()


def test_a_frozen_program_finds_its_resources_in_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    assert resources() == Path("/bundle/resources")
    assert notices() == Path("/bundle/resources/notices/notices.txt")


@pytest.mark.parametrize("is_linked", [True, False])
def test_a_mac_bundle_keeps_its_resources_beside_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_linked: bool
) -> None:
    contents = tmp_path / "Espalier.app" / "Contents"
    (contents / "Frameworks").mkdir(parents=True)
    (contents / "Resources" / "resources" / "models" / "guide").mkdir(parents=True)
    if is_linked:
        (contents / "Frameworks" / "resources").symlink_to("../Resources/resources")
    monkeypatch.setattr(sys, "_MEIPASS", str(contents / "Frameworks"), raising=False)
    assert guide_model().is_dir()
    assert guide_model().resolve() == contents / "Resources" / "resources" / "models" / "guide"


@pytest.mark.skipif(sys.platform == "darwin", reason="the XDG base directories are not used on a Mac")
@pytest.mark.parametrize("named", ["", "/somewhere/else", "relative"])
def test_standard_places_are_those_that_qt_names(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, named)
    before = QCoreApplication.applicationName()
    QCoreApplication.setApplicationName("Espalier")
    where = QStandardPaths.StandardLocation
    places = (where.AppDataLocation, where.CacheLocation, where.StateLocation)
    data, caches, state = (Path(QStandardPaths.writableLocation(place)) for place in places)
    QCoreApplication.setApplicationName(before)
    assert standard_paths() == Paths(data, caches, state / "logs")


def test_on_a_mac_everything_lies_where_the_system_expects_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Caches outside the backups, logs where Console looks."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    library = tmp_path / "Library"
    names = ("Application Support", "Caches", "Logs")
    assert standard_paths() == Paths(*(library / name / "Espalier" for name in names))


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


def test_caches_that_cannot_be_written_move_to_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("in the way")
    wanted = Paths(tmp_path / "data", tmp_path / "elsewhere" / "caches", tmp_path / "logs")
    paths, problem = usable(wanted)
    assert problem is None
    assert paths == Paths(wanted.data, wanted.data / "caches", wanted.logs)


def test_a_full_disk_leaves_the_person_with_what_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(places, "_try_writing", refuse)
    paths, problem = usable(paths_in(tmp_path))
    assert paths == paths_in(tmp_path)
    assert problem is not None
    assert problem.title == "The disk is full"
    assert str(tmp_path) in problem.sentence


def test_conversations_that_can_only_be_read_are_read_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = places._try_writing

    def refuse(folder: Path) -> None:
        if folder == tmp_path:
            raise OSError(errno.EROFS, "Read-only file system")
        write(folder)

    monkeypatch.setattr(places, "_try_writing", refuse)
    (tmp_path / "conversations.db").write_bytes(b"")
    paths, problem = usable(paths_in(tmp_path))
    assert problem is None
    assert paths.database == tmp_path / "conversations.db"
    assert tmp_path not in (*paths.logs.parents, *paths.caches.parents)


def test_nowhere_to_write_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")

    def refuse(prefix: str) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(NowhereError, match=r"may not write to .*data .*No space left"):
        usable(paths_in(tmp_path / "file" / "data"))
