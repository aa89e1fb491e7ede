"""What the bundle relies on in the wheels for a Mac, checked whenever the lock changes (`make check-wheels`).

* Every library is built for Apple silicon, alone or together with Intel.
* The wheels' names and the stamps of their libraries ask for no newer macOS than the one that Espalier names as its
  oldest. A stamp may ask for more than its wheel's name does: the stamps decide.
* mlx-metal is the wheel for macOS 14, whose kernels older systems can read, and its kernels are a Metal library.
* What mlx.core imports from its C++ is known to the bundle, for no import statement leads there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bundle.contents import KERNELS, NAMED_IN_CORE
from packaging.utils import parse_wheel_filename

from mac.lock import SYSTEM, Pin, for_mac, of_program, read_lock
from mac.stamps import System, binaries, first_bytes, stamp, written
from mac.wheels import FOLDER, SITE, fetch, unpack, wheel_of

CLAIMED: System = (15, 0)
"""The oldest macOS that Info.plist and the README name."""
MAGIC = b"MTLB"
"""What a library of Metal kernels begins with."""
BUILDERS = frozenset({"pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "macholib", "packaging", "setuptools"})
"""What is needed beside the program to put the bundle together."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise: of which wheel or file, and what."""

    of: str
    what: str

    def __str__(self) -> str:
        return f"{self.of}: {self.what}"


def chosen(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """What is bundled, and what bundles it."""
    pins = tuple(pins)
    ours = {pin.name for pin in of_program(pins)} | BUILDERS
    return tuple(pin for pin in pins if pin.name in ours)


def check_name(wheel: Path) -> list[Finding]:
    """The platforms in a wheel's name: any, or a macOS that is not too new, for arm64 or for both processors."""
    tags = {tag.platform for tag in parse_wheel_filename(wheel.name)[3]}
    found = [re.fullmatch(r"macosx_(\d+)_(\d+)_(arm64|universal2)", tag) for tag in tags if tag != "any"]
    if not all(found):
        return [Finding(wheel.name, "is not for Apple silicon")]
    newer = [match for match in found if match and (int(match[1]), int(match[2])) > CLAIMED]
    return [Finding(wheel.name, f"asks for a newer macOS than {written(CLAIMED)}")] if newer else []


def check_libraries(site: Path) -> list[Finding]:
    """Every library of the packages: built for arm64, and for no newer macOS than is claimed."""
    findings = []
    for path in binaries(site):
        each, name = stamp(path), str(path.relative_to(site))
        if each.oldest is None:
            findings.append(Finding(name, f"is built for {', '.join(sorted(each.processors))} only"))
        elif each.oldest > CLAIMED:
            findings.append(Finding(name, f"needs macOS {written(each.oldest)}, newer than {written(CLAIMED)}"))
    return findings


def check_metal(site: Path, wheels: Iterable[Path]) -> list[Finding]:
    """mlx-metal is the one for the oldest system, and its kernels are what mlx will look for."""
    names = [path.name for path in wheels if path.name.startswith("mlx_metal-")]
    findings = []
    if len(names) != 1 or f"-macosx_{SYSTEM}_arm64." not in names[0]:
        findings.append(Finding("mlx-metal", f"expected the one wheel for macOS {SYSTEM}, found {names}"))
    kernels = site / "mlx" / "lib" / KERNELS
    if not kernels.is_file():
        findings.append(Finding(KERNELS, "is not in the wheel"))
    elif (start := first_bytes(kernels)) != MAGIC:
        findings.append(Finding(KERNELS, f"begins with {start!r} and not with {MAGIC!r}"))
    lacking = [name for name in ("libmlx.dylib", "libjaccl.dylib") if not (site / "mlx" / "lib" / name).is_file()]
    return findings + [Finding(name, "is not in the wheel") for name in lacking]


def named_in_core(site: Path) -> list[str]:
    """Python modules of mlx whose names stand in its extension module. FileNotFoundError without that module."""
    core = next((site / "mlx").glob("core.*.so"), None)
    if core is None:
        raise FileNotFoundError(f"no extension module mlx.core in {site}")
    written_there = {match.decode() for match in re.findall(rb"mlx(?:\.[A-Za-z_]\w*)+(?=\0)", core.read_bytes())}
    return sorted(name for name in written_there if (site / f"{name.replace('.', '/')}.py").is_file())


def check_core(site: Path, known: Sequence[str] = NAMED_IN_CORE) -> list[Finding]:
    """What mlx.core imports by name is bundled."""
    names = named_in_core(site)
    findings = [Finding(name, "is imported by mlx.core and not known to the bundle") for name in set(names) - {*known}]
    findings += [Finding(name, "is known to the bundle but no longer in mlx.core") for name in set(known) - {*names}]
    return sorted(findings, key=str)


def check(site: Path, wheels: Sequence[Path]) -> list[Finding]:
    """Everything above, over unpacked wheels."""
    names = [finding for wheel in wheels for finding in check_name(wheel)]
    return [*names, *check_libraries(site), *check_metal(site, wheels), *check_core(site)]


def main() -> int:
    """Fetch, unpack, check; 1 when a promise is broken, with each one named."""
    pins = for_mac(read_lock())
    fetch(pins, FOLDER)
    wheels = [wheel_of(pin) for pin in chosen(pins)]
    site = unpack(wheels, SITE)
    findings = check(site, wheels)
    for finding in findings:
        print(finding, file=sys.stderr)
    report(site, len(wheels))
    return 1 if findings else 0


def report(site: Path, count: int) -> None:
    """The figures, for whoever reads the log."""
    stamps: dict[System, set[str]] = {}
    files = binaries(site)
    for path in files:
        oldest = stamp(path).oldest
        if oldest is not None:
            stamps.setdefault(oldest, set()).add(path.relative_to(site).parts[0])
    print(f"{count} wheels, {len(files)} programs and libraries for Apple silicon. Oldest macOS by their stamps:")
    for system, packages in sorted(stamps.items()):
        print(f"  {written(system)}  {', '.join(sorted(packages))}")
    kernels = site / "mlx" / "lib" / KERNELS
    print(f"{KERNELS}: {kernels.stat().st_size / 1e6:.0f} MB")
    print(f"Named inside mlx.core: {', '.join(named_in_core(site))}")


if __name__ == "__main__":
    sys.exit(main())
