"""The picture itself: wires, runs, labels, and going about in it by mouse, trackpad and keys.

The outline of branches is the way to everything that is done here; a screen reader is told what the picture shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.map.map_layout import (
    ARM,
    LEAF_LABEL,
    RUN_LABEL,
    Box,
    MapLayout,
    MapRun,
    Placed,
    lay_out,
)
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.map.map_runs import MapItem
from app.viewmodels.text import formatting
from app.widgets.kit.accessible import announce, speak_as
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import DISC, paint_disc
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.tips import show_tip
from app.widgets.kit.typography import TextRole

LEAST, MOST = 0.02, 4.0
_STEP = 1.25
# The least zoom at which runs have their round corners, discs and labels; below, lines and the names that find room.
NEAR = 0.5
_MARGIN, _CORNER = 40.0, 10.0
# Zooms from which on groups in sight open by themselves, and below which those close again.
OPENS, CLOSES = 1.5, 1.2
_READABLE = 0.8  # the least zoom that is chosen by itself: each group has room for its chip
_CHIP_APART = 20
_CHIP_PAD, _CHIP_ICON, _CHIP_RADIUS = 8, 10, 5
_FIGURES = 30.0  # at the left, beside the margin, for what the wires stand for
_ACTIVE, _OTHER = 3.5, 2.0
# Widths far out, where nothing is dotted: of the open path, of what is held, and of the rest.
_FAR_ACTIVE, _FAR_HELD, _FAR_OTHER = 3.0, 2.0, 1.0
_DOTTED = (2.0, 2.2)
_LEAF, _RUN = 112, 170  # the widest labels
_LABEL_EDGE, _AXIS = 4.0, 44.0  # what no label of the open run covers at an edge, and at the left of the figures
_CURSOR = 4.0  # from a disc to the ring around it
_STAR = 12
_MOST_LABELS = 150
_WIRE_APART = 56.0  # on the screen, at least
_NEAREST = 8.0  # points within which the pointer is on a line
_SAME = 0.01
_HERE = "you are here"


class MapView(QAbstractScrollArea):
    """Draws what is in sight of a layout that is made once for each state of the tree, in slices.

    Attributes: layout_of_runs, items; zoom, 1.0 at 100 %. Signal: zoomed(float).
    """

    zoomed = Signal(float)

    def __init__(self, style: Style, region: MapRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._region = style, region
        self.items: Sequence[MapItem] = ()
        self.layout_of_runs = MapLayout()
        self.zoom = 1.0
        self._numbers: dict[str, int] = {}
        self._named: list[int] = []
        self._has_ring = False
        self._work = SlicedWork(self)
        self._lines: Sequence[QLineF] = ()
        self._far: tuple[Sequence[QLineF], Sequence[QLineF]] | None = None
        self._labels: list[tuple[QRectF, int]] = []  # as they were painted last
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

    def _lay_out(self) -> Iterator[None]:
        items: list[MapItem] = []
        for some in self._region.items():
            items += some
            yield
        runs: list[MapRun] = []
        for item in items:
            width, height = self._label_size(item) if item.is_labelled else (0.0, 0.0)
            width = width / _READABLE + _CHIP_APART if item.versions else width
            runs.append(MapRun(item.parent, item.end, width, height, keeps_label=item.is_named))
            yield
        layout = yield from lay_out(runs)
        lines: list[QLineF] = []
        numbers: dict[str, int] = {}
        for number, (item, placed) in enumerate(zip(items, layout.runs, strict=True)):
            lines.append(QLineF(placed.x, placed.top, placed.x, placed.bottom))
            lines.append(QLineF(placed.from_x, placed.top, placed.x, placed.top))
            numbers[item.id] = number
            yield
        before = self._place_of(self._kept)
        self.items, self.layout_of_runs, self._lines, self._numbers = items, layout, lines, numbers
        self._named = [number for number, item in enumerate(items) if item.is_named]
        self._far, self._hovered = None, -1
        self._labels.clear()
        self.setAccessibleDescription(self._region.summary)
        self._set_range()
        self._settle(before)
        self._repaint()

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
        number = self._numbers.get(item_id, -1)
        if number < 0:
            return None
        placed = self.layout_of_runs.runs[number]
        return QPointF(placed.x, placed.bottom) * self.zoom + self._origin()

    def _label_size(self, item: MapItem) -> tuple[float, float]:
        """Return the room for a label of one or two lines at 100 %, for a name in its heaviest form."""
        name, detail = self._style.text_style(TextRole.HEADLINE), self._style.text_style(TextRole.CAP)
        if item.versions:
            return (detail.width(item.label) + 2 * _CHIP_PAD + self._style.typography.icon(_CHIP_ICON), detail.line + 4)
        most = self._style.typography.scaled(_LEAF if item.is_leaf else _RUN)
        star = _STAR + 4 if item.is_favourite else 0
        width = name.width(item.label) + star
        if item.detail or item.is_leaf:
            width = max(width, detail.width(item.detail or _HERE))
        return (min(width, most) + 4, name.line + (detail.line if item.detail or item.is_leaf else 0))

    # Where things are

    def _origin(self) -> QPointF:
        """Return where the picture's own origin lies in the viewport."""
        return QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _shown(self) -> Box:
        """Return the part of the picture that is in sight."""
        origin, size = self._origin(), self.viewport().size()
        return Box(
            -origin.x() / self.zoom, -origin.y() / self.zoom, size.width() / self.zoom, size.height() / self.zoom
        )

    def _set_range(self) -> None:
        """Let the picture be moved until its edges are in sight; a picture that is all in sight stays in the middle."""
        box, size = self.layout_of_runs.box, self.viewport().size()
        for bar, first, length, room in (
            (self.horizontalScrollBar(), box.left, box.width, size.width()),
            (self.verticalScrollBar(), box.top, box.height, size.height()),
        ):
            is_upright = bar is self.verticalScrollBar()
            low, high = first * self.zoom - _MARGIN, (first + length) * self.zoom + _MARGIN
            low -= 0 if is_upright else _FIGURES
            spare = room - (high - low)
            if spare > 0:
                low, high = (low, low + room) if is_upright else (low - spare / 2, high + spare / 2)
            bar.setRange(round(low), max(round(high - room), round(low)))
            bar.setPageStep(room)
            bar.setSingleStep(40)

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
            shown = self.layout_of_runs.within(self._shown())
            groups = {self.items[one].id for one in shown if self.items[one].versions and not self.items[one].is_open}
            self._open_groups(groups, is_open=True)
            self._opened_by_zoom |= groups
        elif zoom < CLOSES <= was:
            self._open_groups(self._opened_by_zoom, is_open=False)
            self._opened_by_zoom = set()

    def _open_groups(self, ids: Iterable[str], *, is_open: bool) -> None:
        """Show the versions of groups one by one, or as one again; the message that they answer stays where it is."""
        ids = sorted(ids, key=lambda one: self._numbers.get(one, -1))
        if ids:
            self._is_fresh = False
            number = self._numbers.get(ids[0], -1)
            self._kept = self.items[self.items[number].parent].id if number >= 0 else ""
            self._region.open_groups(ids, is_open=is_open)

    def zoom_by(self, steps: float) -> None:
        """Draw larger by so many steps, or smaller by as many below 0."""
        self._is_fresh = False
        self.set_zoom(self.zoom * _STEP**steps)

    def fit(self) -> None:
        """Show all of it, where it can be read then; else the open branch at 100 %."""
        box, size = self.layout_of_runs.box, self.viewport().size()
        across = (size.width() - 2 * _MARGIN - _FIGURES) / max(box.width, 1)
        both = min(across, (size.height() - 2 * _MARGIN) / max(box.height, 1))
        self.set_zoom(min(both, 1.0) if both >= _READABLE else 1.0)
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
        placed, shown = self.layout_of_runs.runs[number], self._shown()
        if not (
            shown.left < placed.x - _MARGIN
            and placed.x + _MARGIN < shown.right
            and shown.top < placed.bottom - _MARGIN
            and placed.bottom + _MARGIN < shown.bottom
        ):
            self.horizontalScrollBar().setValue(round(placed.x * self.zoom - self.viewport().width() / 2))
            self.verticalScrollBar().setValue(round(placed.bottom * self.zoom - self.viewport().height() * 0.6))

    def _open_number(self) -> int:
        """Return the number of the run in which the open path ends, -1 while there is none."""
        return self._numbers.get(self._region.open_run_id, -1)

    def run_at(self, at: QPointF) -> int:
        """Return the number of the run at a point of the viewport, by its line, disc or label; -1 beside all."""
        on_labels = at - self._origin()
        for box, number in self._labels:
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

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self.viewport()))
        painter.fillRect(event.rect(), theme.panel)
        origin, shown = self._origin(), self._shown()
        self._paint_wires(painter, origin, shown)
        painter.translate(origin)
        if self.zoom < NEAR:
            self._paint_far(painter)
            numbers = self._named_within(shown)
        else:
            numbers = self.layout_of_runs.within(shown)
            self._paint_near(painter, numbers)
        self._paint_labels(painter, numbers)
        self._paint_cursor(painter)
        painter.resetTransform()
        if self._has_ring:
            stroke_rounded(painter, QRectF(self.viewport().rect()).adjusted(2, 2, -2, -2), 6, theme.accentgfx, 2)
        painter.end()

    def _paint_wires(self, painter: QPainter, origin: QPointF, shown: Box) -> None:
        """Draw a level line to each so many tokens, as close as can be read."""
        theme, text_style, scale = self._style.theme, self._style.text_style(TextRole.CAP), self.layout_of_runs.scale
        step = next(one for one in _steps() if one * scale * self.zoom >= _WIRE_APART)
        draw_text(painter, text_style, QRectF(12, origin.y() - _MARGIN + 8, 80, text_style.line), "tokens", theme.text3)
        last = min(shown.bottom, self.layout_of_runs.box.bottom + 2 * _MARGIN / self.zoom) / scale
        for tokens in range(max(step, int(shown.top / scale / step) * step), int(last) + 1, step):
            y = round(origin.y() + tokens * scale * self.zoom)
            painter.fillRect(QRectF(0, y, self.viewport().width(), 1), theme.line)
            words = QRectF(12, y - text_style.line - 1, 80, text_style.line)
            draw_text(painter, text_style, words, formatting.short_count(tokens), theme.text3)

    def _paint_near(self, painter: QPainter, numbers: Sequence[int]) -> None:
        is_active = {number: self._region.is_on_path(self.items[number]) for number in numbers}
        for number in sorted(numbers, key=lambda one: (is_active[one], one == self._hovered)):
            self._paint_line(painter, number, is_active=is_active[number])
        for number in numbers:
            if not self.items[number].versions:
                self._paint_disc(painter, number)

    def _on_screen(self, number: int) -> Placed:
        """Return where a run stands at this zoom; lines, discs and words are as large at every one."""
        placed, zoom = self.layout_of_runs.runs[number], self.zoom
        x, top, bottom, from_x, _ = placed
        return Placed(x * zoom, top * zoom, bottom * zoom, from_x * zoom, placed.label)

    def _paint_line(self, painter: QPainter, number: int, *, is_active: bool) -> None:
        color, is_dotted = self._line(self.items[number], is_active=is_active)
        pen = QPen(color, _ACTIVE if is_active else _OTHER + (number == self._hovered))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if is_dotted:
            pen.setDashPattern(_DOTTED)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        placed = self._on_screen(number)
        if self.items[number].versions:  # down to the group's chip
            placed = placed._replace(bottom=placed.bottom + LEAF_LABEL)
        painter.drawPath(_path(placed))

    def _line(self, item: MapItem, *, is_active: bool) -> tuple[QColor, bool]:
        """Return the colour of a run's line, and whether it is dotted: nothing of it is held."""
        theme, where = self._style.theme, self._region.residency(item)
        if item.versions:
            return theme.mute, False
        if is_active:
            return theme.accentgfx, where == "none"
        if where is None:
            return theme.ghost, False
        return theme.accentgfx if where in ("live", "memory") else theme.mute, where == "none"

    def _paint_disc(self, painter: QPainter, number: int) -> None:
        placed, theme = self._on_screen(number), self._style.theme
        end, where = QPointF(placed.x, placed.bottom), self._region.residency(self.items[number])
        if placed.top == 0.0 and placed.x == placed.from_x:
            paint_disc(painter, theme, QPointF(placed.x, 0), where or "none", DISC, theme.panel)
        if where is not None:
            paint_disc(painter, theme, end, where, DISC, theme.panel)
        else:  # nobody has told yet
            self._paint_dot(painter, number)

    def _paint_dot(self, painter: QPainter, number: int) -> None:
        """Mark the end of a run of which no one state is known, or of a group without room for its chip."""
        placed, theme = self._on_screen(number), self._style.theme
        end = QPointF(placed.x, placed.bottom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.panel)
        painter.drawEllipse(end, DISC / 2, DISC / 2)
        painter.setBrush(theme.mute)
        painter.drawEllipse(end, 2.5, 2.5)

    def _paint_labels(self, painter: QPainter, numbers: Sequence[int]) -> None:
        """Write the labels that find room: that of the open branch first, then those with a name."""
        first = [one for one in (self._open_number(), self._cursor()) if one >= 0]
        groups = [one for one in numbers if self.items[one].versions and self.zoom >= NEAR]
        order = sorted(numbers, key=lambda one: not self.items[one].is_named)
        found: dict[int, QRectF] = {}
        lines = self._lines_in_the_way(numbers) if NEAR <= self.zoom < 1 else []
        for number in dict.fromkeys([*first, *groups, *order]):
            is_first = number in first
            has_room = self.items[number].is_leaf or self.layout_of_runs.runs[number].label is not None
            if not (is_first or number in groups or (self.items[number].is_labelled and has_room)):
                continue
            box = self._label_box(number)
            if is_first and not self.items[number].versions:
                box = self._within_sight(number, box)
            is_free = is_first or not any(line.intersects(box) for line in lines)
            if is_free and not any(box.intersects(other) for other in found.values()):
                found[number] = box.adjusted(-3, -1, 3, 1)
                self._paint_label(painter, number, box)
            if len(found) >= _MOST_LABELS:
                break
        for number in groups:
            if number not in found:
                self._paint_dot(painter, number)
        self._labels = [(box, number) for number, box in found.items()]

    def _within_sight(self, number: int, box: QRectF) -> QRectF:
        """Return a label's box moved so that no edge of the window cuts it, while the end of its run is in sight."""
        placed = self._on_screen(number)
        shown = QRectF(self.viewport().rect()).translated(-self._origin())
        if not shown.contains(QPointF(placed.x, placed.bottom)):
            return box
        room = shown.adjusted(_AXIS, _LABEL_EDGE, -_LABEL_EDGE, -_LABEL_EDGE)
        left = max(min(box.left(), room.right() - box.width()), room.left())
        top = max(min(box.top(), room.bottom() - box.height()), room.top())
        return QRectF(QPointF(left, top), box.size())

    def _lines_in_the_way(self, numbers: Sequence[int]) -> list[QRectF]:
        """Return the upright lines, which labels have no room reserved beside while they are larger than the rest."""
        placed = [self._on_screen(number) for number in numbers[:_MOST_LABELS]]
        half = DISC / 2 + 2
        return [QRectF(one.x - half, one.top + ARM, 2 * half, one.bottom - one.top - ARM + half) for one in placed]

    def _label_box(self, number: int) -> QRectF:
        """Return where a label stands at this zoom: below the end of a leaf, else at the right of its run.

        Far out it stands beside the end, as below there may be other lines.
        """
        item, placed = self.items[number], self._on_screen(number)
        width, height = self._label_size(item)
        if self.zoom < NEAR:
            line = self._style.text_style(TextRole.UI).line
            return QRectF(placed.x + RUN_LABEL / 2, placed.bottom - line / 2, width, height)
        if item.is_leaf:
            return QRectF(placed.x - width / 2, placed.bottom + LEAF_LABEL, width, height)
        middle = (placed.top + placed.bottom) / 2 if placed.label is None else placed.label.middle * self.zoom
        return QRectF(placed.x + RUN_LABEL, middle - height / 2, width, height)

    def _paint_label(self, painter: QPainter, number: int, box: QRectF) -> None:
        item, is_hovered = self.items[number], number == self._hovered
        is_open = item.id == self._region.open_run_id
        if item.versions:
            self._paint_chip(painter, item, box, is_hovered=is_hovered)
            return
        theme, detail = self._style.theme, self._style.text_style(TextRole.CAP)
        name = self._style.text_style(TextRole.HEADLINE if is_open else TextRole.UI)
        is_centred = item.is_leaf and self.zoom >= NEAR
        align = Qt.AlignmentFlag.AlignHCenter if is_centred else Qt.AlignmentFlag.AlignLeft
        second = _HERE if is_open and item.is_leaf else item.detail
        color = theme.accent if is_open or is_hovered else theme.text
        star = _STAR + 4 if item.is_favourite else 0
        width = min(name.width(item.label), box.width() - star)
        left = box.left() if not is_centred else box.center().x() - (width + star) / 2
        first = QRectF(left + star, box.top(), width, name.line)
        # A wire does not go through words.
        painter.fillRect(first.adjusted(-star - 2, 0, 2, 0), theme.panel)
        if item.is_favourite:
            star_at = QPointF(left + _STAR / 2, first.center().y())
            self._style.icons.paint(painter, Icon.STAR, star_at, theme.accent, _STAR)
        draw_text(painter, name, first, item.label, color)
        if second:
            lower = QRectF(box.left(), first.bottom(), box.width(), detail.line)
            painter.fillRect(lower, theme.panel)
            draw_text(painter, detail, lower, second, theme.text2, align)

    def _paint_chip(self, painter: QPainter, item: MapItem, box: QRectF, *, is_hovered: bool) -> None:
        """Paint a group as the outline does: its count, with an arrow that says whether it is open."""
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP)
        size = self._style.typography.icon(_CHIP_ICON)
        fill_rounded(painter, box, _CHIP_RADIUS, theme.fill if is_hovered else theme.panel)
        stroke_rounded(painter, box, _CHIP_RADIUS, theme.line2)
        center = QPointF(box.left() + _CHIP_PAD + size / 2 - 2, box.center().y())
        self._style.icons.paint(painter, Icon.FOLD if item.is_open else Icon.RIGHT, center, theme.text2, size)
        inside = box.adjusted(_CHIP_PAD + size, 0, -_CHIP_PAD + 2, 0)
        draw_text(painter, text_style, inside, item.label, theme.text2)

    def _paint_cursor(self, painter: QPainter) -> None:
        """Draw a ring around what the arrow keys have come to, while they come here."""
        number = self._cursor()
        if number < 0:
            return
        placed, radius = self._on_screen(number), DISC / 2 + _CURSOR
        box = QRectF(placed.x - radius, placed.bottom - radius, 2 * radius, 2 * radius)
        if self.items[number].versions and self.zoom >= NEAR:
            box = self._label_box(number).adjusted(-_CURSOR, -_CURSOR, _CURSOR, _CURSOR)
        stroke_rounded(painter, box, min(radius, box.height() / 2), self._style.theme.accentgfx, 2)

    def _paint_far(self, painter: QPainter) -> None:
        """Draw straight lines, those of one look in one go; level and upright ones need no smoothing."""
        theme, (held, rest) = self._style.theme, self._far_lines()
        painter.save()
        painter.scale(self.zoom, self.zoom)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for lines, color, width in (
            (rest, theme.mute, _FAR_OTHER),
            (held, theme.accentgfx, _FAR_HELD),
            (self._path_lines(), theme.accentgfx, _FAR_ACTIVE),
        ):
            painter.setPen(QPen(color, width / self.zoom))
            painter.drawLines(lines)
        painter.restore()

    def _named_within(self, shown: Box) -> list[int]:
        """Return the runs with a name whose ends are in sight, not more than can have a label."""
        runs = self.layout_of_runs.runs
        in_sight = (
            number
            for number in self._named
            if shown.left < runs[number].x < shown.right and shown.top < runs[number].bottom < shown.bottom
        )
        return list(islice(in_sight, _MOST_LABELS))

    def _far_lines(self) -> tuple[Sequence[QLineF], Sequence[QLineF]]:
        """Return the lines of runs of which something is held, and those of all others."""
        if self._far is None:
            held: list[QLineF] = []
            rest: Sequence[QLineF] = self._lines
            if self._region.is_asked:
                is_held = [self._region.residency(item) in ("live", "memory") for item in self.items]
                pairs = list(zip(is_held, self._lines[::2], self._lines[1::2], strict=True))
                held = [line for one, *both in pairs if one for line in both]
                rest = [line for one, *both in pairs if not one for line in both]
            self._far = held, rest
        return self._far

    def _path_lines(self) -> list[QLineF]:
        """Return the lines of the open path."""
        found: list[QLineF] = []
        number = self._open_number()
        while number >= 0:
            found += self._lines[2 * number : 2 * number + 2]
            number = self.items[number].parent
        return found

    def _repaint(self) -> None:
        """Draw all of it again: any run may be on another path, or held elsewhere."""
        if self._region.is_asked:
            self._far = None
        self.viewport().update()

    def _cursor(self) -> int:
        """Return the number of the run that the arrow keys have come to, -1 while they go elsewhere."""
        return self._numbers.get(self._current, -1) if self.hasFocus() else -1

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


