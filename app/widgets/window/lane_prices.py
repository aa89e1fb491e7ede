"""The prices of going on from answers beside each other: at the buttons of a column, and at its messages' marks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint

from app.viewmodels.chat.command_prices import CommandPrices
from app.viewmodels.kit.action import Actions
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.warmth.price_card import following_branch
from app.widgets.kit.controls import Button
from app.widgets.window.chat_prices import ChatPrices
from app.widgets.window.price_hover import Priced, PriceHover

if TYPE_CHECKING:
    from app.widgets.chat.lanes.lane_column import LaneColumn
    from app.widgets.chat.lanes.lanes_view import LanesView

_ANYWHERE = QPoint()


class LanePrices:
    """Watches answers beside each other, and each of their columns, from when they are made.

    What is still being written has no price: its state is there as long as it is.
    """

    def __init__(self, hover: PriceHover, library: LibraryRegion, prices: CommandPrices, actions: Actions) -> None:
        self._hover, self._library, self._prices, self._actions = hover, library, prices, actions
        self._columns: set[ChatPrices] = set()

    def watch(self, view: LanesView) -> None:
        """Tell prices in the columns that there are, and in those to come."""
        for column in view.columns:
            self._watch(column)
        view.columnMade.connect(self._watch)

    def _watch(self, column: LaneColumn) -> None:
        for button in (column.keep, column.go_on):
            goes_on = partial(self._going_on, column, button)
            self._hover.watch(button, goes_on, goes_on)
        prices = ChatPrices(self._hover, column.view, self._library, self._prices, self._actions)
        self._columns.add(prices)
        column.destroyed.connect(partial(self._columns.discard, prices))

    def _going_on(self, column: LaneColumn, button: Button, _at: QPoint = _ANYWHERE) -> Priced | None:
        """Return where a button leads: to the end of the answer's branch."""
        tree, lane = self._library.tree, column.lane
        if lane.is_writing or lane.answer_id not in tree:
            return None
        branch = following_branch(tree, tree.leaf_below(lane.answer_id) or lane.answer_id)
        return None if branch is None else Priced(branch._replace(title=button.accessibleName()), button.rect())
