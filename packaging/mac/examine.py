"""Examine Espalier.app as it lies on the disk, on any machine: what a Mac would stumble over is found here.

    python packaging/mac/examine.py dist/Espalier.app

* The layout is a Mac's: a program, libraries in Frameworks, everything else in Resources, and no link leads nowhere.
* Info.plist has the values that macOS reads, each of the right type, and names no older system than the libraries need.
* mlx finds its kernels beside libmlx by both of its paths; libjaccl, the cocoa plugin and the style of macOS are there.
* Every library is for Apple silicon, is there once, and every library that it asks for is in the bundle or macOS's own.
"""

from __future__ import annotations

import argparse
import os
import plistlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGING = str(Path(__file__).resolve().parents[1])
if PACKAGING not in sys.path:
    sys.path.insert(0, PACKAGING)

from bundle import plist  # noqa: E402
from bundle.contents import KERNELS  # noqa: E402
from macholib.mach_o import LC_LOAD_WEAK_DYLIB, LC_RPATH  # noqa: E402
from macholib.MachO import MachO  # noqa: E402

from mac.contract import MAGIC, Finding  # noqa: E402
from mac.stamps import binaries, first_bytes, oldest_for_all, stamp, written  # noqa: E402

OF_THE_SYSTEM = ("/usr/lib/", "/System/Library/")
FRAMEWORKS = Path("Contents/Frameworks")
RESOURCES = Path("Contents/Resources")
PROGRAM = Path("Contents/MacOS/Espalier")
NEEDED = (
    PROGRAM,
    RESOURCES / "Espalier.icns",
    RESOURCES / "EspalierDocument.icns",
    RESOURCES / "resources/notices/notices.txt",
    RESOURCES / "resources/models/guide/model.safetensors",
    RESOURCES / "mlx/lib" / KERNELS,
    FRAMEWORKS / "mlx/lib/libmlx.dylib",
    FRAMEWORKS / "mlx/lib/libjaccl.dylib",
    FRAMEWORKS / "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
    FRAMEWORKS / "PySide6/Qt/plugins/platforms/libqoffscreen.dylib",
    FRAMEWORKS / "PySide6/Qt/plugins/styles/libqmacstyle.dylib",
    FRAMEWORKS / "PySide6/Qt/plugins/iconengines/libqsvgicon.dylib",
)
UNWANTED = ("torch", "QtWebEngine", "QtQml", "QtQuick", "QtPdf", "pytest", "tkinter")
TYPES: dict[str, type] = {
    "CFBundleIdentifier": str,
    "CFBundleExecutable": str,
    "CFBundleShortVersionString": str,
    "CFBundleVersion": str,
    "CFBundleIconFile": str,
    "CFBundlePackageType": str,
    "LSMinimumSystemVersion": str,
    "LSApplicationCategoryType": str,
    "NSHighResolutionCapable": bool,
    "NSRequiresAquaSystemAppearance": bool,
    "CFBundleDocumentTypes": list,
    "UTExportedTypeDeclarations": list,
}
"""Values without which macOS shows the program wrongly or not at all; a boolean that is a string is not one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A library that a file asks for, and whether it can do without."""

    name: str
    is_weak: bool


def examine(app: Path) -> list[Finding]:
    """Everything that is wrong with the bundle; nothing when it is whole."""
    findings = [*check_layout(app), *check_plist(app), *check_kernels(app), *check_libraries(app)]
    return sorted(findings, key=str)


