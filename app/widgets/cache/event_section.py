"""The lower part of the cache pane: the log under its title, which folds it, and a grip that gives it more room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.cache.event_model import EventModel
from app.widgets.cache.event_list import EventList, event_height
from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET, _BELOW = 16, 6
_USUAL_ROWS, _LEAST_ROWS = 6, 2
_GRIP = 5


class FoldHead(Control):
    """The title "Events", which shows or hides what is below it."""

    ring_radius = 6.0

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, "Events", parent)
        self.setCheckable(True)
        self.toggled.connect(self._say)
        self.setChecked(True)

    def sizeHint(self) -> QSize:
        return QSize(200, self._style.typography.row)

    def _say(self, is_open: bool) -> None:
        tip = "Hide the events" if is_open else "Show the events"
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        if state in (State.HOVER, State.PRESSED):
            fill_rounded(painter, rect, self.ring_radius, theme.fill if state is State.HOVER else theme.fill2)
        inner = rect.adjusted(_INSET - 8, 0, 8 - _INSET, 0)
        draw_text(painter, self._style.text_style(TextRole.CAP_STRONG), inner, self.accessibleName(), theme.text2)
        size = self._style.typography.icon(12)
        icon = Icon.FOLD if self.isChecked() else Icon.RIGHT
        self._style.icons.paint(painter, icon, QPointF(inner.right() - size / 2, rect.center().y()), theme.text3, size)


class Grip(QWidget):
    """The line above the log, to be dragged. Signal: dragged(int), points upwards since the last one."""

    dragged = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._from = 0.0
        self.setAccessibleName("Height of the events")
        self.setCursor(Qt.CursorShape.SplitVCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.globalPosition().y()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            now = event.globalPosition().y()
            self.dragged.emit(round(self._from - now))
            self._from = now


class EventSection(QWidget):
    """The log of the cache under a title that folds it, as high with one event as with many: nothing above it moves.

    Signal: changed(), it wants another height.

    Attributes: head, list, grip; rows_height, the height that the person gave the list in points, 0 for the usual one.
    """

    changed = Signal()

    def __init__(self, style: Style, events: EventModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._events = events
        self.rows_height = 0
        self.setAccessibleName("Events")
        self.head = FoldHead(style, self)
        self.list = EventList(style, events, self)
        self.grip = Grip(self)
        self.head.toggled.connect(self._fold)
        self.grip.dragged.connect(self._drag)
        for change in (events.rowsInserted, events.rowsRemoved):
            change.connect(self.changed)
        style.changed.connect(self.changed)

    @property
    def is_open(self) -> bool:
        """Whether the rows are shown, and not the title alone."""
        return self.head.isChecked()

    def restore(self, rows_height: int, is_open: bool) -> None:
        """Take the height and the folding that the section was left with."""
        self.rows_height = max(0, rows_height)
        self.head.setChecked(is_open)

    def height_within(self, room: int, *, is_awaited: bool) -> int:
        """Return the points it takes of `room`, whose larger half is the tree's; 0 while there is nothing to show.

        is_awaited: there is something above it that events may tell of.
        """
        head = self.head.sizeHint().height() + _GRIP
        if not is_awaited and not self._events.rowCount():
            return 0
        if not self.is_open:
            return head
        row = event_height(self._style)
        least, most = _LEAST_ROWS * row, (room * 2 // 5 - head - _BELOW) // row * row
        return head + max(least, min(most, self.rows_height or _USUAL_ROWS * row)) + _BELOW

    def _fold(self, is_open: bool) -> None:
        self.list.setVisible(is_open)
        self.grip.setVisible(is_open)
        self.changed.emit()

    def _drag(self, points: int) -> None:
        self.rows_height = max(_LEAST_ROWS * event_height(self._style), self.list.height() + points)
        self.changed.emit()

    def event(self, event: QEvent) -> bool:
        """Lay out again when the head has another height, as with another text size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        head = self.head.sizeHint().height()
        self.grip.setGeometry(0, 0, self.width(), _GRIP)
        self.head.setGeometry(8, _GRIP - 1, self.width() - 16, head)
        top = head + _GRIP
        self.list.setGeometry(0, top, self.width(), max(0, self.height() - top - _BELOW))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(1, 0, self.width() - 1, 1, self._style.theme.line)
        painter.end()
