"""What the Cache menu does about files and pins, through the app and a scripted engine."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.store_thread import StoreThread
from app.protocol.commands import ClearDiskCache, Command, ConfigureDiskCache, EraseOwner, LoadModel, Pin, SetBudget
from app.protocol.events import TrieChanged
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.budgets import DISK_BUDGETS, disk_budget_of
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.worker.engine_host import EngineHost
from tests.conftest import close_app
from tests.fakes.engine import FakeEngine, Script
from tests.widgets.samples import NODES

FOLDER = "/caches/snapshots"
WELL = TrieView(1, disk_bytes=4_600_000_000, disk_allowed_bytes=20_000_000_000)


def ready(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))


def asked(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    app.chat.requests.send("hello")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2 and not app.chat.state.now.can_stop)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def of_kind(script: Script, *kinds: type[Command]) -> list[Command]:
    return [command for command in script.commands if isinstance(command, kinds)]


def test_disk_budgets_are_known_by_their_ids() -> None:
    assert [disk_budget_of(budget.id) for budget in DISK_BUDGETS] == list(DISK_BUDGETS)
    assert disk_budget_of("16 GB").bytes == 16_000_000_000, "an amount of one's own"
    for nonsense in ("0 GB", "0.0 GB", "-1 GB", "99999 GB", "1e3 GB", "1.25 GB", "GB", "none", "nan GB"):
        assert disk_budget_of(nonsense) is DISK_BUDGETS[0]
    assert [budget.bytes for budget in DISK_BUDGETS][:2] == [None, 5_000_000_000]
    assert DISK_BUDGETS[-1].bytes == 0


def test_the_engine_knows_the_disk_before_its_first_model(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, settings: Settings, folders: Folders
) -> None:
    settings.update(disk_budget="50 GB", keeps_every_fork=True)
    ready(qtbot, make_app())
    assert of_kind(script, ConfigureDiskCache, LoadModel) == [
        ConfigureDiskCache(FOLDER, 50_000_000_000, True),
        LoadModel(folders.guide),
    ]


def test_an_engine_that_is_started_again_is_told_too(
    qtbot: QtBot, app: App, script: Script, settings: Settings, folders: Folders
) -> None:
    script.crash = "die"
    ready(qtbot, app)
    app.chat.requests.send("die")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    script.commands.clear()
    app.model.restart_engine()
    ready(qtbot, app)
    assert of_kind(script, ConfigureDiskCache, LoadModel) == [ConfigureDiskCache(FOLDER), LoadModel(folders.guide)]


def test_without_a_folder_nothing_is_said_of_the_disk(
    qtbot: QtBot, data_folder: Path, script: Script, settings: Settings
) -> None:
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    workspace = Workspace(host, StoreThread(data_folder / "conversations.db"), settings, Folders("/models/guide"))
    app = Windows(workspace).open()
    workspace.start("/models/guide")
    host.start()
    asked(qtbot, app)
    assert not of_kind(script, ConfigureDiskCache)
    assert not {"show_files", "keep_every_fork", "delete_files"} & enabled(app.state.now)
    assert app.cache.state.now.disk_trouble is None
    close_app(app)


def test_a_disk_budget_holds_at_once_and_is_remembered(
    qtbot: QtBot, app: App, script: Script, settings: Settings, folders: Folders
) -> None:
    ready(qtbot, app)
    settings.update(disk_budget="10 GB")
    assert script.commands[-1] == ConfigureDiskCache(FOLDER, 10_000_000_000)
    assert not app.notices.now.text
    app.act("keep_every_fork")
    assert script.commands[-1] == ConfigureDiskCache(FOLDER, 10_000_000_000, True)
    assert settings.values.keeps_every_fork
    settings.update(disk_budget="off")
    assert script.commands[-1] == ConfigureDiskCache(FOLDER, 0, True)
    assert app.notices.now.text == disk_text.OFF
    qtbot.waitUntil(lambda: app.cache.view.disk_allowed_bytes == 0)
    assert app.cache.state.now.disk_trouble is None, "it is wanted so"
    app.act("keep_every_fork")
    assert not settings.values.keeps_every_fork


def test_a_branch_is_pinned_and_let_go(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    assert not {"pin", "unpin"} & enabled(app.state.now)
    asked(qtbot, app)
    qtbot.waitUntil(lambda: "pin" in enabled(app.state.now))
    assert "unpin" not in enabled(app.state.now)
    app.act("pin")
    qtbot.waitUntil(lambda: "unpin" in enabled(app.state.now))
    assert "pin" not in enabled(app.state.now), "all that is held is pinned"
    qtbot.waitUntil(lambda: bool(app.notices.now.text))
    assert plain(app.notices.now.text) == (
        "Pinned: 7 tokens of this branch stay, whatever needs room, also after a restart."
    )
    assert app.notices.now.is_good
    app.chat.requests.send("and on")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 4 and not app.chat.state.now.can_stop)
    qtbot.waitUntil(lambda: {"pin", "unpin"} <= enabled(app.state.now))
    app.library.new_conversation()
    qtbot.waitUntil(lambda: not {"pin", "unpin"} & enabled(app.state.now))
    commands = [one for one in of_kind(script, Pin) if isinstance(one, Pin)]
    assert commands
    for command in commands:  # what is pinned is asked for again after an answer
        assert command.is_pinned
        assert [turn.text for turn in command.turns] == ["hello", "You said: hello"]


def test_unpinning_says_so(qtbot: QtBot, app: App) -> None:
    asked(qtbot, app)
    app.act("pin")
    qtbot.waitUntil(lambda: "unpin" in enabled(app.state.now))
    app.act("unpin")
    qtbot.waitUntil(lambda: app.notices.now.text.startswith("No longer"))
    qtbot.waitUntil(lambda: "pin" in enabled(app.state.now))
    assert plain(app.notices.now.text).startswith("No longer pinned: 7 tokens")
    assert "unpin" not in enabled(app.state.now)


def test_what_cannot_be_pinned_is_told(qtbot: QtBot, app: App, script: Script) -> None:
    script.pin_problem = Problem("There is no room to pin it", "Raise the budget.")
    asked(qtbot, app)
    app.act("pin")
    qtbot.waitUntil(lambda: app.notices.now.text == "There is no room to pin it. Raise the budget.")
    assert app.notices.now.is_refusal


def test_nothing_is_pinned_while_an_answer_is_written(qtbot: QtBot, app: App, script: Script) -> None:
    script.hold = 1
    ready(qtbot, app)
    app.chat.requests.send("hello")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2 and app.chat.state.now.can_stop)
    assert not {"pin", "unpin"} & enabled(app.state.now)


def test_the_open_conversation_is_forgotten_and_no_other(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    assert "forget_cache" not in enabled(app.state.now)
    asked(qtbot, app)
    app.act("forget_cache")
    (command,) = of_kind(script, EraseOwner)
    assert command == EraseOwner(app.library.tree.conversation_id)
    assert app.notices.now.text == disk_text.FORGOTTEN
    assert [row.text for row in app.chat.chat_model.rows] == ["hello", "You said: hello"]


def test_files_are_deleted_on_a_yes(qtbot: QtBot, app: App, script: Script) -> None:
    script.disk_bytes = 4_600_000_000
    asked(qtbot, app)
    assert app.cache.view.disk_bytes
    said = plain(disk_text.deletion(app.cache.view, FOLDER))
    assert said.startswith(f"All cached state in {FOLDER}, 4.6 GB, is deleted")
    assert "Conversations are safe" in said
    app.cache.delete_files()
    assert of_kind(script, ClearDiskCache)
    assert app.notices.now.text == disk_text.DELETED
    qtbot.waitUntil(lambda: app.cache.view.disk_bytes == 0)


def test_the_folder_is_asked_for(qtbot: QtBot, app: App) -> None:
    with qtbot.waitSignal(app.cache.folderWanted) as wanted:
        app.act("show_files")
    assert wanted.args == [FOLDER]


def test_a_full_disk_is_told_once_and_again_when_it_comes_back(qtbot: QtBot, app: App, script: Script) -> None:
    asked(qtbot, app)
    told = list[str]()
    app.notices.announced.connect(told.append)
    full = replace(WELL, disk_problem=os.strerror(errno.ENOSPC))
    for view in (WELL, full, full):
        app.cache.take(TrieChanged(view))
    assert "The disk is full" in app.notices.now.text
    app.cache.take(TrieChanged(WELL))
    assert "The disk is full" not in app.notices.now.text
    app.cache.take(TrieChanged(full))
    assert [sum("The disk is full" in text for text in told)] == [2]
    assert "The disk is full" in app.notices.now.text
    assert not app.notices.now.is_good


@pytest.mark.parametrize(
    ("view", "title"),
    [
        (WELL, None),
        (TrieView(0), None),
        (replace(WELL, disk_problem=os.strerror(errno.ENOSPC)), "The disk is full: snapshots are off"),
        (replace(WELL, disk_problem=os.strerror(errno.EACCES)), "Snapshots cannot be written"),
        (replace(WELL, disk_allowed_bytes=0), "Little space is left on the disk: snapshots are off"),
    ],
)
def test_what_stands_in_the_way_of_the_disk(view: TrieView, title: str | None) -> None:
    found = disk_text.trouble(view, is_wanted=True)
    assert (found.title if found else None) == title
    assert disk_text.trouble(view, is_wanted=False) is None
    if found is not None:
        assert "onversations" in found.sentence


def test_dropped_files_are_counted() -> None:
    assert [plain(disk_text.dropped(replace(WELL, dropped_files=n))) for n in (0, 1, 1200)] == [
        "",
        "1 cache file was dropped",
        "1 200 cache files were dropped",
    ]


def test_files_that_move_are_deleted_first_and_the_model_is_opened_again(
    qtbot: QtBot, app: App, script: Script, settings: Settings, folders: Folders, tmp_path: Path
) -> None:
    """It takes its files from one place as long as it is open; what it costs is said by whoever asks."""
    ready(qtbot, app)
    script.commands.clear()
    app.cache.move_files(str(tmp_path))
    ready(qtbot, app)
    wanted = str(tmp_path / "Espalier Cache")
    done = [ClearDiskCache(), ConfigureDiskCache(wanted), LoadModel(folders.guide)]
    qtbot.waitUntil(lambda: of_kind(script, ClearDiskCache, ConfigureDiskCache, LoadModel) == done)
    assert app.cache.state.now.folder == wanted
    app.cache.move_files(str(tmp_path))
    assert of_kind(script, ClearDiskCache, ConfigureDiskCache, LoadModel) == done, "they lie there already"
    app.cache.move_files("")
    assert settings.values.cache_folder == ""
    assert app.cache.state.now.folder == FOLDER


def test_a_folder_whose_name_is_no_text_is_refused_and_nothing_is_deleted(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    app.cache.move_files("/disk/\udcff")
    assert app.cache.state.now.folder == FOLDER
    assert not of_kind(script, ClearDiskCache)
    assert "stay where they are" in app.notices.now.text


def test_the_cache_shrinks_while_memory_is_short_and_grows_back(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    asked(qtbot, app)
    view = app.cache.view
    app.cache.take(TrieChanged(replace(view, live_bytes=300_000_000, paged_bytes=100_000_000)))
    app.cache.take_memory_pressure(2)
    assert script.commands[-1] == SetBudget(200_000_000)
    assert "at most 200\u00a0MB" in app.notices.now.text
    app.cache.take_memory_pressure(4)
    assert script.commands[-1] == SetBudget(100_000_000)
    settings.update(budget="1 GB")
    assert script.commands[-1] == SetBudget(100_000_000), "what is chosen meanwhile waits"
    app.cache.take_memory_pressure(1)
    assert script.commands[-1] == SetBudget(1_000_000_000)
    assert app.notices.now.text == ""


def test_a_little_is_held_however_short_memory_is(qtbot: QtBot, app: App, script: Script) -> None:
    asked(qtbot, app)
    app.cache.take(TrieChanged(replace(app.cache.view, live_bytes=10, paged_bytes=10)))
    app.cache.take_memory_pressure(4)
    assert script.commands[-1] == SetBudget(64_000_000)


def test_another_notice_is_left_alone_when_memory_is_there_again(qtbot: QtBot, app: App) -> None:
    asked(qtbot, app)
    app.cache.take_memory_pressure(2)
    app.notices.info("Something else.")
    app.cache.take_memory_pressure(1)
    assert app.notices.now.text == "Something else."


def test_a_model_that_is_opened_while_memory_is_short_is_told(
    qtbot: QtBot, app: App, script: Script, folders: Folders
) -> None:
    ready(qtbot, app)
    app.cache.take_memory_pressure(2)
    script.commands.clear()
    app.model.open(folders.guide)
    qtbot.waitUntil(lambda: SetBudget(64_000_000) in script.commands)


def test_rows_stay_with_what_files_hold_of_them_when_the_engine_fails(qtbot: QtBot, app: App, script: Script) -> None:
    asked(qtbot, app)
    app.cache.take(TrieChanged(replace(WELL, nodes=(*NODES, replace(NODES[3], id=99, disk_bytes=7)), live_bytes=9)))
    happened = app.cache.event_model.rows
    script.deadly.add("/models/deadly")
    app.model.open("/models/deadly")
    qtbot.waitUntil(lambda: app.model.current_model.info is None and app.model.current_model.loading is None)
    left = app.cache.view
    assert [node.label for node in left.nodes[:-1]] == [node.label for node in NODES]
    assert {node.residency for node in left.nodes[:-1]} == {"none"}
    assert (left.nodes[-1].residency, left.nodes[-1].held_bytes) == ("disk", 7)
    assert (left.live_bytes, left.disk_bytes) == (0, WELL.disk_bytes)
    assert app.cache.event_model.rows == happened
    app.edges.wake()
    app.edges.show_others(True)
    app.edges.choose(99)
    assert not {"evict_row", "pin_row", "warm_up_row", "show_row"} & enabled(app.state.now)
    script.deadly.clear()
    app.model.restart_engine()
    qtbot.waitUntil(lambda: app.model.current_model.info is not None)
    assert not app.cache.view.nodes


@pytest.mark.parametrize(
    "forget", [lambda app: app.cache.delete_files(), lambda app: app.settings.update(disk_budget="off")]
)
def test_what_is_left_of_a_closed_model_goes_with_its_files(
    qtbot: QtBot, app: App, script: Script, forget: Callable[[App], object]
) -> None:
    asked(qtbot, app)
    app.cache.take(TrieChanged(replace(WELL, nodes=NODES)))
    script.deadly.add("/models/deadly")
    app.model.open("/models/deadly")
    qtbot.waitUntil(lambda: app.model.current_model.info is None and app.model.current_model.loading is None)
    assert app.cache.view.nodes
    forget(app)
    qtbot.waitUntil(lambda: not app.cache.view.nodes)
