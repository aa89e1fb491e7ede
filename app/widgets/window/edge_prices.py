"""Prices and the Cache pane: that of the chosen row, and the rows that any price speaks of."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QApplication

from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.warmth.price_card import PricedBranch
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.widgets.cache.row_actions import RowActions
from app.widgets.cache.trie_tree import TrieTree
from app.widgets.window.price_hover import Priced, PriceHover


class EdgePrices(QObject):
    """Shows the price of a row that a person chooses, and of the button that warms it up; lights rows meanwhile.

    The price of a row is shown once, when it is found: until then its branch is being looked for.
    """

    def __init__(
        self, hover: PriceHover, tree: TrieTree, actions: RowActions, edges: EdgeRegion, warmth: WarmthIndex
    ) -> None:
        super().__init__(hover)
        self._hover, self._tree, self._actions, self._edges, self._warmth = hover, tree, actions, edges, warmth
        self._awaits = False
        hover.watch(actions.free_button, self._under, self._of_button)
        hover.watch(tree, None)
        hover.told.connect(self._light)
        tree.picked.connect(self._await)
        tree.verticalScrollBar().valueChanged.connect(hover.hide)
        edges.chosen_price.changed.connect(self._show_row)

    def _await(self) -> None:
        self._awaits = True

    def _show_row(self) -> None:
        """Show the price of the row that was chosen, unless the person has gone on to something else."""
        branch = self._edges.chosen_branch
        if not self._awaits or branch is None:
            return
        self._awaits = False
        if self._tree.hasFocus() and QApplication.activePopupWidget() is None:
            self._hover.look_at(self._tree, Priced(branch, self._tree.visualRect(self._tree.currentIndex())))

    def _light(self, branch: PricedBranch | None) -> None:
        edge = 0 if branch is None else self._warmth.edge_of(branch.message_id, branch.conversation_id)
        self._edges.light(edge)

    def _under(self, _at: QPoint) -> Priced | None:
        return self._of_button()

    def _of_button(self) -> Priced | None:
        branch = self._edges.chosen_branch if self._actions.is_to_warm_up else None
        return None if branch is None else Priced(branch, self._actions.free_button.rect())
