"""Have PyInstaller make Espalier.app as it would on a Mac, on any machine. `assemble.py` runs this as a process.

    as_darwin.py ORDER.json

The process is told that it runs on a Mac with Apple silicon before PyInstaller is imported, and finds nothing but the
standard library and the wheels for a Mac. From then on it is PyInstaller's code for a Mac that finds which libraries
the modules need, rewrites their names, lays the bundle out and writes Info.plist. Apple's lipo and install_name_tool
are stood in for by `relink.py`; signing is left out and counted.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import shlex
import stat
import sys
import sysconfig
from pathlib import Path
from typing import Any

ASK_AT_IMPORT = ("asyncio", "ctypes.util", "multiprocessing", "shutil", "subprocess", "tempfile", "urllib.request")
"""Parts of the standard library that ask for the system when they are imported, and must hear the truth."""
TOOLS = ("lipo", "install_name_tool")


def present(system: str) -> None:
    """From here on this is a Mac with Apple silicon and that macOS."""
    for name in ASK_AT_IMPORT:
        importlib.import_module(name)
    sysconfig.get_config_vars()
    sys.platform = "darwin"
    platform.mac_ver = lambda *_: (system, ("", "", ""), "arm64")  # type: ignore[assignment]  # stands for it here
    platform.machine = lambda: "arm64"
    platform.system = lambda: "Darwin"


def stand_in(folder: Path) -> None:
    """Put the stand-ins for Apple's tools where they are found first."""
    folder.mkdir(parents=True, exist_ok=True)
    relink = Path(__file__).with_name("relink.py")
    for name in TOOLS:
        tool = folder / name
        tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(relink))} {name} "$@"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


def collect(order: dict[str, Any], site: Path, program: Path) -> list[tuple[str, str, str]]:
    """Modules, plugins, mlx's libraries, every library that PyInstaller finds these to need, and the files."""
    from bundle import contents
    from bundle.libraries import kept, without_loose_ends
    from PyInstaller.depend import bindepend
    from PyInstaller.utils import osx

    # Names in the bundle are those in the wheels; search paths are inherited from the program, not from this Python.
    bindepend._get_paths_for_parent_directory_preservation = lambda: [site]
    sys.executable = str(program)
    given = [tuple(entry) for entry in order["binaries"]]
    given += [(f"{folder}/{Path(path).name}", path, "BINARY") for path, folder in contents.libraries_to_add()]
    found = bindepend.binary_dependency_analysis(given, search_paths=[str(site)], symlink_suppression_patterns=set())
    files = [tuple(entry) for entry in order["files"]]
    files += [(f"mlx/lib/{contents.KERNELS}", str(site / "mlx/lib" / contents.KERNELS), "DATA")]
    files += [(contents.DOCUMENT_ICON.name, str(contents.DOCUMENT_ICON), "DATA")]
    # As the analysis does it on a Mac: the frameworks are made whole first, and only then are libraries left out.
    whole = osx.collect_files_from_framework_bundles([*found, *files])
    code = [entry for entry in whole if entry[2] in {"BINARY", "EXTENSION"}]
    return without_loose_ends([*kept(code), *(entry for entry in whole if entry not in code), *contents.links()])


def bundle(entries: list[tuple[str, str, str]], order: dict[str, Any]) -> int:
    """Let PyInstaller lay the bundle out. Returns how often it would have signed."""
    from bundle import contents, plist
    from bundle.libraries import minimum_system
    from PyInstaller.building import osx as building
    from PyInstaller.building.api import COLLECT
    from PyInstaller.building.datastruct import normalize_toc
    from PyInstaller.config import CONF
    from PyInstaller.utils import osx

    work = Path(order["work"])
    CONF.update(
        {"distpath": order["dist"], "workpath": str(work), "specpath": str(work), "cachedir": str(work / "cache")}
    )
    CONF.update({"spec": "espalier", "tocbasename": "espalier", "warnfile": str(work / "warnings.txt")})
    signed: list[str] = []
    osx.sign_binary = lambda path, *_, **__: signed.append(str(path))
    building.BUNDLE(
        _collection(COLLECT, normalize_toc(entries)),
        name="Espalier.app",
        icon=str(contents.ICON),
        bundle_identifier=plist.IDENTIFIER,
        info_plist=plist.info(minimum_system(entries), document_icon=contents.DOCUMENT_ICON.name),
    )
    return len(signed)


def _collection(base: type[Any], entries: list[tuple[str, str, str]]) -> Any:
    """What COLLECT hands to BUNDLE, without collecting."""

    class Collection(base):  # type: ignore[misc]  # known only when PyInstaller runs
        def __init__(self) -> None:
            self.toc = entries
            self.strip_binaries = self.upx_binaries = self.console = False
            self.upx_exclude: list[str] = []
            self.target_arch = "arm64"
            self.codesign_identity = self.entitlements_file = None

    return Collection()


def main() -> int:
    """Read the order, make the bundle, and leave what was done beside it."""
    order = json.loads(Path(sys.argv[1]).read_text())
    site, program = Path(order["site"]).resolve(), Path(order["program"])
    stand_in(Path(order["work"]) / "tools")
    sys.path[:] = [str(Path(__file__).parents[1]), *(p for p in sys.path if "site-packages" not in p)]
    sys.path.append(str(site))
    present(order["system"])
    entries = collect(order, site, program)
    signed = bundle([*entries, ("Espalier", str(program), "EXECUTABLE")], order)
    Path(order["report"]).write_text(json.dumps({"signed": signed, "entries": len(entries)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
