"""All prices that a window tells: at what is pointed at or has the keyboard, and at the entries of its menus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.widgets.branches.branches_pane import BranchesPane
from app.widgets.cache.cache_pane import CachePane
from app.widgets.kit.style import Style
from app.widgets.sidebar.sidebar import Sidebar
from app.widgets.window.chat_pane import ChatPane
from app.widgets.window.chat_prices import ChatPrices
from app.widgets.window.edge_prices import EdgePrices
from app.widgets.window.found_prices import FoundPrices
from app.widgets.window.lane_prices import LanePrices
from app.widgets.window.menu_prices import MenuPrices
from app.widgets.window.menus import Menus
from app.widgets.window.outline_prices import OutlinePrices
from app.widgets.window.price_hover import PriceHover
from app.widgets.window.sidebar_prices import SidebarPrices


class WindowPrices:
    """The prices in the chat, the panes, the sidebar and the menus of a window. Attribute: hover, which shows them."""

    def __init__(
        self,
        style: Style,
        app: App,
        menus: Menus,
        about: Callable[[str], str | None],
        parts: tuple[Sidebar, ChatPane, BranchesPane, CachePane],
        window: QWidget,
    ) -> None:
        """about: as of `MenuPrices`. parts: of the window, in which prices are told."""
        sidebar, chat, branches, cache = parts
        prices, warmth = app.chat.prices, app.chat.warmth
        self.hover = hover = PriceHover(style, warmth, lambda: app.model.state.now.has("cost_estimates"), window)
        prices.changed.connect(hover.renew)
        self._chat = ChatPrices(hover, chat.view, app.library, prices, app.keys.actions)
        self._lanes = LanePrices(hover, app.library, prices, app.keys.actions)
        chat.lanesMade.connect(self._lanes.watch)
        self._menus = MenuPrices(prices, menus, about, app.lanes, window)
        self._menus.pointedAt.connect(chat.status_line.show_tip)
        chat.view.menuMade.connect(self._menus.watch)
        self._outline = OutlinePrices(hover, branches.tree, app.branches, app.library)
        self._edges = EdgePrices(hover, cache.tree, cache.row_actions, app.edges, warmth)
        self._sidebar = SidebarPrices(hover, sidebar.list, warmth)
        self._found = FoundPrices(hover, sidebar.results, app.library, app.comparison, warmth)
        chat.comparisonMade.connect(self._found.watch_comparison)
