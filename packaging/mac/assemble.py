"""Put Espalier.app together from the macOS wheels, on any machine, and examine it (`make check-mac-bundle`).

What a freeze on this machine collected is translated to the wheels for a Mac, and PyInstaller's own code makes the
bundle of it. Left out is what only a Mac has: Python itself, the modules packed for it, and signatures.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mac.contract import CLAIMED, chosen
from mac.examine import examine, figures
from mac.lock import ROOT, for_mac, read_lock
from mac.relink import thin
from mac.stamps import written
from mac.translate import Translation, collected, modules_lacking, translate
from mac.wheels import SITE, unpack, wheel_of

FREEZE = ROOT / "build" / "freeze" / "espalier" / "COLLECT-00.toc"
WORK = ROOT / "build" / "mac"
REPORT = WORK / "report.json"
START = Path("PyInstaller/bootloader/Darwin-64bit/runw")
"""The program that starts Python, in PyInstaller's wheel."""


def program(site: Path, work: Path) -> Path:
    """The starting program, its part for Apple silicon."""
    path = work / "Espalier"
    path.write_bytes(thin((site / START).read_bytes(), "arm64"))
    path.chmod(0o755)
    return path


def assemble(translation: Translation, site: Path, work: Path = WORK) -> Path:
    """Make the bundle. Returns its folder. SystemExit with PyInstaller's own words when it cannot be made."""
    work.mkdir(parents=True, exist_ok=True)
    order = {
        "site": str(site),
        "program": str(program(site, work)),
        "binaries": translation.binaries,
        "files": translation.files,
        "system": written(CLAIMED),
        "work": str(work / "work"),
        "dist": str(work / "dist"),
        "report": str(work / REPORT.name),
    }
    for folder in ("work", "dist"):
        shutil.rmtree(work / folder, ignore_errors=True)
        (work / folder).mkdir()
    path = work / "order.json"
    path.write_text(json.dumps(order))
    command = [sys.executable, "-I", str(Path(__file__).with_name("as_darwin.py")), str(path)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, env={"PATH": os.environ["PATH"]})
    (work / "log.txt").write_text(done.stderr)
    if done.returncode:
        raise SystemExit(f"PyInstaller could not make the bundle:\n{done.stderr[-6000:]}")
    return work / "dist" / "Espalier.app"


def remarks(translation: Translation, site: Path, linux_site: Path) -> list[str]:
    """What the bundle does not have, and why, in lines for a log."""
    signed, parts, lacking = json.loads(REPORT.read_text())["signed"], translation.of_python, translation.lacking
    count, modules = modules_lacking(FREEZE.with_name("PYZ-00.toc"), site, linux_site)
    return [
        f"On a Mac, {signed} files would have been signed on the way.",
        f"Only a Mac can add: Python with {len(parts)} parts of its own, the packed modules, signatures.",
        f"Of {count} packed modules of packages, {len(modules)} are not in the wheels: {', '.join(modules) or 'none'}",
        f"Of this machine's files, {len(lacking)} have no counterpart: {', '.join(lacking) or 'none'}",
    ]


def main() -> int:
    """Assemble, examine, and name what is not there; 1 when something is wrong."""
    if not FREEZE.is_file():
        print("There is no frozen program to translate: run `make app` first.", file=sys.stderr)
        return 1
    pins = chosen(for_mac(read_lock()))
    site = unpack([wheel_of(pin) for pin in pins], SITE).resolve()
    linux_site = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    translation = translate(collected(FREEZE), site, linux_site)
    app = assemble(translation, site)
    findings = examine(app)
    for finding in findings:
        print(finding, file=sys.stderr)
    print("\n".join([*figures(app), *remarks(translation, site, linux_site)]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
