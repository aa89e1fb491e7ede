"""The frozen program as the tests meet it: a read-only copy in another folder, started by nobody in particular."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bundle.measure import bundle_of, in_bundle

VARIABLE = "ESPALIER_PROGRAM"
"""Names the frozen program that is to be tested. `make check-app` sets it."""
NOBODY = 65534
PATIENCE = 300.0

needs_program = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no frozen program")


@dataclass(frozen=True)
class Frozen:
    """One copy of the program. Running it as root would make nothing of folders that may not be written to."""

    program: Path

    @property
    def inside(self) -> Path:
        """The folder of everything that the program brings along."""
        return next(path.parent for path in self.bundle.rglob("imports.txt"))

    @property
    def bundle(self) -> Path:
        """The folder that a person copies."""
        return bundle_of(self.program)

    def run(self, *arguments: str, folder: str | Path = "/", **environment: str) -> subprocess.CompletedProcess[str]:
        """Start it in this folder, with these variables and no other, not even a PATH."""
        return subprocess.run(
            [str(self.program), *arguments],
            env=environment,
            cwd=folder,
            user=NOBODY if os.geteuid() == 0 else None,
            group=NOBODY if os.geteuid() == 0 else None,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )

    def self_test(self, **environment: str) -> tuple[dict[str, Any], str]:
        """What the self-test reports, and what it says beside that."""
        result = self.run("--self-test", **environment)
        assert result.stdout, f"{result.returncode}: {result.stderr}"
        report: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
        assert result.returncode == (0 if report["ok"] else 1), result.stderr
        return report, result.stderr


def given() -> Path:
    """The program that is to be tested."""
    return Path(os.environ[VARIABLE]).absolute()


def copy(folder: Path) -> Frozen:
    """Copy the whole bundle below this folder."""
    bundle = bundle_of(given())
    shutil.copytree(bundle, folder / bundle.name, symlinks=True)
    return Frozen(folder / bundle.name / in_bundle(given()))


def lock(folder: Path, *, is_locked: bool = True) -> None:
    """Take away, or give back, the right to write anything below this folder."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) if is_locked else mode | stat.S_IWUSR)


def without(frozen: Frozen, name: str, folder: Path) -> Frozen:
    """The same program, whose archive of modules has one under a name that nobody asks for.

    Everything else is a link to the original.
    """
    for path in frozen.program.parent.iterdir():
        if path != frozen.program:
            (folder / path.name).symlink_to(path)
    content, written = frozen.program.read_bytes(), _marshalled(name)
    assert content.count(written) == 1, f"{name} stands {content.count(written)} times in the archive's list"
    less = folder / frozen.program.name
    less.write_bytes(content.replace(written, _marshalled(name[:-1] + "\N{DIGIT ZERO}")))
    less.chmod(0o755)
    return Frozen(less)


def _marshalled(name: str) -> bytes:
    """A short text as the archive's list has it, its length before it."""
    return bytes([len(name)]) + name.encode()


def as_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables without those of Python and of Qt, which a person's desktop does not set."""
    return {name: value for name, value in environment.items() if not name.startswith(("PYTHON", "QT_", "HF_"))}
