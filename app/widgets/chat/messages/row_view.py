"""A list whose rows stand where a `ChatLayout` says, each as high as its message."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.viewmodels.kit.lists import AnyIndex
from app.widgets.chat.messages.layout import ChatLayout, Source
from app.widgets.kit.item_views import set_up_painted_view
from app.widgets.kit.style import Style

WHEEL_STEP = 44
_BELOW = 8


class RowView(QListView):
    """A QListView, so that screen readers find its rows, of which nothing of the list's own layout is used.

    layout_of_rows: replaced by whoever changes the style.
    """

    _layoutAsked = Signal()

    def __init__(self, style: Style, source: Source, name: str, parent: QWidget | None = None) -> None:
        """name: for screen readers."""
        super().__init__(parent)
        self.layout_of_rows = ChatLayout(style, source)
        self._is_layout_asked = False
        self._layoutAsked.connect(self._lay_out, Qt.ConnectionType.QueuedConnection)
        set_up_painted_view(self, style, name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        # The list would scroll to whatever row is clicked, dragged over or comes under the keyboard.
        self.setAutoScroll(False)
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)
        self.verticalScrollBar().setSingleStep(WHEEL_STEP)

    def row_rect(self, number: int) -> QRect:
        """Return where a row is in the viewport now."""
        rows = self.layout_of_rows
        top = round(rows.top(number)) - self.verticalOffset()
        return QRect(0, top, self.viewport().width(), round(rows.height(number)))

    def rows_in_sight(self) -> range:
        """Return the rows of which anything is seen."""
        top = self.verticalOffset()
        return self.layout_of_rows.in_sight(top, top + self.viewport().height() - 1)

    def lay_out_soon(self) -> None:
        """Have the rows laid out before the next paint; Qt's own delay ends after it, and all is painted once more."""
        self.scheduleDelayedItemsLayout()
        if not self._is_layout_asked:
            self._is_layout_asked = True
            self._layoutAsked.emit()

    def _lay_out(self) -> None:
        self._is_layout_asked = False
        self.executeDelayedItemsLayout()

    def doItemsLayout(self) -> None:
        """Skip the list's own layout, which would measure every row."""
        QAbstractItemView.doItemsLayout(self)

    def scrollTo(
        self, index: AnyIndex, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Bring a row into sight: whole where it fits, else its beginning."""
        if index.isValid() and index.row() < len(self.layout_of_rows):
            self._bring_into_sight(index.row())
            # What was an estimate on the way there is measured now.
            self._bring_into_sight(index.row())

    def _bring_into_sight(self, number: int) -> None:
        bar, rect, height = self.verticalScrollBar(), self.row_rect(number), self.viewport().height()
        if rect.top() < 0 or rect.height() > height:
            is_begun = rect.height() > height and rect.top() < 0 and rect.bottom() > height
            bar.setValue(bar.value() if is_begun else bar.value() + rect.top())
        elif rect.bottom() > height:
            bar.setValue(bar.value() + rect.bottom() - height + _BELOW)

    def visualRect(self, index: AnyIndex) -> QRect:
        number = index.row()
        return self.row_rect(number) if 0 <= number < len(self.layout_of_rows) else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:
        number = self.layout_of_rows.row_at(point.y() + self.verticalOffset())
        return self.model().index(number, 0) if number >= 0 else QModelIndex()

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        return 0

    def isIndexHidden(self, index: AnyIndex) -> bool:
        return False

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select nothing: text is selected, not rows."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion()
