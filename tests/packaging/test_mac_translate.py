"""What was frozen on Linux is found again in the wheels for a Mac."""

from __future__ import annotations

from pathlib import Path

import pytest
from mac.translate import Translation, collected, modules_lacking, translate

LINUX = ".cpython-311-x86_64-linux-gnu.so"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    files = [
        "numpy/_core/_multiarray_umath.cpython-313-darwin.so",
        "PySide6/QtCore.abi3.so",
        "numpy-2.5.5.dist-info/METADATA",
        "transformers/__init__.py",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/plugins/designer/libPySidePlugin.dylib",
    ]
    for name in files:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(b"")
    return site


def said(site: Path, dest: str, kind: str, source: str = "") -> Translation:
    """The translation of one entry, Qt's plugins left out."""
    linux = Path("/linux/site-packages")
    out = translate([(dest, source or str(linux / dest), kind)], site, linux)
    out.binaries = [entry for entry in out.binaries if "plugins" not in entry[0]]
    return out


@pytest.mark.parametrize(
    ("linux", "mac"),
    [
        (f"numpy/_core/_multiarray_umath{LINUX}", "numpy/_core/_multiarray_umath.cpython-313-darwin.so"),
        ("PySide6/QtCore.abi3.so", "PySide6/QtCore.abi3.so"),
    ],
)
def test_modules_are_found_under_their_names(site: Path, linux: str, mac: str) -> None:
    assert said(site, linux, "EXTENSION").binaries == [(mac, str(site / mac), "EXTENSION")]


def test_pythons_own_parts_are_told_apart(site: Path) -> None:
    assert said(site, f"python3.11/lib-dynload/_ssl{LINUX}", "EXTENSION").of_python == ["_ssl"]
    zipped = said(site, "base_library.zip", "DATA", "/build/base_library.zip")
    assert zipped.of_python == ["base_library.zip"]
    assert zipped.files == []


def test_what_a_mac_does_not_have_is_listed(site: Path) -> None:
    assert said(site, f"charset/md{LINUX}", "EXTENSION").lacking == [f"charset/md{LINUX}"]
    assert said(site, "mlx_cpu-0.32.4.dist-info/METADATA", "DATA").lacking == ["mlx_cpu-0.32.4.dist-info/METADATA"]


def test_files_come_from_the_wheels_and_may_have_another_version(site: Path) -> None:
    here = "numpy-2.5.5.dist-info/METADATA"
    assert said(site, "numpy-2.4.6.dist-info/METADATA", "DATA").files == [(here, str(site / here), "DATA")]
    assert said(site, "transformers/__init__.py", "DATA").files[0][1] == str(site / "transformers/__init__.py")


def test_the_projects_own_files_stay(site: Path) -> None:
    entry = ("resources/icon/espalier.svg", "/project/resources/icon/espalier.svg", "DATA")
    assert said(site, entry[0], "DATA", entry[1]).files == [entry]
    assert len(said(site, "espalier-0.1.0.dist-info/METADATA", "DATA").files) == 1


def test_linux_libraries_go_and_the_macs_plugins_come(site: Path) -> None:
    out = translate([("libstdc++.so.6", "/usr/lib/libstdc++.so.6", "BINARY")], site, Path("/linux"))
    assert [Path(dest).name for dest, _, _ in out.binaries] == ["libqcocoa.dylib"]


def test_the_list_is_read_as_pyinstaller_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "COLLECT-00.toc"
    path.write_text("([('a', '/b/a', 'DATA'),\n  ('c.so', '/b/c.so', 'EXTENSION')],)")
    assert collected(path) == [("a", "/b/a", "DATA"), ("c.so", "/b/c.so", "EXTENSION")]


def test_packed_modules_are_looked_for_in_the_wheels(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "PYZ-00.toc"
    linux = "/linux/site-packages"
    modules = [
        ("transformers", f"{linux}/transformers/__init__.py"),
        ("gone", f"{linux}/gone.py"),
        ("json", "/py/json.py"),
    ]
    path.write_text(repr(("PYZ-00.pyz", [(name, source, "PYMODULE") for name, source in modules])))
    assert modules_lacking(path, site, Path(linux)) == (2, ["gone.py"])
