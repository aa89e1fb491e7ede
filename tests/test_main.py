"""The program as a whole: how it begins, what it says when something is wrong, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app import __main__, __version__
from app.launch import selftest
from app.launch.crash import LastRun
from app.launch.options import parse_options
from app.launch.paths import paths_in
from app.launch.single_instance import HandOver, InstanceLock, lock_or_hand_over, try_lock
from app.main import ICON_SIDES, TURN, Program, choose_platform
from app.protocol.commands import ConfigureDiskCache, LoadModel
from app.widgets.window import main_windows
from tests.fakes.engine import Script

ROOT = Path(__file__).parent.parent
FIRST_PAINT = """
import sys
from pathlib import Path
from app.launch.environment import seal
seal()
from PySide6.QtCore import QEvent, QObject
from app.main import Program, application
from app.launch.paths import paths_in
from app.protocol.events import ModelReady
HEAVY = ("mlx", "mlx_lm", "transformers", "tokenizers", "app.engine")
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            print("painted", [name for name in HEAVY if name in sys.modules], flush=True)
            program.window.removeEventFilter(self)
        return False
    def hear(self, event):
        if isinstance(event, ModelReady):
            print("ready", "mlx_lm" in sys.modules, flush=True)
            print("turn", sys.getswitchinterval(), flush=True)
            print("icon", sorted(size.width() for size in app.windowIcon().availableSizes()), flush=True)
            program.close()
            app.quit()
app = application()
program = Program(paths_in(Path(sys.argv[1])))
watch = Watch()
program.window.installEventFilter(watch)
program.host.happened.connect(watch.hear)
program.start()
sys.exit(app.exec())
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=inherited | environment, capture_output=True, text=True, timeout=100, check=False
    )


def ask(qtbot: QtBot, program: Program, text: str) -> None:
    qtbot.waitUntil(lambda: program.app.state.now.activity.text.startswith("Ready"))
    program.app.chat.requests.send(text)
    qtbot.waitUntil(lambda: [row.text for row in program.app.chat.chat_model.rows][-1:] == [f"You said: {text}"])
    qtbot.waitUntil(lambda: program.app.state.now.activity.text.startswith("Ready"))


def test_the_window_is_painted_before_the_engine_is_imported(tmp_path: Path) -> None:
    done = run("-c", FIRST_PAINT, str(tmp_path / "data"), QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["painted []", "ready True", f"turn {TURN}", f"icon {sorted(ICON_SIDES)}"]


def test_version_and_misspelt_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parse_options(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out.strip() == f"Espalier {__version__}"
    with pytest.raises(SystemExit) as left:
        parse_options(["--modle", "x"])
    assert left.value.code == 2


def test_the_self_test_needs_no_qt() -> None:
    imports = "import sys; from app import __main__; from app.launch import selftest"
    code = f"{imports}; print([m for m in sys.modules if m.startswith('PySide6')])"
    assert run("-c", code).stdout.strip() == "[]"


def test_the_self_test_says_what_is_wrong_with_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, bool]] = []
    monkeypatch.setattr(selftest, "run", lambda model, on_cpu: asked.append((model, on_cpu)) or 0)
    assert __main__.main(["--self-test", "--data", str(tmp_path / "fine"), "--model", str(tmp_path)]) == 0
    assert __main__.main(["--self-test", "--cpu", "--model", str(tmp_path)]) == 0
    assert asked == [(str(tmp_path), False), (str(tmp_path), True)]
    assert capsys.readouterr().err == ""
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "conversations.db").write_bytes(b"no database" * 1000)
    __main__.main(["--self-test", "--data", str(tmp_path / "damaged")])
    assert "damaged" in capsys.readouterr().err
    (tmp_path / "file").write_text("in the way")
    __main__.main(["--self-test", "--data", str(tmp_path / "file")])
    assert "may not write" in capsys.readouterr().err


def test_without_a_display_qt_draws_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert not choose_platform()
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", ":0")
    assert choose_platform()
    assert "QT_QPA_PLATFORM" not in os.environ


@pytest.mark.parametrize(
    ("platform", "is_seen"),
    [("offscreen", False), ("minimal:enable_fonts", False), ("xcb", True), ("cocoa", True), ("vnc:size=1x1", True)],
)
def test_a_platform_set_by_hand(monkeypatch: pytest.MonkeyPatch, platform: str, is_seen: bool) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert choose_platform() is is_seen
    assert os.environ["QT_QPA_PLATFORM"] == platform


