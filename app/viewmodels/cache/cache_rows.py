"""The rows of the cache pane in one window: which edges have one there, and the model that shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.protocol.trie_view import TrieView
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.cache.shown_trie import ShownTrie
from app.viewmodels.cache.trie_model import TrieModel


class CacheRows(QObject):
    """Follows the cache with the rows of the conversation that is open in this window.

    Nothing is followed before `wake`, so that rows which nobody looks at cost nothing.

    Attributes: is_awake; trie_model, of the pane; shown, the edges that have rows.
    """

    def __init__(self, cache: CacheRegion, open_id: str, parent: QObject | None = None) -> None:
        """open_id: of the conversation that is open."""
        super().__init__(parent)
        self._cache = cache
        self.is_awake = False
        self.trie_model = TrieModel(self)
        self.shown = ShownTrie()
        self.shown.open_id, self.shown.shows_others = open_id, False
        cache.viewChanged.connect(self.show)

    @property
    def view(self) -> TrieView:
        """The present picture, whether it is followed or not."""
        return self._cache.view

    def wake(self) -> None:
        """Follow the cache from now on."""
        self.is_awake = True
        self.show()

    def rest(self) -> None:
        """Follow nothing while nobody looks."""
        self.is_awake = False

    def show(self) -> None:
        """Choose the rows of the present picture anew, if they are looked at."""
        if self.is_awake:
            self.trie_model.show(self.view, self.shown.of(self.view))
