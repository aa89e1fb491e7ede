"""The guide names commands as the program's own table has them."""

from __future__ import annotations

import pytest
from guide_model.commands import keys, menu_path, spoken_shortcut, unknown_commands

from app.viewmodels.verbs import VERBS


def test_menu_path_follows_the_table() -> None:
    title = next(verb.title for verb in VERBS if verb.id == "open_model")
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
        ("Ctrl++", "Cmd-+"),
        ("Ctrl+-", "Cmd--"),
        ("Ctrl+.", "Cmd-."),
        ("Escape", "Esc"),
    ],
)
def test_shortcuts_are_spoken_as_on_a_mac(portable: str, spoken: str) -> None:
    assert spoken_shortcut(portable) == spoken


def test_every_command_of_the_table_is_known() -> None:
    for verb in VERBS:
        named = [keys(verb.id, which) for which in range(len(verb.shortcuts))]
        assert unknown_commands(f"Choose {menu_path(verb.id)} ({', '.join(named)}).") == []


@pytest.mark.parametrize(
    "text", ["Press Cmd-J.", "Press Shift-Cmd-D now", "Choose File > Export… (Cmd-O)", "Edit > Copies"]
)
def test_a_command_that_does_not_exist_is_found(text: str) -> None:
    assert len(unknown_commands(text)) == 1
