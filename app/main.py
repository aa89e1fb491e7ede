"""The composition root: builds the program from its parts, shows it, and takes it down in order.

This is the one file that knows everybody.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import __version__
from app.conversation.store_thread import StoreThread
from app.first_paint import FirstPaint
from app.paths import Paths, guide_model, paths_in, resources, standard_paths, usable
from app.protocol.reports import Problem
from app.settings import SettingsFile
from app.viewmodels.controller import Controller
from app.widgets.application import Application
from app.widgets.look import Look
from app.widgets.main_window import MainWindow
from app.widgets.theme import DARK, LIGHT
from app.worker.engine_host import EngineHost
from app.worker.engine_thread import EngineFactory, local_engine

logger = logging.getLogger(__name__)

# Pixels. Below 64 the detailed drawing would be a smudge.
ICON_SIDES = (16, 32, 64, 128, 256, 512)
LEAST_DETAILED = 64


class Program(QObject):
    """One run of the program: a window, an engine, a database.

    Order of the end: the run is stopped, its words are saved, the engine's thread is joined, the database is closed,
    and the window goes last.
    """

    def __init__(self, paths: Paths, factory: EngineFactory = local_engine, notice: Problem | None = None) -> None:
        super().__init__()
        self.settings = SettingsFile(paths.settings, str(guide_model()))
        self.host = EngineHost(factory, self)
        self.controller = Controller(self.host, StoreThread(paths.database), self.settings, self)
        self.controller.warn(notice)
        state = self.settings.now.window
        hints = QApplication.styleHints()
        self.look = Look(DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT, state.body_size)
        self.look.dress_application()
        self.look.follow_system(hints)
        self.window = MainWindow(self.look, self.controller, state)
        self._first_paint = FirstPaint(self.window)
        self._first_paint.painted.connect(self.host.start)
        self._is_open = True

    def start(self, model: Path | None = None) -> None:
        """Show the window; read the conversations; once the window is painted, start the engine and load a model."""
        self.controller.start(self.settings.model if model is None else str(model))
        self.window.show()

    def close(self) -> None:
        """End everything, once."""
        if self._is_open:
            self._is_open = False
            self._first_paint.stop()
            self.settings.left(self.window.state())
            self.controller.close()
            self.window.close()
            self.window.deleteLater()


def run(model: Path | None, data: Path | None) -> int:
    """Run the program until its window is closed. Without a display, take the tour instead. Returns the exit status."""
    has_display = choose_platform()
    app = application()
    paths, notice = usable(standard_paths() if data is None else paths_in(data.absolute()))
    start_log(paths.logs)
    program = Program(paths, notice=notice)
    if not has_display:
        from app.tour import take_tour

        return take_tour(program, model)
    app.fileOpened.connect(program.window.open_path)
    app.aboutToQuit.connect(program.close)
    program.start(model)
    return app.exec()


def choose_platform() -> bool:
    """Whether there is a display. Where there is none, Qt is told to draw into memory."""
    if not sys.platform.startswith("linux") or "QT_QPA_PLATFORM" in os.environ:
        return True
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return False


def application() -> Application:
    """Qt's application, under our name."""
    QCoreApplication.setApplicationName("Espalier")
    QCoreApplication.setApplicationVersion(__version__)
    app = Application(sys.argv[:1])
    app.setWindowIcon(icon())
    return app


def icon() -> QIcon:
    """The program's icon; where it is small it is drawn simpler."""
    folder = resources() / "icon"
    found = QIcon()
    for side in ICON_SIDES:
        name = "espalier-small.svg" if side < LEAST_DETAILED else "espalier.svg"
        found.addPixmap(QIcon(str(folder / name)).pixmap(side, side))
    return found


def start_log(folder: Path) -> None:
    """Have what goes wrong written down: exceptions in espalier.log, crashes of libraries in crash.log."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(folder / "espalier.log", maxBytes=1_000_000, backupCount=3, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("app").addHandler(handler)
    logging.getLogger("app").setLevel(logging.INFO)
    sys.excepthook = _log_exception
    threading.excepthook = _log_thread_exception
    faulthandler.enable((folder / "crash.log").open("a", encoding="utf-8"))


def _log_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logger.critical("an exception that nobody caught", exc_info=(kind, error, trace))
    sys.__excepthook__(kind, error, trace)


def _log_thread_exception(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        _log_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
