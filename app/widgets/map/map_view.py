"""The map: a picture that is larger than the window, and going about in it by mouse, trackpad and keys.

The outline of branches is the way to everything that is done here; a screen reader is told what the picture shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.map.map_layout import ARM, Box, MapLayout, Placed
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.map.map_runs import MapItem
from app.widgets.kit.accessible import announce, speak_as
from app.widgets.kit.drawing import smooth, stroke_rounded
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.tips import show_tip
from app.widgets.map.map_painter import MARGIN, MapPainter, Sight
from app.widgets.map.map_picture import picture_of

LEAST, MOST = 0.02, 4.0
_STEP = 1.25
# Zooms from which on groups in sight open by themselves, and below which those close again.
OPENS, CLOSES = 1.5, 1.2
# The least zooms that are chosen by themselves: most runs have room for some of their words, each group for its chip.
_READABLE, _CHIPS_READABLE = 0.6, 0.8
_CHIP_APART = 20
_SIDE = 16.0  # at the left and at the right of the picture, of which labels are a part
_AXIS_IN_MARGIN = 14.0  # of what the figures of the wires take at the left
_PART = 0.25  # of the width, by which the open branch may stand beside the middle
_LABEL_APART = 6.0  # from the words of the open branch to an edge
_NEAREST = 8.0  # points within which the pointer is on a line
_SAME = 0.01


class MapView(QAbstractScrollArea):
    """Draws what is in sight of a layout that is made once for each state of the tree, in slices.

    Attributes: layout_of_runs, items; zoom, 1.0 at 100 %. Signal: zoomed(float).
    """

    zoomed = Signal(float)

    def __init__(self, style: Style, region: MapRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._region = style, region
        self._painter = MapPainter(style, region)
        self.zoom = 1.0
        self._has_ring = False
        self._work = SlicedWork(self)
        self._hovered = -1
        self._current = ""  # the item that the arrow keys have come to
        self._kept = ""  # the item that stays where it is when the next layout comes
        self._opened_by_zoom: set[str] = set()
        self._follows_open_run = False
        self._dragged: QPoint | None = None
        self._pressed: QPoint | None = None
        self._is_fresh = True  # nobody has moved or zoomed the picture
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        speak_as(self, QAccessible.Role.Grouping)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        use_slim_bar(self, style)
        self.setAccessibleName("Map of the branches")
        region.grew.connect(self.begin)
        region.changed.connect(self._repaint)
        region.moved.connect(self._follow_open_run)
        style.changed.connect(self.begin)

    # Making the layout

    def begin(self) -> None:
        """Lay the tree out again, in slices; what was shown stays until that is done."""
        self._work.start(self._lay_out())

    @property
    def is_busy(self) -> bool:
        """Whether a layout is being made."""
        return self._work.is_running

    @property
    def items(self) -> Sequence[MapItem]:
        """The runs that are shown, by their numbers."""
        return self._painter.picture.items

    @property
    def layout_of_runs(self) -> MapLayout:
        """The places of the runs at 100 %."""
        return self._painter.picture.layout

    def _lay_out(self) -> Iterator[None]:
        picture = yield from picture_of(self._region, self._room_for_label)
        before = self._place_of(self._kept)
        self._painter.show(picture)
        self._hovered = -1
        self.setAccessibleDescription(self._region.summary)
        self._set_range()
        self._settle(before)
        self._repaint()

    def _room_for_label(self, item: MapItem) -> tuple[float, float]:
        """Return the room for a label: a group has its chip also at the least zoom that is chosen by itself."""
        width, height = self._painter.label_size(item)
        return (width / _CHIPS_READABLE + _CHIP_APART if item.versions else width, height)

    def _settle(self, before: QPointF | None) -> None:
        """Show what was in sight where it was. before: where the run that is to stay stood in the viewport."""
        after = self._place_of(self._kept)
        self._kept = ""
        if self._is_fresh:
            self.fit()
        elif before is not None and after is not None:
            self._move_by((before - after).toPoint())
        if self._follows_open_run:
            self.show_open_run()

    def _place_of(self, item_id: str) -> QPointF | None:
        """Return where the end of a run is in the viewport, None where there is no such run."""
        number = self._number(item_id)
        if number < 0:
            return None
        placed = self.layout_of_runs.runs[number]
        return QPointF(placed.x, placed.bottom) * self.zoom + self._origin()

    # Where things are

    def _origin(self) -> QPointF:
        """Return where the picture's own origin lies in the viewport."""
        return QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _sight(self) -> Sight:
        """Return what is seen of the picture."""
        return Sight(self.zoom, self._origin(), QSizeF(self.viewport().size()), self._hovered, self._cursor())

    def _number(self, item_id: str) -> int:
        """Return the number of a run, -1 where there is no such run."""
        return self._painter.picture.number(item_id)

    def _set_range(self) -> None:
        """Let the picture be moved until its edges are in sight; a picture that is all in sight stays in the middle."""
        box, size = self.layout_of_runs.box, self.viewport().size()
        for bar, first, length, room, margin in (
            (self.horizontalScrollBar(), box.left, box.width, size.width(), _SIDE),
            (self.verticalScrollBar(), box.top, box.height, size.height(), MARGIN),
        ):
            is_upright = bar is self.verticalScrollBar()
            low, high = first * self.zoom - margin, (first + length) * self.zoom + margin
            low -= 0 if is_upright else self._figures
            spare = room - (high - low)
            if spare > 0:
                low, high = (low, low + room) if is_upright else (low - spare / 2, high + spare / 2)
            bar.setRange(round(low), max(round(high - room), round(low)))
            bar.setPageStep(room)
            bar.setSingleStep(40)

    @property
    def _figures(self) -> float:
        """Points at the left, beside the margin, for what the wires stand for."""
        return self._painter.axis - _AXIS_IN_MARGIN

    def set_zoom(self, zoom: float, around: QPointF | None = None) -> None:
        """Draw larger or smaller; the point `around`, of the viewport, stays where it is, else the middle does."""
        zoom = min(max(zoom, LEAST), MOST)
        at = QRectF(self.viewport().rect()).center() if around is None else around
        origin = self._origin()
        fixed = (at - origin) / self.zoom
        was, self.zoom = self.zoom, zoom
        self._set_range()
        self.horizontalScrollBar().setValue(round(fixed.x() * zoom - at.x()))
        self.verticalScrollBar().setValue(round(fixed.y() * zoom - at.y()))
        self.viewport().update()
        self.zoomed.emit(zoom)
        if was < OPENS <= zoom:
            shown = self.layout_of_runs.within(self._sight().box)
            groups = {self.items[one].id for one in shown if self.items[one].versions and not self.items[one].is_open}
            self._open_groups(groups, is_open=True)
            self._opened_by_zoom |= groups
        elif zoom < CLOSES <= was:
            self._open_groups(self._opened_by_zoom, is_open=False)
            self._opened_by_zoom = set()

    def _open_groups(self, ids: Iterable[str], *, is_open: bool) -> None:
        """Show the versions of groups one by one, or as one again; the message that they answer stays where it is."""
        ids = sorted(ids, key=self._number)
        if ids:
            self._is_fresh = False
            number = self._number(ids[0])
            self._kept = self.items[self.items[number].parent].id if number >= 0 else ""
            self._region.open_groups(ids, is_open=is_open)

    def zoom_by(self, steps: float) -> None:
        """Draw larger by so many steps, or smaller by as many below 0."""
        self._is_fresh = False
        self.set_zoom(self.zoom * _STEP**steps)

    def fit(self) -> None:
        """Show all of it, where it can be read then; else the open branch at 100 %."""
        box, size = self.layout_of_runs.box, self.viewport().size()
        across = (size.width() - 2 * _SIDE - self._figures) / max(box.width, 1)
        both = min(across, (size.height() - 2 * MARGIN) / max(box.height, 1))
        least = _CHIPS_READABLE if any(item.versions for item in self.items) else _READABLE
        self.set_zoom(min(both, 1.0) if both >= least else 1.0)
        if (number := self._open_number()) >= 0:
            self._centre_on(number)
            self._show_near_edge()
        self.show_open_run()
        self._is_fresh = True

    def show_open_run(self) -> None:
        """Bring the end of the open branch into sight, unless it is there."""
        number = self._open_number()
        self._follows_open_run = number < 0
        if number >= 0:
            self._bring_into_sight(number)
        self.setAccessibleDescription(self._region.summary)
        self._repaint()

    def go_to_open_run(self) -> None:
        """Bring the end of the open branch into sight, have the arrow keys go on from there, and say it."""
        self.show_open_run()
        self._come_to(self._open_number())

    def _follow_open_run(self) -> None:
        """Show the open branch, and also in the layout that is being made."""
        self.show_open_run()
        self._follows_open_run = self._follows_open_run or self.is_busy

    def _bring_into_sight(self, number: int) -> None:
        """Have the end of a run lie within the window, where it does not."""
        placed, shown = self.layout_of_runs.runs[number], self._sight().box
        if not (
            shown.left < placed.x - _SIDE
            and placed.x + _SIDE < shown.right
            and shown.top < placed.bottom - MARGIN
            and placed.bottom + MARGIN < shown.bottom
        ):
            self._centre_on(number)

    def _centre_on(self, number: int) -> None:
        """Have the end of a run lie in the middle, as far as the picture reaches."""
        placed, size = self.layout_of_runs.runs[number], self.viewport().size()
        self.horizontalScrollBar().setValue(round(placed.x * self.zoom - size.width() / 2))
        self.verticalScrollBar().setValue(round(placed.bottom * self.zoom - size.height() * 0.6))

    def _show_near_edge(self) -> None:
        """Have no side of the window cut what would be in sight if all were moved by a part of its width."""
        bar = self.horizontalScrollBar()
        run, item = self.layout_of_runs.runs[self._open_number()], self.items[self._open_number()]
        half = self._painter.label_size(item)[0] / 2 + _LABEL_APART
        for edge in (bar.minimum(), bar.maximum()):
            x = run.x * self.zoom - edge
            has_room = self._painter.axis + half <= x <= bar.pageStep() - half
            if has_room and abs(edge - bar.value()) <= bar.pageStep() * _PART:
                bar.setValue(edge)
                break

    def _open_number(self) -> int:
        """Return the number of the run in which the open path ends, -1 while there is none."""
        return self._number(self._region.open_run_id)

    def run_at(self, at: QPointF) -> int:
        """Return the number of the run at a point of the viewport, by its line, disc or label; -1 beside all."""
        on_labels = at - self._origin()
        for box, number in self._painter.labels:
            if box.contains(on_labels):
                return number
        point = on_labels / self.zoom
        near = _NEAREST / min(self.zoom, 1.0)
        around = Box(point.x() - near, point.y() - near, 2 * near, 2 * near)
        found, best = -1, near
        for number in self.layout_of_runs.within(around):
            distance = _distance(self.layout_of_runs.runs[number], point)
            if distance < best - _SAME:  # of two that meet, the upper one
                found, best = number, distance
        return found

    # What is painted

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self.viewport()))
        painter.fillRect(event.rect(), theme.panel)
        self._painter.paint(painter, self._sight())
        if self._has_ring:
            stroke_rounded(painter, QRectF(self.viewport().rect()).adjusted(2, 2, -2, -2), 6, theme.accentgfx, 2)
        painter.end()

    def _repaint(self) -> None:
        """Draw all of it again: any run may be on another path, or held elsewhere."""
        if self._region.is_asked:
            self._painter.forget_held()
        self.viewport().update()

    def _cursor(self) -> int:
        """Return the number of the run that the arrow keys have come to, -1 while they go elsewhere."""
        return self._number(self._current) if self.hasFocus() else -1

    # What the person does

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer a pinch, and tell about the run under the pointer."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._is_fresh = False
            self.set_zoom(self.zoom * (1 + event.value()), event.position())
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self.run_at(QPointF(event.pos()))
            if number >= 0:
                told = [one for one in self._region.told(self.items[number]) if one]
                show_tip(event.globalPos(), "\n".join(told), self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with the command key, else move the picture in both directions."""
        pixels, angle = event.pixelDelta(), event.angleDelta()
        self._is_fresh = False
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * 1.0015 ** (angle.y() or pixels.y()), event.position())
        else:
            moved = QPoint(angle.x() // 2, angle.y() // 2) if pixels.isNull() else pixels
            self._move_by(moved)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        steps = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}.get(key)
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
        elif steps is not None:
            self.zoom_by(steps)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_Home:
            self.go_to_open_run()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._come_to(self._beside(key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._cursor() >= 0:
            self._press(self._cursor())
        else:
            super().keyPressEvent(event)

    def _beside(self, key: Qt.Key) -> int:
        """Return the run that an arrow key leads to: the one above, the one that goes on, or a version beside."""
        items, at = self.items, self._cursor()
        if at < 0:
            return self._open_number()
        if key == Qt.Key.Key_Up:
            return items[at].parent
        if key == Qt.Key.Key_Down:
            below = [one for one in range(at + 1, len(items)) if items[one].parent == at]
            x = self.layout_of_runs.runs[at].x
            straight = [one for one in below if self.layout_of_runs.runs[one].x == x]
            return next(iter([one for one in below if self._region.is_on_path(items[one])] + straight + below), -1)
        versions = [one for one, item in enumerate(items) if item.parent == items[at].parent]
        place = versions.index(at) + (1 if key == Qt.Key.Key_Right else -1)
        return versions[place] if 0 <= place < len(versions) else -1

    def _come_to(self, number: int) -> None:
        """Have the arrow keys go on from a run, bring it into sight and say it."""
        if number >= 0:
            self._is_fresh = False
            self._current = self.items[number].id
            self._bring_into_sight(number)
            announce(self, ", ".join(one for one in self._region.told(self.items[number]) if one))
            self.viewport().update()

    def _press(self, number: int) -> None:
        """Show a run in the chat, or the versions of a group."""
        item = self.items[number]
        if item.versions:
            self._open_groups([item.id], is_open=not item.is_open)
            self._opened_by_zoom.discard(item.id)
            announce(self, f"{item.label}, {'collapsed' if item.is_open else 'expanded'}")
        else:
            self._region.open(item)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed = self._dragged = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._dragged is not None:
            self._is_fresh = False
            self._move_by(at - self._dragged)
            self._dragged = at
        else:
            self._hover(self.run_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at, pressed = event.position().toPoint(), self._pressed
        self._pressed = self._dragged = None
        if event.button() is Qt.MouseButton.LeftButton and pressed is not None and (at - pressed).manhattanLength() < 4:
            number = self.run_at(event.position())
            if number >= 0:
                self._current = self.items[number].id
                self._press(number)

    def focusInEvent(self, event: QFocusEvent) -> None:
        reasons = Qt.FocusReason
        self._has_ring = event.reason() in (reasons.TabFocusReason, reasons.BacktabFocusReason)
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._has_ring = False
        super().focusOutEvent(event)
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_range()
        if self._is_fresh and self.items:
            self.fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def _move_by(self, delta: QPoint) -> None:
        for bar, distance in ((self.horizontalScrollBar(), delta.x()), (self.verticalScrollBar(), delta.y())):
            bar.setValue(bar.value() - distance)

    def _hover(self, number: int) -> None:
        if number != self._hovered:
            self._hovered = number
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if number >= 0 else Qt.CursorShape.ArrowCursor)
            self.viewport().update()


def _distance(placed: Placed, point: QPointF) -> float:
    """Return how far a point is from a run's line or arm."""
    beside = abs(point.x() - placed.x), max(placed.top - point.y(), point.y() - placed.bottom, 0.0)
    left, right = sorted((placed.x, placed.from_x))
    level = max(left - point.x(), point.x() - right, 0.0), abs(point.y() - placed.top - ARM)
    return min(max(beside), max(level) + (1.0 if placed.x == placed.from_x else 0.5))
