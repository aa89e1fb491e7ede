"""Models are found wherever they lie, and no folder keeps the others from being found."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from app.models import scan as scan_module
from app.models.contents import list_folder
from app.models.description import describe_folder
from app.models.entry import ModelEntry, Source
from app.models.places import ModelLocation
from app.models.scan import scan
from tests.models.folders import list_models, write_many, write_model, write_snapshot
from tests.models.ollama import write_store


def found(*places: tuple[Source, Path], patience: float = 5.0) -> list[ModelEntry]:
    return list(scan([ModelLocation(*place) for place in places], patience=patience))


def names(*places: tuple[Source, Path]) -> list[str]:
    return [entry.name for entry in found(*places)]


def test_a_place_is_one_model_or_folders_of_models_two_levels_deep(tmp_path: Path) -> None:
    assert names((Source.ADDED, write_model(tmp_path / "one"))) == ["one"]
    write_model(tmp_path / "a" / "two")
    write_model(tmp_path / "a" / "b" / "too-deep")
    write_model(tmp_path / ".hidden")
    assert names((Source.ADDED, tmp_path)) == ["two", "one"]


def test_of_a_repository_the_snapshot_of_its_main_branch_is_shown(tmp_path: Path) -> None:
    old, new = write_snapshot(tmp_path, "a/M", "1111"), write_snapshot(tmp_path, "a/M", "2222")
    ref = new.parent.parent / "refs" / "main"
    for text, expected in (("1111", old), ("2222\n", new)):
        ref.write_text(text)
        assert [entry.path for entry in found((Source.HUB, tmp_path))] == [str(expected)]


@pytest.mark.parametrize("text", ["", "3333", "../../../etc", "x" * 5000, "\udcff"])
def test_without_a_branch_the_newest_snapshot_is_shown(tmp_path: Path, text: str) -> None:
    old, new = write_snapshot(tmp_path, "a/M", "1111"), write_snapshot(tmp_path, "a/M", "2222")
    os.utime(old, (1, 1))
    (new.parent.parent / "refs" / "main").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert [entry.path for entry in found((Source.HUB, tmp_path))] == [str(new)]


def test_what_else_lies_in_the_hubs_cache_is_passed_over(tmp_path: Path) -> None:
    write_snapshot(tmp_path, "a/M")
    (tmp_path / "models--a--Empty" / "snapshots").mkdir(parents=True)
    pictures = tmp_path / "models--a--Pictures" / "snapshots" / "1"
    pictures.mkdir(parents=True)
    (pictures / "model_index.json").write_text("{}")
    (tmp_path / "datasets--a--d" / "snapshots" / "1").mkdir(parents=True)
    (tmp_path / "version.txt").touch()
    assert names((Source.HUB, tmp_path)) == ["M"]


def test_a_model_is_listed_once_however_many_ways_lead_to_it(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "models" / "m")
    (tmp_path / "models" / "also").symlink_to(folder)
    (tmp_path / "link").symlink_to(tmp_path / "models")
    places = [(Source.ADDED, tmp_path / "models"), (Source.ADDED, tmp_path / "link"), (Source.LM_STUDIO, folder)]
    assert len(found(*places)) == 1


def test_links_in_circles_end(tmp_path: Path) -> None:
    write_model(tmp_path / "m")
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "itself").symlink_to("itself")
    assert names((Source.ADDED, tmp_path)) == ["m"]


def test_an_added_folder_without_models_says_so_and_others_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (entry,) = found((Source.ADDED, tmp_path / "empty"), (Source.HUB, tmp_path / "empty"))
    assert (entry.name, entry.reason) == ("empty", "There is no model in this folder.")
    for name in ("gone", "file"):
        (entry,) = found((Source.ADDED, tmp_path / name), (Source.LM_STUDIO, tmp_path / name))
        assert entry.reason.startswith("The folder is not there")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_may_not_be_read_costs_itself_alone(tmp_path: Path) -> None:
    write_model(tmp_path / "m")
    (tmp_path / "closed").mkdir(mode=0)
    assert names((Source.ADDED, tmp_path)) == ["m"]


def test_a_crowded_folder_costs_itself_alone(tmp_path: Path) -> None:
    write_model(tmp_path / "m")
    crowded = write_model(tmp_path / "crowded")
    for number in range(10_000):
        (crowded / f"{number}").touch()
    assert names((Source.ADDED, tmp_path)) == ["m"]
    (entry,) = found((Source.ADDED, crowded))
    assert "more entries than any model has" in entry.reason


def test_pipes_and_brackets_cost_their_folder_alone(tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        folder = write_model(tmp_path / f"pipe [{name}]*")
        (folder / name).unlink()
        os.mkfifo(folder / name)
    nested = write_model(tmp_path / "nested")
    (nested / "config.json").write_text("[" * 500_000)
    write_model(tmp_path / "sound")
    entries = found((Source.ADDED, tmp_path))
    assert len(entries) == 6
    assert [entry.name for entry in entries if not entry.reason] == ["pipe [tokenizer_config.json]*", "sound"]


def test_a_disk_that_hangs_costs_its_folder_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        write_model(tmp_path / name)
    go_on, read = threading.Event(), list_folder

    def hanging(path: Path) -> object:
        if path.name == "b":
            go_on.wait(20)
        return read(path)

    monkeypatch.setattr(scan_module, "list_folder", hanging)
    entries = found((Source.ADDED, tmp_path), patience=0.3)
    go_on.set()
    assert {entry.name: entry.reason for entry in entries} == {"a": "", "b": "The disk does not answer.", "c": ""}


def test_a_disk_on_which_all_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write_model(tmp_path / "net" / f"{number:02}")
    here, go_on, read = write_model(tmp_path / "here"), threading.Event(), describe_folder

    def hanging(folder: Path, source: Source, root: Path) -> ModelEntry:
        if folder.parent.name == "net":
            go_on.wait(20)
        return read(folder, source, root)

    monkeypatch.setattr(scan_module, "describe_folder", hanging)
    entries = found((Source.HUB, tmp_path / "net"), (Source.ADDED, here), patience=0.2)
    go_on.set()
    assert [entry.name for entry in entries] == ["00", "01", "here"]


def test_it_ends_when_nobody_wants_it_any_more(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_model(tmp_path / name)
    entries: list[ModelEntry] = []
    for entry in scan([ModelLocation(Source.ADDED, tmp_path)], lambda: len(entries) == 1):
        entries.append(entry)
    assert len(entries) == 1


def test_models_of_ollama_are_found_by_their_references(tmp_path: Path) -> None:
    write_store(tmp_path, {"config.json": b"{}"}, [("a", b"12345678")], name="m")
    (entry,) = found((Source.OLLAMA, tmp_path), (Source.OLLAMA, tmp_path))
    assert (entry.path, entry.root) == ("ollama:m:latest", str(tmp_path))


def test_two_hundred_models_are_all_there(tmp_path: Path) -> None:
    write_many(tmp_path, 200)
    entries, milliseconds = list_models(tmp_path)
    assert milliseconds > 0
    assert len(entries) == 200
    assert {entry.reason for entry in entries} == {""}
    assert {round(entry.parameters / 1e9) for entry in entries} == {4, 8}
