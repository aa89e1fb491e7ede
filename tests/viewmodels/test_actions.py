"""The table of commands: complete, without doubles, and nothing in it that nobody carries out."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from app.viewmodels.actions import ACTIONS, BUTTONS, SUBMENUS, TABLE, bound, checked, run_of
from app.viewmodels.app import App
from app.viewmodels.kit.settings import SettingsValues

APP = Path(__file__).parents[2] / "app"
OF_A_WINDOW = [action.id for action in ACTIONS if action.run is None and not action.setting]


def nothing() -> None:
    pass


def test_every_id_and_every_key_means_one_thing() -> None:
    ids = Counter([*(row.id for row in TABLE), *BUTTONS])
    keys = Counter(keys for action in ACTIONS for keys in action.keys)
    assert [name for name, times in (ids + keys).items() if times > 1] == []


def test_a_tip_names_what_its_command_is_about() -> None:
    """It stands alone, in the status line too, where no title is beside it."""
    pronoun = re.compile(r"\w+ (it|them|this|that)\b")
    assert [action.id for action in ACTIONS if pronoun.match(action.tip)] == []


def test_neighbours_of_a_group_stand_together() -> None:
    """Else a menu would show two lines where there is one."""
    runs = [(row.menu, row.group) for row in TABLE]
    starts = [one for before, one in zip([None, *runs], runs, strict=False) if one != before]
    assert len(starts) == len(set(starts))


def test_a_setting_of_the_table_is_one_that_is_on_or_off() -> None:
    for action in ACTIONS:
        if action.setting:
            assert type(getattr(SettingsValues(), action.setting)) is bool
            assert action.run is None


def test_each_command_is_carried_out_by_somebody(app: App) -> None:
    assert bound(app, dict.fromkeys(OF_A_WINDOW, nothing)).keys() == {action.id for action in ACTIONS}


def test_a_command_that_nobody_carries_out_is_found_at_the_start(app: App) -> None:
    for missing in OF_A_WINDOW:
        with pytest.raises(KeyError, match=missing):
            bound(app, dict.fromkeys(set(OF_A_WINDOW) - {missing}, nothing))


def test_a_misspelt_command_is_found_at_the_start(app: App) -> None:
    for misspelt in ("udno", "restart", *(menu.id for menu in SUBMENUS)):
        with pytest.raises(KeyError, match=misspelt):
            bound(app, dict.fromkeys([*OF_A_WINDOW, misspelt], nothing))


def test_what_has_nothing_to_do_raises(app: App) -> None:
    for action_id in ("udno", "about", ""):
        with pytest.raises(KeyError):
            run_of(app, action_id)
    with pytest.raises(KeyError):
        app.act(action_id)


def test_what_a_window_does_itself_comes_first(app: App) -> None:
    heard: list[str] = []
    runs = bound(app, {**dict.fromkeys(OF_A_WINDOW, nothing), "new": lambda: heard.append("new")})
    runs["new"]()
    assert heard == ["new"]


def test_a_boolean_setting_is_turned_on_and_marked(app: App) -> None:
    assert "keep_every_fork" not in checked(app.state.now)
    app.act("keep_every_fork")
    assert app.settings.values.keeps_every_fork
    assert "keep_every_fork" in checked(app.state.now)


def test_no_sentence_names_keys_that_a_person_may_change() -> None:
    """Keys are told from the table of commands alone."""
    named = []
    for path in sorted(APP.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        named += [
            f"{path.relative_to(APP)} {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            if re.search(r"\b(Cmd|Command|Opt|Option)-", node.value)
        ]
    assert named == []
