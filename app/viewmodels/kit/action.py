"""What a menu is made of: commands, and menus within menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from app.protocol.dataclass import dataclass

AppT = TypeVar("AppT")
StateT = TypeVar("StateT")


class Menu(StrEnum):
    """The menus, in the order of the menu bar."""

    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    BRANCH = "Branch"
    CACHE = "Cache"
    WINDOW = "Window"
    HELP = "Help"


def _always(_state: object) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Action(Generic[AppT, StateT]):
    """A command of the menus.

    group: neighbours in a menu that share it stand together, with a line before the next. keys are portable ("Ctrl" is
    Command on a Mac). tip says in one sentence what the command does. is_enabled: whether it would do something now.
    in_chat: it is about what the chat shows, which is not to be seen while two branches are compared.
    needs: the ability of the engine, a field of `Capabilities`, without which the command can do nothing.
    writes: it changes what is stored, so that it can do nothing where the conversations can only be read.
    price: what it would cost now in words, "" while not known, where it costs anything.
    is_checked: whether it has a mark, where it can have one. setting: the boolean setting that it turns on and off.
    pane: the pane that it shows and hides. run: what it does, None where the window must say; the window may also take
    over what depends on where the keyboard is.
    """

    id: str
    menu: Menu
    group: str
    title: str
    tip: str
    keys: tuple[str, ...] = ()
    is_enabled: Callable[[StateT], bool] = _always
    in_chat: bool = False
    needs: str = ""
    writes: bool = False
    price: Callable[[StateT], str] | None = None
    is_checked: Callable[[StateT], bool] | None = None
    setting: str = ""
    pane: str = ""
    run: Callable[[AppT], object] | None = None

    @property
    def is_checkable(self) -> bool:
        """Return whether the command has a mark that comes and goes."""
        return bool(self.setting or self.pane) or self.is_checked is not None


AnyAction = Action[Any, Any]
Actions = Mapping[str, AnyAction]
"""Commands by id, as they are handed to whoever shows some of them."""


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu within a menu, which is filled while the program runs.

    needs: the ability of the engine without which nothing in it has an effect.
    """

    id: str
    menu: Menu
    group: str
    title: str
    needs: str = ""
