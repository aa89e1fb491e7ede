"""The prices of commands in the tips of their menu entries, while a menu is open: in the menu bar and of a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.viewmodels.chat.command_prices import PRICED, CommandPrices
from app.viewmodels.lanes.lanes import Lanes
from app.viewmodels.unavailable import with_price
from app.widgets.chat.messages.message_menu import MessageMenu
from app.widgets.window.menus import Menus, tell

About = Callable[[str], str | None]


class MenuPrices(QObject):
    """Has the prices of a menu's commands asked for when it is opened, and told as they come.

    Signal: pointedAt(str), as of `Menus`, of the menus of messages.
    """

    pointedAt = Signal(str)

    def __init__(self, prices: CommandPrices, menus: Menus, about: About, lanes: Lanes, parent: QObject) -> None:
        """about: returns the message that a command of the menu bar is about, None for the one it takes by itself."""
        super().__init__(parent)
        self._prices, self._lanes = prices, lanes
        entries = {one: menus.actions[one] for one in PRICED}
        watch = _Watch(menus.branch, entries, self._price, about, prices)
        menus.told.connect(watch.tell)

    def watch(self, menu: MessageMenu) -> None:
        """Tell prices in the menu of a message, before it is opened."""
        entries = {one: entry for one, entry in menu.entries.items() if one in PRICED}
        _Watch(menu, entries, self._price, lambda _action_id: menu.message_id, self._prices)
        for entry in menu.actions():
            entry.hovered.connect(partial(self._point, menu, entry))
            entry.changed.connect(partial(self._renew, menu, entry))
        menu.aboutToHide.connect(partial(self.pointedAt.emit, ""))

    def _point(self, _menu: QMenu, entry: QAction) -> None:
        self.pointedAt.emit(entry.statusTip())

    def _renew(self, menu: QMenu, entry: QAction) -> None:
        if menu.isVisible() and menu.activeAction() is entry:
            self._point(menu, entry)

    def _price(self, action_id: str, message_id: str | None) -> str:
        """Say what a command costs; of several answers that would go on at once, nobody says it."""
        if action_id == "continue" and self._lanes.state.now.is_open:
            return ""
        return self._prices.price(action_id, message_id)


class _Watch(QObject):
    """Follows one menu, and goes with it."""

    def __init__(
        self,
        menu: QMenu,
        entries: Mapping[str, QAction],
        price: Callable[[str, str | None], str],
        about: About,
        prices: CommandPrices,
    ) -> None:
        super().__init__(menu)
        self._entries, self._price, self._about, self._prices = entries, price, about, prices
        self._tips: dict[str, tuple[str, str]] = {}
        self._is_open = False
        menu.aboutToShow.connect(self._open)
        menu.aboutToHide.connect(self._close)
        for action_id, entry in entries.items():
            entry.hovered.connect(partial(self._hurry, action_id))
        prices.changed.connect(self.tell)

    def _open(self) -> None:
        self._is_open = True
        self._prices.renew()
        self.tell()

    def _close(self) -> None:
        self._is_open = False

    def _hurry(self, action_id: str) -> None:
        if self._entries[action_id].isEnabled():
            self._prices.hurry(action_id, self._about(action_id))

    def tell(self) -> None:
        """Tell in each entry that can act what that costs, before what it does."""
        if not self._is_open:
            return
        for action_id, entry in self._entries.items():
            if entry.isEnabled():
                tip = self._own_tip(action_id, entry)
                told = with_price(tip, self._price(action_id, self._about(action_id)))
                self._tips[action_id] = told, tip
                tell(entry, told)

    def _own_tip(self, action_id: str, entry: QAction) -> str:
        """Return what an entry tells without its price: what was told here last is not told again before it."""
        told, tip = self._tips.get(action_id, ("", ""))
        return tip if entry.statusTip() == told and told else entry.statusTip()
