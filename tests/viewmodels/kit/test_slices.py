"""Long work between events: all of it is done, in order, and never two slices in one turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.kit import slices
from app.viewmodels.kit.slices import SlicedWork


def test_steps_are_done_in_order_and_each_turn_does_one_slice(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    done: list[int] = []
    turns: list[int] = []

    def steps() -> Iterator[None]:
        for number in range(5):
            done.append(number)
            yield

    work = SlicedWork()
    work.advanced.connect(lambda: turns.append(len(done)))
    with qtbot.waitSignal(work.done):
        work.start(steps())
        assert done == []
        assert work.is_running
    assert done == list(range(5))
    assert turns == [1, 2, 3, 4, 5, 5]
    assert not work.is_running


def test_other_work_takes_the_place_of_what_is_under_way(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    done: list[str] = []
    work = SlicedWork()
    work.start(done.append("old") for _ in repeat(None))
    qtbot.waitUntil(lambda: len(done) > 2)
    with qtbot.waitSignal(work.done):
        work.start(done.append("new") for _ in range(3))
    assert done[-3:] == ["new"] * 3
    work.stop()
    assert not work.is_running


def test_what_is_left_can_be_done_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    done: list[int] = []
    work = SlicedWork()
    work.finish()
    work.start(done.append(number) for number in range(5))
    with qtbot.waitSignal(work.done):
        work.finish()
    assert (done, work.is_running) == (list(range(5)), False)
    with qtbot.assertNotEmitted(work.done):
        work.finish()
        QApplication.processEvents()
