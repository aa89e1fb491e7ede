from __future__ import annotations

from collections import Counter
from typing import cast

import pytest
import shiboken6
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import ACTIONS, BY_ID
from app.viewmodels.kit.action import Menu
from app.viewmodels.kit.key_bindings import KeyBindings
from app.viewmodels.kit.settings import Settings
from app.widgets.window.menus import Menus

Done = list[str]


@pytest.fixture
def bar(qtbot: QtBot) -> QMenuBar:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    return bar


@pytest.fixture
def done() -> Done:
    return []


@pytest.fixture
def menus(bar: QMenuBar, done: Done, settings: Settings) -> Menus:
    return Menus(bar, done.append, settings, KeyBindings(ACTIONS, settings))


def test_every_action_stands_in_its_menu_with_its_keys(menus: Menus, bar: QMenuBar) -> None:
    titles = [entry.text() for entry in bar.actions()]
    assert titles == [menu.value for menu in Menu]
    for action in ACTIONS:
        entry = menus.actions[action.id]
        assert entry.text() == action.title
        assert [keys.toString() for keys in entry.shortcuts()] == [_portable(keys) for keys in action.keys]
        assert entry.isCheckable() == action.is_checkable
        (holder,) = [menu for menu in bar.actions() if entry in cast(QMenu, menu.menu()).actions()]
        assert holder.text() == action.menu.value


def _portable(keys: str) -> str:
    return keys.replace("Escape", "Esc")


def test_no_shortcut_means_two_things(menus: Menus) -> None:
    actions = [*menus.actions.values(), menus.quit]
    used = Counter(keys.toString() for action in actions for keys in action.shortcuts())
    assert [keys for keys, times in used.items() if times > 1] == []


def test_roles_are_said_and_not_guessed(menus: Menus) -> None:
    roles = {action_id: entry.menuRole() for action_id, entry in menus.actions.items()}
    assert roles.pop("about") is QAction.MenuRole.AboutRole
    assert roles.pop("preferences") is QAction.MenuRole.PreferencesRole
    assert set(roles.values()) == {QAction.MenuRole.NoRole}
    assert menus.quit.menuRole() is QAction.MenuRole.QuitRole


def test_an_entry_does_its_action(menus: Menus, done: Done) -> None:
    for action in ACTIONS:
        menus.actions[action.id].trigger()
    assert done == [action.id for action in ACTIONS]


def test_what_cannot_act_is_disabled(menus: Menus, done: Done) -> None:
    menus.show({action.id for action in ACTIONS} - {"stop"}, {"favourite"}, {"stop": "Nothing is being written."})
    assert (menus.actions["stop"].toolTip(), menus.actions["stop"].statusTip()) == ("Nothing is being written.",) * 2
    assert menus.actions["fork"].toolTip() == BY_ID["fork"].tip
    assert [one for one, entry in menus.actions.items() if entry.isChecked()] == ["favourite"]
    menus.actions["stop"].trigger()
    menus.actions["new"].trigger()
    assert done == ["new"]


def test_the_entry_that_the_keys_are_at_tells_its_tip_until_the_menu_is_put_away(
    qtbot: QtBot, menus: Menus, bar: QMenuBar
) -> None:
    heard: list[str] = []
    menus.pointedAt.connect(heard.append)
    menus.show({action.id for action in ACTIONS}, set(), {"warm_up": "Opens at once."})
    holder = menus.budget.menuAction().associatedObjects()[0]
    assert isinstance(holder, QMenu)
    holder.popup(bar.mapToGlobal(bar.rect().bottomLeft()))
    holder.setActiveAction(menus.actions["warm_up"])
    assert heard[-1] == "Opens at once."
    holder.setActiveAction(menus.budget.menuAction())
    assert not heard[-1], "a submenu has no tip"
    holder.setActiveAction(menus.actions["pin"])
    assert heard[-1] == BY_ID["pin"].tip
    holder.close()
    assert not heard[-1]


