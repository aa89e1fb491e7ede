"""Rows of the sidebar."""

from __future__ import annotations

from datetime import datetime

from app.conversation.message import Conversation, new_id
from app.viewmodels.library.conversation_rows import Shown, blank_title, conversation_rows

NOW = datetime(2026, 11, 20, 16, 0)


def conversation(title: str | None, used: datetime) -> Conversation:
    return Conversation(new_id(), title, used.timestamp(), used.timestamp())


def test_sections_ages_and_marks() -> None:
    today = conversation("Trip plan", datetime(2026, 11, 20, 15, 48))
    before = conversation("Letter", datetime(2026, 11, 3, 9, 0))
    rows = conversation_rows([today, before], Shown(before.id, {today.id}, "", NOW.timestamp()))
    assert [(row.title, row.age, row.section) for row in rows] == [
        ("Trip plan", "12\u00a0min", "Today"),
        ("Letter", "3\u00a0Nov", "Earlier"),
    ]
    assert [(row.is_open, row.is_writing) for row in rows] == [(False, True), (True, False)]


def test_a_blank_conversation_is_listed_while_it_is_open() -> None:
    blank = conversation(None, NOW)
    assert conversation_rows([blank], Shown("elsewhere", (), "New", NOW.timestamp())) == []
    (row,) = conversation_rows([blank], Shown(blank.id, (), "New", NOW.timestamp()))
    assert row.title == "New"


def test_the_very_first_one_is_a_welcome() -> None:
    assert blank_title(is_first=True, is_guide=True) == "Welcome to Espalier"
    assert (
        blank_title(is_first=False, is_guide=True) == blank_title(is_first=True, is_guide=False) == "New conversation"
    )
