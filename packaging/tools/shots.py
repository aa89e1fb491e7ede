"""Render the window's main states, light and dark, to build/shots/*.png, and the sheet of components beside them.

    python packaging/tools/shots.py [--out FOLDER] [NAME ...]     only these states

Needs no display and no model: a sample engine plays its part, everything else is the program itself. The clock stands
still, so that two pictures of a state differ only where the window does.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "2"
os.environ["TZ"] = "UTC"
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]
NOW = 1_761_998_400.0  # Saturday, 1 November 2025, noon
if hasattr(time, "tzset"):
    time.tzset()
time.time = lambda: NOW  # before anything of the program takes the clock

from PySide6.QtGui import QImage  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from app.conversation.store import Store  # noqa: E402
from app.conversation.store_thread import StoreThread  # noqa: E402
from app.main import application  # noqa: E402
from app.viewmodels.app import App  # noqa: E402
from app.viewmodels.kit.settings import Settings, WindowState  # noqa: E402
from app.viewmodels.windows import Windows  # noqa: E402
from app.viewmodels.workspace import Workspace  # noqa: E402
from app.widgets.kit.style import Style  # noqa: E402
from app.widgets.kit.theme import DARK, LIGHT, Theme  # noqa: E402
from app.widgets.window.main_window import MainWindow  # noqa: E402
from tools.gallery.components import ComponentSheet  # noqa: E402
from tools.gallery.conversations import fill, think  # noqa: E402
from tools.gallery.scenes import FOLDERS, RECENT, SCENES, Scene  # noqa: E402
from tools.gallery.waiting import turn, wait  # noqa: E402

COMPONENTS = "components"
STILL = 5  # turns without a difference


def _is_priced(app: App) -> bool:
    """Whether each conversation is marked with its warmth, which comes for one after the other."""
    listed = (one.id for one in app.library.library.conversations if one.title)
    marks = [app.chat.warmth.warmth_of_conversation(one) for one in listed]  # each has to be looked up to be priced
    return None not in marks


@cache
def _filled() -> bytes:
    """Return the database with the sample conversations."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "conversations.db"
        store = Store(database)
        fill(store)
        store.close()
        return database.read_bytes()


class Stillness:
    """Whether a window has looked alike for some turns."""

    def __init__(self, window: QWidget, turns: int) -> None:
        self._window, self._needed = window, turns
        self._before = QImage()
        self._turns = 0

    def holds(self) -> bool:
        """Look once more."""
        now = self._window.grab().toImage()
        self._turns = self._turns + 1 if now == self._before else 0
        self._before = now
        return self._turns >= self._needed


@contextmanager
def standing(scene: Scene, theme: Theme, folder: Path, turns: int = STILL) -> Iterator[tuple[MainWindow, Style]]:
    """Build the program around the scene and let the person act; it ends with the block.

    turns: for which nothing may change before it is looked at.
    """
    database = folder / "conversations.db"
    if scene.is_filled:
        database.write_bytes(_filled())
        store = Store(database)
        if scene.thought != "none":
            think(store, is_cut=scene.thought == "cut")
        if scene.more is not None:
            scene.more(store)
        store.close()
    stage = scene.stage()
    style = Style(theme, scene.body)
    style.apply_to_application()
    settings = Settings(folder / "settings.json")
    settings.update(recent_models=RECENT, body_size=scene.body)
    workspace = Workspace(stage, StoreThread(database), settings, FOLDERS)
    windows = Windows(workspace)
    app = windows.open()
    window = MainWindow(style, app, WindowState(pane=scene.pane))
    window.resize(*scene.size)
    window.show()
    window.activateWindow()
    workspace.start(scene.model)
    stage.start()
    wait(f"{scene.name} stands", lambda: scene.stands(app) and stage.is_idle)
    if app.model.current_model.info is not None and not app.chat.state.now.is_empty:
        wait(f"{scene.name} is priced", lambda: _is_priced(app))
    if scene.then is not None:
        scene.then(app, window)
    still = Stillness(scene.part(window), turns)
    wait(f"{scene.name} is shown", lambda: scene.shown(app) and stage.is_idle and still.holds())
    yield window, style
    workspace.close()
    style.formulas.close()
    shown = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    for one in shown:
        one.close()
    for each in (*shown, workspace, stage):
        each.deleteLater()
    turn()


def shoot(scene: Scene, theme: Theme, folder: Path, out: Path) -> None:
    """Keep the picture of a scene."""
    with standing(scene, theme, folder) as (window, _style):
        save(scene.part(window), scene.name, theme, out)


def save(widget: QWidget, name: str, theme: Theme, out: Path) -> None:
    path = out / f"{name}-{'dark' if theme.is_dark else 'light'}.png"
    if not widget.grab().save(str(path)):
        raise SystemExit(f"could not write {path}")
    print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def take_components(theme: Theme, out: Path) -> None:
    style = Style(theme)
    style.apply_to_application()
    sheet = ComponentSheet(style)
    save(sheet, COMPONENTS, theme, out)
    sheet.deleteLater()


def main() -> int:
    """Take all pictures, or those that are wanted by name."""
    names = [COMPONENTS, *(scene.name for scene in SCENES)]
    parser = argparse.ArgumentParser(description="Render the window's main states, light and dark.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(names)}; all without any")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "shots", help="folder for the pictures")
    arguments = parser.parse_args()
    wanted = arguments.names or names
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        parser.error(f"no such state: {', '.join(unknown)}")
    _app = application()
    QApplication.setCursorFlashTime(0)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for theme in (LIGHT, DARK):
        if COMPONENTS in wanted:
            take_components(theme, arguments.out)
        for scene in SCENES:
            if scene.name in wanted:
                with tempfile.TemporaryDirectory() as folder:
                    shoot(scene, theme, Path(folder), arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
