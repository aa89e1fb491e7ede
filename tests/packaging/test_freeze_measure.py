"""Measuring a program, tried on small ones that only pretend."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bundle import measure

from app.launch.first_paint import PAINTED


def program(folder: Path, script: str) -> Path:
    """A program that does this; `$2` is its data folder."""
    path = folder / "Espalier"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_size_counts_what_is_linked_to_once(tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(bytes(1_500_000))
    (tmp_path / "link").symlink_to("part")
    assert measure.size_mb(program(tmp_path, "")) == 1.5


def test_a_bundle_is_its_app_or_its_folder() -> None:
    on_mac = Path("/a/Espalier.app/Contents/MacOS/Espalier")
    assert measure.bundle_of(on_mac) == Path("/a/Espalier.app")
    assert measure.in_bundle(on_mac) == Path("Contents/MacOS/Espalier")
    assert measure.bundle_of(Path("/a/Espalier/Espalier")) == Path("/a/Espalier")
    assert measure.in_bundle(Path("/a/Espalier/Espalier")) == Path("Espalier")


def test_the_moment_of_the_first_paint_is_read_from_the_log(tmp_path: Path) -> None:
    line = f"2099-01-02 03:04:05,678 INFO app.launch.first_paint: {PAINTED}"
    made = program(tmp_path, f'mkdir -p "$2/logs"; echo "{line}" > "$2/logs/espalier.log"; exec sleep 60')
    years = measure.painted_s(made) / (365 * 24 * 3600)
    assert years > 50


def test_a_program_that_ends_before_it_paints_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"no window was painted .* exit status 3"):
        measure.painted_s(program(tmp_path, "exit 3"))


def test_a_self_test_that_fails_has_no_time(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        measure.self_test_s(program(tmp_path, '[ "$1" != --self-test ]'))
    assert measure.self_test_s(program(tmp_path, '[ "$1" = --self-test ]')) > 0
