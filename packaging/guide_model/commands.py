"""Menu paths and shortcuts as the guide says them, read from the program's own table of commands."""

from __future__ import annotations

import re

from app.viewmodels.actions import ACTIONS, SUBMENUS, TABLE

# A Mac names modifiers in this order; Qt's "Ctrl" is the Command key there.
_MODIFIERS = (("Meta", "Control"), ("Alt", "Option"), ("Shift", "Shift"), ("Ctrl", "Cmd"))
_KEY_NAMES = {"Escape": "Esc", "Backspace": "Delete"}
# Keys that no menu of the table shows: those of the message field, and the system's own for quitting.
_FURTHER_KEYS = {"send": ("Return", "Shift-Return"), "quit": ("Cmd-Q",)}

_SHORTCUT = re.compile(
    r"(?:(?:Option|Shift|Cmd|Command|Ctrl|Control|Alt)-)+(?:Return|Left|Right|Up|Down|Esc|Tab|Delete|\S)|\bF\d+\b"
)
_MENU = re.compile(r"\b([A-Z][a-z]+) > ([^.,;:?!()]+)(?:\(([^)]*)\))?")


def menu_path(command: str) -> str:
    """Return where a command stands, as in "File > Open Model…"; KeyError if there is no such command."""
    return _PATHS[command]


def title(command: str) -> str:
    """Return what a menu calls a command, without its ellipsis; KeyError if there is no such command."""
    return _PATHS[command].partition(" > ")[2].rstrip("…")


def keys(command: str, which: int = 0) -> str:
    """Return a command's shortcut as a Mac names it, as in "Shift-Cmd-G"; IndexError if it has none."""
    return _KEYS[command][which]


def commands() -> list[str]:
    """Return the ids of all that can be done: the table's commands, the menus within menus, and quitting."""
    return sorted(_PATHS.keys() | _KEYS.keys())


def names(command: str) -> list[str]:
    """Return every way to name a command: its menu path, then its keys."""
    path = _PATHS.get(command)
    return [*([path] if path else []), *_KEYS[command]]


def spoken_shortcut(portable: str) -> str:
    """ "Ctrl+Alt+S" becomes "Option-Cmd-S", and "Ctrl++" becomes "Cmd-+"."""
    modifiers, key = portable[:-1].split("+")[:-1], portable[-1]
    if not portable.endswith("+"):
        *modifiers, key = portable.split("+")
    named = [spoken for qt_name, spoken in _MODIFIERS if qt_name in modifiers]
    return "-".join([*named, _KEY_NAMES.get(key, key)])


_PATHS = {row.id: f"{row.menu} > {row.title}" for row in TABLE}
_KEYS = {command: _FURTHER_KEYS.get(command, ()) for command in (*(menu.id for menu in SUBMENUS), "quit")}
_KEYS |= {
    action.id: (*(spoken_shortcut(keys) for keys in action.keys), *_FURTHER_KEYS.get(action.id, ()))
    for action in ACTIONS
}
_KNOWN_KEYS = {named for of_one in _KEYS.values() for named in of_one}


def unknown_commands(text: str) -> list[str]:
    """Return every menu path and shortcut in `text` that the program does not have, and every shortcut in brackets that
    belongs to another command than the menu path before it."""
    unknown = [found for found in _SHORTCUT.findall(text) if found not in _KNOWN_KEYS]
    for menu, rest, bracketed in _MENU.findall(text):
        command = _at(f"{menu} > {rest}")
        if command is None:
            unknown.append(f"{menu} > {rest.strip()}")
        elif bracketed and not set(_SHORTCUT.findall(bracketed)) <= set(_KEYS[command]):
            unknown.append(f"{menu} > {rest.strip()} ({bracketed})")
    return unknown


def without_commands(text: str) -> str:
    """Return `text` without the menu paths and shortcuts of the program."""
    for path in sorted(_PATHS.values(), key=len, reverse=True):
        text = text.replace(path, "")
    return _SHORTCUT.sub("", text)


def _at(path: str) -> str | None:
    """Return the command whose menu path `path` begins with; the longest where one begins another."""
    found = [command for command, known in _PATHS.items() if re.match(re.escape(known) + r"(?!\w)", path)]
    return max(found, key=lambda command: len(_PATHS[command]), default=None)
