"""Rows that are made when they are asked for, against a list of all of them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import takewhile

import pytest

from app.viewmodels.chat import path_rows
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import MessageRow, segments_of


def rows(*names: str) -> list[MessageRow]:
    return [MessageRow(name, "user" if "q" in name else "assistant", "", (), "none", 1, 1, ()) for name in names]


def test_they_are_a_sequence_like_any_other() -> None:
    every = rows(*"abcdefg")
    path = PathRows.of(every)
    assert list(path) == every
    assert (path[-1], path[2:-1], path[::-2], len(path)) == (every[-1], every[2:-1], every[::-2], 7)
    for number in (7, -8):
        with pytest.raises(IndexError, match="of 7"):
            path[number]


def test_two_paths_share_what_they_begin_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_rows, "_COMPARED", 4)
    rng = random.Random(1)
    for case in range(300):
        first = [f"m{number}" for number in range(rng.randrange(14))]
        second = [*first[: rng.randrange(15)], *(f"n{number}" for number in range(rng.choice([0, 0, 1, 6])))]
        if rng.random() < 0.3 and second:
            second[rng.randrange(len(second))] = "other"
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
        assert PathRows.of(rows(*first)).shared(PathRows.of(rows(*second))) == len(list(pairs)), (case, first, second)


def test_a_message_is_found_and_the_question_above_a_row() -> None:
    path = PathRows.of(rows("q0", "a0", "q1", "a1", "a2"))
    assert [path.place_of(name) for name in ("q0", "a1", "a2", "gone")] == [0, 3, 4, -1]
    assert [next(path.questions_above(number), None) for number in range(-1, 5)] == [None, "q0", "q0", "q1", "q1", "q1"]
    path.made.clear()
    assert path.place_of("a1") == 3
    assert path.made == {}


def test_text_that_came_before_its_row_is_made_is_in_it_once(qapp: object) -> None:
    def written(words: list[str]) -> MessageRow:
        return replace(rows("a")[0], segments=segments_of("assistant", "".join(words)))

    told: list[str] = []
    for is_made in (False, True):
        words = ["one "]
        model = ChatModel()
        model.tailAppended.connect(told.append)
        model.show(PathRows(["a"], lambda _number, words=words: written(words), lambda _first, _end: []))
        if is_made:
            assert model.rows[0].text == "one "
        words.append("two")
        model.append_tail("a", "two")
        assert model.rows[0].text == "one two"
    assert told == ["two", "two"]
