"""Render the window's main states, light and dark, to build/shots/*.png, and the sheet of components beside them.

    python packaging/tools/shots.py [--out FOLDER] [NAME ...]     only these states

Needs no display and no model: a sample engine plays its part, everything else is the program itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "2"
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt  # noqa: E402
from PySide6.QtWidgets import QWidget  # noqa: E402

from app.conversation.store import Store  # noqa: E402
from app.conversation.store_thread import StoreThread  # noqa: E402
from app.main import application  # noqa: E402
from app.viewmodels.app import App  # noqa: E402
from app.viewmodels.kit.folders import Folders  # noqa: E402
from app.viewmodels.kit.settings import Settings, WindowState  # noqa: E402
from app.widgets.kit.style import Style  # noqa: E402
from app.widgets.kit.theme import DARK, LIGHT, Theme  # noqa: E402
from app.widgets.window.main_window import MainWindow  # noqa: E402
from tools.gallery.components import ComponentSheet  # noqa: E402
from tools.gallery.conversations import fill  # noqa: E402
from tools.gallery.stage import Stage  # noqa: E402

COMPONENTS = "components"
QWEN = "/Users/ana/Models/Qwen3-8B-4bit"
RECENT = (QWEN, "/Users/ana/Models/Phi-4")
FOLDERS = Folders("/Applications/Espalier.app/guide", "/Users/ana/Library/Caches/Espalier/snapshots")
NOTES = """Start over with what we know now: two adults, no car, one evening at home. Our notes from last year are \
below; keep what still holds and say what does not.

The flat in Graça was quiet but the stairs were a trial with bags; somewhere level would be kinder. We never used the \
second half of the museum card. The bakery at the corner of the square opened at six and was worth every one of them. \
Sintra was too full to enjoy from eleven on, and the bus back took an hour and a half. The fish at the market was \
better and cheaper than in any restaurant, and the cooks told us what to do with it. On the last day it rained from \
noon, and the tile museum saved it. We would skip the castle and go twice to the gardens instead.

Money: the three dinners out came to 160 euros, the flat to 330, trains and trams to 41, everything else to about 90. \
We had planned for 700 and were pleased. This year it should be 600, with one good dinner."""


@dataclass(frozen=True)
class Scene:
    """One state of the window. `then` is what the person does once it stands; `wait` seconds pass after that."""

    name: str
    stage: Callable[[], Stage]
    model: str = QWEN
    is_filled: bool = True
    size: tuple[int, int] = (1440, 900)
    body: int = 14
    state: dict[str, bool] = field(default_factory=dict)
    then: Callable[[App, MainWindow], None] | None = None
    wait: float = 0.6


def _ask(text: str) -> Callable[[App, MainWindow], None]:
    return lambda app, window: app.chat.send(text)


def _new(app: App, window: MainWindow) -> None:
    app.library.new_conversation()


def _edit(app: App, window: MainWindow) -> None:
    app.chat.begin_edit()


def _select_edge(app: App, window: MainWindow) -> None:
    tree, label = window.cache.tree, "Make it cheaper"
    how = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive
    found = tree.model().match(app.cache.trie_model.index(0, 0), Qt.ItemDataRole.DisplayRole, label, 1, how)
    tree.setCurrentIndex(found[0])


def _verify(app: App, window: MainWindow) -> None:
    window.do("verify")


def _show_cache(app: App, window: MainWindow) -> None:
    window.do("inspector")


def empty_stage() -> Stage:
    return Stage(is_filled=False)


SCENES = (
    Scene("first-run", empty_stage, FOLDERS.guide, is_filled=False),
    Scene("conversation", Stage, then=_select_edge),
    Scene("streaming", Stage, then=_ask("And then put the dates into a table"), wait=1.0),
    Scene("prefill", lambda: Stage("read"), then=_ask(NOTES)),
    Scene("problem", lambda: Stage(missing=[QWEN])),
    Scene("empty", empty_stage, then=_new, is_filled=False),
    Scene("fork", Stage, then=_edit),
    Scene("verified", Stage, then=_verify),
    Scene("disk", lambda: Stage(disk="old"), then=_select_edge),
    Scene("disk-full", lambda: Stage(disk="full")),
    Scene("restarted", lambda: Stage(disk="all")),
    Scene("narrow", Stage, size=(880, 560)),
    Scene("narrow-cache", Stage, size=(880, 560), then=_show_cache),
    Scene("large-text", Stage, body=20),
)


def settle(seconds: float) -> None:
    """Let everything that is under way arrive."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def shoot(scene: Scene, theme: Theme, folder: Path, out: Path) -> None:
    """Build the program around the scene, let the person act, and keep the picture."""
    database = folder / "conversations.db"
    if scene.is_filled:
        store = Store(database)
        fill(store)
        store.close()
    stage = scene.stage()
    style = Style(theme, scene.body)
    style.apply_to_application()
    settings = Settings(folder / "settings.json")
    settings.update(recent_models=RECENT, window=WindowState(body_size=scene.body))
    app = App(stage, StoreThread(database), settings, FOLDERS)
    window = MainWindow(style, app)
    window.resize(*scene.size)
    window.show()
    window.activateWindow()
    app.start(scene.model)
    stage.start()
    settle(0.6)
    if scene.then is not None:
        scene.then(app, window)
    settle(scene.wait)
    save(window, scene.name, theme, out)
    app.close()
    window.close()
    for each in (window, app, stage):
        each.deleteLater()
    settle(0.05)


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
