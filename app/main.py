"""The composition root: builds the program from its parts, shows it, and takes it down in order.

This is the one file that knows everybody.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from functools import partial
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QCoreApplication, QDir, QObject, QUrl
from PySide6.QtGui import QDesktopServices, QIcon
from PySide6.QtWidgets import QApplication

from app import __version__
from app.conversation.store_thread import StoreThread
from app.launch.app_nap import AppNap
from app.launch.crash import LastRun
from app.launch.data_watch import DataWatch
from app.launch.environment import has_display
from app.launch.first_paint import FirstPaint
from app.launch.garbage import GarbageCollector
from app.launch.hang_watch import LAST_WORDS, ending_in_time, telling_when_slow
from app.launch.instance_server import InstanceServer
from app.launch.memory_pressure import MemoryWatch
from app.launch.options import Options
from app.launch.paths import NAME, Paths, guide_model, resources, sample, starters
from app.launch.single_instance import InstanceLock
from app.launch.start import Launch
from app.launch.startup_errors import QtMessages, show_problem
from app.launch.unix_signals import UnixSignals
from app.protocol.deadline import DeadlineCaller
from app.protocol.engine import EngineFactory
from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import GUIDE, Settings
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.window.appearance import Appearance
from app.widgets.window.application import Application
from app.widgets.window.main_window import MainWindow
from app.widgets.window.main_windows import MainWindows
from app.worker.engine_host import EngineHost
from app.worker.engine_thread import local_engine, server_engine
from app.worker.server_keys import ServerKeys

logger = logging.getLogger(__name__)

# Pixels. Below 64 the detailed drawing would be a smudge.
ICON_SIDES = (16, 32, 64, 128, 256, 512)
LEAST_DETAILED = 64
TURN = 0.0005  # seconds that a thread may keep Python from another one that waits for it


class Program(QObject):
    """One run of the program: windows, an engine, a database.

    Order of the end: the run is stopped, its words are saved, the engine's thread is joined, the database is closed,
    and the windows go last.
    """

    def __init__(
        self,
        paths: Paths,
        factory: EngineFactory = local_engine,
        notice: Problem | None = None,
        last: LastRun | None = None,
    ) -> None:
        """notice: what to say about the data folder. last: the run before, where it was not closed."""
        super().__init__()
        self._logs = paths.logs
        self._last = last
        self._instance_server: InstanceServer | None = None
        self.settings = Settings(paths.settings, self)
        self.folders = Folders(
            *(str(guide_model()), str(paths.snapshots), str(paths.downloads), str(starters())),
            database=str(paths.database),
            logs=str(paths.logs),
        )
        keys = ServerKeys.beside(str(paths.database))
        self.host = EngineHost(factory, self, servers=partial(server_engine, keys=keys))
        store = StoreThread(paths.database)
        self.workspace = Workspace(self.host, store, self.settings, self.folders, self)
        self.workspace.notices.error(notice)
        self.workspace.logWanted.connect(self.show_logs)
        self.workspace.cache.folderWanted.connect(self.show_cache_files)
        self.watch = DataWatch(paths.database, store.submit, self)
        self.watch.left.connect(self.workspace.notices.keep_telling)
        self.watch.returned.connect(self.workspace.notices.withdraw)
        self.memory_watch = MemoryWatch(self)
        self.memory_watch.changed.connect(self.workspace.cache.take_memory_pressure)
        self.app_nap = AppNap(self)
        self.host.happened.connect(self.app_nap.follow)
        self.style = Style(LIGHT, self.settings.values.body_size)
        self.appearance = Appearance(self.style, self.settings, QApplication.styleHints(), self)
        self._windows = Windows(self.workspace)
        self.windows = MainWindows(self.style, self.workspace, self._windows, self)
        self._reopens = last is None or not last.is_in_a_loop
        is_blank = self.settings.values.start_with == "new" or not self._reopens
        self.windows.open_left(at_most=1 if is_blank else None)
        self._first_paint = FirstPaint(self.window, self)
        self._first_paint.painted.connect(self.host.start)
        self._first_paint.painted.connect(_show_icon)
        self._first_paint.painted.connect(self._add_sample)
        self._is_open = True

    def start(self, model: Path | None = None) -> None:
        """Show the window; read the conversations; once the window is painted, start the engine and load a model.

        A model that was being opened when a run ended badly, or that ended the engine, is not opened by itself: the
        guide is. After two runs in a row that ended badly at their very beginning, no conversation is opened by itself
        either.
        """
        reopens, suspect, usual = self._reopens, self.settings.values.suspect, self.start_model
        if model is None and suspect:
            self.workspace.start(self.folders.guide if suspect == usual else usual, reopens, suspect)
        else:
            self.workspace.start(usual if model is None else str(model), reopens)
        if self._last is not None:
            self.workspace.tell_ended_badly(self._last.has_crashed, reopens)
        self.windows.show()

    @property
    def window(self) -> MainWindow:
        """The window that was activated last."""
        return self.windows.front

    @property
    def app(self) -> App:
        """The `App` of the front window."""
        front = self._windows.front
        assert front is not None
        return front

    @property
    def start_model(self) -> str:
        """The folder of the model that a start begins with: the chosen one, else the one that was used last."""
        chosen = self.settings.values.start_model or self.settings.values.model
        return self.folders.guide if chosen in ("", GUIDE) else chosen

    def answer_later_starts(self, lock: InstanceLock) -> None:
        """Let whoever starts the program again on this data folder have their paths opened here."""
        try:
            self._instance_server = InstanceServer(lock.listen(), self)
        except OSError as error:
            logger.warning("later starts will not be answered: %s", error)
            return
        self._instance_server.opened.connect(self._open_for_another)

    def show_logs(self) -> None:
        """Show the folder of logs and reports in the system's file manager, or say where it is."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._logs))):
            self.workspace.notices.error(Problem("The log", f"It is in {self._logs}."))

    def show_cache_files(self, folder: str) -> None:
        """Show the folder of the cached state on disk, or say where it is, or will be before any was written."""
        if not Path(folder).is_dir():
            sentence = f"It will lie in {folder}."
            self.workspace.notices.error(Problem("No cached state has been written yet", sentence))
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(folder)):
            self.workspace.notices.error(Problem("The cache files", f"They lie in {folder}."))

    def _open_for_another(self, paths: tuple[str, ...]) -> None:
        self.windows.come_forward()
        for path in paths:
            self.windows.open_path(path)

    def _add_sample(self) -> None:
        self.app.library.add_sample(sample())

    def close(self) -> None:
        """End everything, once."""
        if self._is_open:
            self._is_open = False
            self._first_paint.stop()
            self.watch.close()
            self.memory_watch.close()
            self.app_nap.close()
            if self._instance_server is not None:
                self._instance_server.close()
            self.windows.hide()
            with ending_in_time(self._logs):
                self.windows.save()
                self.workspace.close()
            self.style.formulas.close()
            self.windows.close()


