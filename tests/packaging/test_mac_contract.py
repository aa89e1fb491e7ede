"""Each promise about the wheels for a Mac can be broken, and is then named."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from mac import contract, wheels
from mac.lock import PYTHON, Pin, for_mac, read_lock

from tests.packaging.mach_o import ARM64, X86_64, slice_for

METAL = "mlx_metal-0.32.4-py3-none-macosx_14_0_arm64.whl"


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Unpacked wheels that keep every promise."""
    library = slice_for(ARM64, (14, 0))
    put(tmp_path / "mlx/lib/libmlx.dylib", library)
    put(tmp_path / "mlx/lib/libjaccl.dylib", library)
    put(tmp_path / "mlx/lib/mlx.metallib", b"MTLB and kernels")
    put(tmp_path / "mlx/core.cpython-313-darwin.so", library + b"mlx.core\0mlx._reprlib_fix\0mlx.__array_api_info\0")
    for name in ("_reprlib_fix", "__array_api_info", "utils"):
        put(tmp_path / f"mlx/{name}.py", b"")
    return tmp_path


def said(findings: list[contract.Finding]) -> str:
    return "\n".join(map(str, findings))


def test_what_keeps_every_promise_passes(site: Path) -> None:
    assert contract.check(site, [Path(METAL), Path("jinja2-3.1.6-py3-none-any.whl")]) == []


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("a-1-cp313-cp313-macosx_10_9_universal2.whl", ""),
        ("a-1-cp313-cp313-macosx_15_0_arm64.whl", ""),
        ("a-1-cp313-cp313-macosx_26_0_arm64.whl", "newer macOS than 15.0"),
        ("a-1-cp313-cp313-macosx_11_0_x86_64.whl", "not for Apple silicon"),
        ("a-1-cp313-cp313-manylinux_2_28_aarch64.whl", "not for Apple silicon"),
    ],
)
def test_a_wheels_name_is_checked(name: str, finding: str) -> None:
    found = said(contract.check_name(Path(name)))
    assert finding in found
    assert bool(found) == bool(finding)


def test_a_library_for_intel_alone_is_named(site: Path) -> None:
    put(site / "regex/_regex.so", slice_for(X86_64, (11, 0)))
    assert said(contract.check_libraries(site)) == "regex/_regex.so: is built for x86_64 only"


def test_a_library_that_asks_for_a_newer_system_is_named(site: Path) -> None:
    put(site / "PySide6/QtGui.abi3.so", slice_for(ARM64, (26, 0)))
    assert said(contract.check_libraries(site)) == "PySide6/QtGui.abi3.so: needs macOS 26.0, newer than 15.0"


@pytest.mark.parametrize("name", ["mlx_metal-0.32.4-py3-none-macosx_26_0_arm64.whl", "mlx-0.32.4-py3-none-any.whl"])
def test_another_systems_kernels_are_refused(site: Path, name: str) -> None:
    assert "expected the one wheel for macOS 14_0" in said(contract.check_metal(site, [Path(name)]))


def test_kernels_that_are_none_are_refused(site: Path) -> None:
    put(site / "mlx/lib/mlx.metallib", b"version https://git-lfs")
    assert said(contract.check_metal(site, [Path(METAL)])) == "mlx.metallib: begins with b'vers' and not with b'MTLB'"
    (site / "mlx/lib/mlx.metallib").unlink()
    assert said(contract.check_metal(site, [Path(METAL)])) == "mlx.metallib: is not in the wheel"


def test_a_library_of_mlx_that_is_gone_is_named(site: Path) -> None:
    (site / "mlx/lib/libjaccl.dylib").unlink()
    assert said(contract.check_metal(site, [Path(METAL)])) == "libjaccl.dylib: is not in the wheel"


def test_a_new_name_inside_mlx_is_found(site: Path) -> None:
    core = site / "mlx/core.cpython-313-darwin.so"
    core.write_bytes(core.read_bytes() + b"mlx.utils\0mlx.no_such_module\0")
    assert said(contract.check_core(site)) == "mlx.utils: is imported by mlx.core and not known to the bundle"