def test_the_tour_without_a_display(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    inherited = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "QT_QPA_PLATFORM"}}
    done = subprocess.run(
        [sys.executable, "-m", "app", "--data", str(tmp_path / "data")],
        cwd=tmp_path / "home",
        env=inherited | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "* You: What is a branch?" in done.stdout
    assert "  You: Tell me a story about a fox" in done.stdout
    assert "edges," in done.stdout
    assert len(list((tmp_path / "home" / "build" / "shots").glob("*.png"))) == 4


def test_the_tour_fails_where_the_model_does(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "QT_QPA_PLATFORM"}}
    done = subprocess.run(
        [sys.executable, "-m", "app", "--data", str(tmp_path / "data"), "--model", str(tmp_path / "gone")],
        cwd=tmp_path,
        env=inherited | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert "The tour failed" in done.stderr
    assert str(tmp_path / "gone") in done.stderr


def test_a_damaged_database_is_told_and_the_program_goes_on(
    qtbot: QtBot, make_program: Callable[..., Program], data_folder: Path
) -> None:
    data_folder.mkdir()
    (data_folder / "conversations.db").write_bytes(b"no database" * 1000)
    program = make_program()
    qtbot.waitUntil(lambda: program.app.notices.now.text != "")
    assert program.window.chat.banner.isVisible()
    ask(qtbot, program, "Still there?")
    kept = [path for path in data_folder.glob("*.*") if path.read_bytes() == b"no database" * 1000]
    assert len(kept) == 1


def test_a_data_folder_that_cannot_be_used_is_told_and_the_program_goes_on(
    qtbot: QtBot, make_program: Callable[..., Program], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    program = make_program(tmp_path / "file")
    assert "may not write" in program.app.notices.now.text
    ask(qtbot, program, "Still there?")


def test_a_second_start_finds_window_and_words(qtbot: QtBot, make_program: Callable[..., Program]) -> None:
    first = make_program()
    ask(qtbot, first, "Remember me")
    first.window.resize(880, 610)
    first.window.do("bigger")
    again = make_program()
    qtbot.waitUntil(lambda: len(again.app.chat.chat_model.rows) == 2)
    assert (again.window.width(), again.window.height()) == (880, 610)
    assert again.style.typography.body == 15


def test_a_program_that_is_killed_finds_its_window(
    qtbot: QtBot, make_program: Callable[..., Program], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_windows, "SAVED_EVERY_MS", 20)
    program = make_program()
    qtbot.waitUntil(lambda: program.app.state.now.activity.text.startswith("Ready"))
    program.window.inspector.show_pane("settings")
    stored = paths_in(data_folder).settings
    qtbot.waitUntil(lambda: window_of(stored).get("pane") == "settings")
    before = stored.stat().st_mtime_ns
    qtbot.wait(100)
    assert stored.stat().st_mtime_ns == before, "written again although nothing has changed"


def window_of(settings: Path) -> dict[str, Any]:
    """What a file of settings says of the only window."""
    found = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    return dict(*found.get("windows", []))


def test_a_model_named_at_the_start_is_opened_and_its_absence_told(
    qtbot: QtBot, make_program: Callable[..., Program], script: Script, tmp_path: Path
) -> None:
    script.broken.add(str(tmp_path / "gone"))
    program = make_program(model=tmp_path / "gone")
    qtbot.waitUntil(lambda: program.app.chat.state.now.card is not None)
    assert program.window.chat.composer_area.problem.isVisible()


@pytest.fixture
def lock(data_folder: Path) -> Iterator[InstanceLock]:
    """The lock on the data folder, as `app.launch.start` makes it."""
    data_folder.mkdir(parents=True, exist_ok=True)
    lock = try_lock(data_folder, __version__)
    assert lock is not None
    yield lock
    lock.release()


def test_a_later_start_has_its_paths_opened_here(
    qtbot: QtBot,
    make_program: Callable[..., Program],
    script: Script,
    data_folder: Path,
    tmp_path: Path,
    lock: InstanceLock,
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "ä talk.espalier").write_text("{}")
    program = make_program()
    opened: list[str] = []
    program.window.documentOpened.connect(opened.append)
    program.answer_later_starts(lock)
    program.window.showMinimized()
    answers: list[object] = []
    paths = [tmp_path / "model", tmp_path / "ä talk.espalier"]
    later = threading.Thread(target=lambda: answers.append(lock_or_hand_over(data_folder, __version__, paths)))
    later.start()
    qtbot.waitUntil(lambda: opened == [str(paths[1])])
    later.join()
    assert answers == [HandOver.OPENED]
    assert not program.window.isMinimized()
    qtbot.waitUntil(lambda: str(paths[0]) in [one.path for one in script.commands if isinstance(one, LoadModel)])


def test_where_nobody_can_listen_the_program_goes_on(
    qtbot: QtBot, make_program: Callable[..., Program], lock: InstanceLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr(lock, "listen", refuse)
    program = make_program()
    program.answer_later_starts(lock)
    ask(qtbot, program, "Still there?")


def test_after_a_crash_the_banner_shows_the_log_s_folder(
    qtbot: QtBot, make_program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    ask(qtbot, make_program(), "Before")
    program = make_program(last=LastRun(1.0, 200.0, True, None))
    qtbot.waitUntil(lambda: [row.text for row in program.app.chat.chat_model.rows] == ["Before", "You said: Before"])
    assert not program.window.chat.composer_area.problem.isVisible()
    banner, shown = program.window.chat.banner, list[str]()
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()) or True)
    banner.action.click()
    assert shown == [str(data_folder / "logs")]
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    banner.action.click()
    assert str(data_folder / "logs") in program.app.notices.now.text


def test_after_one_crash_soon_after_the_start_the_window_is_as_it_was(
    qtbot: QtBot, make_program: Callable[..., Program]
) -> None:
    ask(qtbot, make_program(), "Before")
    program = make_program(last=LastRun(1.0, 2.0, True, None, short_runs=1))
    qtbot.waitUntil(lambda: [row.text for row in program.app.chat.chat_model.rows] == ["Before", "You said: Before"])
    assert program.app.notices.now.text.startswith("Espalier crashed last time. Everything you said is saved")
    assert "choose one" not in program.app.notices.now.text


def test_after_two_crashes_soon_after_the_start_no_conversation_is_opened(
    qtbot: QtBot, make_program: Callable[..., Program]
) -> None:
    ask(qtbot, make_program(), "Before")
    program = make_program(last=LastRun(1.0, 2.0, True, None, short_runs=2))
    rows = program.app.library.conversation_model
    qtbot.waitUntil(lambda: sum(not row.is_branch for row in rows.rows) == 3)  # and the sample
    assert not program.app.chat.chat_model.rows
    assert "choose one" in program.app.notices.now.text


def test_the_menu_shows_the_folder_of_the_cache_s_files(
    make_program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    program, files = make_program(), data_folder / "caches" / "snapshots"
    shown: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    program.window.menus.actions["show_files"].trigger()
    assert not shown
    assert f"It will lie in {files}." in program.app.notices.now.text
    files.mkdir(parents=True)
    program.window.menus.actions["show_files"].trigger()
    assert shown == [str(files)]
    assert f"They lie in {files}." in program.app.notices.now.text


def test_a_program_with_an_engine_that_writes_nothing_makes_no_folder_for_it(
    qtbot: QtBot, make_program: Callable[..., Program], script: Script, data_folder: Path
) -> None:
    program = make_program()
    ask(qtbot, program, "Still there?")
    assert [one for one in script.commands if isinstance(one, ConfigureDiskCache)] == [
        ConfigureDiskCache(str(data_folder / "caches" / "snapshots"))
    ]
    assert not (data_folder / "caches" / "snapshots").exists()


def test_closing_while_a_model_loads(make_program: Callable[..., Program], script: Script) -> None:
    script.load_gate.clear()
    program = make_program()
    program.app.chat.requests.send("Never answered")
    program.close()
    program.close()
    assert not program.window.isVisible()


def test_a_model_that_ended_the_engine_is_not_opened_by_itself_again(
    qtbot: QtBot, make_program: Callable[..., Program], script: Script
) -> None:
    """The guide is, and a sentence says why, with a way to open it all the same."""
    program = make_program(model=Path("/models/one"))
    ask(qtbot, program, "Well?")
    script.crash = "Crash"
    program.app.chat.requests.send("Crash")
    qtbot.waitUntil(lambda: program.app.chat.state.now.card is not None)
    script.commands.clear()
    program.close()
    again = make_program()
    card = again.app.chat.state.now.card
    assert card is not None
    assert "one was not opened" in card.title
    ask(qtbot, again, "Still there?")
    guide = again.folders.guide
    assert [command.path for command in script.commands if isinstance(command, LoadModel)] == [guide]
    again.app.act(card.action_id)
    qtbot.waitUntil(lambda: again.settings.values.model == "/models/one")
    assert again.app.chat.state.now.card is None
    again.close()
    assert make_program().app.chat.state.now.card is None


def test_a_start_begins_with_the_model_that_was_chosen_for_it(
    qtbot: QtBot, make_program: Callable[..., Program], script: Script
) -> None:
    """Whichever was used last; the guide lies elsewhere in each version, and is chosen by a name."""
    program = make_program(model=Path("/models/one"))
    ask(qtbot, program, "Well?")
    guide = program.folders.guide
    for chosen, wanted in (("/models/two", "/models/two"), ("guide", guide), ("", guide)):
        program.settings.update(start_model=chosen)
        script.commands.clear()
        program = make_program()
        ask(qtbot, program, "Still there?")
        assert [one.path for one in script.commands if isinstance(one, LoadModel)] == [wanted]


DEATH_OR_HANG = """
import os, sys, threading, time
from functools import partial
from pathlib import Path
from app.launch.environment import seal
seal()
from PySide6.QtCore import QTimer
from app import main
from app.main import Program
from app.launch.single_instance import InstanceLock, try_lock
from app.launch.paths import paths_in
from app.viewmodels.kit import settings
from app.conversation.database import Database
from app.protocol.commands import Generate, LoadModel
from app.launch.options import Options
from app.launch.start import Launch
from app.worker.engine_host import EngineHost
from tests.fakes.engine import FakeEngine, Script

data, what = Path(sys.argv[1]), sys.argv[2]
script = Script()

class Engine(FakeEngine):
    def _load(self, command):
        if what == "abort" and command.path == "/models/deadly":
            os.abort()
        super()._load(command)
    def _step(self, run):
        time.sleep(1000 if what == "hang" and len(run.ids) == 3 else 0.05)
        super()._step(run)

Engine_init = Program.__init__
Program.__init__ = lambda self, *a, **named: Engine_init(self, *a, factory=lambda sink: Engine(sink, script), **named)
start = Program.start
def begin(self, model=None):
    start(self, model)
    def go():
        is_ready = self.app.state.now.activity.text.startswith("Ready")
        if what == "abort" and is_ready:
            self.app.model.open("/models/deadly")
        elif what == "disk" and is_ready and not self.app._store._pending:
            for owner, name in ((Database, "writing"), (settings, "write_whole"), (InstanceLock, "release")):
                setattr(owner, name, lambda *_: threading.Event().wait())
            self.app._store._patience = 0.3
            self.app.chat.open_draft.write("half a thought")
            self.window.close()
        elif what == "hang" and is_ready:
            self.app.chat.requests.send("one two three four five")
        elif what == "hang" and any(one.tokens == 3 for one in self.app.chat.questions.at_engine):
            print("quit", flush=True)
            self.window.close()
        else:
            return
    self.timer = QTimer(self, interval=50)
    self.timer.timeout.connect(go)
    self.timer.start()
Program.start = begin
data.mkdir(exist_ok=True)
paths = paths_in(data)
main.choose_platform = lambda: True
main.EngineHost = partial(EngineHost, patience=0.3)
sys.exit(main.run(Launch(paths, try_lock(data, "1"), None, None), Options()))
"""


def test_a_model_that_ends_the_process_while_it_opens_is_remembered(
    qtbot: QtBot, make_program: Callable[..., Program], data_folder: Path
) -> None:
    done = run("-c", DEATH_OR_HANG, str(data_folder), "abort", QT_QPA_PLATFORM="offscreen")
    assert done.returncode < 0, done.stderr
    program = make_program()
    card = program.app.chat.state.now.card
    assert card is not None
    assert "deadly was not opened" in card.title


def test_a_forward_that_never_returns_does_not_keep_the_program_from_ending(
    qtbot: QtBot, make_program: Callable[..., Program], data_folder: Path
) -> None:
    done = run("-c", DEATH_OR_HANG, str(data_folder), "hang", QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 0, done.stderr
    program = make_program()
    qtbot.waitUntil(lambda: bool(program.app.chat.chat_model.rows))
    texts = [row.text for row in program.app.chat.chat_model.rows]
    assert texts == ["one two three four five", "You said: one"]


def test_a_disk_that_hangs_does_not_keep_the_program_from_ending(
    qtbot: QtBot,
    make_program: Callable[..., Program],
    data_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither the database answers, nor the settings, nor the lock; what was typed is there at the next start."""
    done = run("-c", DEATH_OR_HANG, str(data_folder), "disk", QT_QPA_PLATFORM="offscreen", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = make_program()
    app = program.app
    qtbot.waitUntil(lambda: program.window.chat.composer.edit.toPlainText() == "half a thought")
    assert "saved now" in app.notices.now.text
