"""The price of warming up the chosen row of the Cache pane, over the button that does it."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from app.viewmodels.edges.edge_region import EdgeRegion
from app.widgets.cache.row_actions import RowActions
from app.widgets.window.price_hover import Priced, PriceHover


class EdgePrices:
    """Watches the button; while that does something else, it has no price."""

    def __init__(self, hover: PriceHover, actions: RowActions, edges: EdgeRegion) -> None:
        self._actions, self._edges = actions, edges
        hover.watch(actions.free_button, self._under, self._of_button)

    def _under(self, _at: QPoint) -> Priced | None:
        return self._of_button()

    def _of_button(self) -> Priced | None:
        branch = self._edges.chosen_branch if self._actions.is_to_warm_up else None
        return None if branch is None else Priced(branch, self._actions.free_button.rect())
