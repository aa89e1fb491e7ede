"""Model folders that tests of the engine share: written once, never changed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.bench import Bench, opened
from tests.fakes.model_folder import write_model_folder

GUIDE = Path(__file__).parents[2] / "resources" / "models" / "guide"


@pytest.fixture(autouse=True)
def _engines_are_dropped(render_processes: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """End what an engine would end when it is shut down: tests here drop theirs."""
    yield
    for one in render_processes:
        one.kill()
        one.wait()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama: rows only."""
    return write_model_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def mixed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An lfm2: rows and whole states, as the guide model."""
    return write_model_folder(tmp_path_factory.mktemp("models") / "mixed", kind="lfm2")


@pytest.fixture
def tiny(tiny_folder: Path) -> Bench:
    return opened(tiny_folder)


@pytest.fixture
def mixed(mixed_folder: Path) -> Bench:
    return opened(mixed_folder)


@pytest.fixture
def guide() -> Bench:
    """The model that comes with the program."""
    return opened(GUIDE)
