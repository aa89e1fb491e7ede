"""Settings survive a restart, a broken file and a folder that cannot be written."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from app.protocol.deadline import DeadlineCaller
from app.protocol.plain_files import write_whole
from app.viewmodels.kit import settings
from app.viewmodels.kit.settings import (
    ServerState,
    Settings,
    SettingsChanges,
    SettingsValues,
    WindowState,
    settings_from,
)
from tests.protocol.test_plain_files import KINDS, spoil
from tests.seeds import chosen


def test_a_first_start_has_the_defaults_and_writes_nothing(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    assert settings.values == SettingsValues()
    settings.update()
    assert list(tmp_path.iterdir()) == []


def test_what_was_chosen_is_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    first = Settings(path)
    first.update(model="/models/one", recent_models=("/models/one", "/models/zwei, größer"))
    first.update(budget="4 GB", disk_budget="50 GB", keeps_every_fork=True)
    first.update(
        body_size=16,
        windows=(
            WindowState(3, "AdnQ", (248, 840, 352), False, True, "cache", {"cache": {"height": 220, "is_open": False}}),
            WindowState(1),
        ),
    )
    assert Settings(path).values == first.values
    assert first.values.keeps_every_fork
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]


def test_whoever_listens_hears_once_of_what_has_changed(tmp_path: Path) -> None:
    settings, heard = Settings(tmp_path / "settings.json"), list[SettingsValues]()
    settings.changed.connect(heard.append)
    settings.update(budget="4 GB", keeps_every_fork=True)
    settings.update(budget="4 GB")
    assert heard == [SettingsValues(budget="4 GB", keeps_every_fork=True)]
    settings.toggle("keeps_every_fork")
    assert heard[1:] == [SettingsValues(budget="4 GB")]


def test_every_field_can_be_changed_by_its_name() -> None:
    assert get_type_hints(SettingsChanges) == get_type_hints(SettingsValues)


def test_what_could_not_be_read_back_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    settings, heard = Settings(tmp_path / "settings.json"), list[SettingsValues]()
    settings.changed.connect(heard.append)
    names = [one.name for one in fields(SettingsValues)]
    for seed in chosen(range(300)):
        dice = random.Random(seed)
        changes: Any = {dice.choice(names): dice.choice(ODD)}
        before = settings.values
        try:
            settings.update(**changes)
        except ValueError:
            assert settings.values == before, f"seed {seed}"
        assert settings.values == Settings(tmp_path / "settings.json").values, f"seed {seed}"
    settings.update(body_size=31)
    assert heard[-1].body_size == 31
    unknown: Any = {"colour": "green"}
    with pytest.raises(TypeError):
        settings.update(**unknown)


@pytest.mark.parametrize("name", ["budget", "windows", "colour"])
def test_only_what_is_on_or_off_is_toggled(tmp_path: Path, name: str) -> None:
    settings = Settings(tmp_path / "settings.json")
    with pytest.raises(KeyError):
        settings.toggle(name)
    with pytest.raises(KeyError):
        settings.is_on(name)
    assert not settings.is_on("keeps_every_fork")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"model": 3}',
        '{"windows": [{"pane": 3}]}',
        '{"windows": {}}',
        '{"recent_models": [1]}',
        "\xff",
        "null",
    ],
)
def test_a_broken_file_is_kept_beside_and_the_defaults_hold(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, encoding="latin-1")
    file = Settings(path)
    assert file.values == SettingsValues()
    (beside,) = tmp_path.iterdir()
    assert beside.name.startswith("settings.broken-")
    assert beside.read_text(encoding="latin-1") == text
    file.update(model="/models/one")
    assert Settings(path).values.model == "/models/one"


def test_settings_of_a_newer_version_are_read_as_far_as_they_are_known() -> None:
    found = {"model": "/m", "colour": "green", "windows": [{"pane": "map", "lanes": 3}]}
    assert settings_from(found) == SettingsValues(model="/m", windows=(WindowState(pane="map"),))


def test_the_only_window_of_earlier_versions_is_the_first_of_several() -> None:
    window = {"geometry": "AdnQ", "splitter": [1, 2, 3], "is_sidebar_shown": False, "body_size": 17, "pane": "map"}
    first = WindowState(1, "AdnQ", (1, 2, 3), is_sidebar_shown=False, pane="map")
    found = settings_from({"model": "/m", "window": window})
    assert found == SettingsValues(model="/m", body_size=17, windows=(first,))
    assert settings_from(json.loads(json.dumps({**asdict(found), "window": window}))) == found
    later = {"window": window, "windows": [{"number": 2}], "body_size": 20}
    assert settings_from(later) == SettingsValues(body_size=20, windows=(WindowState(2),))
    with pytest.raises(ValueError, match="body_size"):
        settings_from({"window": {"body_size": "big"}})


def test_no_two_windows_have_one_number() -> None:
    for numbers in ([1, 1], [2, 3, 2], [0], [-1], [True], [10**400], [""]):
        with pytest.raises(ValueError, match=r"number|Exceeds"):
            settings_from({"windows": [{"number": one} for one in numbers]})


def test_settings_from_before_the_disk_was_used_are_read() -> None:
    found = settings_from({"model": "/m", "recent_models": ["/m"], "budget": "2 GB", "window": {}})
    assert (found.model, found.budget) == ("/m", "2 GB")
    assert (found.disk_budget, found.keeps_every_fork) == ("default", False)


def test_a_folder_that_cannot_be_written_costs_the_choice_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    file = Settings(blocked / "settings.json")
    file.update(model="/models/one")
    assert file.values.model == "/models/one"


def test_a_file_is_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    file = Settings(path)
    file.update(model="/models/one")

    def fail(_descriptor: int) -> None:
        raise OSError("the disk went away")

    monkeypatch.setattr("app.viewmodels.kit.settings.os.fsync", fail)
    file.update(model="/models/two")
    assert json.loads(path.read_text())["model"] == "/models/one"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", [*KINDS, "nested"])
def test_what_is_no_settings_file_is_moved_aside_and_the_program_starts(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings.json"
    if kind == "nested":
        path.write_text("[" * 200_000)
    else:
        spoil(path, kind)
    file = Settings(path)
    assert file.values == SettingsValues()
    file.update(model="/models/one")
    if kind not in ("socket", "link to nothing", "link to itself"):
        assert len(list(tmp_path.glob("settings.broken-*.json"))) == 1
    assert Settings(path).values.model == "/models/one"


ODD = [None, True, -1, 0, 7, 10**400, 1.5, "", "x", "x" * 20_000, "\ud800", "a\0b", "größer", [], [1] * 500, ["\udfff"],
       [[]], {}, {"a": 1}, {"a": {"b": 1}}, {"a": {"b": 10**400}}, {"a": {"b": "c"}}, {"\ud800": {}}]  # fmt: skip


def test_any_values_are_taken_or_refused_whole(tmp_path: Path) -> None:
    """What is taken can be used as text and numbers of Qt's, and can be written again."""
    path = tmp_path / "settings.json"
    for seed in chosen(range(300)):
        dice = random.Random(seed)
        values = asdict(SettingsValues(model="/m", recent_models=("/m",), windows=(WindowState(1), WindowState(2))))
        for _ in range(dice.randrange(1, 4)):
            windows: Any = values["windows"]
            window = windows[0] if isinstance(windows, list) and len(windows) == 2 else None
            target = window if dice.random() < 0.5 and window else values
            target[dice.choice(sorted(target))] = dice.choice(ODD)
        path.write_text(json.dumps(values))
        file = Settings(path)
        assert 6 <= file.values.body_size <= 72, f"seed {seed}"
        assert len({window.number for window in file.values.windows}) == len(file.values.windows), f"seed {seed}"
        for window in file.values.windows:
            assert window.geometry.isascii(), f"seed {seed}"
            states = (number for state in window.panes.values() for number in state.values())
            numbers = (window.number, *window.splitter, *states)
            assert all(isinstance(number, int) and abs(number) < 1 << 31 for number in numbers), f"seed {seed}"
        file.update(model="/models/next")
        assert Settings(path).values.model == "/models/next", f"seed {seed}"


