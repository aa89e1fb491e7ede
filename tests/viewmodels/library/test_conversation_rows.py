"""Rows of the sidebar."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, new_id
from app.conversation.records import Folder, ListedBranch
from app.viewmodels.app import App
from app.viewmodels.library import conversation_rows as module
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.conversation_rows import ConversationRows, Shown, blank_title, conversation_rows
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.text import dates
from tests.seeds import chosen
from tests.viewmodels.test_app import ask

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


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the conversations whose rows were made, also of those made in vain."""
    ids, make = list[str](), module._row

    def noted(one: Conversation, shown: Shown, is_filed: bool) -> ConversationRow:
        ids.append(one.id)
        return make(one, shown, is_filed)

    monkeypatch.setattr(module, "_row", noted)
    return ids


def test_of_ten_thousand_rows_those_are_made_again_that_differ(made: list[str]) -> None:
    now = NOW.timestamp()
    many = [conversation(f"Talk {n}", NOW - timedelta(days=2, minutes=n)) for n in range(10_000)]
    recent = conversation("Recent", NOW - timedelta(minutes=5))
    rows, shown = ConversationRows(), Shown(many[0].id, (), "", now)
    first = rows.rows([recent, *many], shown)
    assert len(made) == 10_001
    made.clear()
    for seconds in (0, 1, 59):
        assert rows.rows([recent, *many], replace(shown, now=now + seconds)) is first
    assert made == []
    rows.rows([recent, *many], replace(shown, now=now + 60))
    assert made == [recent.id], "it is a minute older"
    made.clear()
    rows.rows([recent, *many], replace(shown, now=now + 61, open_id=many[7].id, writing_ids={many[9].id}))
    assert {*made} == {many[0].id, many[7].id, many[9].id}
    made.clear()
    renamed = replace(many[3], title="Another")
    rows.rows([renamed, recent, *(replace(one) for one in many if one.id != renamed.id)], replace(shown, now=now + 62))
    assert {*made} == {many[0].id, many[3].id, many[7].id, many[9].id}
    made.clear()
    rows.rows([recent, *many], replace(shown, now=now + 9 * 3600))
    assert {*made} == {recent.id, *(one.id for one in many)}, "it is another day"


def test_at_random_the_rows_are_those_that_would_be_made_anew() -> None:
    """Whatever has come between: other days and ages, folders, branches, languages, and a clock that was set back."""
    try:
        for seed in chosen(range(40)):
            rng = random.Random(seed)
            ids = [new_id() for _ in range(12)]
            folders = tuple(Folder(new_id(), f"Folder {n}") for n in range(3))
            rows, now, found = ConversationRows(), NOW.timestamp(), list[Conversation]()
            shown = Shown(ids[0], (), "New", now)
            for _ in range(40):
                now += rng.choice([0, 0.5, 20, 60, 600, 3600, 20_000, 90_000, -50, -100_000])
                if rng.random() < 0.4:
                    found = [any_conversation(rng, one, now, folders) for one in rng.sample(ids, rng.randint(0, 12))]
                if rng.random() < 0.3:
                    dates.choose_language(rng.choice(["de_DE", "en_GB"]))
                shown = another(rng, replace(shown, now=now), ids, folders)
                assert rows.rows(found, shown) == conversation_rows(found, shown), f"seed {seed}"
    finally:
        dates.choose_language(dates.SYSTEM)


def any_conversation(rng: random.Random, one: str, now: float, folders: Sequence[Folder]) -> Conversation:
    used = now - rng.choice([-500, 0, 30, 100, 4000, 20_000, 50_000, 400_000])
    home = rng.choice([None, None, rng.choice(folders).id, new_id()])
    return Conversation(one, rng.choice([None, "Pears", "Plums"]), used, used, home, rng.random() < 0.3)


def another(rng: random.Random, shown: Shown, ids: Sequence[str], folders: Sequence[Folder]) -> Shown:
    """Change one of the values that rows are told from, or none."""
    some = frozenset(rng.sample(ids, 3))
    branches = {one: [ListedBranch(new_id(), one, "cheaper", False, "")] * rng.randint(0, 2) for one in some}
    return rng.choice(
        [
            shown,
            replace(shown, open_id=rng.choice(ids)),
            replace(shown, writing_ids=some),
            replace(shown, blank=rng.choice(["New", "Welcome"])),
            replace(shown, folders=tuple(rng.sample(folders, rng.randint(0, 3)))),
            replace(shown, folded=some | {folders[0].id}),
            replace(shown, unfolded=some),
            replace(shown, branches=branches, open_branch=rng.choice(["", new_id()])),
        ]
    )


def test_a_refresh_that_changes_nothing_shows_no_row_again(
    qtbot: QtBot, app: App, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, app, "One")
    app.catch_up()
    shown, show = list[int](), ConversationModel.show
    monkeypatch.setattr(ConversationModel, "show", lambda model, rows: (shown.append(len(rows)), show(model, rows)))
    made.clear()
    for _ in range(3):
        app.library.state.refresh()
        app.catch_up()
    assert (made, shown) == ([], [])