def test_recent_models_are_offered_by_name(menus: Menus) -> None:
    menus.show_recent((), lambda _folder: None)
    assert not menus.recent.menuAction().isVisible()
    chosen: Done = []
    menus.show_recent(("/models/Qwen3 & more", "/models/LFM2"), chosen.append)
    assert menus.recent.menuAction().isVisible()
    assert [entry.text() for entry in menus.recent.actions()] == ["Qwen3 && more", "LFM2"]
    assert menus.recent.actions()[1].toolTip() == "/models/LFM2"
    menus.recent.actions()[0].trigger()
    assert chosen == ["/models/Qwen3 & more"]


def test_a_recent_model_of_the_hubs_cache_is_called_like_its_repository(menus: Menus) -> None:
    menus.show_recent(("/hub/models--a--Phi-4/snapshots/0123abcd", "ollama:qwen3:8b"), lambda _folder: None)
    assert [entry.text() for entry in menus.recent.actions()] == ["Phi-4", "qwen3:8b"]


def test_one_budget_is_marked_and_another_can_be_chosen(
    menus: Menus, bar: QMenuBar, done: Done, settings: Settings
) -> None:
    (cache,) = [cast(QMenu, entry.menu()) for entry in bar.actions() if entry.text() == "Cache"]
    assert menus.budget.menuAction() in cache.actions()
    entries = menus.budget.actions()
    assert [entry.text().replace("\u00a0", " ") for entry in entries] == [
        "Default",
        "1 GB",
        "2 GB",
        "4 GB",
        "8 GB",
        "16 GB",
        "None",
    ]
    settings.update(budget="4 GB")
    assert [entry.isChecked() for entry in entries] == [False, False, False, True, False, False, False]
    assert done == []
    entries[-1].trigger()
    assert settings.values.budget == "none"
    assert [entry.isChecked() for entry in entries] == [False] * 6 + [True]
    assert {entry.menuRole() for entry in entries} == {QAction.MenuRole.NoRole}


def test_the_disk_has_a_budget_of_its_own(menus: Menus, bar: QMenuBar, done: Done, settings: Settings) -> None:
    (cache,) = [cast(QMenu, entry.menu()) for entry in bar.actions() if entry.text() == "Cache"]
    assert cache.actions()[:2] == [menus.budget.menuAction(), menus.disk_budget.menuAction()]
    entries = menus.disk_budget.actions()
    assert [entry.text().replace("\u00a0", " ") for entry in entries] == [
        "Default",
        "5 GB",
        "10 GB",
        "20 GB",
        "50 GB",
        "Off",
    ]
    settings.update(disk_budget="20 GB", budget="1 GB")
    assert [entry.isChecked() for entry in entries] == [False, False, False, True, False, False]
    entries[-1].trigger()
    assert settings.values.disk_budget == "off"
    settings.update(disk_budget="an amount of a later version")
    assert entries[0].isChecked()
    assert {entry.menuRole() for entry in entries} == {QAction.MenuRole.NoRole}


def test_what_costs_or_deletes_something_says_so_before_it_is_chosen(menus: Menus, bar: QMenuBar) -> None:
    (cache,) = [cast(QMenu, entry.menu()) for entry in bar.actions() if entry.text() == "Cache"]
    assert cache.toolTipsVisible()
    assert menus.disk_budget.toolTipsVisible()
    assert "several times the space" in menus.actions["keep_every_fork"].toolTip()
    assert menus.disk_budget.actions()[-1].toolTip().startswith("Deletes the cache files")


def test_settings_reach_no_menu_of_a_window_that_is_gone(settings: Settings) -> None:
    bar = QMenuBar()
    menus = Menus(bar, print, settings, KeyBindings(ACTIONS, settings))
    shiboken6.delete(bar)
    settings.update(budget="4 GB", keeps_every_fork=True)
    assert not shiboken6.isValid(menus)


def test_other_keys_hold_at_once_also_where_two_commands_exchange_theirs(menus: Menus, settings: Settings) -> None:
    settings.update(keys={"new": "Ctrl+O", "open_model": "Ctrl+N", "import": ""})
    assert [keys.toString() for keys in menus.actions["new"].shortcuts()] == ["Ctrl+O"]
    assert [keys.toString() for keys in menus.actions["open_model"].shortcuts()] == ["Ctrl+N"]
    assert menus.actions["import"].shortcuts() == []
    settings.update(keys={})
    assert [keys.toString() for keys in menus.actions["new"].shortcuts()] == ["Ctrl+N"]