def test_what_is_no_state_of_panes_is_refused() -> None:
    odd: list[object] = [1, [], None, {"b": "c"}, {"b": 1.5}, {"b": 10**400}, {"b": None}, {"\ud800": 1}]
    for panes in [{"a": one} for one in odd] + [{"\ud800": {}}]:
        with pytest.raises(ValueError, match=r"panes are|no text|is \d|Exceeds"):
            settings_from({"windows": [{"panes": panes}]})


def test_the_use_of_models_is_remembered_and_what_is_no_time_is_refused(tmp_path: Path) -> None:
    used = {"/models/one": 1_761_998_400, "ollama:qwen3:8b": 0}
    Settings(tmp_path / "settings.json").update(models_used=used, model_folders=("/models", "/more"))
    values = Settings(tmp_path / "settings.json").values
    assert (values.models_used, values.model_folders) == (used, ("/models", "/more"))
    odd: list[object] = [-1, 10**400, 1.5, "", None, True, [], {}]
    for times in [{"/m": one} for one in odd] + [{"\ud800": 1}, {f"/{number}": 1 for number in range(101)}]:
        with pytest.raises(ValueError, match=r"times are|no text|entries"):
            settings_from({"models_used": times})


def test_what_is_no_number_of_bits_is_refused(tmp_path: Path) -> None:
    Settings(tmp_path / "settings.json").update(kv_bits={"/models/one": 8})
    assert Settings(tmp_path / "settings.json").values.kv_bits == {"/models/one": 8}
    odd: list[object] = [-1, 0, 33, 8.0, "8", None, True, [], {}]
    for bits in [{"/m": one} for one in odd] + [{"\ud800": 8}, {f"/{number}": 8 for number in range(101)}]:
        with pytest.raises(ValueError, match=r"bits are|no text|entries"):
            settings_from({"kv_bits": bits})


