"""The settings in pages: each row changes what it says it changes, at once, and says what holds."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import ConfigureDiskCache, SetBudget
from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.key_bindings import native
from app.viewmodels.kit.settings import ServerState, Settings
from app.viewmodels.preferences.disk_usage import DiskUsage
from app.viewmodels.preferences.preferences import Preferences
from app.viewmodels.preferences.rows import Amount, Buttons, Choice, Entry, KeyRow, Row, RowButton, Toggle
from app.viewmodels.text.formatting import HARD
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ready

PAGES = ("general", "appearance", "models", "cache", "shortcuts", "api", "privacy")


@pytest.fixture
def folders(data_folder: Path) -> Folders:
    return Folders(
        "/models/guide",
        str(data_folder / "caches" / "snapshots"),
        database=str(data_folder / "conversations.db"),
        logs=str(data_folder / "logs"),
    )


@pytest.fixture
def preferences(app: App) -> Iterator[Preferences]:
    made = preferences_of(app)
    yield made
    made.close()


def preferences_of(app: App) -> Preferences:
    own = app.settings, app.folders, app.keys, app.library, app.chat.settings.presets
    return Preferences(*own, app.model, app.hub, app.cache, app.workspace.store, app.workspace.api, app)


def rows(preferences: Preferences) -> dict[str, Row]:
    return {row.id: row for group in preferences.state.now.groups for row in group.rows}


def told(preferences: Preferences, row_id: str) -> str:
    """The title and the detail of a row, with plain blanks."""
    found = rows(preferences)[row_id]
    return f"{found.title}: {found.detail}".replace("\u00a0", " ").replace("\u202f", " ")


def row(preferences: Preferences, page: str, row_id: str) -> Row:
    if preferences.state.now.id != page:
        preferences.show_page(page)
    return rows(preferences)[row_id]


def button(preferences: Preferences, button_id: str) -> RowButton:
    found = [one for each in rows(preferences).values() if isinstance(each, Buttons) for one in each.buttons]
    return next(one for one in found if one.id == button_id)


def test_every_row_and_every_button_has_an_id_of_its_own_and_does_something(preferences: Preferences) -> None:
    for page in preferences.pages:
        preferences.show_page(page.id)
        ids: list[str] = []
        for each in rows(preferences).values():
            acting = [one.id for one in each.buttons] if isinstance(each, Buttons) else [each.id]
            ids += acting + ([each.reset_id] if isinstance(each, KeyRow) else [])
        assert len(ids) == len(set(ids))
        assert {one.partition(":")[0] for one in ids} <= set(page.handlers)
        assert all(group.title for group in preferences.state.now.groups)


@pytest.mark.parametrize(
    ("page", "row_id", "setting", "value"),
    [
        ("general", "start_with", "start_with", "new"),
        ("appearance", "appearance", "appearance", "dark"),
        ("appearance", "code_font", "code_font", "Some Mono"),
        ("models", "start_model", "start_model", "guide"),
        ("models", "start_preset", "start_preset", "Precise"),
        ("cache", "budget", "budget", "4 GB"),
        ("cache", "disk_budget", "disk_budget", "10 GB"),
    ],
)
def test_a_choice_holds_at_once(
    preferences: Preferences, settings: Settings, page: str, row_id: str, setting: str, value: str
) -> None:
    before = row(preferences, page, row_id)
    assert isinstance(before, Choice)
    assert before.value == getattr(settings.values, setting)
    preferences.act(row_id, value)
    assert getattr(settings.values, setting) == value
    after = row(preferences, page, row_id)
    assert isinstance(after, Choice)
    assert after.value == value


@pytest.mark.parametrize(
    ("page", "row_id"),
    [("general", "asks_to_quit"), ("general", "keeps_alternatives"), ("cache", "keeps_every_fork")],
)
def test_a_switch_is_on_or_off(preferences: Preferences, settings: Settings, page: str, row_id: str) -> None:
    for value, is_on in (("on", True), ("", False)):
        assert row(preferences, page, row_id)
        preferences.act(row_id, value)
        after = row(preferences, page, row_id)
        assert isinstance(after, Toggle)
        assert after.is_on is settings.is_on(row_id) is is_on


def test_what_is_kept_with_the_answers_is_told_in_bytes(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "How are you?")
    preferences = preferences_of(app)
    qtbot.waitUntil(lambda: " 1 KB of it is in the database" in told(preferences, "keeps_alternatives"))
    preferences.show_page("general")
    preferences.close()
    app.workspace.store.drain()
    preferences.close()


def test_the_size_of_the_text_goes_no_further_than_there_are_sizes(
    preferences: Preferences, settings: Settings
) -> None:
    for typed, size in (("17", 17), ("3", 10), ("90", 24)):
        preferences.show_page("appearance")
        preferences.act("text_size", typed)
        shown = rows(preferences)["text_size"]
        assert isinstance(shown, Amount)
        assert (settings.values.body_size, shown.value) == (size, size)


@pytest.mark.parametrize(
    ("row_id", "choice_id", "command"),
    [("budget_amount", "budget", SetBudget), ("disk_amount", "disk_budget", ConfigureDiskCache)],
)
def test_any_amount_holds_at_once_and_after_a_restart(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, row_id: str, choice_id: str, command: type
) -> None:
    app = make_app()
    ready(qtbot, app)
    preferences = preferences_of(app)
    for typed, held in (("1.5", 1.5), ("0.7", 0.7), ("0", 0.5), ("-3", 0.5), ("1e9", None)):
        amount = row(preferences, "cache", row_id)
        assert isinstance(amount, Amount)
        wanted = amount.high if held is None else held
        preferences.act(row_id, typed)
        after, choice = row(preferences, "cache", row_id), row(preferences, "cache", choice_id)
        assert isinstance(after, Amount)
        assert isinstance(choice, Choice)
        assert after.value == wanted
        assert choice.shown == f"{wanted:g}{HARD}GB"
        qtbot.waitUntil(lambda wanted=wanted: bytes_of(script, command) == round(wanted * 1e9))
    preferences.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: bytes_of(script, command) == round(wanted * 1e9))
    assert getattr(again.settings.values, choice_id) == f"{wanted:g} GB"


def bytes_of(script: Script, command: type) -> int | None:
    """The amount that the engine was told of last."""
    sent = [one for one in script.commands if isinstance(one, command)]
    return sent[-1].budget_bytes if sent else None


def test_the_page_that_was_left_is_there_the_next_time(app: App) -> None:
    first = preferences_of(app)
    assert first.state.now.id == "general"
    first.show_page("shortcuts")
    assert preferences_of(app).state.now.id == "shortcuts"
    app.settings.update(settings_page="a page of a later version")
    assert preferences_of(app).state.now.id == "general"
    with pytest.raises(KeyError):
        first.show_page("elsewhere")


@pytest.mark.parametrize(
    "odd",
    [
        {"start_with": "", "appearance": "sepia", "code_font": "\n", "start_model": "/gone", "start_preset": "Gone"},
        {"keys": {"new": "Ctrl+O", "open_model": "Ctrl+O", "udno": "F5"}, "hub": "no address", "budget": "a lot"},
        {
            "cache_folder": "relative",
            "model_folders": ("", "/gone", "x" * 5000),
            "disk_budget": "?",
            "settings_page": "?",
        },
    ],
)
def test_whatever_a_file_holds_every_page_is_shown(
    make_app: Callable[[], App], settings: Settings, odd: dict[str, object]
) -> None:
    settings.update(**odd)  # type: ignore[arg-type]  # as if read from a file
    app = make_app()
    preferences = preferences_of(app)
    for page in PAGES:
        preferences.show_page(page)
        assert preferences.state.now.groups
        for each in rows(preferences).values():
            if isinstance(each, Choice):
                assert each.shown
    preferences.close()


def test_folders_of_models_are_added_and_removed(preferences: Preferences, settings: Settings, tmp_path: Path) -> None:
    preferences.show_page("models")
    assert button(preferences, "add_folder").folder_title
    preferences.act("add_folder", str(tmp_path))
    preferences.act("add_folder", "/models: more")
    assert settings.values.model_folders == (str(tmp_path), "/models: more")
    assert button(preferences, "remove_folder:/models: more").spoken == "Remove /models: more"
    preferences.act("remove_folder:/models: more")
    assert settings.values.model_folders == (str(tmp_path),)


def test_a_hub_that_is_none_is_refused_where_it_was_typed(preferences: Preferences, settings: Settings) -> None:
    preferences.show_page("models")
    preferences.act("hub", "ftp://nowhere")
    entry = row(preferences, "models", "hub")
    assert isinstance(entry, Entry)
    assert entry.problem
    assert settings.values.hub == ""
    preferences.act("hub", "https://hub.example.org")
    entry = row(preferences, "models", "hub")
    assert isinstance(entry, Entry)
    assert (entry.problem, entry.value) == ("", "https://hub.example.org")


def test_a_token_is_typed_in_secret_and_removed_after_a_question(
    preferences: Preferences, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(app.hub, "keep_token", kept.append)
    entry = row(preferences, "models", "token")
    assert isinstance(entry, Entry)
    assert entry.is_secret
    assert entry.value == ""
    preferences.act("token", "  ")
    preferences.act("token", " secret ")
    app.settings.update(hub_tokens=("huggingface.co",))
    app.hub.state.refresh()
    preferences.state.refresh()
    assert button(preferences, "remove_token").question is not None
    preferences.act("remove_token")
    assert kept == ["secret", ""]


def test_a_conflict_is_told_in_its_row_until_the_page_is_opened_again(preferences: Preferences, app: App) -> None:
    preferences.show_page("shortcuts")
    preferences.act("keys:new", "Ctrl+O")
    found = row(preferences, "shortcuts", "keys:new")
    assert isinstance(found, KeyRow)
    assert found.problem == f"{native('Ctrl+O')} belongs to “Open Model…”."
    assert app.keys.actions["new"].keys == ("Ctrl+N",)
    preferences.show_page("shortcuts")
    found = row(preferences, "shortcuts", "keys:new")
    assert isinstance(found, KeyRow)
    assert not found.problem


def test_keys_are_changed_and_come_back_one_by_one_and_all_together(preferences: Preferences, app: App) -> None:
    preferences.show_page("shortcuts")
    assert not button(preferences, "reset_all").is_enabled
    preferences.act("keys:new", "F5")
    found = row(preferences, "shortcuts", "keys:new")
    assert isinstance(found, KeyRow)
    assert (found.keys, found.is_changed) == ("F5", True)
    preferences.act("reset_keys:new")
    preferences.act("keys:new", "")
    preferences.act("keys:find", "F6")
    assert button(preferences, "reset_all").is_enabled
    preferences.act("reset_all")
    assert not any(app.keys.is_changed(one) for one in app.keys.actions)


def test_every_command_has_its_row(preferences: Preferences, app: App) -> None:
    preferences.show_page("shortcuts")
    ids = [one.id.partition(":")[2] for one in rows(preferences).values() if isinstance(one, KeyRow)]
    assert sorted(ids) == sorted(app.keys.actions)


def test_moving_the_files_says_what_it_costs_first(preferences: Preferences, app: App, tmp_path: Path) -> None:
    preferences.show_page("cache")
    move = button(preferences, "move_files")
    assert move.question is not None
    assert app.folders.snapshots in move.question.sentence
    assert "computed anew" in move.question.sentence
    assert move.folder_title
    preferences.act("move_files", str(tmp_path))
    assert rows(preferences)["cache_folder"].detail == str(tmp_path / "Espalier Cache")
    assert button(preferences, "move_back").question is not None
    preferences.act("move_back")
    assert rows(preferences)["cache_folder"].detail == app.folders.snapshots


# What is on the disk


def test_what_is_on_the_disk_is_measured_and_named_with_its_place(
    qtbot: QtBot, app: App, preferences: Preferences, data_folder: Path
) -> None:
    ask(qtbot, app, "hello")
    logs = data_folder / "logs"
    logs.mkdir()
    (logs / "espalier.log").write_bytes(b"x" * 2_000_000)
    preferences.show_page("privacy")
    qtbot.waitUntil(lambda: "2.0 MB" in told(preferences, "logs"))
    assert str(logs) in rows(preferences)["logs"].detail
    assert " in " in rows(preferences)["conversations"].detail
    assert told(preferences, "conversations").startswith("1 conversation")
    assert "copies" not in rows(preferences), "there are none"


NO_WORD_LEAVES = ("is offline", "sends no word of yours anywhere")


@pytest.mark.parametrize("has_server", [False, True])
@pytest.mark.parametrize("is_api_on", [False, True])
def test_what_leaves_the_computer_is_told_as_it_is(
    preferences: Preferences, settings: Settings, has_server: bool, is_api_on: bool
) -> None:
    preferences.show_page("privacy")
    server = ServerState("0123456789abcdef", "Studio", "http://10.0.0.7:8080", "llama.cpp")
    settings.update(servers=(server,) if has_server else (), is_api_on=is_api_on)
    preferences.state.catch_up()
    ((note,),) = [[group.note for group in preferences.state.now.groups if group.note]]
    assert [words in note for words in NO_WORD_LEAVES] == [not has_server] * 2
    assert ("goes to its server" in note) is has_server
    assert ("local API is on" in note) is is_api_on
    assert ("server:0123456789abcdef" in rows(preferences)) is has_server
    if has_server:
        kept = told(preferences, "server:0123456789abcdef")
        assert kept.startswith("Server: Studio: 10.0.0.7:8080, on your network.")
        assert "keychain" in kept


def test_the_size_of_the_files_is_told_as_that_of_all_models(
    qtbot: QtBot, app: App, preferences: Preferences, script: Script
) -> None:
    """The engine counts the files of other models, too."""
    script.disk_bytes = 3_000_000_000
    ask(qtbot, app, "How are you?")
    preferences.show_page("cache")
    qtbot.waitUntil(lambda: "3.0 GB of all models" in told(preferences, "cache_files"))
    assert "model in use" not in told(preferences, "cache_files")


def test_each_place_is_emptied_after_a_question_only(preferences: Preferences) -> None:
    preferences.show_page("privacy")
    found = [one for each in rows(preferences).values() if isinstance(each, Buttons) for one in each.buttons]
    assert found
    assert all(one.question is not None and one.question.sentence for one in found)


def test_all_conversations_go_into_the_trash_and_one_undo_brings_them_back(
    qtbot: QtBot, app: App, preferences: Preferences
) -> None:
    for text in ("one", "two", "three"):
        app.library.new_conversation()
        ask(qtbot, app, text)
    preferences.show_page("privacy")
    preferences.act("delete_conversations")
    qtbot.waitUntil(lambda: told(preferences, "conversations").startswith("0 conversations"))
    qtbot.waitUntil(lambda: rows(preferences)["trash"].title != "Trash: empty")
    assert not button(preferences, "delete_conversations").is_enabled
    app.act("undo")
    qtbot.waitUntil(lambda: told(preferences, "conversations").startswith("3 conversations"))
    preferences.act("delete_conversations")
    qtbot.waitUntil(lambda: button(preferences, "empty_trash").is_enabled)
    preferences.act("empty_trash")
    qtbot.waitUntil(lambda: rows(preferences)["trash"].title == "Trash: empty")


def test_copies_are_deleted_and_the_conversations_stay(
    qtbot: QtBot, app: App, preferences: Preferences, data_folder: Path
) -> None:
    ask(qtbot, app, "hello")
    copy = data_folder / "conversations.damaged-20250101-000000.db"
    copy.write_bytes(b"old words")
    preferences.show_page("privacy")
    qtbot.waitUntil(lambda: "copies" in rows(preferences))
    preferences.act("delete_copies")
    qtbot.waitUntil(lambda: not copy.exists())
    qtbot.waitUntil(lambda: "copies" not in rows(preferences))
    assert told(preferences, "conversations").startswith("1 conversation")


def test_the_log_is_emptied_and_nothing_else_in_its_folder(
    qtbot: QtBot, preferences: Preferences, data_folder: Path
) -> None:
    logs = data_folder / "logs"
    logs.mkdir()
    other = data_folder / "other.log"
    other.write_text("not ours")
    (logs / "link.log").symlink_to(other)
    for name in ("espalier.log", "espalier.log.1", "Crash 2025-01-01 00.00.00.txt", "letter.txt"):
        (logs / name).write_text("words")
    preferences.show_page("privacy")
    preferences.act("delete_logs")
    qtbot.waitUntil(lambda: not (logs / "espalier.log.1").exists() and not (logs / "espalier.log").read_text())
    assert not (logs / "Crash 2025-01-01 00.00.00.txt").exists()
    assert (logs / "letter.txt").read_text() == "words"
    assert other.read_text() == "not ours"


def test_the_window_waits_for_no_disk(qtbot: QtBot) -> None:
    """Whoever measures may hang: another page is measured meanwhile, and the window closes."""
    gate, heard = threading.Event(), list[str]()

    def hang() -> list[Path]:
        gate.wait(20)
        return []

    usage = DiskUsage()
    usage.changed.connect(lambda: heard.extend(usage.usages))
    usage.measure({"hangs": hang})
    usage.measure({"answers": list})
    qtbot.waitUntil(lambda: heard == ["answers"])
    usage.measure({"hangs": hang})
    usage.close()
    gate.set()
    usage.measure({"was on its way": list})
    assert usage._task is not None
    usage._task.join()
    usage.close()
    qtbot.wait(10)
    assert heard == ["answers"], "what comes from a task that was given up is told to nobody"


def test_the_file_of_the_settings_has_what_was_chosen(
    preferences: Preferences, settings: Settings, tmp_path: Path
) -> None:
    preferences.act("start_with", "new")
    preferences.show_page("shortcuts")
    preferences.act("keys:new", "F5")
    written = json.loads((tmp_path / "settings.json").read_text())
    assert (written["start_with"], written["keys"]) == ("new", {"new": "F5"})
    assert Settings(tmp_path / "settings.json").values == replace(settings.values)
