"""Shortcuts: no key means two commands whatever a person chooses and whatever the file of the settings holds."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QKeySequence

from app.viewmodels.actions import ACTIONS
from app.viewmodels.kit.key_bindings import KeyBindings, native, normal_keys
from app.viewmodels.kit.settings import Settings
from tests.seeds import each_seed


@pytest.fixture
def bindings(settings: Settings) -> KeyBindings:
    return KeyBindings(ACTIONS, settings)


def keys_of(bindings: KeyBindings) -> dict[str, tuple[str, ...]]:
    return {action_id: action.keys for action_id, action in bindings.actions.items()}


def doubles(bindings: KeyBindings) -> list[str]:
    used = Counter(normal_keys(keys) for of_one in keys_of(bindings).values() for keys in of_one)
    return [keys for keys, times in used.items() if times > 1]


def test_without_a_choice_the_table_holds(bindings: KeyBindings) -> None:
    assert keys_of(bindings) == {action.id: action.keys for action in ACTIONS}
    assert not any(bindings.is_changed(action.id) for action in ACTIONS)


def test_another_key_holds_at_once_and_the_next_time(bindings: KeyBindings, settings: Settings) -> None:
    heard: list[str] = []
    bindings.changed.connect(lambda: heard.append("changed"))
    assert bindings.assign("new", "Ctrl+Alt+J") == ""
    assert bindings.actions["new"].keys == ("Ctrl+Alt+J",)
    assert bindings.is_changed("new")
    assert heard == ["changed"]
    assert KeyBindings(ACTIONS, settings).actions["new"].keys == ("Ctrl+Alt+J",)
    settings.update(budget="4 GB")
    assert heard == ["changed"], "other settings are not about keys"


def test_a_key_can_be_taken_away_and_then_belongs_to_nobody(bindings: KeyBindings) -> None:
    assert bindings.assign("new", "") == ""
    assert bindings.actions["new"].keys == ()
    assert bindings.assign("open_model", "Ctrl+N") == ""
    assert bindings.actions["open_model"].keys == ("Ctrl+N",)
    assert bindings.reset("new") == f"{native('Ctrl+N')} belongs to “Open Model…”."
    assert bindings.actions["new"].keys == ()
    bindings.reset("open_model")
    assert bindings.reset("new") == ""
    assert bindings.actions["new"].keys == ("Ctrl+N",)


def test_a_conflict_is_told_with_the_name_of_the_other_command(bindings: KeyBindings) -> None:
    assert bindings.assign("new", "Ctrl+O") == f"{native('Ctrl+O')} belongs to “Open Model…”."
    assert bindings.actions["new"].keys == ("Ctrl+N",)


@pytest.mark.parametrize("keys", ["Ctrl+H", "Ctrl+Q", "Ctrl+`", "Ctrl+Space", "Ctrl+V", "Alt+Left", "Meta+K"])
def test_what_the_system_and_text_fields_need_is_refused(bindings: KeyBindings, keys: str) -> None:
    assert bindings.assign("new", keys).startswith(f"{native(keys)} cannot be used.")
    assert not bindings.is_changed("new")


@pytest.mark.parametrize("keys", ["A", "Shift+A", "Alt+A", "Return", "Tab", "Space", "Backspace", "Escape"])
def test_what_writes_or_moves_in_text_is_refused(bindings: KeyBindings, keys: str) -> None:
    assert bindings.assign("new", keys)
    assert not bindings.is_changed("new")


@pytest.mark.parametrize("keys", ["nonsense", "Ctrl", "Ctrl+Shift", "Ctrl+N, Ctrl+M", "x" * 10_000])
def test_what_is_no_key_is_refused(bindings: KeyBindings, keys: str) -> None:
    assert bindings.assign("open_model", keys)
    assert not bindings.is_changed("open_model")


def test_a_command_may_have_its_own_key_back_though_the_system_needs_it_elsewhere(bindings: KeyBindings) -> None:
    """Copy has its key in text fields because it is the command that they carry out."""
    bindings.assign("copy", "Ctrl+Alt+J")
    assert bindings.assign("copy", "Ctrl+C") == ""
    assert bindings.assign("new", "Ctrl+C")


def test_a_function_key_needs_no_other(bindings: KeyBindings) -> None:
    assert bindings.assign("new", "F5") == ""


def test_all_come_back_at_once(bindings: KeyBindings) -> None:
    bindings.assign("new", "F5")
    bindings.assign("open_model", "Ctrl+N")
    bindings.reset_all()
    assert keys_of(bindings) == {action.id: action.keys for action in ACTIONS}


@each_seed(range(200))
def test_no_key_ever_means_two_commands(seed: int, settings: Settings, bindings: KeyBindings) -> None:
    """Whatever is chosen, in any order, and whatever a file holds that somebody else has written."""
    ids = [action.id for action in ACTIONS]
    some = [keys for action in ACTIONS for keys in action.keys]
    some += ["F5", "Ctrl+Alt+J", "Ctrl+J", "ctrl+j", "Ctrl+Q", "", "x", "\n", "Ctrl+\uffff", "😀", "Ctrl+Ctrl"]
    dice = random.Random(seed)
    settings.update(keys={dice.choice([*ids, "udno", ""]): dice.choice(some) for _ in range(dice.randrange(8))})
    for _ in range(dice.randrange(8)):
        do = dice.choice([bindings.assign, bindings.assign, lambda one, _keys: bindings.reset(one)])
        action_id, keys = dice.choice(ids), dice.choice(some)
        before = keys_of(bindings)
        if do(action_id, keys):
            assert keys_of(bindings) == before, "a refusal changes nothing"
    assert doubles(bindings) == []
    assert keys_of(bindings).keys() == set(ids)
    assert all(QKeySequence(one).count() == 1 for action in bindings.actions.values() for one in action.keys)


@pytest.mark.parametrize(
    "keys", [[], {"new": 3}, {"new": None}, {"new": ["Ctrl+J"]}, {"new": "\0"}, {"n" * 20_000: "F5"}, "F5"]
)
def test_a_file_with_other_things_for_keys_costs_the_settings_and_no_more(tmp_path: Path, keys: Any) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"keys": keys}))
    bindings = KeyBindings(ACTIONS, Settings(tmp_path / "settings.json"))
    assert keys_of(bindings) == {action.id: action.keys for action in ACTIONS}