def test_what_is_no_path_of_an_adapter_is_refused(tmp_path: Path) -> None:
    adapters = {f"/models/{number}": "/adapters/pirate" for number in range(100)}
    Settings(tmp_path / "settings.json").update(adapters=adapters)
    assert Settings(tmp_path / "settings.json").values.adapters == adapters
    odd: list[object] = [1, None, [], {}, "\0", "\ud800", "x" * 20_000]
    for found in [{"/m": one} for one in odd] + [{"\ud800": "/a"}, {f"/{number}": "/a" for number in range(101)}]:
        with pytest.raises(ValueError, match=r"adapters are|no text|entries"):
            settings_from({"adapters": found})


def test_servers_are_remembered_and_what_is_none_is_refused(tmp_path: Path) -> None:
    models = {"mlx-community/Tiny": 4096, "other": 0}
    others = ("http://second:8080",)
    server = ServerState("0a1b", "Studio", "http://studio:8080", "vLLM", models, "9f", others, "/models/tiny")
    assert server.server.tokenizer == "/models/tiny"
    Settings(tmp_path / "settings.json").update(servers=(server,))
    assert Settings(tmp_path / "settings.json").values.servers == (server,)
    good = json.loads(json.dumps(asdict(server)))
    odd: list[dict[str, object]] = [
        *({**good, "id": one} for one in ("", "x/y", "ID", 5, "a" * 33)),
        *({**good, "url": one} for one in ("", None, "\0")),
        *({**good, "tokenizer": one} for one in (None, 5, "\0", "\ud800")),
        *({**good, "others": one} for one in ("http://second", [1], [None], {"a": "b"})),
        *({**good, "models": one} for one in ([], {"m": -1}, {"m": True}, {"m": 1.0}, {"\ud800": 1}, {"x" * 301: 1})),
        {**good, "models": {str(number): 1 for number in range(1001)}},
    ]
    for one in odd:
        with pytest.raises(ValueError, match=r"."):
            settings_from({"servers": [one]})
    with pytest.raises(ValueError, match="same id"):
        settings_from({"servers": [good, good]})


def test_a_folder_that_is_moved_is_followed(tmp_path: Path) -> None:
    """And nothing is made again at the old place."""
    (tmp_path / "data").mkdir()
    file = Settings(tmp_path / "data" / "settings.json")
    file.update(model="/models/one")
    (tmp_path / "data").rename(tmp_path / "moved")
    file.update(model="/models/two")
    file.update(body_size=17)
    assert Settings(tmp_path / "moved" / "settings.json").values == file.values
    assert [one.name for one in tmp_path.iterdir()] == ["moved"]


def test_a_disk_that_hangs_costs_the_window_a_moment_and_the_choice_is_saved_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, disk, writes = tmp_path / "settings.json", threading.Event(), list[str]()
    file = Settings(path)
    file._disk = DeadlineCaller("settings", 0.05)

    def hang(name: str, text: str, folder: int | None) -> None:
        writes.append(text)
        disk.wait(30)
        write_whole(name, text, folder)

    monkeypatch.setattr(settings, "write_whole", hang)
    file.update(model="/models/one")
    file.update(model="/models/two")
    assert len(writes) == 1, "nothing is written before what was written first"
    disk.set()
    for thread in threading.enumerate():
        if thread.name == "settings":
            thread.join(30)
    file._disk = DeadlineCaller("settings", 30)
    file.update(windows=file.values.windows)
    assert Settings(path).values.model == "/models/two"


@pytest.mark.parametrize("port", [0, 80, 1023, 65536, -1, True, "11888", 1e4])
def test_what_is_no_port_that_the_program_may_listen_on_is_no_setting(tmp_path: Path, port: Any) -> None:
    assert settings_from({"api_port": 1024}).api_port == 1024
    with pytest.raises(ValueError, match="api_port"):
        settings_from({"api_port": port})
    with pytest.raises(ValueError, match=r"api_port"):
        Settings(tmp_path / "settings.json").update(api_port=port)
