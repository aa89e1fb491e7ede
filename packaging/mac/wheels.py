"""Fetch the locked wheels for a Mac with Apple silicon, and keep the folder to exactly those.

pip decides where they come from: its own configuration names the registry. A wheel is taken only when its hash stands
in the lock, and only for the oldest macOS that is supported, whatever machine this runs on: a newer Mac's own choice of
mlx-metal would make a bundle that ends at its first computation on an older one.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from packaging.utils import canonicalize_name, parse_wheel_filename

from mac.lock import PYTHON, ROOT, SYSTEM, Pin, for_mac, read_lock

FOLDER = ROOT / "build" / "wheels"
SITE = ROOT / "build" / "mac" / "site"


def digest(path: Path) -> str:
    """A file's hash, as the lock writes it."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def wheel_of(pin: Pin, folder: Path = FOLDER) -> Path:
    """The pin's wheel in a folder. FileNotFoundError where it is missing or is not the locked file."""
    for path in sorted(folder.glob("*.whl")):
        name, version, _, _ = parse_wheel_filename(path.name)
        if name == canonicalize_name(pin.name) and str(version) == pin.version and digest(path) in pin.hashes:
            return path
    raise FileNotFoundError(f"no locked wheel of {pin.name} {pin.version} in {folder}: run `make wheels`")


def fetch(pins: Iterable[Pin], folder: Path = FOLDER) -> list[Path]:
    """Have every pin's wheel in the folder, and no other. SystemExit with pip's own words when one cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    pins = tuple(pins)
    missing = [pin for pin in pins if not _is_there(pin, folder)]
    if missing:
        _download(missing, folder)
    wheels = [wheel_of(pin, folder) for pin in pins]
    for path in set(folder.glob("*.whl")) - set(wheels):
        path.unlink()
    return wheels


def _is_there(pin: Pin, folder: Path) -> bool:
    try:
        wheel_of(pin, folder)
    except FileNotFoundError:
        return False
    return True


def _download(pins: Iterable[Pin], folder: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("\n".join(pin.requirement for pin in pins))
        wanted.flush()
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--implementation", "cp"]
        command += ["--platform", f"macosx_{SYSTEM}_arm64", "--python-version", PYTHON]
        command += ["--dest", str(folder), "--requirement", wanted.name]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip could not fetch the wheels for a Mac:\n{done.stderr}")


def unpack(wheels: Iterable[Path], folder: Path = SITE) -> Path:
    """The wheels as pip would lay them out, in a folder of their own, which is made anew when they have changed."""
    wheels = sorted(wheels)
    mark, wanted = folder / ".wheels", "".join(f"{path.name}\n" for path in wheels)
    if mark.is_file() and mark.read_text() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in wheels:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    mark.write_text(wanted)
    return folder


def install(wheels: Iterable[Path]) -> None:
    """On a Mac: put exactly these into this environment. SystemExit for another Python than they are for."""
    here = ".".join(platform.python_version_tuple()[:2])
    if here != PYTHON:
        raise SystemExit(
            f"The application is made with Python {PYTHON}, and .venv has {here}: make clean, then install it."
        )
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
    ]
    done = subprocess.run([*command, "--force-reinstall", *map(str, wheels)], check=False)
    if done.returncode:
        raise SystemExit("pip could not install the wheels that were fetched.")


def main() -> int:
    """Fetch them all, and say how much that is; with --install put them into this environment."""
    parser = argparse.ArgumentParser(description="Fetch the locked wheels for a Mac with Apple silicon.")
    parser.add_argument("--install", action="store_true", help="put them into this environment (on a Mac)")
    is_to_install = parser.parse_args().install
    wheels = fetch(for_mac(read_lock()))
    size = sum(path.stat().st_size for path in wheels)
    print(f"{len(wheels)} wheels for macOS {SYSTEM.replace('_', '.')} on arm64, Python {PYTHON}: {size / 1e6:.0f} MB")
    if is_to_install:
        install(wheels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