def test_a_name_that_mlx_gave_up_is_found(site: Path) -> None:
    put(site / "mlx/core.cpython-313-darwin.so", slice_for(ARM64, (14, 0)) + b"mlx._reprlib_fix\0")
    assert said(contract.check_core(site)) == "mlx.__array_api_info: is known to the bundle but no longer in mlx.core"


def test_the_bundles_packages_and_their_builders_are_chosen() -> None:
    names = {pin.name for pin in contract.chosen(for_mac(read_lock()))}
    assert names >= contract.BUILDERS
    assert "mlx-metal" in names
    assert "pytest" not in names


class TestWheels:
    """What is fetched, and what is taken from what lies there."""

    @pytest.fixture
    def wheel(self, tmp_path: Path) -> Path:
        path = tmp_path / "thing-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("thing/__init__.py", "")
        return path

    def pin(self, *hashes: str) -> Pin:
        return Pin("thing", "1.0", None, hashes, frozenset())

    def test_only_the_locked_file_is_taken(self, wheel: Path) -> None:
        locked = wheels.digest(wheel)
        assert wheels.wheel_of(self.pin("sha256:0", locked), wheel.parent) == wheel
        with pytest.raises(FileNotFoundError, match=r"no locked wheel of thing 1\.0"):
            wheels.wheel_of(self.pin("sha256:0"), wheel.parent)

    def test_nothing_is_fetched_twice_and_strangers_go(self, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("fetched what is there"))
        stranger = put(wheel.parent / "other-2.0-py3-none-any.whl", b"")
        assert wheels.fetch([self.pin(wheels.digest(wheel))], wheel.parent) == [wheel]
        assert not stranger.exists()

    def test_pip_is_asked_for_the_oldest_systems_wheels_with_hashes(
        self, wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        asked: list[list[str]] = []
        data, folder, pin = wheel.read_bytes(), tmp_path / "wheels", self.pin(wheels.digest(wheel))

        def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            asked.append([*command, Path(command[-1]).read_text()])
            put(folder / wheel.name, data)
            return subprocess.CompletedProcess(command, 0, stderr="")

        monkeypatch.setattr(subprocess, "run", run)
        wheels.fetch([pin], folder)
        command = " ".join(asked[0])
        for option in ("--require-hashes", "--only-binary :all:", "--no-deps", "--platform macosx_14_0_arm64"):
            assert option in command
        assert f"--python-version {PYTHON}" in command
        assert asked[0][-1] == pin.requirement
        assert "://" not in command
        assert "index" not in command

    def test_when_pip_cannot_its_words_are_shown(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        failed = subprocess.CompletedProcess([sys.executable], 1, stderr="no such version")
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
        with pytest.raises(SystemExit, match="no such version"):
            wheels.fetch([self.pin("sha256:0")], tmp_path / "wheels")

    def test_on_a_mac_exactly_these_are_installed(self, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[list[str]] = []

        def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            asked.append(command)
            return subprocess.CompletedProcess(command, len(asked) - 1)

        monkeypatch.setattr(subprocess, "run", run)
        monkeypatch.setattr("platform.python_version_tuple", lambda: (*PYTHON.split("."), "7"))
        wheels.install([wheel])
        assert {"--no-index", "--no-deps", "--force-reinstall", str(wheel)} <= set(asked[0])
        with pytest.raises(SystemExit, match="could not install"):
            wheels.install([wheel])

    def test_another_python_than_the_wheels_are_for_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("installed"))
        monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "11", "7"))
        with pytest.raises(SystemExit, match=rf"made with Python {PYTHON}, and \.venv has 3\.11"):
            wheels.install([])

    def test_wheels_are_unpacked_anew_only_when_they_change(self, wheel: Path, tmp_path: Path) -> None:
        site = wheels.unpack([wheel], tmp_path / "site")
        assert (site / "thing/__init__.py").is_file()
        mark = put(site / "untouched", b"")
        wheels.unpack([wheel], site)
        assert mark.exists()
        wheels.unpack([], site)
        assert not (site / "thing").exists()
