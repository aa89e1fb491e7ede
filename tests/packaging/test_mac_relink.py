"""The stand-ins for Apple's tools do what those do, and refuse what they cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
from mac.examine import asked
from mac.relink import Changes, main, parse, relinked, thin
from macholib.mach_o import LC_ID_DYLIB
from macholib.MachO import MachO

from tests.packaging.mach_o import ARM64, X86_64, fat, slice_for

QT = "@rpath/QtCore.framework/Versions/A/QtCore"


def names(path: Path) -> tuple[list[str], list[str]]:
    search, wanted = asked(path)
    return search, [one.name for one in wanted]


def identity(path: Path) -> str:
    commands = MachO(str(path)).headers[0].commands
    return next(data.decode().rstrip("\0") for load, _, data in commands if load.cmd == LC_ID_DYLIB)


def test_one_processors_part_is_taken_out() -> None:
    intel, ours = slice_for(X86_64, (10, 15)), slice_for(ARM64, (14, 0))
    assert thin(fat((X86_64, intel), (ARM64, ours)), "arm64") == ours
    assert thin(fat((X86_64, intel), (ARM64, ours)), "x86_64") == intel
    assert thin(ours, "arm64") == ours


def test_a_part_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="no part for arm64"):
        thin(slice_for(X86_64, (10, 15)), "arm64")
    with pytest.raises(ValueError, match="no part for arm64"):
        thin(fat((X86_64, slice_for(X86_64, (10, 15)))), "arm64")


def test_names_are_written_and_the_content_stays(tmp_path: Path) -> None:
    path = tmp_path / "QtGui"
    given = slice_for(ARM64, (13, 0), linked=(QT, "/usr/lib/libz.1.dylib"), search=("/builder",), identity=QT, room=64)
    path.write_bytes(given)
    options = ["-id", "@rpath/QtGui", "-change", QT, "@rpath/QtCore", "-delete_rpath", "/builder"]
    assert main(["install_name_tool", *options, "-add_rpath", "@loader_path/..", str(path)]) == 0
    assert names(path) == (["@loader_path/.."], ["@rpath/QtCore", "/usr/lib/libz.1.dylib"])
    assert identity(path) == "@rpath/QtGui"
    assert len(path.read_bytes()) == len(given)
    assert path.read_bytes().endswith(b"CONTENT")


def test_weak_names_are_written_too(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(relinked(slice_for(ARM64, (13, 0), weak=(QT,), room=64), Changes(renamed={QT: "@rpath/QtCore"})))
    assert names(path)[1] == ["@rpath/QtCore"]


def test_names_that_do_not_fit_are_refused() -> None:
    data = slice_for(ARM64, (13, 0), linked=("@rpath/a",), room=8)
    with pytest.raises(ValueError, match="do not fit into"):
        relinked(data, Changes(renamed={"@rpath/a": "@rpath/" + "long" * 20}))


def test_a_file_for_two_processors_is_refused() -> None:
    with pytest.raises(ValueError, match="not a Mach-O file for one processor"):
        relinked(fat((ARM64, slice_for(ARM64, (13, 0)))), Changes())


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ValueError, match="-rpath"):
        parse(["-rpath", "a", "b", "file"])
    assert main(["lipo", "-info", "file"]) == 2
