"""The program is killed at any moment: what was committed is there, what comes from disk is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.kills import PHASES, kill_many, kill_migrations
from tests.scenarios.session_events import Told


def test_a_session_that_is_killed_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Each goes on where the one before was killed; a model with rows and whole states."""
    phases = len(set(PHASES))
    done = kill_many(tmp_path, kills=phases, seed=20, kind="lfm2", branches=1)
    assert len(done) == phases


def test_a_migration_that_is_killed_is_done_again_or_was_done(tmp_path: Path) -> None:
    kill_migrations(tmp_path, kills=6, seed=3)  # raises what it finds


def told(*pieces: tuple[float, str]) -> Told:
    return Told(answers={"a": list(pieces)}, probes=[(9.0, 9.1), (9.8, 9.9)], killed_at=10.0)


@pytest.mark.parametrize("stored", ["one ", "one two ", "one two three ", "one two three four "])
def test_a_second_of_an_answer_may_be_lost(stored: str) -> None:
    told((8.0, "one "), (9.3, "two "), (9.9, "three ")).check_answer("a", stored, 1.0)


@pytest.mark.parametrize("stored", ["", "one", "on", "another "])
def test_more_may_not_be_lost_nor_changed(stored: str) -> None:
    with pytest.raises(AssertionError, match=r"were due|another text"):
        told((8.0, "one "), (9.3, "two ")).check_answer("a", stored, 1.0)


def asked(*wordless: tuple[int, int | None]) -> Told:
    return Told(siblings={7: ["a", "b", "c"]}, wordless=set(wordless))


@pytest.mark.parametrize("stored", ["", "abc", "xaybcz"])
def test_of_answers_that_were_asked_for_at_once_all_are_stored_or_none(stored: str) -> None:
    asked().check_siblings(stored)


@pytest.mark.parametrize("stored", ["a", "ac", "bc"])
def test_some_of_them_are_not_enough(stored: str) -> None:
    with pytest.raises(AssertionError, match="of 3 answers"):
        asked().check_siblings(stored)


def test_they_are_stored_in_their_order() -> None:
    with pytest.raises(AssertionError, match="another order"):
        asked().check_siblings("bac")


def test_one_that_ended_without_a_word_may_be_missing() -> None:
    asked((7, 1)).check_siblings("ac")
    asked((7, None)).check_siblings("a")
    with pytest.raises(AssertionError, match="of 3 answers"):
        asked((7, 1), (8, 0)).check_siblings("c")
