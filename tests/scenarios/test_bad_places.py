"""The real program in places where it should not have been put: each gets a sentence, and none a silent end.

Without a display the program takes its tour, which repeats what the window says.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.protocol.test_plain_files import spoil

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(240)


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    return kept | {"QT_QPA_PLATFORM": "offscreen"} | changes


def take_tour(folder: Path, *arguments: str, program: Path = ROOT, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run it in `folder`, from the checkout in `program`, until it ends."""
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=str(program), **changes),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def heard(
    folder: Path,
    *arguments: str,
    until: str,
    program: Path = ROOT,
    number: signal.Signals = signal.SIGKILL,
    **changes: str,
) -> str:
    """What it prints up to the line with these words; there it is ended by this signal."""
    with subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=str(program), **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if until in line:
                break
        process.send_signal(number)
        lines.append(process.stdout.read())
    said = "".join(lines)
    assert process.returncode == -number, said
    return said


LOADED = "the model is loaded"


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """Something mounted on a folder; the test is skipped where that is not allowed."""
    folder.mkdir()
    command = ["mount", *options, str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a volume of its own")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The program in a folder with spaces and letters of several languages."""
    to = tmp_path / "Ein Ordner für Äpfel, 林檎"
    for part in ("app", "resources"):
        shutil.copytree(ROOT / part, to / part)
    return to


@pytest.mark.parametrize(
    ("number", "title"),
    [(signal.SIGKILL, "Espalier was not closed last time"), (signal.SIGSEGV, "Espalier crashed last time")],
)
def test_the_start_after_a_crash_says_so_once(tmp_path: Path, number: signal.Signals, title: str) -> None:
    data = tmp_path / "data"
    heard(tmp_path, "--data", str(data), until="is answered", number=number)
    again = take_tour(tmp_path, "--data", str(data))
    assert again.returncode == 0, again.stderr
    assert f"the window says: {title}" in again.stdout
    (report,) = (data / "logs").glob("Crash *.txt")
    words = report.read_text()
    assert ("Segmentation fault" in words) is (number is signal.SIGSEGV)
    assert "What is a branch?" not in words
    assert "last time" not in heard(tmp_path, "--data", str(data), until=LOADED)
    assert len(list((data / "logs").glob("Crash *.txt"))) == 1


def test_a_path_with_spaces_and_letters_of_other_languages(copy: Path) -> None:
    done = take_tour(copy, "--data", str(copy / "données à moi"), program=copy)
    assert done.returncode == 0, done.stderr
    assert "the window says" not in done.stdout
    assert (copy / "données à moi" / "conversations.db").is_file()


def test_a_read_only_volume(copy: Path, tmp_path: Path) -> None:
    """The program itself, as from a disk image; only the data lies elsewhere."""
    with mounted(tmp_path / "volume", "--bind", str(copy)) as volume:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(volume)], check=True)
        said = heard(tmp_path, "--data", str(tmp_path / "data"), until="is answered", program=volume)
    assert "the window says" not in said


def test_data_on_a_read_only_volume_is_shown(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert take_tour(tmp_path, "--data", str(data)).returncode == 0
    before = (data / "conversations.db").read_bytes()
    with mounted(tmp_path / "volume", "--bind", str(data)) as volume:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(volume)], check=True)
        heard(tmp_path, "--data", str(volume), until="the window says: The conversations can only be read.")
    assert (data / "conversations.db").read_bytes() == before


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    names = ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    said = heard(tmp_path, until="is answered", HOME=str(tmp_path / "home"), **dict.fromkeys(names, ""))
    assert "the window says: The data folder cannot be used." in said
    assert str(tmp_path / "home") in said


def test_a_full_disk(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as disk:
        (disk / "data").mkdir()
        fill(disk / "fill")
        said = heard(tmp_path, "--data", str(disk / "data"), until="is answered")
    assert "the window says: The disk is full." in said
    assert "Logging error" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_data_folder_full_of_pipes_and_devices(tmp_path: Path, kind: str) -> None:
    """Nothing waits for them, and what cannot be saved is told."""
    data = tmp_path / "data"
    for name in ("espalier.lock", "settings.json", "settings.part", "logs/espalier.log", "logs/crash.log"):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        spoil(data / name, kind)
    spoil(data / "conversations.db", kind)
    said = heard(tmp_path, "--data", str(data), until="is answered")
    assert "the window says: The conversations cannot be opened." in said
    assert "not a file but a pipe, a socket or a device" in said


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return


def test_nowhere_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    missing = {"TMPDIR": str(tmp_path / "gone"), "TEMP": "", "TMP": ""}
    code = (
        "import tempfile; tempfile._candidate_tempdir_list = lambda: ['/gone']; from app.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--data", str(tmp_path / "file" / "data")],
        cwd=ROOT,
        env=environment(**missing),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Espalier cannot start. Espalier may not write to" in done.stderr


@pytest.mark.parametrize("missing", ["resources/models/guide/model.safetensors", "resources"])
def test_a_bundle_without_its_guide(copy: Path, missing: str) -> None:
    gone = copy / missing
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    done = take_tour(copy, "--data", str(copy / "data"), program=copy)
    assert done.returncode == 1
    assert "The guide could not be loaded" in done.stderr
    assert "Install Espalier again" in done.stderr


@pytest.mark.parametrize(("part", "code"), [("launch/tour.py", "1 / 0"), ("main.py", "import nothing_of_this_name")])
def test_a_program_with_a_broken_part(copy: Path, part: str, code: str) -> None:
    (copy / "app" / part).write_text(code)
    done = take_tour(copy, "--data", str(copy / "data"), program=copy)
    assert done.returncode == 1
    assert "Espalier could not start." in done.stderr
    log = copy / "data" / "logs" / "espalier.log"
    assert str(log) in done.stderr
    assert "Traceback" in log.read_text()


def test_nothing_to_print_to(tmp_path: Path) -> None:
    """As from the Finder; what there was to say is in the log and in the window."""
    for arguments in (["--version"], ["--nonsense"], ["-psn_0_12345", "--data", str(tmp_path / "data")]):
        command = [sys.executable, "-m", "app", *arguments]
        shell = 'exec "$@" <&- >&- 2>&-'
        done = subprocess.run(
            ["sh", "-c", shell, "sh", *command], cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)), check=False
        )
        assert done.returncode == (2 if "--nonsense" in arguments else 0)


def test_a_second_start_hands_over_to_a_running_tour(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", "--data", str(tmp_path / "data")],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(ROOT)),
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout is not None
        first.stdout.readline()
        second = take_tour(tmp_path, "--data", str(tmp_path / "data"), str(tmp_path / "talk.espalier"))
        first.stdout.read()
    assert first.returncode == 0
    assert second.returncode == 0, second.stderr
    assert "tour" not in second.stdout
