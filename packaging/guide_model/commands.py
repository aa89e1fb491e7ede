"""Menu paths and shortcuts as the guide says them, read from the program's own table of commands."""

from __future__ import annotations

import re

from app.viewmodels.verbs import VERBS, Verb

_BY_ID: dict[str, Verb] = {verb.id: verb for verb in VERBS}
# A Mac names modifiers in this order; Qt's "Ctrl" is the Command key there.
_MODIFIERS = (("Alt", "Option"), ("Shift", "Shift"), ("Ctrl", "Cmd"))
_KEY_NAMES = {"Escape": "Esc", "Backspace": "Delete"}

COMPOSER_KEYS = ("Return", "Shift-Return")
"""Keys of the message field itself, which are no menu command."""

_SHORTCUT = re.compile(r"(?:(?:Option|Shift|Cmd|Ctrl|Control|Alt)-)+(?:Return|Left|Right|Up|Down|Esc|Tab|Delete|\S)")
_MENU = re.compile(r"\b([A-Z][a-z]+) > ([^.,;:?!]+)")


def menu_path(verb_id: str) -> str:
    """Where a command stands, as in "File > Open Model…"; KeyError if there is no such command."""
    verb = _BY_ID[verb_id]
    return f"{verb.menu} > {verb.title}"


def keys(verb_id: str, which: int = 0) -> str:
    """A command's shortcut as a Mac names it, as in "Shift-Cmd-G"; IndexError if it has none."""
    return spoken_shortcut(_BY_ID[verb_id].shortcuts[which])


def spoken_shortcut(portable: str) -> str:
    """ "Ctrl+Alt+S" becomes "Option-Cmd-S", and "Ctrl++" becomes "Cmd-+"."""
    modifiers, key = portable[:-1].split("+")[:-1], portable[-1]
    if not portable.endswith("+"):
        *modifiers, key = portable.split("+")
    named = [spoken for qt_name, spoken in _MODIFIERS if qt_name in modifiers]
    return "-".join([*named, _KEY_NAMES.get(key, key)])


def unknown_commands(text: str) -> list[str]:
    """Every menu path and shortcut in `text` that the program does not have."""
    titles = {(str(verb.menu), verb.title) for verb in VERBS}
    known = {spoken_shortcut(shortcut) for verb in VERBS for shortcut in verb.shortcuts} | set(COMPOSER_KEYS)
    unknown = [found for found in _SHORTCUT.findall(text) if found not in known]
    for menu, rest in _MENU.findall(text):
        if not any(menu == name and re.match(re.escape(title) + r"(?!\w)", rest) for name, title in titles):
            unknown.append(f"{menu} > {rest}")
    return unknown
