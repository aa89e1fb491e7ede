"""The lock is read as a Mac would read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mac.lock import for_mac, of_program, read_lock

BLOCK = "{name}=={version}{marker} \\\n    --hash=sha256:{hash}\n    # via {via}"


def lock(folder: Path, *blocks: tuple[str, str, str, str]) -> Path:
    """A lock of (name, version, marker, wanted by)."""
    path = folder / "requirements.lock"
    lines = [
        BLOCK.format(name=name, version=version, marker=f" ; {marker}" if marker else "", via=via, hash="0" * 64)
        for name, version, marker, via in blocks
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def names(pins: object) -> list[str]:
    return [pin.name for pin in pins]  # type: ignore[attr-defined]


def test_the_projects_lock_gives_a_mac_its_own_packages() -> None:
    chosen = names(for_mac(read_lock()))
    assert "mlx-metal" in chosen
    assert "macholib" in chosen
    assert "mlx-cpu" not in chosen


def test_what_only_tests_or_builds_the_program_is_not_the_programs() -> None:
    ours = names(of_program(for_mac(read_lock())))
    assert {"mlx", "mlx-metal", "mlx-lm", "pyside6-essentials", "shiboken6", "transformers", "markupsafe"} <= set(ours)
    assert not {"pytest", "ruff", "mypy", "pyinstaller", "hypothesis", "setuptools"} & set(ours)


def test_what_is_wanted_through_others_is_found(tmp_path: Path) -> None:
    direct = "espalier (pyproject.toml)"
    path = lock(tmp_path, ("c", "3", "", "b"), ("b", "2", "", "a"), ("a", "1", "", direct), ("z", "1", "", "tester"))
    assert names(of_program(read_lock(path))) == ["c", "b", "a"]


def test_several_reasons_are_read_from_their_lines(tmp_path: Path) -> None:
    path = lock(tmp_path, ("a", "1", "", "\n    #   b\n    #   espalier (pyproject.toml:build)"))
    assert read_lock(path)[0].wanted_by == {"b", "espalier (pyproject.toml:build)"}


def test_two_versions_on_one_machine_are_refused(tmp_path: Path) -> None:
    path = lock(tmp_path, ("a", "1", "", "b"), ("a", "2", "sys_platform == 'darwin'", "b"))
    with pytest.raises(ValueError, match=r": a$"):
        for_mac(read_lock(path))


def test_a_line_without_a_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "requirements.lock"
    path.write_text(f"a>=1 \\\n    --hash=sha256:{'0' * 64}\n")
    with pytest.raises(ValueError, match="a>=1"):
        read_lock(path)


def test_pip_gets_the_version_and_the_hashes_without_the_marker(tmp_path: Path) -> None:
    path = lock(tmp_path, ("a", "1", "sys_platform == 'darwin'", "b"))
    assert read_lock(path)[0].requirement == f"a==1 --hash=sha256:{'0' * 64}"
