"""The pictures of the window can be taken without a display, a model or a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

SCRIPT = Path(__file__).parents[2] / "packaging" / "tools" / "shots.py"
LONGEST = 600  # seconds, beside much other work; each picture waits for what it shows and gives up by itself
pytestmark = pytest.mark.timeout(2 * LONGEST + 60)


def take(out: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--out", str(out), *names]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("shots")
    done = take(out, "components", "conversation", "streaming")
    assert (done.returncode, done.stderr) == (0, "")
    return out


@pytest.mark.parametrize("name", ["components", "conversation"])
def test_each_state_is_taken_light_and_dark_at_twice_the_size(shots: Path, name: str) -> None:
    light, dark = (QImage(str(shots / f"{name}-{theme}.png")) for theme in ("light", "dark"))
    assert light.size().toTuple() == dark.size().toTuple() == (2880, 1800)
    for image, is_light in ((light, True), (dark, False)):
        corner = image.pixelColor(2870, 1700)
        assert (corner.lightness() > 200) is is_light
        assert len({image.pixel(x, y) for x in range(0, 2880, 9) for y in range(0, 1800, 9)}) > 40


def test_two_pictures_of_a_state_are_alike_to_the_pixel(shots: Path, tmp_path: Path) -> None:
    """A difference between them is a difference of the window: the clock stands still, and nothing is half done."""
    assert take(tmp_path, "conversation", "streaming").returncode == 0
    taken = sorted(tmp_path.glob("*.png"))
    assert len(taken) == 4
    for path in taken:
        assert QImage(str(path)) == QImage(str(shots / path.name)), path.name


def test_an_unknown_state_is_named(tmp_path: Path) -> None:
    done = take(tmp_path, "upside-down")
    assert done.returncode == 2
    assert "no such state: upside-down" in done.stderr
