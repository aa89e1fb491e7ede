"""What holds for every test: offline, offscreen, no thread left behind, no warning unheard."""

from __future__ import annotations

import tests.sealed  # before any other import

# isort: split
import tests.plain_imports  # noqa: F401 - before what it is for

# isort: split
import gc
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from weakref import ReferenceType, WeakSet

import pytest
from PySide6.QtCore import QCoreApplication, QDir, QEvent, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.conversation.store_thread import StoreThread
from app.launch.crash import LastRun
from app.launch.paths import paths_in, resources, usable
from app.main import Program
from app.rendering import process
from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.worker.engine_host import EngineHost
from app.worker.engine_thread import EngineThread, server_engine
from app.worker.server_keys import ServerKeys
from tests.fakes.engine import FakeEngine, Script
from tests.lanes import is_slow, is_slow_test

_GARBAGE = 5_000  # objects that were made and not let go of by themselves, after which cycles are looked for

_ROUNDS = 20  # of looking for them, in one of which what has survived one is looked at too: that takes long
_OLDEST = 2  # generation
_rounds = count(1)

_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30  # bytes

QUICK = "not slow"  # the marks of what `make check` runs

_LOUD = {QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg}
_HARMLESS = ("This plugin does not support",)


# A wait ends as soon as there is what is waited for: only a test that fails takes longer for it.
_PATIENCE = 30_000  # milliseconds, where a test says none: other programs may have the processor

_engine_threads: WeakSet[EngineThread] = WeakSet()
_start = EngineThread.start


def _start_and_note(thread: EngineThread) -> None:
    _engine_threads.add(thread)
    _start(thread)


EngineThread.start = _start_and_note  # type: ignore[assignment, method-assign]


for _wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals):
    _wait.__kwdefaults__["timeout"] = _PATIENCE


def pytest_configure() -> None:
    """Put the folders of tests into memory where there is room: on a disk, half of the time is spent on its writes."""
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run a process more than there are cores: one that waits for a thread, a timer or a child leaves its core free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what `make check` leaves out before it is imported, which takes as long as many of its tests."""
    return True if config.option.markexpr == QUICK and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make check` leaves out."""
    for item in items:
        if is_slow_test(item.path, getattr(item, "originalname", item.name)):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Let cycles be collected between tests alone: what is imported by now need not be looked at again."""
    gc.collect()
    gc.freeze()
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Let pytest-qt close only widgets that are still there, or one failure would be two.

    A test that fails keeps the objects of its windows in its traceback, also of those that Qt has deleted meanwhile.
    """
    known = getattr(item, "qt_widgets", [])
    known[:] = [(partial(_if_valid, reference), before_close) for reference, before_close in known]


def _if_valid(reference: ReferenceType[QWidget]) -> QWidget | None:
    widget = reference()
    return widget if widget is not None and isValid(widget) else None


@pytest.fixture(autouse=True)
def _garbage_goes_on_this_thread() -> Iterator[None]:
    """Take down here what a test leaves in cycles: no object of Qt may end on the thread of the store or the engine."""
    yield
    if gc.get_count()[0] > _GARBAGE:
        gc.collect(_OLDEST if next(_rounds) % _ROUNDS == 0 else _OLDEST - 1)


class NetworkBlockedError(Exception):
    """Something tried to leave this machine."""


