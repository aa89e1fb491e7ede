"""The cache's log: a line to each event, with its time and an icon."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyleOptionViewItem,
    QWidget,
)

from app.protocol.cache_events import CacheEventKind
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.rows import EventRow
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.widgets.kit.drawing import draw_text, smooth, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import RowDelegate, set_up_view
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

NOTHING = "None since the start"
_INNER, _GAP, _ICON, _HINT_LEFT = 8, 6, 14, 16
_WORDS = 215  # points for an icon and the words, without which the time gives up its seconds
_ICONS = {
    CacheEventKind.REQUEST: Icon.CHECK,
    CacheEventKind.GUEST: Icon.API,
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


class EventDelegate(RowDelegate):
    """Paints the time of an event, its icon and its words."""

    @property
    def hover(self) -> QColor:
        return self._style.theme.fill

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, event_height(self._style))

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: EventRow = index.data(RowRole.ROW)
        rect.adjust(_INNER, 0, -_INNER, 0)
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP)
        is_fault = row.kind is CacheEventKind.FAULT
        size = self._style.typography.icon(_ICON)
        has_seconds = rect.width() > text_style.width(row.time) + self._style.typography.scaled(_WORDS)
        time = row.time if has_seconds else row.time[: -len(":00")]
        rect.setLeft(rect.left() + draw_text(painter, text_style, rect, time, theme.text3) + _GAP)
        center = QPointF(rect.left() + size / 2, rect.center().y())
        self._style.icons.paint(painter, _ICONS[row.kind], center, theme.warn if is_fault else theme.text2, size)
        rect.setLeft(rect.left() + size + _GAP)
        words = whole_parts(text_style, row.text, rect.width(), ", ", ": ")
        draw_text(painter, text_style, rect, words, theme.warn if is_fault else theme.text2)


class EventList(QListView):
    """Stays at the newest event while that is in sight. Nothing can be selected; keys walk through the rows."""

    def __init__(self, style: Style, events: EventModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._delegate = EventDelegate(style, self)
        self.setItemDelegate(self._delegate)
        set_up_view(self, style, "Events")
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setModel(events)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount():
            return
        painter = smooth(QPainter(self.viewport()))
        line = QRectF(_HINT_LEFT, 0, self.viewport().width() - _HINT_LEFT, event_height(self._style))
        draw_text(painter, self._style.text_style(TextRole.CAP), line, NOTHING, self._style.theme.text3)
        painter.end()


def event_height(style: Style) -> int:
    """Return the height of one row in points."""
    return style.typography.scaled(14) + 8
