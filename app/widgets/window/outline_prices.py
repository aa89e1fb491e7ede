"""The price of going to a row of the outline of branches."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint

from app.viewmodels.branches.branches_region import BranchesRegion
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_card import PricedBranch
from app.widgets.branches.branch_tree import BranchTree
from app.widgets.window.price_hover import Priced, PriceHover


class OutlinePrices:
    """Watches the rows of the outline; the branch that is open has its price in the chat."""

    def __init__(self, hover: PriceHover, tree: BranchTree, region: BranchesRegion, library: LibraryRegion) -> None:
        self._tree, self._model, self._library = tree, region.model, library
        hover.watch(tree.viewport(), self._under)
        hover.watch(tree, None, lambda: self._of(tree.currentIndex()))
        tree.verticalScrollBar().valueChanged.connect(hover.hide)

    def _under(self, at: QPoint) -> Priced | None:
        return self._of(self._tree.indexAt(at))

    def _of(self, index: QModelIndex | QPersistentModelIndex) -> Priced | None:
        node = self._model.node(index)
        row = None if node is None else self._model.row(node)
        if row is None or row.is_open or row.last_id not in self._library.tree:
            return None
        branch = PricedBranch(
            *(row.title, formatting.plural(row.count, "message"), self._library.open_id, row.last_id),
        )
        return Priced(branch, self._tree.visualRect(index))
