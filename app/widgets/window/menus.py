"""The menu bar, built from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.viewmodels.actions import ACTIONS, TABLE
from app.viewmodels.cache.budgets import BUDGETS, DISK_BUDGETS, budget_of, disk_budget_of
from app.viewmodels.kit.action import Action, AnyAction, Menu, Submenu
from app.viewmodels.kit.key_bindings import KeyBindings
from app.viewmodels.kit.plain_tips import plain_tip
from app.viewmodels.kit.settings import Settings, SettingsValues
from app.viewmodels.model.current_model import model_name
from app.widgets.window.budget_menu import BudgetMenu

Do = Callable[[str], None]
# Qt moves entries into the application's menu by their words unless each is told where it belongs.
_ROLES = {"about": QAction.MenuRole.AboutRole, "preferences": QAction.MenuRole.PreferencesRole}


class Menus(QObject):
    """All commands as actions, by id, and the menus that are filled while the program runs.

    Attributes: actions; recent, the submenu of models opened lately; folders, the one of folders; budget and
    disk_budget, the submenus of what the cache may take; branch, the menu of commands that begin branches; window, the
    menu that lists the windows; quit, which Qt asks for on top of the table.

    Signals: pointedAt(str), the tip of the entry that the mouse or the keys are at, "" when the menu is put away;
    told(), entries have the tips that they were shown with last, and nothing else in them; opening(), a menu is about
    to be shown.
    """

    pointedAt = Signal(str)
    told = Signal()
    opening = Signal()

    def __init__(self, bar: QMenuBar, do: Do, settings: Settings, keys: KeyBindings) -> None:
        super().__init__(bar)
        self._keys = keys
        self.actions: dict[str, QAction] = {}
        self.recent = QMenu(bar)
        self.folders = QMenu(bar)
        self.budget = BudgetMenu(BUDGETS, lambda chosen: settings.update(budget=chosen), bar)
        self.disk_budget = BudgetMenu(DISK_BUDGETS, lambda chosen: settings.update(disk_budget=chosen), bar)
        self._submenus = {
            "recent": self.recent,
            "folders": self.folders,
            "budget": self.budget,
            "disk_budget": self.disk_budget,
        }
        menus = self._menus = {menu: bar.addMenu(menu.value) for menu in Menu}
        self._pointed: QAction | None = None
        self._shown: dict[str, tuple[bool, str]] = {}  # which commands can act, and what is told of each
        self.branch, self.window = menus[Menu.BRANCH], menus[Menu.WINDOW]
        for each in menus.values():
            each.setToolTipsVisible(True)
            each.aboutToShow.connect(self.opening)
            each.aboutToHide.connect(partial(self._point, None))
        groups: dict[Menu, str] = {}
        for row in TABLE:
            menu = menus[row.menu]
            if groups.setdefault(row.menu, row.group) != row.group:
                menu.addSeparator()
            groups[row.menu] = row.group
            menu.addAction(self._submenu(row) if isinstance(row, Submenu) else self._entry(row, bar, do))
        self.quit = QAction("Quit Espalier", bar)
        self.quit.setShortcuts(QKeySequence.StandardKey.Quit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        menus[Menu.FILE].addAction(self.quit)
        settings.changed.connect(self._show_settings)
        keys.changed.connect(self._show_keys)
        self._show_settings(settings.values)

    def _show_settings(self, values: SettingsValues) -> None:
        """Check what holds."""
        self.budget.mark(budget_of(values.budget).id)
        self.disk_budget.mark(disk_budget_of(values.disk_budget).id)

    def _show_keys(self) -> None:
        """Let every command be called by the keys that it has now. All are let go of first: two may have changed."""
        others = [one for one in self._keys.actions.values() if self.actions[one.id].shortcuts() != _sequences(one)]
        for action in others:
            self.actions[action.id].setShortcuts([])
        for action in others:
            self.actions[action.id].setShortcuts(_sequences(action))

    def _entry(self, action: Action[Any, Any], bar: QMenuBar, do: Do) -> QAction:
        entry = QAction(action.title, bar)
        entry.setShortcuts(_sequences(self._keys.actions[action.id]))
        entry.setMenuRole(_ROLES.get(action.id, QAction.MenuRole.NoRole))
        entry.setCheckable(action.is_checkable)
        tell(entry, action.tip)
        entry.triggered.connect(lambda: do(action.id))
        entry.hovered.connect(partial(self._point, entry))
        entry.changed.connect(partial(self._renew, entry))
        self.actions[action.id] = entry
        return entry

    def _submenu(self, row: Submenu) -> QAction:
        entry = self._submenus[row.id].menuAction()
        entry.setText(row.title)
        entry.hovered.connect(partial(self._point, None))
        entry.setMenuRole(QAction.MenuRole.NoRole)
        return entry

    def _point(self, entry: QAction | None) -> None:
        self._pointed = entry
        self.pointedAt.emit("" if entry is None else entry.statusTip())

    def _renew(self, entry: QAction) -> None:
        """Tell anew what an entry tells at which the mouse or the keys are."""
        if entry is self._pointed:
            self._point(entry)

    def show(self, enabled: Container[str], checked: Container[str], tips: Mapping[str, str]) -> None:
        """Let only these commands act, and mark those that are on. Marks of panes are the window's.

        tips: what is told of each, by its id.
        """
        for action in ACTIONS:
            entry = self.actions[action.id]
            shown = action.id in enabled, tips.get(action.id, action.tip)
            if shown != self._shown.get(action.id):
                self._shown[action.id] = shown
                entry.setEnabled(shown[0])
                tell(entry, shown[1])
            if action.is_checkable and not action.pane:
                entry.setChecked(action.id in checked)
        self.told.emit()

    def entry(self, row: Action[Any, Any] | Submenu) -> QAction:
        """Return what stands in the menus for a row of the table."""
        return self._submenus[row.id].menuAction() if isinstance(row, Submenu) else self.actions[row.id]

    def offer(self, offered: Container[str]) -> None:
        """Hide commands and submenus that need what the engine has not, and a menu in which nothing is left.

        offered: ids of those that it has a use for. What shows panes is the window's.
        """
        for row in TABLE:
            if row.needs:
                self.entry(row).setVisible(row.id in offered)
        for menu in self._menus.values():
            is_any_left = any(entry.isVisible() and not entry.isSeparator() for entry in menu.actions())
            menu.menuAction().setVisible(is_any_left)

    def show_recent(self, folders: Iterable[str], choose: Do) -> None:
        """Offer these folders, the last used first."""
        fill_recent(self.recent, folders, choose)
        self.recent.menuAction().setVisible(not self.recent.isEmpty())


def tell(entry: QAction, tip: str) -> None:
    """Let an entry tell this where the mouse or the keys are at it."""
    entry.setStatusTip(tip)
    entry.setToolTip(tip)


def _sequences(action: AnyAction) -> list[QKeySequence]:
    return [QKeySequence(keys) for keys in action.keys]


def fill_recent(menu: QMenu, folders: Iterable[str], choose: Do) -> None:
    """One entry to each model, with the whole path as its tip."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for folder in folders:
        action = menu.addAction(model_name(folder).replace("&", "&&"))
        action.setToolTip(plain_tip(folder))
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.triggered.connect(lambda _checked=False, path=folder: choose(path))