def _is_local(family: int, address: object) -> bool:
    if family == getattr(socket, "AF_UNIX", None):
        return True
    host = address[0] if isinstance(address, tuple) else ""
    return host in {"localhost", "::1", "127.0.0.1"} or str(host).startswith("127.")


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Sockets and names reach this machine only."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex", "sendto"):
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, *arguments: object, original: Callable[..., object] = original) -> object:
            if not _is_local(self.family, arguments[-1]):
                raise NetworkBlockedError(f"a socket was to be opened to {arguments[-1]!r}")
            return original(self, *arguments)

        patch.setattr(socket.socket, name, guarded)
    look_up = socket.getaddrinfo

    def guarded_look_up(host: str | None, *arguments: object, **named: object) -> object:
        if not _is_local(socket.AF_INET, (host or "localhost",)):
            raise NetworkBlockedError(f"the address of {host!r} was asked for")
        return look_up(host, *arguments, **named)  # type: ignore[arg-type]

    patch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _no_qt_warning() -> Iterator[None]:
    """A warning of Qt's is a failure of the test that caused it."""
    heard: list[str] = []

    def listen(kind: QtMsgType, _context: object, message: str) -> None:
        if kind in _LOUD and not message.startswith(_HARMLESS):
            heard.append(message)

    before = qInstallMessageHandler(listen)
    yield
    qInstallMessageHandler(before)
    assert not heard, f"Qt warned: {heard}"


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """Threads that a test starts have ended when it ends. Python sees Qt's threads once they run Python code."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not _ends_soon(thread)]
    assert not left, f"threads left running: {left}"
    engines = [thread for thread in _engine_threads if isValid(thread) and thread.isRunning()]
    assert not engines, f"engines left running: {engines}"


@pytest.fixture(autouse=True)
def render_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Every process for templates that a test starts: all have ended when it ends."""
    started: list[subprocess.Popen[bytes]] = []
    start = process.start_process

    def start_and_note() -> subprocess.Popen[bytes]:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(process, "start_process", start_and_note)
    yield started
    left = [one.pid for one in started if one.poll() is None]
    assert not left, f"processes left running: {left}"


def _ends_soon(thread: threading.Thread) -> bool:
    """Whether it has ended after a moment; a thread of Qt's or of a library's own is a dummy that never tells."""
    if isinstance(thread, threading._DummyThread):
        return True
    thread.join(2)
    return not thread.is_alive()


@pytest.fixture(autouse=True)
def _shipped() -> Iterator[None]:
    """What ships with the program is found, as after `main.application`."""
    before = QDir.searchPaths("resources")
    QDir.setSearchPaths("resources", [str(resources())])
    yield
    QDir.setSearchPaths("resources", before)


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """Where this test's conversations lie."""
    return tmp_path / "data"


@pytest.fixture
def script() -> Script:
    """What the fake engine answers."""
    return Script()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """What is remembered from one app to the next."""
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which no program keeps a model yet."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def folders() -> Folders:
    """Where the scripted engine finds the guide and writes nothing."""
    return Folders("/models/guide", "/caches/snapshots")


@pytest.fixture
def make_app(
    qtbot: QtBot, data_folder: Path, script: Script, settings: Settings, folders: Folders
) -> Iterator[Callable[..., App]]:
    """Controllers over one data folder and a scripted engine, one after the other as a person starts the program."""
    made: list[App] = []

    def make(reopens: bool = True) -> App:
        while made:
            close_app(made.pop())
        servers = partial(server_engine, keys=ServerKeys.beside(folders.database))
        host = EngineHost(lambda sink: FakeEngine(sink, script), servers=servers)
        workspace = Workspace(host, StoreThread(data_folder / "conversations.db"), settings, folders)
        host.setParent(workspace)
        app = Windows(workspace).open()
        workspace.start(folders.guide, reopens)
        host.start()
        made.append(app)
        return app

    yield make
    script.go.set()
    script.load_gate.set()
    while made:
        close_app(made.pop())


def close_app(app: App) -> None:
    """End it as the program does, and let Qt delete it now rather than in another test."""
    app.workspace.close()
    app.workspace.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def program(qtbot: QtBot, data_folder: Path) -> Iterator[Program]:
    """The program as a person starts it: the real window, the guide model, an empty data folder."""
    program = Program(paths_in(data_folder))
    program.start()
    qtbot.waitExposed(program.window)
    yield program
    program.close()
    program.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def make_program(qtbot: QtBot, data_folder: Path, script: Script) -> Iterator[Callable[..., Program]]:
    """Programs over one data folder and a scripted engine, one after the other."""
    made: list[Program] = []

    def end() -> None:
        while made:
            program = made.pop()
            program.close()
            program.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def make(data: Path = data_folder, model: Path | None = None, last: LastRun | None = None) -> Program:
        end()
        paths, notice = usable(paths_in(data))
        made.append(Program(paths, lambda sink: FakeEngine(sink, script), notice, last))
        made[-1].start(model)
        qtbot.waitExposed(made[-1].window)
        return made[-1]

    yield make
    script.load_gate.set()
    end()


@pytest.fixture
def app(make_app: Callable[[], App]) -> App:
    """A app over a scripted engine and an empty data folder."""
    return make_app()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        is_mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_mounted = False
    if not is_mounted:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)  # also when a test that failed left files open
