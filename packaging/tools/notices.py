"""Write resources/notices/notices.txt: whose work Espalier.app carries, under which licences, with their texts.

    python packaging/tools/notices.py            write it (`make notices`)
    python packaging/tools/notices.py --check    end with 1 when it is not what would be written now

The packages are those of requirements.lock that the program needs on a Mac; their licence files are read from the very
wheels that are bundled (`make wheels` fetches them). What has no licence file in its wheel is listed below, with the
text that applies, so that a package can never join the bundle without a licence.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

from mac.lock import PYTHON, Pin, for_mac, of_program, read_lock  # noqa: E402
from mac.wheels import FOLDER, wheel_of  # noqa: E402

OUT = ROOT / "resources" / "notices" / "notices.txt"
TEXTS = ROOT / "packaging" / "licences"
LICENCE_FILE = re.compile(r"\.dist-info/(licenses/.*|(licen[cs]e|copying|notice|authors)[^/]*)$", re.IGNORECASE)
WITHOUT_FILE = {
    "latex2mathml": "MIT",  # Copyright Ronie Martinez
    "pyside6-essentials": "LGPL-3.0",
    "shiboken6": "LGPL-3.0",
    "sentencepiece": "Apache-2.0",
    "tokenizers": "Apache-2.0",
}
"""Packages whose wheels have no licence file, and which text below is theirs, as their metadata and sources say."""
BESIDE = ("pyinstaller",)
"""In the bundle without being imported: the small program that starts Python."""
LINE = "=" * 118
QT = """Qt {version} and Qt for Python (PySide6, Shiboken) {version}
Copyright The Qt Company Ltd. and other contributors.

Espalier uses Qt and Qt for Python under the GNU Lesser General Public License, version 3, whose text stands at the end
together with the GNU General Public License that it refers to. Both are used as they are published, without changes, as
dynamic libraries:

  * Source code. Qt: https://download.qt.io/official_releases/qt/{series}/{version}/  Qt for Python:
    https://download.qt.io/official_releases/QtForPython/pyside6/  (version {version}). The wheels that were
    taken: PySide6-Essentials {version} and shiboken6 {version}, from the Python Package Index.
  * Replacing them. The libraries lie in Espalier.app/Contents/Frameworks/PySide6 and .../shiboken6 as separate files
    (Qt's own in PySide6/Qt/lib/Qt*.framework, its plugins in PySide6/Qt/plugins). Put others with the same interface in
    their place, then sign the copy anew for your own Mac, in the Terminal:
        codesign --force --deep --sign - /Applications/Espalier.app
    The program loads them; nothing in it stops you, and library validation is off so that they need not be ours.
  * Nothing in Espalier's licence forbids changing the program for your own use, or taking it apart to find faults in
    such changes."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One package: what it calls its licence, and the files that say so, as (name, text)."""

    name: str
    version: str
    licence: str
    home: str
    files: tuple[tuple[str, str], ...]


def notice_of(pin: Pin, wheel: Path) -> Notice:
    """Read a wheel's metadata and licence files. ValueError when it has no licence and none is known."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        metadata = next(name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        about = Parser().parsestr(archive.read(metadata).decode())
        found = [name for name in names if name.count(".dist-info/") == 1 and LICENCE_FILE.search(name)]
        files = tuple((_short(name), archive.read(name).decode("utf-8", "replace")) for name in found)
    if not files and pin.name not in WITHOUT_FILE:
        raise ValueError(f"{wheel.name} has no licence file: find its licence and add it to WITHOUT_FILE")
    return Notice(pin.name, pin.version, _licence(about, pin.name), _home(about), files)


def _short(name: str) -> str:
    return name.split(".dist-info/")[1].removeprefix("licenses/")


def _licence(about: Message, name: str) -> str:
    named = str(about["License-Expression"] or "").strip() or WITHOUT_FILE.get(name, "")
    classifiers = [line.split(" :: ")[-1] for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    return named or ", ".join(classifiers) or str(about["License"] or "").splitlines()[0].strip() or "as below"


def _home(about: Message) -> str:
    links = [line.split(",", 1) for line in about.get_all("Project-URL", [])]
    known = {label.strip().lower(): url.strip() for label, url in links}
    order = ("homepage", "home", "source", "repository", "source code", "github")
    return next((known[label] for label in order if label in known), str(about["Home-page"] or "").strip())


def packages() -> tuple[Pin, ...]:
    """What the bundle carries of the lock, by name."""
    pins = for_mac(read_lock())
    beside = tuple(pin for pin in pins if pin.name in BESIDE)
    return tuple(sorted((*of_program(pins), *beside), key=lambda pin: pin.name))


def compose(notices: list[Notice]) -> str:
    """The whole text. Equal texts are written once, and referred to afterwards."""
    qt = next(notice.version for notice in notices if notice.name == "pyside6-essentials")
    known = {_squeeze(text(name)): f"the text of {name} at the end" for name in ("Apache-2.0", "LGPL-3.0", "GPL-3.0")}
    parts = [
        "Espalier stands on the work of others. This is whose, and under which licences it came.",
        "Espalier itself: MIT.\n\n" + (ROOT / "LICENSE").read_text().strip(),
        QT.format(version=qt, series=".".join(qt.split(".")[:2])),
        f"Python {PYTHON}\nCopyright Python Software Foundation.\n\n" + text(f"Python-{PYTHON}"),
        "Work of others inside these\n\n" + text("inside") + "\n\n\n" + text("inside_texts"),
        *(_entry(notice, known) for notice in notices),
        *(f"{name}\n\n{text(name)}" for name in ("Apache-2.0", "LGPL-3.0", "GPL-3.0", "MIT")),
    ]
    return f"\n\n{LINE}\n".join(parts) + "\n"


def _entry(notice: Notice, known: dict[str, str]) -> str:
    lines = [f"{notice.name} {notice.version}", f"Licence: {notice.licence}"]
    lines += [notice.home] if notice.home else []
    if not notice.files:
        lines.append(f"See the text of {WITHOUT_FILE[notice.name]} at the end.")
    for name, body in notice.files:
        seen = known.get(_squeeze(body))
        known.setdefault(_squeeze(body), f"{name} of {notice.name}, above")
        lines += [f"\n[{name}: the same as {seen}]" if seen else f"\n[{name}]\n\n{_tidy(body)}"]
    return "\n".join(lines)


def text(name: str) -> str:
    """A licence's text that the project keeps."""
    return _tidy((TEXTS / f"{name}.txt").read_text())


def _tidy(body: str) -> str:
    return "\n".join(line.rstrip() for line in body.replace("\f", "").splitlines()).strip("\n")


def _squeeze(body: str) -> str:
    return " ".join(body.split())


def main() -> int:
    """Write the file, or compare it with what is there."""
    parser = argparse.ArgumentParser(description="Write whose work the bundle carries, with the licences' texts.")
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    parser.add_argument("--wheels", type=Path, default=FOLDER, help="folder with the wheels for a Mac")
    arguments = parser.parse_args()
    notices = [notice_of(pin, wheel_of(pin, arguments.wheels)) for pin in packages()]
    wanted = compose(notices)
    if arguments.check:
        if OUT.read_text() == wanted:
            print(f"The notices are those of the lock: {len(notices)} packages.")
            return 0
        print(f"{OUT.relative_to(ROOT)} is not what the locked wheels say: run `make notices`.", file=sys.stderr)
        return 1
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(wanted)
    print(f"{OUT.relative_to(ROOT)}: {len(notices)} packages, {len(wanted) / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
