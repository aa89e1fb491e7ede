"""The errors that keep the program from beginning, or going on, shown by whatever can still show a sentence.

Qt's message box where Qt works; else the system's own alert; and on standard error in any case. Qt is imported only
here and late, because its absence is one of the things to be told.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.launch.crash import LOG, start_log
from app.launch.environment import has_display
from app.launch.paths import NAME, NowhereError
from app.protocol.reports import Problem

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

logger = logging.getLogger(__name__)

NO_WINDOW = "Espalier cannot open a window"
_ALERT = (
    "on run words",
    "display alert (item 1 of words) message (item 2 of words) as critical",
    "end run",
)


def show_problem(problem: Problem) -> None:
    """Show a problem in a window of its own and wait until that is closed. Without a display, print it only."""
    print_problem(problem)
    if not has_display():
        return
    try:
        _show_box(problem)
    except ImportError:
        show_alert(problem)


def show_failure(error: Exception, logs: Path) -> None:
    """Log an exception that ended the start, and show what it was and where the log lies."""
    if not logging.getLogger("app").handlers:
        start_log(logs)
    logger.critical("could not start", exc_info=error)
    _say_trace(error)
    show_problem(problem_of(error, logs))


def problem_of(error: Exception, logs: Path) -> Problem:
    """Return the problem to show for an exception that ends the program before there is a window."""
    if isinstance(error, NowhereError):
        return Problem("Espalier cannot start", str(error))
    if isinstance(error, ImportError):
        cause = f"A part of the program is missing or broken ({error}). Install Espalier again."
    else:
        cause = f"Something unexpected happened ({type(error).__name__}: {error})."
    log = logs / LOG
    where = f" What happened is written down in {log}." if log.is_file() else ""
    return Problem("Espalier could not start", f"{cause} Your conversations were not touched.{where}")


def show_alert(problem: Problem) -> None:
    """Show the system's own alert, where it has one; for when Qt cannot show a window."""
    command = _alert_command(problem)
    if command:
        silence = subprocess.DEVNULL
        subprocess.run(command, check=False, stdout=silence, stderr=silence)  # noqa: S603 - a command of this module


def _alert_command(problem: Problem) -> Sequence[str]:
    if sys.platform == "darwin":
        script = [part for line in _ALERT for part in ("-e", line)]
        return ["/usr/bin/osascript", *script, problem.title, problem.sentence]
    words = f"{problem.title}\n\n{problem.sentence}"
    for name, *options in (
        ("zenity", "--error", "--no-markup", f"--title={NAME}", f"--text={words}"),
        ("kdialog", "--title", NAME, "--error", words),
        ("xmessage", "-center", "-title", NAME, words),
    ):
        program = shutil.which(name)
        if program is not None:
            return [program, *options]
    return []


def _show_box(problem: Problem) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QMessageBox

    app = QApplication.instance() or QApplication([NAME])
    box = QMessageBox(QMessageBox.Icon.Warning, NAME, problem.title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(problem.sentence)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.exec()
    app.processEvents()


class QtMessages:
    """A handler that logs what Qt says. While the program begins, Qt's last words are shown in a window.

    Qt ends the process by itself where it cannot reach a display: an abort, without an exception to catch.
    """

    def __init__(self, release: Callable[[], None]) -> None:
        """Handle Qt's messages from now on. release: lets the data folder go before the process ends."""
        from PySide6.QtCore import QtMsgType, qInstallMessageHandler

        self._release = release
        self._is_starting = True
        self._heard: list[str] = []
        self._levels = {
            QtMsgType.QtDebugMsg: logging.DEBUG,
            QtMsgType.QtInfoMsg: logging.INFO,
            QtMsgType.QtWarningMsg: logging.WARNING,
            QtMsgType.QtCriticalMsg: logging.ERROR,
            QtMsgType.QtFatalMsg: logging.CRITICAL,
        }
        qInstallMessageHandler(self._hear)

    def started(self) -> None:
        """Show nothing from now on: there is a window, and what ends the process is a crash."""
        self._is_starting = False

    def close(self) -> None:
        """Stop handling messages."""
        from PySide6.QtCore import qInstallMessageHandler

        qInstallMessageHandler(None)

    def _hear(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        level = self._levels[kind]
        logger.log(level, "Qt: %s", message)
        if level < logging.WARNING:
            return
        if sys.stderr is not None:
            print(message, file=sys.stderr)
        if self._is_starting:
            self._heard.append(message.strip().partition("\n")[0])
            if level == logging.CRITICAL:
                self._end()

    def _end(self) -> None:
        """Tell what Qt said, the cause before its last words, and leave before Qt aborts."""
        self._release()
        sentence = f"{' '.join(self._heard[-3:])} Your conversations were not touched."
        problem = Problem(NO_WINDOW, sentence)
        print_problem(problem)
        show_alert(problem)
        os._exit(1)


def print_problem(problem: Problem) -> None:
    """Print a problem on standard error, where there is one."""
    if sys.stderr is not None:
        print(f"{problem.title}. {problem.sentence}", file=sys.stderr)


def _say_trace(error: Exception) -> None:
    if sys.stderr is not None:
        traceback.print_exception(error)
