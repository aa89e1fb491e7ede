"""Measure a frozen program: how large it is, when its window is painted, how long its self-test takes.

    PYTHONPATH=packaging python -m bundle.measure dist/Espalier/Espalier

writes build/bench/bundle.json. The times are from the start of the process, the middle one of several runs after one
that fills the system's file cache; the window is a real one where Xvfb is installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "build" / "bench" / "bundle.json"
RUNS = 5
PATIENCE = 120.0
"""Seconds that anything may take."""
SIZE_AIM_MB, PAINTED_AIM_S = 300, 1.5


def size_mb(program: Path) -> float:
    """Of everything that is shipped, in MB (10⁶ bytes); what a link leads to is counted once."""
    files = (path for path in bundle_of(program).rglob("*") if path.is_file() and not path.is_symlink())
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def bundle_of(program: Path) -> Path:
    """The folder that a person would copy: Espalier.app, or the program's own folder."""
    return next((folder for folder in program.parents if folder.suffix == ".app"), program.parent)


def in_bundle(program: Path) -> Path:
    """The program's place in that folder."""
    return program.relative_to(bundle_of(program))


def self_test_s(program: Path) -> float:
    """Seconds that the self-test takes, the start included. CalledProcessError when it fails."""
    begun = time.monotonic()
    subprocess.run([str(program), "--self-test"], check=True, capture_output=True, timeout=PATIENCE)
    return time.monotonic() - begun


def painted_s(program: Path) -> float:
    """Seconds from the start of the process to the first painted window, as the program's log tells it."""
    with tempfile.TemporaryDirectory(prefix="espalier-") as data:
        begun = time.time()
        process = subprocess.Popen([str(program), "--data", data], stderr=subprocess.DEVNULL)
        try:
            return _when_painted(Path(data), process) - begun
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _when_painted(data: Path, process: subprocess.Popen[bytes]) -> float:
    """Seconds since the epoch, to the millisecond. RuntimeError when the program ends before, or takes too long."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        for file in data.glob("logs/*.log"):
            line = re.search(r"^(\S+ \S+),(\d{3}) .*the window is painted", file.read_text(), re.MULTILINE)
            if line:
                return datetime.fromisoformat(line[1]).timestamp() + int(line[2]) / 1000
        time.sleep(0.02)
    raise RuntimeError(f"no window was painted in {PATIENCE:.0f} s; exit status {process.poll()}")


@contextmanager
def display() -> Iterator[None]:
    """A display to draw on, while it lasts: a virtual one where there is none, else Qt's own memory."""
    if sys.platform != "linux":
        yield
        return
    if shutil.which("Xvfb") is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        yield
        return
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        os.environ |= {"DISPLAY": f":{number.readline().strip()}", "QT_QPA_PLATFORM": "xcb"}
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def middle(measure: Callable[[Path], float], program: Path) -> float:
    """Seconds: the median of several runs after one that does not count."""
    measure(program)
    return round(statistics.median(measure(program) for _ in range(RUNS)), 2)


def main(program: Path) -> None:
    """Measure, write the report, and say it."""
    with display():
        found = {
            "size_mb": size_mb(program),
            "painted_s": middle(painted_s, program),
            "self_test_s": middle(self_test_s, program),
        }
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(found) + "\n", encoding="utf-8")
    print(f"{found['size_mb']} MB (aim: below {SIZE_AIM_MB})")
    print(f"window painted after {found['painted_s']} s (aim: {PAINTED_AIM_S}), self-test in {found['self_test_s']} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
