"""The spec itself, played with PyInstaller's names taken down: what it asks for on Linux and on a Mac."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from bundle import contents, libraries, plist

SPEC = Path(__file__).parents[2] / "packaging" / "espalier.spec"
Asked = dict[str, tuple[tuple[Any, ...], dict[str, Any]]]


class Nothing:
    """What the analysis found."""

    pure = scripts = binaries = datas = ()


def play(work: Path, monkeypatch: pytest.MonkeyPatch, platform: str) -> Asked:
    """Run the spec on this platform. Returns what each of PyInstaller's names was called with."""
    asked: Asked = {}

    def taking_down(name: str) -> Any:
        def take(*arguments: Any, **named: Any) -> Nothing:
            asked[name] = (arguments, named)
            return Nothing()

        return take

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(libraries, "kept", list)
    monkeypatch.setattr(libraries, "minimum_system", lambda _entries: "15.0")
    known = {name: taking_down(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
    exec(compile(SPEC.read_text(), SPEC, "exec"), {**known, "SPECPATH": str(SPEC.parent), "workpath": str(work)})
    return asked


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_nothing_is_packed_that_would_start_slower_or_swallow_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    asked = play(tmp_path, monkeypatch, platform)
    _, program = asked["EXE"]
    assert (program["upx"], program["argv_emulation"], program["exclude_binaries"]) == (False, False, True)
    assert asked["COLLECT"][1] == {"upx": False, "name": "Espalier"}


def test_the_analysis_is_told_what_the_module_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, analysis = play(tmp_path, monkeypatch, "linux")["Analysis"]
    assert analysis["hiddenimports"] == contents.hidden_imports()
    assert analysis["excludes"] == contents.excluded_modules()
    assert (str(contents.RESOURCES), "resources") in analysis["datas"]
    assert (str(tmp_path / "imports.txt"), ".") in analysis["datas"]


def test_on_linux_a_folder_is_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = play(tmp_path, monkeypatch, "linux")
    assert "BUNDLE" not in asked
    assert asked["EXE"][1]["entitlements_file"] is None


def test_on_a_mac_it_is_an_app_for_apple_silicon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = play(tmp_path, monkeypatch, "darwin")
    _, program = asked["EXE"]
    _, app = asked["BUNDLE"]
    assert program["target_arch"] == "arm64"
    assert Path(program["entitlements_file"]).is_file()
    assert app["name"] == "Espalier.app"
    assert Path(app["icon"]).is_file()
    assert app["bundle_identifier"] == app["info_plist"]["CFBundleIdentifier"] == plist.IDENTIFIER
    assert app["info_plist"]["LSMinimumSystemVersion"] == "15.0"
    assert (
        contents.RESOURCES / "icon" / app["info_plist"]["UTExportedTypeDeclarations"][0]["UTTypeIconFile"]
    ).is_file()
