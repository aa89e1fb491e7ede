"""Lists and trees whose rows are painted: how such a view is set up, and the frame in which a row is painted."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.viewmodels.kit.lists import AnyIndex
from app.widgets.kit.accessible import speak_rows
from app.widgets.kit.drawing import smooth
from app.widgets.kit.row_focus import RowFocus, paint_row_ground, paint_row_ring
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style

ROW_MARGIN = 8  # points on either side between the pane's edge and a row's ground


def set_up_painted_view(view: QAbstractItemView, style: Style, name: str) -> None:
    """Give a view that paints and places its rows itself no frame and one slim bar, and have it follow the mouse.

    name: for screen readers.
    """
    view.setAccessibleName(name)
    speak_rows(view)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setMouseTracking(True)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    use_slim_bar(view, style)


def set_up_view(view: QAbstractItemView, style: Style, name: str) -> None:
    """Have a view scroll by pixels over its pane's own ground, and measure its rows again when the style changes.

    name: for screen readers.
    """
    set_up_painted_view(view, style, name)
    view.viewport().setAutoFillBackground(False)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    style.changed.connect(view.scheduleDelayedItemsLayout)
    style.changed.connect(view.viewport().update)


def menu_target(view: QAbstractItemView, event: QContextMenuEvent) -> tuple[QModelIndex, QPoint]:
    """Return the row whose menu is asked for, and the place on screen for it.

    That is the row under the mouse; from the keyboard, the current one, where it is in sight. The index is invalid
    where there is none.
    """
    if event.reason() is QContextMenuEvent.Reason.Mouse:
        return view.indexAt(event.pos()), event.globalPos()
    index = view.currentIndex()
    return index, view.viewport().mapToGlobal((view.visualRect(index) & view.viewport().rect()).center())


class RowDelegate(QStyledItemDelegate):
    """Paints a row whole: its ground, its content, and the ring of the keyboard. A subclass paints the content.

    Attributes: focus, whether the keyboard moves through the view.
    """

    def __init__(self, style: Style, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._style = style
        self.focus = RowFocus(view)

    @property
    def hover(self) -> QColor:
        """Ground of the row under the mouse, one step darker than the pane."""
        return self._style.theme.fill2

    def row_rect(self, rect: QRect, index: AnyIndex) -> QRect:
        """Return what of an item's rectangle is the row itself."""
        return rect

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        smooth(painter)
        ground = QRectF(self.row_rect(option.rect, index)).adjusted(ROW_MARGIN, 0, -ROW_MARGIN, 0)
        paint_row_ground(painter, self._style, ground, option, self.hover)
        self.paint_content(painter, QRectF(ground), option, index)
        if option.state & QStyle.StateFlag.State_HasFocus and self.focus.is_shown:
            paint_row_ring(painter, self._style, ground)
        painter.restore()

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint what the row says. rect: its ground."""
        raise NotImplementedError
