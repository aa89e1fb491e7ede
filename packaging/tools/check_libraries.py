"""On Linux, name the system packages that Qt needs and does not find, before Qt fails with less helpful words."""

from __future__ import annotations

import ctypes
import os
import sys

# library -> the Debian package that has it
EVERYWHERE = {
    "libX11.so.6": "libx11-6",
    "libfreetype.so.6": "libfreetype6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
ON_X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-image.so.0": "libxcb-image0",
}


def is_missing(library: str) -> bool:
    """The dynamic linker does not find this library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return True
    return False


def missing_packages(needed: dict[str, str]) -> list[str]:
    """Debian packages of the libraries that are not there."""
    return [package for library, package in needed.items() if is_missing(library)]


def main() -> int:
    """0 when everything is there. Only Linux is asked: elsewhere Qt's wheels bring all they need."""
    if sys.platform != "linux":
        return 0
    uses_x11 = bool(os.environ.get("DISPLAY")) and os.environ.get("QT_QPA_PLATFORM", "xcb").startswith("xcb")
    missing = missing_packages({**EVERYWHERE, **(ON_X11 if uses_x11 else {})})
    if not missing:
        return 0
    print("Espalier's window needs libraries that this system does not have. On Debian or Ubuntu:", file=sys.stderr)
    print(f"    apt install {' '.join(missing)}", file=sys.stderr)
    print("Then run the same command again.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
