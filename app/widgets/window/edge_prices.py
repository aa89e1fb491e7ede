"""Prices and the Cache pane: that of warming up the chosen row, and the rows that any price speaks of."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.warmth.price_card import PricedBranch
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.widgets.cache.row_actions import RowActions
from app.widgets.window.price_hover import Priced, PriceHover


class EdgePrices:
    """Watches the button, which has no price while it does something else, and lights rows while a price is shown."""

    def __init__(self, hover: PriceHover, actions: RowActions, edges: EdgeRegion, warmth: WarmthIndex) -> None:
        self._actions, self._edges, self._warmth = actions, edges, warmth
        hover.watch(actions.free_button, self._under, self._of_button)
        hover.told.connect(self._light)

    def _light(self, branch: PricedBranch | None) -> None:
        edge = 0 if branch is None else self._warmth.edge_of(branch.message_id, branch.conversation_id)
        self._edges.light(edge)

    def _under(self, _at: QPoint) -> Priced | None:
        return self._of_button()

    def _of_button(self) -> Priced | None:
        branch = self._edges.chosen_branch if self._actions.is_to_warm_up else None
        return None if branch is None else Priced(branch, self._actions.free_button.rect())
