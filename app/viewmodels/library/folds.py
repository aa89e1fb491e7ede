"""Which rows of the sidebar are put away, from one start to the next and in all windows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.kit.settings import MOST_ENTRIES, Settings


class Folds(QObject):
    """Keeps which folders and conversations a person folded, and which conversations they unfolded.

    Property: those that were folded longest ago are forgotten where there are more than the settings keep.

    Attributes: folded, unfolded: ids of rows, the latest last. Signal: changed().
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.folded, self.unfolded = settings.values.folded, settings.values.unfolded

    def fold(self, row_id: str, is_folded: bool) -> None:
        """Put away what lies under a row, or show it."""
        folded = (one for one in self.folded if one != row_id)
        unfolded = (one for one in self.unfolded if one != row_id)
        self.folded = (*folded, row_id)[-MOST_ENTRIES:] if is_folded else tuple(folded)
        self.unfolded = tuple(unfolded) if is_folded else (*unfolded, row_id)[-MOST_ENTRIES:]
        self._settings.update(folded=self.folded, unfolded=self.unfolded)
        self.changed.emit()
