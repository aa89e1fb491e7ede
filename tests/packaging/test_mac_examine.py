"""A whole bundle passes the examination, and each thing that can be wrong with one is named."""

from __future__ import annotations

import plistlib
from collections.abc import Callable
from pathlib import Path

import pytest
from bundle import plist
from mac.examine import FRAMEWORKS, NEEDED, PROGRAM, RESOURCES, examine, figures

from tests.packaging.mach_o import ARM64, X86_64, slice_for

INFO = "Contents/Info.plist"
COCOA = FRAMEWORKS / "PySide6/Qt/plugins/platforms/libqcocoa.dylib"


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def write_info(app: Path, **values: object) -> None:
    """What PyInstaller writes by itself, the project's values, and what a test wants otherwise."""
    made = {"CFBundleExecutable": "Espalier", "CFBundlePackageType": "APPL", "CFBundleIconFile": "Espalier.icns"}
    put(app / INFO, plistlib.dumps({**made, **plist.info("14.0", document_icon="EspalierDocument.icns"), **values}))


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A bundle with everything that must be there, of the smallest files."""
    app = tmp_path / "Espalier.app"
    code = slice_for(ARM64, (14, 0), linked=("/usr/lib/libSystem.B.dylib",))
    for path in NEEDED:
        put(app / path, b"MTLB" if path.name == "mlx.metallib" else b"file" if RESOURCES in path.parents else code)
    put(app / FRAMEWORKS / "PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore", code)
    search, linked = ("@loader_path/../../../../",), ("@rpath/QtCore", "@loader_path/libqoffscreen.dylib")
    put(app / COCOA, slice_for(ARM64, (13, 0), linked=linked, search=search, weak=("@rpath/libgone.dylib",)))
    (app / PROGRAM).chmod(0o755)
    (app / FRAMEWORKS / "QtCore").symlink_to("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")
    (app / FRAMEWORKS / "mlx/lib/mlx.metallib").symlink_to("../../../Resources/mlx/lib/mlx.metallib")
    (app / FRAMEWORKS / "mlx.metallib").symlink_to("mlx/lib/mlx.metallib")
    write_info(app)
    return app


def test_a_whole_bundle_passes(app: Path) -> None:
    assert examine(app) == []
    assert "Runs on macOS 14.0 and later" in "\n".join(figures(app))


@pytest.mark.parametrize("path", [path for path in NEEDED if "metallib" not in path.name], ids=lambda path: path.name)
def test_each_thing_that_must_be_there_is_missed(app: Path, path: Path) -> None:
    (app / path).unlink()
    assert f"{path}: is missing" in "\n".join(map(str, examine(app)))


def a_newer_library(app: Path) -> None:
    put(app / FRAMEWORKS / "a.so", slice_for(ARM64, (15, 0)))


def a_library_for_intel(app: Path) -> None:
    put(app / FRAMEWORKS / "libshared.dylib", slice_for(X86_64, (11, 0)))


def a_lost_library(app: Path) -> None:
    (app / FRAMEWORKS / "QtCore").unlink()


def a_builders_path(app: Path) -> None:
    put(app / COCOA, slice_for(ARM64, (13, 0), linked=("/opt/homebrew/lib/libz.dylib",)))


def a_broken_link(app: Path) -> None:
    (app / RESOURCES / "gone").symlink_to("nowhere")


def a_link_outside(app: Path) -> None:
    (app / RESOURCES / "out").symlink_to("/usr/lib")


def no_kernels_at_the_top(app: Path) -> None:
    (app / FRAMEWORKS / "mlx.metallib").unlink()


def kernels_that_are_none(app: Path) -> None:
    put(app / RESOURCES / "mlx/lib/mlx.metallib", b"oops")


def code_among_resources(app: Path) -> None:
    put(app / RESOURCES / "sneaked.so", slice_for(ARM64, (14, 0)))


def a_file_among_code(app: Path) -> None:
    put(app / FRAMEWORKS / "numpy/notes.txt", b"text")


def a_folder_with_a_point(app: Path) -> None:
    (app / FRAMEWORKS / "numpy.libs").mkdir()


def something_unwanted(app: Path) -> None:
    put(app / FRAMEWORKS / "QtQml", slice_for(ARM64, (14, 0)))


def a_program_that_cannot_run(app: Path) -> None:
    (app / PROGRAM).chmod(0o644)


def more_at_the_top(app: Path) -> None:
    put(app / "README", b"")


def a_second_copy(app: Path) -> None:
    put(app / FRAMEWORKS / "libmlx.dylib", slice_for(ARM64, (14, 0)))


def a_boolean_in_words(app: Path) -> None:
    write_info(app, NSHighResolutionCapable="true")


def another_version(app: Path) -> None:
    write_info(app, CFBundleShortVersionString="9.9")


def no_dark_mode(app: Path) -> None:
    write_info(app, NSRequiresAquaSystemAppearance=True)


def a_lost_icon(app: Path) -> None:
    write_info(app, CFBundleIconFile="Other.icns")


def an_undeclared_type(app: Path) -> None:
    write_info(app, CFBundleDocumentTypes=[{"CFBundleTypeIconFile": "EspalierDocument.icns", "LSItemContentTypes": []}])


def no_plist(app: Path) -> None:
    (app / INFO).unlink()


FAULTS = [
    (a_newer_library, "LSMinimumSystemVersion is '14.0' and should be '15.0'"),
    (a_lost_library, "libqcocoa.dylib: asks for @rpath/QtCore, which is nowhere in the bundle"),
    (a_builders_path, "libqcocoa.dylib: asks for /opt/homebrew/lib/libz.dylib, which is nowhere in the bundle"),
    (a_broken_link, "Contents/Resources/gone: is a link to nowhere, which is not there"),
    (a_link_outside, "Contents/Resources/out: is a link out of the bundle, to /usr/lib"),
    (no_kernels_at_the_top, "Contents/Frameworks/mlx.metallib: is missing: mlx looks for its kernels there"),
    (kernels_that_are_none, "mlx.metallib: is not a library of Metal kernels"),
    (code_among_resources, "Contents/Resources/sneaked.so: is code among the resources"),
    (a_file_among_code, "Contents/Frameworks/numpy/notes.txt: is no code, but lies among it"),
    (a_folder_with_a_point, "Contents/Frameworks/numpy.libs: is a folder with a point"),
    (something_unwanted, "Contents/Frameworks/QtQml: does not belong into the bundle"),
    (a_program_that_cannot_run, "Contents/MacOS/Espalier: cannot be run"),
    (more_at_the_top, "Espalier.app: has more than Contents at its top"),
    (a_second_copy, "libmlx.dylib: is there more than once"),
    (a_boolean_in_words, "NSHighResolutionCapable is 'true' and not a bool"),
    (another_version, "CFBundleShortVersionString is '9.9' and should be"),
    (no_dark_mode, "NSRequiresAquaSystemAppearance is True and should be False"),
    (a_lost_icon, "names the icon 'Other.icns', which is not among the resources"),
    (an_undeclared_type, "does not open the type that it declares"),
    (no_plist, "Info.plist: is missing"),
]


@pytest.mark.parametrize(("harm", "finding"), FAULTS, ids=[harm.__name__ for harm, _ in FAULTS])
def test_what_is_wrong_is_named(app: Path, harm: Callable[[Path], None], finding: str) -> None:
    harm(app)
    assert finding in "\n".join(map(str, examine(app)))


def test_a_library_for_intel_is_named_and_does_not_stop_the_examination(app: Path) -> None:
    a_library_for_intel(app)
    a_broken_link(app)
    found = "\n".join(map(str, examine(app)))
    assert "Contents/Frameworks/libshared.dylib: is built for x86_64 only" in found
    assert "Contents/Resources/gone" in found
