"""The measuring of the window, in small. Times are for `make bench-window`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.launch.paths import paths_in
from app.protocol.trie_view import TrieView
from app.viewmodels.cache.trie_model import TrieModel
from tests.bench import window, window_child
from tests.bench.window_probe import BEAT_MS, Heartbeat, Stopwatch


def test_a_stall_is_met_by_all_that_happens_in_it(qtbot: object, monkeypatch: pytest.MonkeyPatch) -> None:
    heart = Heartbeat()
    monkeypatch.setattr(heart, "_late", [0.0] * 90 + [100.0])
    figures = heart.figures()
    assert (figures["over_16"], figures["over_50"]) == (1, 1)
    assert figures["p50_ms"] == 0
    assert figures["p99_ms"] == 100 - BEAT_MS  # of 115 moments, 25 in the stall


def test_only_what_a_paint_can_show_is_timed() -> None:
    watch = Stopwatch()
    watch.begun.extend([time.perf_counter()] * 3)
    watch.paint()
    assert watch.found == []
    watch.ready = 2
    watch.paint()
    assert (len(watch.found), len(watch.begun)) == (2, 1)
    assert watch.p95 is not None


def test_the_trie_that_is_shown_is_one(qtbot: object) -> None:
    model = TrieModel()
    model.show(TrieView(serial=0))
    for number in range(3):
        view = window_child.trie(number)
        model.show(view)
        seen = set[int]()
        for node in view.nodes:
            assert node.parent_id is None or node.parent_id in seen
            seen.add(node.id)
        assert len(seen) == window_child.NODES


@pytest.mark.parametrize("runs", [3, 9])
def test_the_outline_that_is_shown_has_a_row_to_each_message(runs: int, tmp_path: Path) -> None:
    paths_in(tmp_path).database.parent.mkdir(parents=True, exist_ok=True)
    conversation_id = window_child.fork(tmp_path, runs)
    store = Store(paths_in(tmp_path).database)
    tree = MessageTree(conversation_id, store.messages.of(conversation_id))
    store.close()
    assert len(tree.runs()) == runs


def test_the_latest_beat_is_told_and_no_other_follows(qtbot: QtBot) -> None:
    heart = Heartbeat()
    qtbot.waitUntil(lambda: len(heart._late) > 2)
    heart.stop()
    beats = len(heart._late)
    assert heart.worst == max(heart._late)
    qtbot.wait(3 * BEAT_MS)
    assert len(heart._late) == beats


def test_what_waits_sleeps_meanwhile(qtbot: QtBot) -> None:
    asked, is_over = list[int](), list[bool]()
    QTimer.singleShot(200, lambda: is_over.append(True))
    window_child.wait(lambda: asked.append(1) or bool(is_over))
    assert len(asked) < 50


def test_a_start_is_measured_from_the_command_to_the_model(tmp_path: Path) -> None:
    found = window._start(tmp_path / "start")
    assert found["first_paint_cpu_s"] > 0
    assert 0 < found["first_paint_s"] < found["model_ready_s"]


def test_decoding_is_compared_with_what_the_window_never_hears_of(tmp_path: Path) -> None:
    """In a process of its own, as it is measured."""
    told = """
import os, sys
from pathlib import Path
from app.protocol.events import RunFinished, RunStarted
from tests.bench import window_child

heard = []
note = window_child.Bench._note

def watched(bench, event):
    heard.append(event)
    note(bench, event)

window_child.Bench._note, window_child.PAIRS, window_child.DECODED = watched, 2, 5
found = window_child.decode(Path(sys.argv[1]))
ended = [event.stats.tokens for event in heard if isinstance(event, RunFinished)]
print(found["decode_ratio"] > 0, ended, sum(isinstance(event, RunStarted) for event in heard), flush=True)
os._exit(0)
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", told, str(tmp_path / "data")]
    found = subprocess.run(command, cwd=window.ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert found.stdout.split("\n")[-2] == "True [5, 5, 5] 3", found.stdout + found.stderr


def test_bars_that_do_not_hold_are_told() -> None:
    good: dict[str, float] = {**window.BARS, "over_50": 2, "control_over_50": 2, "decode_ratio": 1.0}
    assert window.missed(good) == []
    told = window.missed({**good, "over_50": 3, "decode_ratio": 0.5, "p99_ms": 17.0})
    assert len(told) == 3
    assert json.dumps(good)
    assert window.told("p99_ms", 17.0).endswith("missed: at most 16.0")
    assert window.told("p99_ms", 16.0).endswith("holds: at most 16.0")
    assert window.told("p50_ms", 1.0).endswith(" 1.0")
