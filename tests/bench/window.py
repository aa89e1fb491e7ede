"""Whether the window is smooth: while the guide writes and somebody works, with what is large, and at its start.

Run as `python -m tests.bench.window`; writes build/bench/window.json. Each part is a process of its own, see
`window_child`. Beside the one that is worked in, an event loop with nothing to do tells what the machine makes late.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.report import machine, say, write

ROOT = Path(__file__).parents[2]
STARTS = 7
START = """
import json, sys, time
from app.__main__ import main as enter
from app.launch import imports

told = {}
without_delay = imports.without_delay

def watched():
    without_delay()
    from app import main
    from app.launch import first_paint
    from app.protocol.events import ModelReady

    class Told(first_paint.FirstPaint):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.painted.connect(lambda: told.update(painted=time.time(), cpu=time.process_time()))

    class Program(main.Program):
        def start(self, model=None):
            self.host.happened.connect(self.hear)
            super().start(model)

        def hear(self, event):
            if isinstance(event, ModelReady):
                told.update(ready=time.time())
                main.QApplication.closeAllWindows()

    main.FirstPaint, main.Program, main.choose_platform = Told, Program, lambda: True

imports.without_delay = watched
status = enter(["--data", sys.argv[1]])
open(sys.argv[2], "w").write(json.dumps(told))
sys.exit(status)
"""
"""The whole way of a person's start, with a clock at its stages."""

BARS = {
    "p99_ms": 16.0,
    "token_to_pixels_p95_ms": 50.0,
    "path_5000_paint_ms": 300.0,
    "switch_ms": 100.0,
    "trie_5000_update_ms": 5.0,
    "key_after_1mb_ms": 50.0,
    "memory_added_mb": 60.0,
    "first_paint_cpu_s": 0.5,
}
LEAST_DECODE = 0.95

Figures = dict[str, float]


def begin(role: str, folder: Path) -> subprocess.Popen[bytes]:
    """Begin a part of the measuring in a folder of its own."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.bench.window_child", role, str(folder / "data"), str(folder / "told.json")]
    return subprocess.Popen(command, cwd=ROOT)


def figures_of(process: subprocess.Popen[bytes], folder: Path) -> Figures:
    """Wait for a part and return its figures. SystemExit when it failed."""
    if process.wait(1200) != 0:
        raise SystemExit(f"{process.args!r} ended with {process.returncode}")
    figures: Figures = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    return figures


def part(role: str, folder: Path) -> Figures:
    """Figures of one part."""
    return figures_of(begin(role, folder), folder)


def work(folder: Path) -> Figures:
    """Somebody at work, and the idle loop beside them at the same time."""
    idle = begin("idle", folder / "idle")
    found = part("session", folder / "session")
    control = figures_of(idle, folder / "idle")
    return {**found, "control_over_50": control["over_50"], "control_p99_ms": control["p99_ms"]}


def starts(folder: Path) -> Figures:
    """Medians of some starts, each on a fresh data folder, after one that nobody counts."""
    folder.mkdir()
    found = [_start(folder / str(number)) for number in range(STARTS + 1)][1:]
    return {name: round(median(one[name] for one in found), 3) for name in found[0]}


def _start(folder: Path) -> Figures:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    file = folder.with_suffix(".json")
    begun = time.time()
    command = [sys.executable, "-c", START, str(folder), str(file)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=120)
    at = json.loads(file.read_text(encoding="utf-8"))
    painted, ready = at["painted"] - begun, at["ready"] - begun
    return {"first_paint_cpu_s": at["cpu"], "first_paint_s": painted, "model_ready_s": ready}


def told(key: str, value: float) -> str:
    """Say a figure, with its bar where it has one of its own."""
    bar = BARS.get(key)
    end = "" if bar is None else f"   {'missed' if value > bar else 'holds'}: at most {bar}"
    return f"{key:24} {value}{end}"


def missed(figures: Mapping[str, float]) -> Sequence[str]:
    """Say which bars do not hold."""
    found = [f"{name} is {figures[name]}, wanted {bar}" for name, bar in BARS.items() if figures[name] > bar]
    if figures["over_50"] > figures["control_over_50"]:
        found.append(f"{figures['over_50']} stalls over 50 ms, {figures['control_over_50']} in an idle process")
    if figures["decode_ratio"] < LEAST_DECODE:
        found.append(f"decode_ratio is {figures['decode_ratio']}, wanted {LEAST_DECODE}")
    return found


def main() -> int:
    """Measure all parts and write what was found; 1 where a bar does not hold."""
    with tempfile.TemporaryDirectory() as name:
        figures: Figures = {}
        for measure in (starts, work, partial(part, "large"), partial(part, "decode")):
            found = measure(Path(name) / str(len(figures)))
            for key, value in found.items():
                say(told(key, value))
            figures |= found
    complaints = missed(figures)
    for complaint in complaints:
        say(complaint)
    write("window.json", {**machine(), "platform": os.environ.get("QT_QPA_PLATFORM", "offscreen"), **figures})
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