def run(launch: Launch, options: Options) -> int:
    """Run the program until its window is closed. Without a display, take the tour instead. Returns the exit status."""
    is_seen = choose_platform()
    messages = QtMessages(launch.lock.release)
    try:
        app = application()
        collector = GarbageCollector(app)
        with telling_when_slow(launch.paths.data):
            program = Program(launch.paths, notice=launch.notice, last=launch.last)
        program.host.happened.connect(collector.follow)
        program.answer_later_starts(launch.lock)
        status = _show(app, program, options, messages) if is_seen else _take_tour(program, options)
    finally:
        messages.close()
    if program.workspace.is_stuck:
        leave(status, launch.lock)
    return status


def leave(status: int, lock: InstanceLock) -> NoReturn:
    """End the process although a thread of it hangs. To be called when everything has been saved and closed."""
    with contextlib.suppress(TimeoutError):
        DeadlineCaller("farewell", LAST_WORDS).call(lambda: _let_go(lock))
    os._exit(status)


def _let_go(lock: InstanceLock) -> None:
    """Let go of what still concerns a disk, which may be the one that hangs."""
    lock.release()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _show(app: Application, program: Program, options: Options, messages: QtMessages) -> int:
    """Show the window until it is closed."""
    signals = UnixSignals(program.windows.end, app)
    app.may_quit = program.windows.quit
    app.aboutToQuit.connect(program.close)
    program.start(options.model)
    for path in options.documents:
        program.windows.open_path(str(path.expanduser().absolute()))
    app.files.hand_to(program.windows.open_path)
    messages.started()
    status = app.exec()
    signals.close()
    if program.workspace.lost is not None:
        show_problem(program.workspace.lost)
    return status


def _take_tour(program: Program, options: Options) -> int:
    """Start the program, take the tour and close."""
    from app.launch.tour import take_tour

    program.start(options.model)
    try:
        return take_tour(program.app, program.window)
    finally:
        program.close()


def choose_platform() -> bool:
    """Return whether there is a display. Where there is none, Qt is told to draw into memory."""
    if has_display():
        return True
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return False


def application() -> Application:
    """Qt's application, under our name. From now on the threads of window and engine give Python over in short turns.

    Else each lets the other one wait for a third of a frame, again and again: the window while the engine reads a
    question, the model while the window paints.
    """
    sys.setswitchinterval(TURN)
    QCoreApplication.setApplicationName(NAME)
    QCoreApplication.setApplicationVersion(__version__)
    app = Application(sys.argv[:1])
    QDir.setSearchPaths("resources", [str(resources())])
    return app


def _show_icon() -> None:
    """Give all windows the program's icon. Its drawings take longer than a window does, so they come after one."""
    QApplication.setWindowIcon(icon())


def icon() -> QIcon:
    """Return the program's icon; where it is small it is drawn simpler."""
    folder = resources() / "icon"
    found = QIcon()
    for side in ICON_SIDES:
        name = "espalier-small.svg" if side < LEAST_DETAILED else "espalier.svg"
        found.addPixmap(QIcon(str(folder / name)).pixmap(side, side))
    return found
