"""Models are listed without being told where they are, and what was done with them is remembered."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models import scan as scan_module
from app.models.entry import ModelEntry, Source
from app.protocol.memory import GIB, Memory, ModelSupport
from app.viewmodels.app import App
from app.viewmodels.model import model_list
from app.viewmodels.model.model_list import ModelList
from app.viewmodels.model.model_rows import ModelRow
from tests.fakes.engine import Script
from tests.models.folders import CONFIG, TEMPLATE, write_model, write_snapshot


@pytest.fixture
def hub(machine: Path) -> Path:
    return machine / ".cache" / "huggingface" / "hub"


@pytest.fixture
def models(app: App, machine: Path) -> ModelList:
    return app.model.list


def looked(qtbot: QtBot, models: ModelList, look: Callable[[], object] | None = None) -> list[str]:
    """Search once; returns what is listed then, by name."""
    with qtbot.waitSignal(models.search.ended):
        (look or models.look)()
    return names(models)


def names(models: ModelList) -> list[str]:
    return [row.name for row in models.state.now]


def found(models: ModelList, name: str) -> ModelRow:
    return next(row for row in models.state.now if row.name == name)


def test_models_of_other_programs_are_listed_and_the_guide(
    qtbot: QtBot, models: ModelList, machine: Path, hub: Path
) -> None:
    write_snapshot(hub, "mlx-community/Phi-4")
    write_model(machine / ".lmstudio" / "models" / "someone" / "Qwen3-4bit")
    models._current_model.guide = str(write_model(machine / "guide"))
    assert looked(qtbot, models) == ["Espalier Guide", "Phi-4", "Qwen3-4bit"]
    assert not models.search.is_running


def test_what_is_gone_leaves_and_what_is_new_comes(qtbot: QtBot, models: ModelList, hub: Path) -> None:
    old = write_snapshot(hub, "a/Old")
    assert "Old" in looked(qtbot, models)
    shutil.rmtree(old.parent.parent)
    write_snapshot(hub, "a/New")
    listed = looked(qtbot, models)
    assert "New" in listed
    assert "Old" not in listed


def test_what_is_known_stays_in_sight_while_it_is_looked_for_again(qtbot: QtBot, models: ModelList, hub: Path) -> None:
    write_snapshot(hub, "a/Model")
    looked(qtbot, models)
    models.look()
    assert "Model" in names(models)


def test_only_the_newest_search_is_told(qtbot: QtBot, models: ModelList, hub: Path) -> None:
    write_snapshot(hub, "a/Model")
    for _ in range(5):
        models.look()
    assert "Model" in looked(qtbot, models)


def test_an_added_folder_is_looked_through_until_it_is_removed(
    qtbot: QtBot, models: ModelList, app: App, tmp_path: Path
) -> None:
    write_model(tmp_path / "mine" / "One")
    mine = str(tmp_path / "mine")
    assert "One" in looked(qtbot, models, lambda: models.add_folder(mine))
    looked(qtbot, models, lambda: models.add_folder(mine))
    assert app.settings.values.model_folders == (mine,)
    row = found(models, "One")
    assert (row.is_added, row.root) == (True, mine)
    models.remove_folder(row.root)
    assert "One" not in names(models), "at once"
    assert app.settings.values.model_folders == ()
    assert (tmp_path / "mine" / "One" / "config.json").exists()


def test_a_folder_whose_name_is_no_text_is_not_remembered(qtbot: QtBot, models: ModelList, app: App) -> None:
    looked(qtbot, models, lambda: models.add_folder("/models/\udcff"))
    assert app.settings.values.model_folders == ()


@pytest.mark.parametrize("script_support", [True, False])
def test_models_are_judged_by_what_the_engine_opens(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, hub: Path, script_support: bool
) -> None:
    if script_support:
        script.support = ModelSupport(frozenset({"llama"}), Memory(8 * GIB, 8 * GIB))
    models = make_app().model.list
    write_snapshot(hub, "a/Qwen")
    write_snapshot(hub, "a/Llama", config=CONFIG | {"model_type": "llama"})
    looked(qtbot, models)
    qtbot.waitUntil(lambda: models.support == script.support)
    assert bool(found(models, "Qwen").reason) == script_support
    assert found(models, "Llama").fit.startswith("fits") == script_support


def test_the_last_use_is_remembered_and_the_model_in_use_is_marked(
    qtbot: QtBot, models: ModelList, app: App, hub: Path
) -> None:
    for name in ("A", "B"):
        write_snapshot(hub, f"a/{name}", template=TEMPLATE)
    looked(qtbot, models)
    with qtbot.waitSignal(app.model.current_model.ready):
        app.model.open(found(models, "B").id)
    assert names(models) == ["B", "A"]
    row = found(models, "B")
    assert (row.is_current, row.age) == (True, "now")
    assert app.settings.values.models_used[row.id] > 1_600_000_000
    assert not found(models, "A").is_current


def test_the_use_of_a_hundred_models_is_remembered(
    qtbot: QtBot, models: ModelList, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.settings.update(models_used={f"/models/{number}": number for number in range(100)})
    with qtbot.waitSignal(app.model.current_model.ready):
        app.model.open("/models/new")
    used = app.settings.values.models_used
    assert len(used) == 100
    assert next(iter(used)) == "/models/new"
    assert "/models/0" not in used


def test_the_model_that_was_opened_last_comes_first_whatever_the_clock_says(qtbot: QtBot, app: App) -> None:
    later = int(time.time()) + 3600
    app.settings.update(models_used={"/models/before": later, "/models/now": later})
    with qtbot.waitSignal(app.model.current_model.ready):
        app.model.open("/models/now")
    assert [*app.settings.values.models_used][:2] == ["/models/now", "/models/before"]


@pytest.fixture
def heard(app: App) -> list[str]:
    texts: list[str] = []
    app.notices.announced.connect(texts.append)
    return texts


def test_a_model_that_does_more_than_text_says_so_once(
    qtbot: QtBot, models: ModelList, app: App, hub: Path, heard: list[str]
) -> None:
    seeing = write_snapshot(hub, "a/Seeing", config=CONFIG | {"vision_config": {}})
    for path in (str(seeing), app.folders.guide, str(seeing)):
        with qtbot.waitSignal(app.model.current_model.ready):
            app.model.open(path)
        qtbot.waitUntil(lambda: not models._single.is_running)
    sentence = "Seeing also sees images and calls tools; here you talk with it in text alone."
    assert [text for text in heard if "in text alone" in text] == [sentence]


def test_a_model_for_text_says_nothing(qtbot: QtBot, models: ModelList, app: App, hub: Path, heard: list[str]) -> None:
    plain = write_snapshot(hub, "a/Plain", template=TEMPLATE)
    with qtbot.waitSignal(app.model.current_model.ready):
        app.model.open(str(plain))
    qtbot.waitUntil(lambda: not models._single.is_running)
    assert not [text for text in heard if "text alone" in text]


def test_nothing_is_looked_for_before_somebody_asks(app: App) -> None:
    assert app.model.list.state.now == ()
    assert not app.model.list.search.is_running


def test_a_disk_that_hangs_at_the_end_is_left_to_the_system(
    qtbot: QtBot, make_app: Callable[[], App], hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_snapshot(hub, "a/Model")
    go_on = threading.Event()

    def hanging(folder: Path, source: Source, root: Path) -> ModelEntry:
        go_on.wait(20)
        return ModelEntry(str(folder), folder.name, source)

    monkeypatch.setattr(scan_module, "describe_folder", hanging)
    app = make_app()
    app.model.list.look()
    qtbot.wait(50)
    app.model.close()
    assert app.workspace.is_stuck
    go_on.set()


def test_entries_are_known_by_what_they_are_opened_by(qtbot: QtBot, models: ModelList, hub: Path) -> None:
    path = str(write_snapshot(hub, "a/Model"))
    looked(qtbot, models)
    entry = models.entry(path)
    assert entry is not None
    assert entry.model_type == "qwen3"
    assert models.entry("/nowhere") is None
    assert model_list.MOST_USED == 100
