"""Marks of warmth are the engine's own answers after every event, through all that lies between."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.viewmodels.cache import cache_region
from tests.fakes.model_folder import write_model_folder
from tests.seeds import each_seed, some
from tests.viewmodels.warmth.chain import Chain

HISTORIES, EVENTS = 100, 100  # 10,000 events
TOGETHER = 20  # histories of two windows
FEW = 10  # histories that are run unless all are asked for


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Two models, of rows only and of rows and whole states."""
    folder = tmp_path_factory.mktemp("models")
    return tuple(
        write_model_folder(folder / kind, kind=kind, max_position_embeddings=400) for kind in ("llama", "lfm2")
    )


@each_seed(some(range(HISTORIES), FEW))
def test_every_mark_is_the_engines_own_answer_after_every_event(
    qapp: QApplication, models: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(cache_region, "_LEAST", 1000)
    run(Chain(tmp_path, models, seed))


@each_seed(some(range(TOGETHER), 2))
def test_each_of_two_windows_shows_them(
    qapp: QApplication, models: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whichever of them it is in which something is asked, deleted, or gone to."""
    monkeypatch.setattr(cache_region, "_LEAST", 1000)
    run(Chain(tmp_path, models, seed, windows=2))


def run(chain: Chain) -> None:
    """Do as many things as a history has, and look at all marks after each."""
    compared = 0
    try:
        for _ in range(EVENTS):
            chain.act()
            compared += chain.compare()
            chain.compare_pins()
    finally:
        chain.close()
    assert compared > EVENTS
