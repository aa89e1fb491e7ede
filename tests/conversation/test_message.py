"""Messages say no to what could not be stored, and yes to all that can be written."""

from __future__ import annotations

import dataclasses

import pytest

from app.conversation.message import TITLE_LENGTH, Conversation, Message, storable, title_from
from app.protocol.chat import Turn

HOME = "0" * 31 + "a"
MESSAGE = Message.new(HOME, None, "assistant", "Pears", model="f1")


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "a"},
        {"conversation_id": "A" * 32},
        {"parent_id": ""},
        {"role": "tool"},
        {"role": "user"},  # a question has no model
        {"role": "user", "model": None, "text": ""},
        {"role": "user", "model": None, "stop": "finished"},
        {"role": "system", "model": None, "parent_id": "b" * 32},
        {"ids": (1,)},  # ids of an answer that has not ended
        {"stats": {}},
    ],
)
def test_a_message_that_could_not_be_stored_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        dataclasses.replace(MESSAGE, **changes)


def test_an_answer_begins_empty_and_unfinished_and_a_question_is_never_unfinished() -> None:
    assert Message.new(HOME, None, "assistant").is_unfinished
    assert not dataclasses.replace(MESSAGE, stop="finished").is_unfinished
    assert not Message.new(HOME, None, "user", "?").is_unfinished


def test_a_turn_has_the_ids_only_for_the_model_that_wrote_them() -> None:
    answer = dataclasses.replace(MESSAGE, ids=(1, 2), stop="finished")
    assert answer.turn("f1") == Turn("assistant", "Pears", (1, 2), answer.created_at)
    assert answer.turn("f2") == Turn("assistant", "Pears", None, answer.created_at)
    assert dataclasses.replace(answer, model=None).turn(None).ids is None


def test_who_speaks() -> None:
    assert Message.new(HOME, None, "user", "?").speaker == "You"
    assert Message.new(HOME, None, "system", "Be brief.").speaker == "Instructions"
    assert dataclasses.replace(MESSAGE, model_name="Guide").speaker == "Guide"
    assert MESSAGE.speaker == "Answer"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Short", "Short"),
        ("  two \n lines\t", "two lines"),
        (" \n ", ""),
        ("x" * TITLE_LENGTH, "x" * TITLE_LENGTH),
        ("x" * 80, "x" * (TITLE_LENGTH - 1) + "…"),
        ("word " * 20, "word word word word word word word word word…"),
    ],
)
def test_a_title_is_made_of_the_first_words(text: str, title: str) -> None:
    assert title_from(text) == title
    assert len(title) <= TITLE_LENGTH


def test_a_title_stands_on_one_line_and_is_not_empty() -> None:
    assert Conversation.new(" a\nb ").title == "a b"
    with pytest.raises(ValueError, match="this one 0"):
        Conversation.new("  ")
    with pytest.raises(ValueError, match="this one 201"):
        Conversation.new("x" * 201)


def test_halves_of_surrogate_pairs_become_storable_and_all_else_stays() -> None:
    assert storable("a\ud83d\ude00b") == "a😀b"
    assert storable("a\ud83db") == "a\ufffdb"
    assert storable("Zweig 🌳\0\n") == "Zweig 🌳\0\n"
