"""Days in the language that was chosen, wherever the program tells one."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

import app.viewmodels.library.library_region as library_region
from app.viewmodels.app import App
from app.viewmodels.kit.settings import Settings
from app.viewmodels.preferences.rows import Choice
from app.viewmodels.text import dates, formatting
from tests.viewmodels.preferences.test_preferences import preferences_of
from tests.viewmodels.test_app import ask

_DAY = date(2024, 11, 3)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    dates.choose_language(dates.SYSTEM)


@pytest.mark.parametrize(
    ("code", "short", "whole"),
    [
        ("en_GB", "3~Nov", "3~Nov~2024"),
        ("en_US", "Nov~3", "Nov~3,~2024"),
        ("de_DE", "3.~Nov.", "3.~Nov.~2024"),
        ("fr_FR", "3~nov.", "3~nov.~2024"),
        ("ja_JP", "11月3日", "2024年11月3日"),
        ("ko_KR", "11월~3일", "2024년~11월~3일"),
        ("hu_HU", "nov.~3.", "2024.~nov.~3."),
    ],
)
def test_a_day_is_written_as_in_its_language(code: str, short: str, whole: str) -> None:
    dates.choose_language(code)
    told = dates.written(_DAY, with_year=False), dates.written(_DAY, with_year=True)
    assert told == (short.replace("~", formatting.HARD), whole.replace("~", formatting.HARD))
    assert formatting.day(datetime(2024, 11, 3, 12).timestamp()) == told[1]


def test_every_language_that_is_offered_writes_each_day_and_names_itself() -> None:
    offered = dates.languages()
    assert len({title for _code, title in offered}) == len(offered)
    for code, title in offered:
        dates.choose_language(code)
        told = {dates.written(date(2024, month, day), with_year=True) for month in range(1, 13) for day in (1, 12, 28)}
        assert len(told) == 36, title
        assert all("2024" in one and " " not in one for one in told)


def test_what_is_no_language_is_that_of_the_system() -> None:
    dates.choose_language("de_DE")
    for code in ("", "xx", "../../etc", "de_DE" * 900):
        dates.choose_language(code)
        assert dates._chosen == QLocale.system()


def test_the_sidebar_follows_at_once_and_so_does_the_next_start(
    qtbot: QtBot, make_app: Callable[[], App], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    ask(qtbot, app, "hello")
    then_on, now = time.time, time.time() + 400 * 86_400
    monkeypatch.setattr(time, "time", lambda: then_on() + 400 * 86_400)
    preferences = preferences_of(app)
    preferences.show_page("general")
    (row,) = [row for group in preferences.state.now.groups for row in group.rows if row.id == "date_language"]
    assert isinstance(row, Choice)
    for code in ("de_DE", "en_US"):
        preferences.act("date_language", code)
        then = formatting.age(now - 400 * 86_400, now)
        assert [one.age for one in app.library.conversation_model.rows] != [then] or code != "de_DE"
        qtbot.waitUntil(lambda then=then: then in [one.age for one in app.library.conversation_model.rows])
        assert then == formatting.day(now - 400 * 86_400)
    preferences.close()
    dates.choose_language(dates.SYSTEM)
    again = make_app()
    assert again.settings.values.date_language == "en_US"
    assert dates._chosen.name() == "en_US"


def test_a_file_of_settings_with_another_language_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"date_language": "tlh"}))
    assert Settings(path).values.date_language == "tlh"
    path.write_text(json.dumps({"date_language": 7}))
    assert Settings(path).values.date_language == dates.SYSTEM


def test_no_other_place_of_the_window_writes_a_day() -> None:
    """Months and the days of a week are named by one function; digits of a file's name or a clock are none."""
    for room in ("viewmodels", "widgets"):
        for path in Path(library_region.__file__).parents[3].joinpath("app", room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert not any(form in node.value for form in ("%b", "%B", "%d.", "%A", "%x")), path
