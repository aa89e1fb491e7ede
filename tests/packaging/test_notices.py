"""Everything in the bundle has its licence in the notices, and Qt's conditions are met there."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from mac.lock import Pin, for_mac, read_lock
from mac.wheels import wheel_of
from tools import notices

WRITTEN = notices.OUT.read_text()


def wheel(folder: Path, files: dict[str, str], metadata: str = "") -> Path:
    path = folder / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thing-1.0.dist-info/METADATA", f"Name: thing\nVersion: 1.0\n{metadata}")
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def pin(name: str = "thing") -> Pin:
    return Pin(name, "1.0", None, (), frozenset())


def test_they_name_every_package_at_its_locked_version() -> None:
    parts = WRITTEN.split(notices.LINE)
    for each in notices.packages():
        entry = [part for part in parts if part.startswith(f"\n{each.name} {each.version}\nLicence: ")]
        assert len(entry) == 1, each.name


def test_they_name_nothing_that_is_not_in_the_lock() -> None:
    locked = {f"{each.name} {each.version}" for each in notices.packages()}
    written = set(re.findall(rf"^{notices.LINE}\n(\S+ \S+)\nLicence: ", WRITTEN, re.MULTILINE))
    assert written == locked


def test_they_are_what_the_wheels_say() -> None:
    """Where the wheels for a Mac have been fetched, the file is exactly what is written from them."""
    try:
        wheels = [(each, wheel_of(each)) for each in notices.packages()]
    except FileNotFoundError:
        pytest.skip("the wheels for a Mac are not here; `make check-wheels` compares them")
    assert notices.compose([notices.notice_of(*pair) for pair in wheels]) == WRITTEN


@pytest.mark.parametrize("name", ["LGPL-3.0", "GPL-3.0", "Apache-2.0"])
def test_licences_that_are_referred_to_stand_there_whole(name: str) -> None:
    assert f"{name}\n\n{notices.text(name)}" in WRITTEN


def test_the_texts_are_the_licences_they_are_called() -> None:
    assert "GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 3" in notices.text("LGPL-3.0")
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 3" in notices.text("GPL-3.0")
    assert len(notices.text("GPL-3.0").splitlines()) > 670
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in notices.text("Python-3.13")


def test_every_licence_of_what_is_inside_has_its_text() -> None:
    """What is in the public domain, or given without conditions, needs none."""
    rows = re.findall(r"^    (\S.{23}) (\S.{34}) ", notices.text("inside"), re.MULTILINE)
    rows += re.findall(r"^    (\S.{23}) (\S+(?: \S+)*)$", notices.text("inside"), re.MULTILINE)
    named = {licence.strip() for _, licences in rows for licence in licences.split(",")}
    assert len(rows) > 30
    texts = set(re.findall(r"^\[(\S+)\]$", notices.text("inside_texts"), re.MULTILINE))
    assert named - {"public domain", "CC0-1.0", "0BSD", "Apache-2.0"} == texts
    assert notices.text("inside_texts") in WRITTEN


def test_qt_is_named_with_its_source_and_how_to_replace_it() -> None:
    version = next(each.version for each in for_mac(read_lock()) if each.name == "pyside6-essentials")
    qt = next(part for part in WRITTEN.split(notices.LINE) if part.startswith(f"\nQt {version} and Qt for Python"))
    assert f"/{version}/" in qt
    assert "Lesser General Public License" in qt
    assert "Contents/Frameworks/PySide6" in qt
    assert "codesign --force --deep --sign -" in qt


def test_a_package_without_a_licence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no licence file"):
        notices.notice_of(pin(), wheel(tmp_path, {"thing/LICENSE": "of some other thing"}))


def test_all_of_its_licence_files_are_read(tmp_path: Path) -> None:
    info = "thing-1.0.dist-info"
    files = {
        f"{info}/licenses/LICENSE": "ours",
        f"{info}/licenses/vendored/COPYING": "theirs",
        f"{info}/NOTICE": "note",
    }
    found = notices.notice_of(pin(), wheel(tmp_path, files, "License-Expression: MIT\n"))
    assert dict(found.files) == {"LICENSE": "ours", "vendored/COPYING": "theirs", "NOTICE": "note"}
    assert found.licence == "MIT"


def test_a_licence_that_was_already_written_is_referred_to() -> None:
    known: dict[str, str] = {}
    first = notices.Notice("a", "1", "MIT", "", (("LICENSE", "the very text"),))
    second = notices.Notice("b", "1", "MIT", "", (("COPYING", "the  very\ntext"),))
    assert "the very text" in notices._entry(first, known)
    assert "[COPYING: the same as LICENSE of a, above]" in notices._entry(second, known)
