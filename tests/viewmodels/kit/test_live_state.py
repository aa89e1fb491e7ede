"""A value that is current whenever it is read, and told of once a turn when it differs."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.viewmodels.kit.live_state import LiveState
from tests.seeds import chosen


class Source(QObject):
    """A number that says when it is another one."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.reads = 0

    def put(self, number: int) -> None:
        self.number = number
        self.changed.emit(number)

    def read(self) -> int:
        self.reads += 1
        return self.number


@pytest.fixture
def source(qapp: QApplication) -> Source:
    return Source()


@pytest.fixture
def state(source: Source) -> LiveState[int]:
    state = LiveState(source.read)
    state.follow(source.changed)
    state.tell()
    source.reads = 0
    return state


def turn() -> None:
    QApplication.processEvents()


def test_it_is_computed_when_it_is_read_and_once_for_any_number_of_changes(
    source: Source, state: LiveState[int]
) -> None:
    for number in range(1, 6):
        source.put(number)
    assert source.reads == 0
    assert (state.now, state.now, source.reads) == (5, 5, 1)
    turn()
    assert source.reads == 1


def test_views_are_told_once_a_turn_and_only_of_another_value(source: Source, state: LiveState[int]) -> None:
    told: list[int] = []
    turns: list[int] = []
    state.changed.connect(lambda: told.append(state.now))
    state.refreshed.connect(lambda: turns.append(state.now))
    source.put(1)
    source.put(2)
    assert told == []
    turn()
    assert (told, turns) == ([2], [2])
    source.put(3)
    source.put(2)
    turn()
    assert (told, turns) == ([2], [2, 2])
    turn()
    assert turns == [2, 2]


def test_a_value_of_nothing_is_a_value(qapp: QApplication) -> None:
    state = LiveState[int | None](lambda: None)
    assert state.now is None
    state.refresh()
    assert state.now is None


def test_what_is_made_from_states_is_as_current_as_they_are(source: Source, state: LiveState[int]) -> None:
    """Whatever is changed and read, in any order: no value is old, and none is told twice in a row."""
    for seed in chosen(range(50)):
        dice = random.Random(seed)
        double = LiveState(lambda: 2 * state.now)
        double.follow_states(state)
        told: list[int] = []
        double.changed.connect(lambda told=told, double=double: told.append(double.now))
        for _ in range(40):
            step = dice.choice(("put", "read", "read both", "turns", "tell"))
            if step == "put":
                source.put(dice.randrange(3))
            elif step == "turns":
                turn()
                turn()
                assert not told or told[-1] == 2 * source.number, seed
            elif step == "tell":
                double.tell()
                assert told[-1] == 2 * source.number, seed
            elif step == "read both":
                assert state.now == source.number, seed
            elif step == "read":
                assert double.now == 2 * source.number, seed
        assert all(one != other for one, other in pairwise(told)), seed


def test_what_is_made_from_a_state_is_told_of_in_the_turn_after_it_and_read_as_it_is_at_once(
    source: Source, state: LiveState[int]
) -> None:
    double = LiveState(lambda: 2 * state.now)
    double.follow_states(state)
    double.tell()
    told: list[int] = []
    state.changed.connect(lambda: told.append(state.now))
    double.changed.connect(lambda: told.append(double.now))
    source.put(3)
    assert double.now == 6
    turn()
    assert told == [3]
    turn()
    assert told == [3, 6]
    source.put(4)
    double.catch_up()
    assert told == [3, 6, 8]
    turn()
    turn()
    assert told == [3, 6, 8, 4]


def test_who_cannot_wait_for_the_next_turn_has_what_is_due_told_now_and_once(
    source: Source, state: LiveState[int]
) -> None:
    told: list[int] = []
    state.changed.connect(lambda: told.append(state.now))
    state.catch_up()
    assert source.reads == 0
    source.put(1)
    state.catch_up()
    assert told == [1]
    state.catch_up()
    turn()
    assert (told, source.reads) == ([1], 1)