def check_layout(app: Path) -> list[Finding]:
    """What must be there is there, what must not is not, and links end within the bundle."""
    findings = [Finding(str(path), "is missing") for path in NEEDED if not (app / path).is_file()]
    if {path.name for path in app.iterdir()} != {"Contents"}:
        findings.append(Finding(app.name, "has more than Contents at its top"))
    if (app / PROGRAM).is_file() and not os.access(app / PROGRAM, os.X_OK):
        findings.append(Finding(str(PROGRAM), "cannot be run: it is not marked as a program"))
    inside = app.resolve()
    for path in sorted(app.rglob("*")):
        name = str(path.relative_to(app))
        if path.is_symlink() and not path.exists():
            findings.append(Finding(name, f"is a link to {path.readlink()}, which is not there"))
        elif path.is_symlink() and (path.readlink().is_absolute() or not path.resolve().is_relative_to(inside)):
            findings.append(Finding(name, f"is a link out of the bundle, to {path.readlink()}"))
        if path.name.split(".")[0] in UNWANTED:
            findings.append(Finding(name, "does not belong into the bundle"))
    return [*findings, *check_places(app)]


def check_places(app: Path) -> list[Finding]:
    """Code lies in Frameworks and MacOS, and nothing else does: other places break the signature."""
    code = set(binaries(app))
    misplaced = sorted(path for path in code if path.is_relative_to(app / RESOURCES))
    findings = [Finding(str(path.relative_to(app)), "is code among the resources") for path in misplaced]
    for path in sorted((app / FRAMEWORKS).rglob("*")):
        is_framework = any(parent.suffix == ".framework" for parent in (path, *path.parents))
        if path.is_symlink() or is_framework:
            continue
        name = str(path.relative_to(app))
        if path.is_dir() and "." in path.name:
            findings.append(Finding(name, "is a folder with a point in its name among the code"))
        elif path.is_file() and path not in code:
            findings.append(Finding(name, "is no code, but lies among it"))
    return findings


def check_plist(app: Path) -> list[Finding]:
    """Info.plist says who this is, in the right types, and what pyproject.toml says."""
    path = app / "Contents/Info.plist"
    if not path.is_file():
        return [Finding("Info.plist", "is missing")]
    info: dict[str, Any] = plistlib.loads(path.read_bytes())
    findings = [
        Finding("Info.plist", f"{key} is {info.get(key)!r} and not a {kind.__name__}")
        for key, kind in TYPES.items()
        if type(info.get(key)) is not kind
    ]
    oldest = written(oldest_for_all(path for path in binaries(app) if stamp(path).is_for_arm64))
    values = {
        "CFBundleIdentifier": plist.IDENTIFIER,
        "CFBundleExecutable": PROGRAM.name,
        "CFBundleShortVersionString": plist.version(),
        "CFBundleVersion": plist.version(),
        "CFBundlePackageType": "APPL",
        "LSMinimumSystemVersion": oldest,
        "NSHighResolutionCapable": True,
        "NSRequiresAquaSystemAppearance": False,
    }
    wrong = [(key, value) for key, value in values.items() if key in info and info[key] != value]
    findings += [Finding("Info.plist", f"{key} is {info[key]!r} and should be {value!r}") for key, value in wrong]
    return [*findings, *_check_icons(app, info)]


def _check_icons(app: Path, info: dict[str, Any]) -> list[Finding]:
    """The icons that Info.plist names are there, and its document type is the one it declares."""
    documents = info.get("CFBundleDocumentTypes") or [{}]
    exported = info.get("UTExportedTypeDeclarations") or [{}]
    icons = [info.get("CFBundleIconFile"), documents[0].get("CFBundleTypeIconFile"), exported[0].get("UTTypeIconFile")]
    findings = [
        Finding("Info.plist", f"names the icon {icon!r}, which is not among the resources")
        for icon in icons
        if not icon or not (app / RESOURCES / icon).is_file()
    ]
    if exported[0].get("UTTypeIdentifier") not in documents[0].get("LSItemContentTypes", []):
        findings.append(Finding("Info.plist", "does not open the type that it declares"))
    return findings


def check_kernels(app: Path) -> list[Finding]:
    """libmlx asks the loader for its own path, which may be the link at the top; kernels must lie beside both."""
    findings = []
    for folder in (FRAMEWORKS / "mlx/lib", FRAMEWORKS):
        path = app / folder / KERNELS
        if not path.is_file():
            findings.append(Finding(str(folder / KERNELS), "is missing: mlx looks for its kernels there"))
        elif first_bytes(path) != MAGIC:
            findings.append(Finding(str(folder / KERNELS), "is not a library of Metal kernels"))
    return findings


