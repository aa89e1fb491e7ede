"""requirements.lock as a Mac reads it: which packages, which hashes, and which of them the program itself needs.

The file is uv's: one block for each package, `name==version ; marker \\`, its hashes, and comments that say which
other packages asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
PYTHON = "3.13"
"""The Python that the bundle is frozen with."""
SYSTEM = "14_0"
"""The oldest macOS whose wheels are taken, as wheels write it."""

_DIRECT = "espalier (pyproject.toml)"


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of the lock. `wanted_by`: names of the packages, or of the project's groups, that asked for it."""

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]
    wanted_by: frozenset[str]

    @property
    def requirement(self) -> str:
        """A line for pip, without the marker: pip would ask it of the machine it runs on."""
        return " ".join([f"{self.name}=={self.version}", *(f"--hash={value}" for value in self.hashes)])


def environment(python: str = PYTHON) -> dict[str, str]:
    """What markers are asked about on a Mac with Apple silicon."""
    return {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": "arm64",
        "platform_python_implementation": "CPython",
        "platform_system": "Darwin",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "darwin",
    }


def read_lock(path: Path = LOCK) -> tuple[Pin, ...]:
    """Every block of the lock. ValueError for a block that is not what uv writes."""
    return tuple(_pin(block) for block in re.split(r"\n(?=[a-z0-9])", path.read_text().strip()))


def _pin(block: str) -> Pin:
    requirement = Requirement(block.splitlines()[0].rstrip(" \\"))
    found = re.fullmatch(r"==([^,]+)", str(requirement.specifier))
    hashes = tuple(re.findall(r"--hash=(sha256:[0-9a-f]{64})", block))
    if found is None or not hashes:
        raise ValueError(f"not one version with its hashes: {block.splitlines()[0]}")
    comments = re.findall(r"^ +# +(?:via\b *)?(.*?) *$", block, re.MULTILINE)
    return Pin(requirement.name, found[1], requirement.marker, hashes, frozenset(filter(None, comments)))


def for_mac(pins: Iterable[Pin], python: str = PYTHON) -> tuple[Pin, ...]:
    """Those that a Mac installs. Each name comes once: ValueError where two versions apply."""
    chosen = tuple(pin for pin in pins if pin.marker is None or pin.marker.evaluate(environment(python)))
    names = [pin.name for pin in chosen]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"more than one version applies to a Mac with Python {python}: {', '.join(twice)}")
    return chosen


def of_program(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """Those that the program needs while it runs, directly or through others; not what tests or builds it."""
    pins = tuple(pins)
    wanted: set[str] = set()
    while True:
        found = {pin.name for pin in pins if pin.wanted_by & (wanted | {_DIRECT})}
        if found == wanted:
            return tuple(pin for pin in pins if pin.name in wanted)
        wanted = found