def _steps() -> Iterator[int]:
    """Yield the counts of tokens that a wire may stand for: 100, 200, 500, 1 000, and so on."""
    return chain.from_iterable((base, 2 * base, 5 * base) for base in (10**power for power in range(2, 12)))


def _path(placed: Placed) -> QPainterPath:
    """Return a run's arm, its corner and its line."""
    path = QPainterPath()
    start, down = placed.top + ARM, placed.top
    if placed.x == placed.from_x:
        path.moveTo(placed.x, down)
    else:
        corner = min(_CORNER, abs(placed.x - placed.from_x), placed.bottom - start)
        side = 1 if placed.x > placed.from_x else -1
        path.moveTo(placed.from_x, start)
        path.lineTo(placed.x - side * corner, start)
        path.quadTo(placed.x, start, placed.x, start + corner)
    path.lineTo(placed.x, placed.bottom)
    return path


def _distance(placed: Placed, point: QPointF) -> float:
    """Return how far a point is from a run's line or arm."""
    beside = abs(point.x() - placed.x), max(placed.top - point.y(), point.y() - placed.bottom, 0.0)
    left, right = sorted((placed.x, placed.from_x))
    level = max(left - point.x(), point.x() - right, 0.0), abs(point.y() - placed.top - ARM)
    return min(max(beside), max(level) + (1.0 if placed.x == placed.from_x else 0.5))
