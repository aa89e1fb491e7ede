"""The frozen program: whole, alone, anywhere. Run by `make check-app` on what `make app` has made."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bundle import contents, measure

from tests.packaging import frozen
from tests.packaging.frozen import Frozen, copy, lock, needs_program, without

pytestmark = [needs_program, pytest.mark.timeout(900)]

STRANGE = "Über uns/Espalier – 한글 copy"
NOT_SHIPPED = {"torch", "tests", "pytest", "_pytest", "openai", "mypy", "setuptools", "pip", "PIL", "tkinter"}
NOT_OF_QT = ("WebEngine", "Qml", "Quick", "Pdf", "VirtualKeyboard", "Network")
GUIDE = "resources/models/guide/model.safetensors"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="espalier-frozen-"))
    folder.chmod(0o755)
    yield folder
    lock(folder, is_locked=False)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def program(place: Path) -> Frozen:
    """Read-only, in a folder with spaces and letters from elsewhere."""
    made = copy(place / STRANGE)
    lock(place / STRANGE)
    return made


@pytest.fixture(scope="module")
def modules() -> set[str]:
    """Names of the Python modules in the program."""
    from PyInstaller.archive.readers import CArchiveReader

    archive = CArchiveReader(str(frozen.given())).open_embedded_archive("PYZ.pyz")
    return set(archive.toc)


class TestSelfTest:
    def test_it_passes_with_no_environment_from_a_read_only_folder(self, program: Frozen) -> None:
        report, said = program.self_test()
        assert report["ok"], said
        assert report["frozen"]
        assert all(report["answers"])
        assert [request["excess"] for request in report["requests"]] == [0, 0, 0, 0]
        assert report["versions"].keys() == {"espalier", "mlx", "mlx-lm", "tokenizers", "transformers"}

    def test_it_passes_with_a_home_that_cannot_be_written_to(self, program: Frozen, place: Path) -> None:
        locked = fresh(place / "locked", mode=0o555)
        report, said = program.self_test(HOME=str(locked), TMPDIR="/nowhere", XDG_RUNTIME_DIR="/nowhere")
        assert report["ok"], said
        assert list(locked.iterdir()) == []

    def test_it_passes_on_the_cpu(self, program: Frozen) -> None:
        result = program.run("--self-test", "--cpu")
        assert result.returncode == 0, result.stderr

    @pytest.mark.skipif(sys.platform == "darwin", reason="a program that was changed has lost its signature")
    @pytest.mark.parametrize(
        "name",
        [
            *contents.NAMED_IN_CORE,
            "mlx_lm.models.mamba",
            "mlx_lm.tool_parsers.pythonic",
            "mlx_lm.chat_templates.deepseek_v32",
        ],
    )
    def test_it_fails_when_a_hidden_import_is_missing(self, program: Frozen, place: Path, name: str) -> None:
        folder = place / name
        folder.mkdir()
        result = without(program, name, folder).run("--self-test")
        assert result.returncode != 0
        assert name in result.stderr


class TestContents:
    def test_every_hidden_import_is_inside(self, modules: set[str]) -> None:
        assert set(contents.hidden_imports()) - modules == set()

    def test_what_is_imported_late_is_inside(self, modules: set[str]) -> None:
        assert {
            "app.main",
            "app.launch.tour",
            "app.engine.loop",
            "app.hub.fetch",
            "app.hub.process",
            "app.gateway.server",
            "uvicorn.lifespan.off",
            "keyring.backends.macOS",
            "app.rendering.child",
            "app.kvcache.replay",
            "app.widgets.window.about",
        } <= modules

    def test_nothing_foreign_is_inside(self, modules: set[str], program: Frozen) -> None:
        assert {name.split(".")[0] for name in modules} & NOT_SHIPPED == set()
        files = [path.relative_to(program.inside) for path in program.inside.rglob("*")]
        assert [path for path in files if path.parts[0] in NOT_SHIPPED or "tests" in path.parts] == []
        assert [
            path for path in files if path.parts[0] == "PySide6" and any(part in path.name for part in NOT_OF_QT)
        ] == []
        assert [
            name for name in modules if name.startswith("PySide6.") and any(part in name for part in NOT_OF_QT)
        ] == []

    def test_no_link_is_broken(self, program: Frozen) -> None:
        assert [path for path in program.bundle.rglob("*") if path.is_symlink() and not path.exists()] == []

    def test_nobody_learns_where_it_was_built(self, program: Frozen) -> None:
        texts = [path for path in program.inside.rglob("*.dist-info/*") if path.is_file()]
        assert texts
        assert [
            path for path in texts if str(contents.ROOT) in path.read_text(encoding="utf-8", errors="replace")
        ] == []

    def test_it_is_no_larger_than_promised(self, program: Frozen) -> None:
        assert measure.size_mb(program.program) < measure.SIZE_AIM_MB


class TestBadPlaces:
    """Without a display the program takes its tour, in the same window, and says what the window says."""

    def test_a_guide_that_is_missing_is_told(self, place: Path) -> None:
        made = copy(place / "no guide")
        (made.inside / GUIDE).unlink()
        data = fresh(place / "data of no guide")
        result = made.run("--data", str(data), folder=data)
        assert result.returncode == 1
        assert "The tour failed: The " in result.stderr
        assert "Traceback" not in result.stderr

    def test_a_folder_that_cannot_be_written_to_is_told_and_lived_with(self, program: Frozen, place: Path) -> None:
        data = fresh(place / "read-only", mode=0o555) / "data"
        result = program.run("--self-test", "--data", str(data))
        assert result.returncode == 0, result.stderr
        assert f"Espalier may not write to {data}" in result.stderr

    def test_the_tour_in_a_folder_of_ones_own(self, program: Frozen, place: Path) -> None:
        data = fresh(place / "Daten – 한글")
        result = program.run("--data", str(data), folder=data)
        assert "the return reuses what was read" in result.stdout, result.stderr

    def test_the_version_is_told(self, program: Frozen) -> None:
        from app import __version__

        result = program.run("--version")
        assert (result.returncode, result.stdout.strip()) == (0, f"Espalier {__version__}")


def fresh(folder: Path, mode: int = 0o777) -> Path:
    """A new folder, by default one that everybody may write to."""
    folder.mkdir()
    folder.chmod(mode)
    return folder
