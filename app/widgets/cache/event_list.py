"""The cache's log: a line to each event, with its time and an icon."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.protocol.cache_events import CacheEventKind
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.rows import EventRow
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.row_focus import RowFocus, paint_row_ground, paint_row_ring
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_OUTER, _INNER, _GAP, _ICON = 8, 8, 6, 14
_WORDS = 215  # points for an icon and the words, without which the time gives up its seconds
_ICONS = {
    CacheEventKind.REQUEST: Icon.CHECK,
    CacheEventKind.CHECKED: Icon.CHECK,
    CacheEventKind.CAPTURED: Icon.STORED,
    CacheEventKind.PAGED_OUT: Icon.PAGED_OUT,
    CacheEventKind.PAGED_IN: Icon.RESTORED,
    CacheEventKind.EVICTED: Icon.EVICTED,
    CacheEventKind.WRITTEN: Icon.DISK,
    CacheEventKind.READ: Icon.RESTORED,
    CacheEventKind.DROPPED: Icon.EVICTED,
    CacheEventKind.SPLIT: Icon.FORK,
    CacheEventKind.FAULT: Icon.WARN,
}


class EventDelegate(QStyledItemDelegate):
    """Draws the row whole. `focus` is set by the list that it draws for."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style
        self.focus: RowFocus | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, event_height(self._style))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: EventRow = index.data(RowRole.ROW)
        painter.save()
        smooth(painter)
        ground = QRectF(option.rect).adjusted(_OUTER, 0, -_OUTER, 0)
        option.state &= ~QStyle.StateFlag.State_Selected
        paint_row_ground(painter, self._style, ground, option, self._style.theme.fill)
        self._paint_row(painter, ground.adjusted(_INNER, 0, -_INNER, 0), row)
        if option.state & QStyle.StateFlag.State_HasFocus and self.focus is not None and self.focus.is_shown:
            paint_row_ring(painter, self._style, ground)
        painter.restore()

    def _paint_row(self, painter: QPainter, rect: QRectF, row: EventRow) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP)
        is_fault = row.kind is CacheEventKind.FAULT
        size = self._style.typography.icon(_ICON)
        has_seconds = rect.width() > text_style.width(row.time) + self._style.typography.scaled(_WORDS)
        time = row.time if has_seconds else row.time[: -len(":00")]
        rect.setLeft(rect.left() + draw_text(painter, text_style, rect, time, theme.text3) + _GAP)
        center = QPointF(rect.left() + size / 2, rect.center().y())
        self._style.icons.paint(painter, _ICONS[row.kind], center, theme.warn if is_fault else theme.text2, size)
        rect.setLeft(rect.left() + size + _GAP)
        draw_text(painter, text_style, rect, row.text, theme.warn if is_fault else theme.text2)


class EventList(QListView):
    """Stays at the newest event while that is in sight. Nothing can be selected; keys walk through the rows."""

    def __init__(self, style: Style, events: EventModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = EventDelegate(style)
        self._delegate.focus = RowFocus(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Events")
        use_slim_bar(self, style)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setModel(events)
        style.changed.connect(self.scheduleDelayedItemsLayout)
        style.changed.connect(self.viewport().update)


def event_height(style: Style) -> int:
    """Points of one row."""
    return style.typography.scaled(14) + 8
