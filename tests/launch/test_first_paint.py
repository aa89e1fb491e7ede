"""The first paint is told once, and the log says so only when it happened."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.launch.first_paint import PAINTED, FirstPaint

LATER = {
    # The engine is imported on its own thread once the window is painted.
    *("mlx", "mlx_lm", "transformers", "tokenizers", "jinja2", "safetensors", "app.engine", "app.kvcache"),
    # What other ways through the program need: its version, its helper processes, its examination of itself.
    *("importlib.metadata", "multiprocessing", "app.launch.selftest", "app.launch.tour"),
    # What a person has to ask for first.
    *("app.exchange", "app.viewmodels.library.import_export", "app.widgets.settings.settings_page"),
    *("app.hub.messages", "app.widgets.window.about"),
}
"""Packages and modules that nobody waits for before there is a window."""

LONG = 150  # characters of an expression; one of 300 with wide ranges takes 7 ms to compile

COLLECTIONS = 3  # of Python's youngest generation, once the window is imported: a hundred take 60 ms

START = """
import gc, json, linecache, os, re, sys
from app.__main__ import main as enter
from app.launch import imports

expressions, signatures, begun = [], [], []
compile_it, without_delay = re.compile, imports.without_delay

def compile_and_note(expression, flags=0):
    if sys._getframe(1).f_globals["__name__"].startswith("app."):
        expressions.append(expression)
    return compile_it(expression, flags)

def collections():
    return gc.get_stats()[0]["collections"]

def watched():
    without_delay()
    begun.append(collections())
    from shibokensupport.signature import parser
    make = parser.pyside_type_init
    parser.pyside_type_init = lambda *type_key: (signatures.append(str(type_key)[:80]), make(*type_key))[1]
    from app import main
    from app.launch import first_paint

    class Told(first_paint.FirstPaint):
        def __init__(self, window, parent):
            super().__init__(window, parent)
            self.painted.connect(tell)

    main.FirstPaint, main.choose_platform = Told, lambda: True

def compiled():
    found = [(name, one) for name in list(sys.modules) if name.startswith("app.")
             for one in vars(sys.modules[name]).values() if isinstance(one, type) and one.__module__ == name]
    return [f"{name}.{one.__name__}" for name, one in found if "__dataclass_fields__" in vars(one)
            and getattr(one.__eq__, "__module__", "") == name and one.__dataclass_params__.frozen]

def is_file(name):
    return os.path.exists(sys.modules[name].__file__)

def tell():
    try:
        sources = [name for name in linecache.cache if f"{os.sep}app{os.sep}" in name]
        from PySide6.QtWidgets import QApplication
        has_icon = not QApplication.windowIcon().isNull()
        embedded = [name for name in sys.modules if name.startswith("shibokensupport") and not is_file(name)]
        told = (list(sys.modules), expressions, sources, collections() - begun[0], has_icon, signatures, compiled(),
                embedded)
        print(json.dumps(told), flush=True)
    finally:
        os._exit(0)

re.compile, imports.without_delay = compile_and_note, watched
sys.exit(enter(["--data", sys.argv[1]]))
"""


def test_nothing_is_imported_compiled_or_drawn_that_the_first_paint_has_no_use_for(tmp_path: Path) -> None:
    """The whole way of a person's start: each module here would be waited for, at 1 to 30 ms."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", START, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout, done.stderr
    imported, expressions, sources, collections, has_icon, signatures, compiled, embedded = json.loads(done.stdout)
    assert {"app.main", "PySide6.QtWidgets"} <= set(imported)
    assert {name for name in LATER if name in imported} == set()
    assert [expression for expression in expressions if len(expression) > LONG] == []
    assert sources == []  # as PySide would read them, of every module
    assert collections <= COLLECTIONS
    assert signatures == []  # of Qt's methods, which PySide makes when one is asked for its docstring
    assert embedded == []  # in Shiboken, which compiles what it finds there
    assert compiled == ["app.viewmodels.kit.action.Action"]  # whose fields have names; see `app.protocol.dataclass`
    assert not has_icon  # its drawings take longer than the whole window
    assert [name for name in LATER if find_spec(name) is None] == []  # a module that was renamed


def test_a_painted_window_is_told_and_logged_once(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "app")
    window = QWidget()
    qtbot.addWidget(window)
    watch = FirstPaint(window, at_latest_ms=60_000)
    with qtbot.waitSignal(watch.painted):
        window.show()
    window.repaint()
    qtbot.wait(20)
    assert caplog.messages == [PAINTED]


def test_a_window_that_stays_hidden_is_not_waited_for_and_not_logged(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "app")
    window = QWidget()
    qtbot.addWidget(window)
    watch = FirstPaint(window, at_latest_ms=1)
    with qtbot.waitSignal(watch.painted):
        pass
    assert caplog.messages == []
    window.show()
    with qtbot.assertNotEmitted(watch.painted, wait=20):
        window.repaint()


def test_a_window_that_is_gone_before_it_was_painted_holds_nothing_up(qtbot: QtBot) -> None:
    window = QWidget()
    watch = FirstPaint(window, at_latest_ms=1)
    window.deleteLater()
    with qtbot.waitSignal(watch.painted):
        pass
    watch.stop()
    assert not isValid(window)
