"""The way from a fresh clone to a running program: interpreter, libraries, lock."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def find_python(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the search with a PATH of its own, in which `uname` is what this machine has."""
    return subprocess.run(
        ["/bin/sh", str(ROOT / "packaging" / "find_python.sh")],
        env={"PATH": f"{path}:/usr/bin:/bin" if not environment.pop("alone", "") else str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def fake_python(folder: Path, name: str, version: tuple[int, int]) -> Path:
    """An interpreter that says it is this version."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport sys, runpy\nsys.version_info = ({version[0]}, {version[1]}, 0)\n"
        "code = sys.argv[2]\nexec(code)\n"
    )
    program.chmod(0o755)
    return program


def test_the_newest_suitable_python_is_taken(tmp_path: Path) -> None:
    fake_python(tmp_path, "python3.12", (3, 12))
    newest = fake_python(tmp_path, "python3.13", (3, 13))
    assert find_python(tmp_path).stdout.strip() == str(newest)
    newest.write_text("#!/bin/sh\nexit 127\n")
    assert find_python(tmp_path).stdout.strip() == str(tmp_path / "python3.12")


def test_without_a_suitable_python_it_says_what_to_install(tmp_path: Path) -> None:
    fake_python(tmp_path, "python3", (3, 14))
    (tmp_path / "uname").symlink_to("/bin/uname")
    result = find_python(tmp_path, alone="yes")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "3.13, 3.12 or 3.11" in result.stderr
    assert "install" in result.stderr


def test_a_python_that_was_asked_for_and_does_not_fit_is_named(tmp_path: Path) -> None:
    old = fake_python(tmp_path, "python3.9", (3, 9))
    result = find_python(tmp_path, PYTHON=str(old))
    assert result.returncode == 1
    assert str(old) in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt's wheels bring all they need")
def test_missing_libraries_are_named_with_their_packages() -> None:
    program = ROOT / "packaging" / "tools" / "check_libraries.py"
    code = (
        f"import runpy; m = runpy.run_path({str(program)!r}, run_name='checked');"
        "m['EVERYWHERE']['libNotThere.so.9'] = 'libnotthere9'; raise SystemExit(m['main']())"
    )
    result = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "apt install libnotthere9" in result.stderr


class TestLock:
    lines = (ROOT / "requirements.lock").read_text().splitlines()

    def pinned(self) -> dict[str, str]:
        found = [re.match(r"([a-z0-9-]+)==\S+(.*)", line) for line in self.lines]
        return {match[1]: match[2] for match in found if match}

    def test_every_direct_dependency_is_pinned(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        groups = [project["project"]["dependencies"], *project["dependency-groups"].values()]
        names = {re.split(r"[\[<>=;]", line)[0].strip().lower() for group in groups for line in group}
        assert names <= self.pinned().keys()

    def test_each_platform_gets_its_own_mlx(self) -> None:
        pinned = self.pinned()
        assert "sys_platform == 'linux'" in pinned["mlx-cpu"]
        assert "sys_platform == 'darwin'" in pinned["mlx-metal"]

    def test_it_has_hashes_and_no_address(self) -> None:
        text = "\n".join(self.lines)
        assert "://" not in text
        assert "index-url" not in text
        for block in re.split(r"\n(?=[a-z0-9])", text):
            assert "--hash=sha256:" in block, block.splitlines()[0]


def test_version_is_said_once() -> None:
    import app

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["version"] == app.__version__
