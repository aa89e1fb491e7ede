"""The guide names commands as the program's own table has them."""

from __future__ import annotations

from typing import cast

import pytest
from guide_model.commands import commands, keys, menu_path, names, spoken_shortcut, unknown_commands
from PySide6.QtWidgets import QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import ACTIONS, SUBMENUS
from app.viewmodels.kit.key_bindings import KeyBindings
from app.viewmodels.kit.settings import Settings
from app.widgets.window.menus import Menus


def test_menu_path_follows_the_table() -> None:
    title = next(action.title for action in ACTIONS if action.id == "open_model")
    assert menu_path("open_model") == f"File > {title}"


def test_a_command_that_does_not_exist_raises() -> None:
    with pytest.raises(KeyError):
        menu_path("delete_branch")


@pytest.mark.parametrize(
    ("portable", "spoken"),
    [
        ("Ctrl+D", "Cmd-D"),
        ("Ctrl+Shift+G", "Shift-Cmd-G"),
        ("Ctrl+Alt+Left", "Option-Cmd-Left"),
        ("Meta+Ctrl+F", "Control-Cmd-F"),
        ("Ctrl++", "Cmd-+"),
        ("Ctrl+-", "Cmd--"),
        ("Ctrl+.", "Cmd-."),
        ("Escape", "Esc"),
    ],
)
def test_shortcuts_are_spoken_as_on_a_mac(portable: str, spoken: str) -> None:
    assert spoken_shortcut(portable) == spoken


def test_every_command_of_the_table_is_known() -> None:
    for action in ACTIONS:
        named = [keys(action.id, which) for which in range(len(action.keys))]
        assert unknown_commands(f"Choose {menu_path(action.id)} ({', '.join(named)}).") == []


def test_menus_within_menus_stand_where_the_program_has_them(qtbot: QtBot, settings: Settings) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    Menus(bar, lambda _: None, settings, KeyBindings(ACTIONS, settings))
    found = {
        (menu.title(), entry.text())
        for menu in (cast(QMenu, holder.menu()) for holder in bar.actions())
        for entry in menu.actions()
        if entry.menu()
    }
    assert found == {(menu.menu.value, menu.title) for menu in SUBMENUS}


def test_the_table_and_what_it_does_not_hold_are_the_commands() -> None:
    assert set(commands()) == {action.id for action in ACTIONS} | {menu.id for menu in SUBMENUS} | {"quit"}
    assert names("undo") == ["Edit > Undo", "Cmd-Z"]
    assert names("trash") == ["File > Trash…"]


@pytest.mark.parametrize(
    "text",
    [
        "Press Cmd-J.",
        "Press Shift-Cmd-U now",
        "Choose File > Exports… and go on",
        "Edit > Copies",
        "Press F7.",
        "Choose File > Open Model… (Cmd-N).",
        "Cache > Pin This Branch (Cmd-Z) keeps it.",
    ],
)
def test_a_command_that_does_not_exist_is_found(text: str) -> None:
    assert len(unknown_commands(text)) == 1