def check_libraries(app: Path) -> list[Finding]:
    """Every library is for Apple silicon, and what it asks for is found from where it lies."""
    findings = []
    for path in binaries(app):
        name, each = str(path.relative_to(app)), stamp(path)
        if not each.is_for_arm64:
            findings.append(Finding(name, f"is built for {', '.join(sorted(each.processors))} only"))
            continue
        paths, wanted = asked(path)
        lacking = [one.name for one in wanted if not one.is_weak and not is_found(one.name, path, paths, app)]
        findings += [Finding(name, f"asks for {one}, which is nowhere in the bundle") for one in lacking]
    return [*findings, *check_copies(app)]


def check_copies(app: Path) -> list[Finding]:
    """A library lies in one place, with links from others: two copies would be loaded as two libraries."""
    places: dict[str, list[str]] = {}
    for path in binaries(app):
        if path.suffix == ".dylib" or ".framework" in str(path):
            places.setdefault(path.name, []).append(str(path.relative_to(app)))
    return [Finding(name, f"is there more than once: {', '.join(all_)}") for name, all_ in places.items() if all_[1:]]


def asked(path: Path) -> tuple[list[str], list[Wanted]]:
    """A file's search paths and the libraries it asks for, over all processors."""
    paths: dict[str, None] = {}
    wanted: dict[Wanted, None] = {}
    for header in MachO(str(path)).headers:
        for load, _, data in header.commands:
            if load.cmd == LC_RPATH:
                paths[data.decode().rstrip("\0")] = None
        kinds = {index: header.commands[index][0].cmd for index, _, _ in header.walkRelocatables()}
        for index, _, name in header.walkRelocatables():
            wanted[Wanted(name, kinds[index] == LC_LOAD_WEAK_DYLIB)] = None
    return list(paths), list(wanted)


def is_found(name: str, asker: Path, search: list[str], app: Path) -> bool:
    """Whether the loader finds a library: it is macOS's own, or lies in the bundle where the asker says."""
    if name.startswith(OF_THE_SYSTEM):
        return True
    if name.startswith("@rpath/"):
        places = [f"{folder}/{name.removeprefix('@rpath/')}" for folder in search]
    else:
        places = [name] if name.startswith("@") else []
    return any(_place(each, asker, app).is_file() for each in places)


def _place(name: str, asker: Path, app: Path) -> Path:
    """A loader's path on this disk. The loader resolves links to the asker first."""
    where = {"@loader_path": asker.resolve().parent, "@executable_path": (app / PROGRAM).parent}
    head, _, rest = name.partition("/")
    return where[head] / rest if head in where else Path(name)


def figures(app: Path) -> list[str]:
    """What the bundle is like, in lines for a log."""
    files = [path for path in app.rglob("*") if path.is_file() and not path.is_symlink()]
    links = [path for path in app.rglob("*") if path.is_symlink()]
    code = binaries(app)
    size = sum(path.stat().st_size for path in files)
    kernels = (app / RESOURCES / "mlx/lib" / KERNELS).stat().st_size
    return [
        f"{app.name}: {size / 1e6:.0f} MB, {kernels / 1e6:.0f} MB of them Metal kernels; {len(files)} files, "
        f"{len(code)} of them code, {len(links)} links.",
        f"Runs on macOS {written(oldest_for_all(code))} and later, by its libraries' own stamps.",
    ]


def main() -> int:
    """1 when something is wrong, with each thing named."""
    parser = argparse.ArgumentParser(description="Examine Espalier.app as it lies on the disk.")
    parser.add_argument("app", type=Path)
    app = parser.parse_args().app
    findings = examine(app)
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print("\n".join(figures(app)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
