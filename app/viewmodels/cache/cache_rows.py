"""The rows of the cache pane in one window: which edges have one there, and the model that shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.cache.shown_trie import ShownTrie
from app.viewmodels.cache.trie_model import TrieModel


class CacheRows(QObject):
    """Follows the cache with the rows of the conversation that is open in this window.

    Attributes: trie_model, of the pane; shown, the edges that have rows.
    """

    def __init__(self, cache: CacheRegion, open_id: str, parent: QObject | None = None) -> None:
        """open_id: of the conversation that is open."""
        super().__init__(parent)
        self._cache = cache
        self.trie_model = TrieModel(self)
        self.shown = ShownTrie()
        self.shown.open_id, self.shown.shows_others = open_id, False
        cache.viewChanged.connect(self.show)
        self.show()

    def show(self) -> None:
        """Choose the rows of the present picture anew."""
        view = self._cache.view
        self.trie_model.show(view, self.shown.of(view))
