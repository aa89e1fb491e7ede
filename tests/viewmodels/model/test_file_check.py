"""The files of a model are compared with their digests while the window goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models import ollama_store
from app.models.ollama_store import OllamaModel, Verification
from app.protocol.reports import Problem
from app.viewmodels.model.file_check import CheckState, FileCheck
from tests.models.ollama import write_store

REFERENCE = "ollama:tiny:latest"


@pytest.fixture
def store(machine: Path) -> Path:
    store = machine / ".ollama" / "models"
    write_store(store, {"config.json": b"{}"}, [("a", b"x" * 100_000), ("b", b"y" * 100_000)])
    return store


@pytest.fixture
def check(qtbot: QtBot) -> Iterator[FileCheck]:
    check = FileCheck()
    yield check
    check.close()


def result(qtbot: QtBot, check: FileCheck, reference: str = REFERENCE) -> Problem:
    with qtbot.waitSignal(check.ended) as ended:
        check.start(reference, "tiny")
        assert check.state.model_id == reference
    assert check.state == CheckState()
    assert ended.args is not None
    problem = ended.args[0]
    assert isinstance(problem, Problem)
    return problem


def test_whole_files_are_called_whole(qtbot: QtBot, check: FileCheck, store: Path) -> None:
    shares: list[float] = []
    check.changed.connect(lambda: shares.append(check.state.done))
    assert result(qtbot, check).title == "tiny is whole"
    assert shares == [*sorted(shares[:-1]), 0.0]
    assert max(shares) == 1.0


def test_damage_is_told_with_what_to_do(qtbot: QtBot, check: FileCheck, store: Path) -> None:
    largest = max((store / "blobs").iterdir(), key=lambda path: path.stat().st_size)
    largest.write_bytes(b"z" * 100_000)
    problem = result(qtbot, check)
    assert problem.title == "tiny is damaged"
    assert problem.sentence == "1\u00a0file differs from what the digests say. Fetch the model again in Ollama."


def test_a_model_that_is_gone_is_told(qtbot: QtBot, check: FileCheck, store: Path) -> None:
    assert result(qtbot, check, "ollama:gone:latest").title == "The model was not found"


def test_it_is_given_up_and_tells_nothing_more(
    qtbot: QtBot, check: FileCheck, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, told = threading.Event(), list[Problem]()

    def slow(_model: OllamaModel) -> Iterator[Verification]:
        yield Verification(1, 2)
        go_on.wait(20)
        yield Verification(2, 2)

    monkeypatch.setattr(ollama_store, "verify", slow)
    check.ended.connect(told.append)
    check.start(REFERENCE, "tiny")
    qtbot.waitUntil(lambda: check.state.done == 0.5)
    check.stop()
    assert check.state == CheckState()
    go_on.set()
    qtbot.wait(50)
    assert told == []


def test_what_was_found_before_it_was_given_up_is_not_told(qtbot: QtBot, check: FileCheck, store: Path) -> None:
    told: list[Problem] = []
    check.ended.connect(told.append)
    check.start(REFERENCE, "tiny")
    assert check._reader is not None
    check._reader.join(10)
    check.stop()
    qtbot.wait(20)
    assert told == []


def test_a_disk_that_hangs_at_the_end_is_left_to_the_system(
    qtbot: QtBot, check: FileCheck, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def hanging(_model: OllamaModel) -> Iterator[Verification]:
        go_on.wait(20)
        yield Verification(2, 2)

    monkeypatch.setattr(ollama_store, "verify", hanging)
    check.start(REFERENCE, "tiny")
    check.close()
    assert check.is_stuck
    go_on.set()
