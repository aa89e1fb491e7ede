"""The prices of what is gone to from beside the chat: results of a search, and the two sides of a comparison."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint
from PySide6.QtWidgets import QWidget

from app.viewmodels.comparison.comparison import Comparison, Side
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.library.line_model import LineRow
from app.viewmodels.warmth.price_card import PricedBranch
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.widgets.sidebar.line_list import LineList
from app.widgets.window.price_hover import Priced, PriceHover

if TYPE_CHECKING:
    from app.widgets.chat.comparison.comparison_view import ComparisonView

_ANYWHERE = QPoint()


class FoundPrices:
    """Watches the results of a search, and a comparison from when it is made.

    A result on the open path has no price here: that is in the chat.
    """

    def __init__(
        self, hover: PriceHover, results: LineList, library: LibraryRegion, comparison: Comparison, warmth: WarmthIndex
    ) -> None:
        self._hover, self._results, self._library = hover, results, library
        self._comparison, self._warmth = comparison, warmth
        hover.watch(results.viewport(), self._under)
        hover.watch(results, None, lambda: self._of(results.currentIndex()))
        results.verticalScrollBar().valueChanged.connect(hover.hide)

    def watch_comparison(self, view: ComparisonView) -> None:
        """Tell the prices of going on with either side."""
        sides: tuple[Side, Side] = ("left", "right")
        for side, button in zip(sides, view.buttons, strict=True):
            goes_on = partial(self._side, button, side)
            self._hover.watch(button, goes_on, goes_on)

    def _under(self, at: QPoint) -> Priced | None:
        return self._of(self._results.indexAt(at))

    def _of(self, index: QModelIndex | QPersistentModelIndex) -> Priced | None:
        """Return where a result leads: down the branch that its message lies on."""
        row: LineRow | None = index.data(RowRole.ROW) if index.isValid() else None
        if row is None or not row.conversation_id:
            return None
        end = self._warmth.end_of(row.id, row.conversation_id) if row.id else ""
        if row.conversation_id == self._library.open_id and end in ("", self._library.tree.leaf_id):
            return None
        return Priced(PricedBranch(row.title, row.age, row.conversation_id, end), self._results.visualRect(index))

    def _side(self, button: QWidget, side: Side, _at: QPoint = _ANYWHERE) -> Priced | None:
        now = self._comparison.state.now
        branch = now.left if side == "left" else now.right
        if branch is None:
            return None
        place = "open now" if branch.leaf_id == self._library.tree.leaf_id else ""
        return Priced(PricedBranch(branch.name, place, self._library.open_id, branch.leaf_id), button.rect())
