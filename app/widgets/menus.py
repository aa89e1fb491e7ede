"""The menu bar, built from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.viewmodels.budgets import BUDGETS, Budget
from app.viewmodels.verbs import VERBS, Menu, Verb

Do = Callable[[str], None]
# Qt moves entries into the application's menu by their words unless each is told where it belongs.
_ROLES = {"about": QAction.MenuRole.AboutRole}
_ENDS_GROUP = frozenset(
    {"new", "use_guide", "redo", "inspector", "actual_size", "send", "regenerate", "next", "verify"}
)


class Menus:
    """All commands as actions, by id, and the menus that are filled while the program runs.

    Attributes: actions; recent, the submenu of models opened lately; budget, the submenu of what the cache may take;
    quit, which Qt asks for on top of the table.
    """

    def __init__(self, bar: QMenuBar, do: Do, choose_budget: Do) -> None:
        self.actions: dict[str, QAction] = {}
        self.recent = QMenu("Open Recent", bar)
        self.recent.menuAction().setMenuRole(QAction.MenuRole.NoRole)
        self.budget = QMenu("Memory Budget", bar)
        self.budget.menuAction().setMenuRole(QAction.MenuRole.NoRole)
        self._budget_group = QActionGroup(bar)
        self._budgets = {budget.id: self._budget_action(budget, choose_budget) for budget in BUDGETS}
        menus = {menu: bar.addMenu(menu.value) for menu in Menu}
        menus[Menu.CACHE].addMenu(self.budget)
        menus[Menu.CACHE].addSeparator()
        for verb in VERBS:
            menu = menus[verb.menu]
            menu.addAction(self._action(verb, bar, do))
            if verb.id == "open_model":
                menu.addMenu(self.recent)
            if verb.id in _ENDS_GROUP:
                menu.addSeparator()
        self.quit = QAction("Quit Espalier", bar)
        self.quit.setShortcuts(QKeySequence.StandardKey.Quit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        menus[Menu.FILE].addAction(self.quit)

    def _action(self, verb: Verb, bar: QMenuBar, do: Do) -> QAction:
        action = QAction(verb.title, bar)
        action.setShortcuts([QKeySequence(keys) for keys in verb.shortcuts])
        action.setMenuRole(_ROLES.get(verb.id, QAction.MenuRole.NoRole))
        action.setCheckable(verb.is_checkable)
        action.setStatusTip(verb.tip)
        action.triggered.connect(lambda: do(verb.id))
        self.actions[verb.id] = action
        return action

    def _budget_action(self, budget: Budget, choose: Do) -> QAction:
        action = self.budget.addAction(budget.title)
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.setCheckable(True)
        action.setActionGroup(self._budget_group)
        action.triggered.connect(lambda: choose(budget.id))
        return action

    def show_budget(self, budget_id: str) -> None:
        """Mark the budget that holds."""
        if budget_id in self._budgets:
            self._budgets[budget_id].setChecked(True)

    def enable(self, enabled: Iterable[str]) -> None:
        """Let only these commands act."""
        can = frozenset(enabled)
        for verb_id, action in self.actions.items():
            action.setEnabled(verb_id in can)

    def show_recent(self, folders: Iterable[str], choose: Do) -> None:
        """Offer these folders, the last used first."""
        fill_recent(self.recent, folders, choose)
        self.recent.menuAction().setVisible(not self.recent.isEmpty())

    def fill_model_menu(self, menu: QMenu, folders: Iterable[str], choose: Do) -> None:
        """What the model chip offers: recent models, then the ways to open another one."""
        fill_recent(menu, folders, choose)
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(self.actions["open_model"])
        menu.addAction(self.actions["use_guide"])


def fill_recent(menu: QMenu, folders: Iterable[str], choose: Do) -> None:
    """One entry to each folder, named like it, with the whole path as its tip."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for folder in folders:
        action = menu.addAction(Path(folder).name.replace("&", "&&"))
        action.setToolTip(folder)
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.triggered.connect(lambda _checked=False, path=folder: choose(path))
