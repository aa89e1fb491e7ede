"""Cycles are collected on the window's thread alone, however busy the others are, and none is left to pile up."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QApplication

from app.launch import garbage
from app.launch.garbage import GarbageCollector, count_of, due_generation
from app.protocol.events import EngineStarted, ModelClosed
from tests.fakes.engine import ALL

ROOT = Path(__file__).parents[2]
BUSY_PROGRAM = """
import gc, json, sys, threading, weakref
from pathlib import Path
from app.launch.environment import seal
seal()
from PySide6.QtCore import QObject, QTimer
from app import main
from app.launch.garbage import GarbageCollector
from app.launch.options import Options
from app.launch.paths import paths_in
from app.launch.single_instance import try_lock
from app.launch.start import Launch
from tests.fakes.engine import FakeEngine, Script

WANTED, BATCH = 30_000, 50
counts = {"made": 0, "most": 0}
ended, collected, alive = set(), set(), [0]

def note():
    alive[0] -= 1
    ended.add(threading.current_thread().name)

gc.callbacks.append(lambda *_: collected.add(threading.current_thread().name))

class Cycle:
    pass

def make(kind):
    one = kind()
    one.itself = one
    alive[0] += 1
    weakref.finalize(one, note)

def allocate(rounds):
    for _ in range(rounds):
        make(Cycle)
        [[] for _ in range(30)]

class Engine(FakeEngine):
    is_busy = False
    def _can_step(self):
        if self.is_busy:
            allocate(20)
        return super()._can_step()

class Window(QObject):
    pass

def begin(self, model=None):
    start(self, model)
    def go():
        if not self.app.state.now.activity.text.startswith("Ready"):
            return
        Engine.is_busy = True
        for _ in range(BATCH):
            make(Window)
        counts["made"] += BATCH
        counts["most"] = max(counts["most"], alive[0])
        self.app._store._thread.submit(lambda _store: allocate(20))
        if counts["made"] >= WANTED:
            timer.stop()
            self.window.close()
    timer = QTimer(self, interval=0)
    timer.timeout.connect(go)
    timer.start()

data = Path(sys.argv[1])
data.mkdir()
start, initialise = main.Program.start, main.Program.__init__
main.Program.start = begin
main.Program.__init__ = lambda self, *a, **n: initialise(self, *a, factory=lambda s: Engine(s, Script()), **n)
main.GarbageCollector = lambda app: GarbageCollector(app, 10)
main.choose_platform = lambda: True
status = main.run(Launch(paths_in(data), try_lock(data, "1"), None, None), Options())
gc.collect()
threads = sorted(ended | collected)
print(json.dumps({"status": status, "threads": threads, "automatic": gc.isenabled(), **counts, "left": alive[0]}))
"""


def test_a_busy_program_collects_on_the_windows_thread_and_lets_nothing_pile_up(tmp_path: Path) -> None:
    inherited = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", BUSY_PROGRAM, str(tmp_path / "data")],
        cwd=ROOT,
        env=inherited,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["threads"] == ["MainThread"]
    assert told["status"] == 0
    assert not told["automatic"]
    assert told["most"] < told["made"] / 2
    assert told["left"] == 0


@pytest.mark.parametrize(
    ("counts", "due"),
    [
        ((700, 10, 10), None),
        ((700, 99, 99), None),
        ((701, 10, 10), 0),
        ((701, 11, 10), 1),
        ((701, 0, 11), 2),
        ((99_999, 11, 11), 2),
        ((10_000, 0, 0), 0),
        ((10_001, 0, 0), 2),
    ],
)
def test_the_oldest_generation_past_its_threshold_is_due(counts: tuple[int, int, int], due: int | None) -> None:
    assert due_generation(counts, (700, 10, 10)) == due


def test_what_the_first_engine_imports_is_frozen_and_a_closed_model_looked_for(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    names = ("disable", "freeze", "collect")
    calls = {name: lambda name=name: done.append(name) for name in names}
    monkeypatch.setattr(garbage, "gc", SimpleNamespace(**calls, get_objects=lambda _generation: []))
    collector = GarbageCollector(every_ms=1_000_000)
    collector.follow(EngineStarted(ALL))
    collector.follow(ModelClosed("/models/one"))
    collector.follow(EngineStarted(ALL))
    assert done == ["disable", "freeze", "freeze", "collect"]


def test_what_is_loaded_is_gone_through_while_it_is_little_and_then_no_more(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection holds every thread: none goes through more than ENOUGH and what came since the one before."""
    monkeypatch.setattr(garbage, "MANY", 1000)
    monkeypatch.setattr(garbage, "ENOUGH", 5000)
    gc.collect()
    collector, data = GarbageCollector(every_ms=1_000_000), list[list[object]]()
    most = 0
    for _ in range(30):
        data += [[number] for number in range(2000)]
        most = max(most, len(gc.get_objects()))
        collector.collect()
    assert len(data) == 60_000
    assert most <= 5000 + 2000 + 1000  # beside them: what the test and Qt make


class Model:
    """Something that a cycle holds."""

    def __init__(self) -> None:
        self.itself = self


def test_a_closed_model_goes_whatever_was_loaded_beside_it(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "ENOUGH", 5000)
    gc.collect()
    collector, model = GarbageCollector(every_ms=1_000_000), Model()
    alive = weakref.ref(model)
    data = [[number] for number in range(20_000)]
    collector.collect()
    del model
    collector.collect()
    collector.follow(ModelClosed("/models/one"))
    assert alive() is None
    assert len(gc.get_objects()) < len(data)  # and the data is frozen again


def test_no_other_thread_runs_while_what_it_fills_is_referred_to() -> None:
    """Python raises SystemError in a thread that fills a tuple to which the collector's own refers."""
    filled = [object()]
    gc.collect()
    assert any(one is filled for one in gc.get_objects(garbage.OLDEST))
    seen = set[int]()  # wherever Python may let another thread run
    sys.setprofile(lambda *_: seen.add(sys.getrefcount(filled)))
    try:
        count = count_of(garbage.OLDEST)
    finally:
        sys.setprofile(None)
    assert count > 0
    assert len(seen) == 1
