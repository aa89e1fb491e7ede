"""How the map is painted: wires, runs, chips and the labels that find room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.viewmodels.map.map_layout import ARM, LEAF_LABEL, RUN_LABEL, Box, Placed
from app.viewmodels.map.map_region import NOTHING_SAID, MapRegion
from app.viewmodels.map.map_runs import MapItem
from app.viewmodels.text import formatting
from app.widgets.kit.drawing import draw_text, fill_rounded, has_room, stroke_rounded, whole_parts, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import DISC, paint_disc
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole
from app.widgets.map.map_picture import MapPicture

# The least zoom at which runs have their round corners, discs and labels; below, lines and the names that find room.
NEAR = 0.5
MARGIN = 40.0
_CORNER = 10.0
_CHIP_PAD, _CHIP_ICON, _CHIP_RADIUS = 8, 10, 5
_ACTIVE, _OTHER = 3.5, 2.0
# Widths far out, where nothing is dotted: of the open path, of what is held, and of the rest.
_FAR_ACTIVE, _FAR_HELD, _FAR_OTHER = 3.0, 2.0, 1.0
_DOTTED = (2.0, 2.2)
_LEAF, _RUN = 112, 170  # the widest labels
_LABEL_EDGE = 4.0  # what no label covers at an edge, or beside what it is shortened for
_FIGURE_LEFT, _WIDEST_FIGURE = 12.0, "88.8k"
_LEAST_LABEL = 60.0  # points of a label that an edge of the window leaves, or what stands beside it
_AT_ONCE = ("live", "memory", "believed")
_CURSOR = 4.0  # from a disc to the ring around it
_STAR = 12
_MOST_LABELS = 150
_WIRE_APART = 56.0  # on the screen, at least
_HERE = "you are here"


class Sight(NamedTuple):
    """The part of a picture that a viewport shows.

    zoom: 1.0 at 100 %. origin: where that of the picture lies in the viewport, whose size this is. hovered, cursor:
    numbers of the runs that the pointer and the arrow keys are at, -1 for none.
    """

    zoom: float = 1.0
    origin: QPointF = QPointF()
    size: QSizeF = QSizeF()
    hovered: int = -1
    cursor: int = -1

    @property
    def box(self) -> Box:
        """The part of the picture that is in sight."""
        return Box(
            *(-self.origin.x() / self.zoom, -self.origin.y() / self.zoom),
            *(self.size.width() / self.zoom, self.size.height() / self.zoom),
        )


class MapPainter:
    """Paints the part of a map that is in sight.

    Attributes: picture; labels, where they were painted last, and of which runs.
    """

    def __init__(self, style: Style, region: MapRegion) -> None:
        self._style, self._region = style, region
        self.picture = MapPicture()
        self.labels: list[tuple[QRectF, int]] = []
        self._sight = Sight()
        self._far: tuple[Sequence[QLineF], Sequence[QLineF]] | None = None

    def show(self, picture: MapPicture) -> None:
        """Paint this picture from now on."""
        self.picture = picture
        self.labels.clear()
        self.forget_held()

    def forget_held(self) -> None:
        """Ask again what is held of which runs when that is painted next."""
        self._far = None

    def paint(self, painter: QPainter, sight: Sight) -> None:
        """Paint what is in sight, over a ground that is there already."""
        self._sight, shown = sight, sight.box
        if not self._region.tree.runs():
            self._paint_hint(painter)
            return
        self._paint_wires(painter, sight.origin, shown)
        painter.setClipRect(QRectF(self.axis, 0, sight.size.width() - self.axis, sight.size.height()))
        painter.translate(sight.origin)
        if sight.zoom < NEAR:
            self._paint_far(painter)
            numbers = self._named_within(shown)
        else:
            numbers = self.picture.layout.within(shown)
            self._paint_near(painter, numbers)
        self._paint_labels(painter, numbers)
        self._paint_cursor(painter)
        painter.resetTransform()
        painter.setClipping(False)

    @property
    def axis(self) -> float:
        """Points at the left for what the wires stand for, where nothing of the picture is painted."""
        return _FIGURE_LEFT + self._style.text_style(TextRole.CAP).width(_WIDEST_FIGURE) + 4

    @property
    def _open_number(self) -> int:
        return self.picture.number(self._region.open_run_id)

    def label_size(self, item: MapItem) -> tuple[float, float]:
        """Return the room for a label of one or two lines at 100 %, for a name in its heaviest form."""
        name, detail = self._style.text_style(TextRole.HEADLINE), self._style.text_style(TextRole.CAP)
        if item.versions:
            return (detail.width(item.label) + 2 * _CHIP_PAD + self._style.typography.icon(_CHIP_ICON), detail.line + 4)
        most = self._style.typography.scaled(_LEAF if item.is_leaf else _RUN)
        star = _STAR + 4 if item.is_favourite else 0
        width = name.width(self._words(item, most - star)) + star
        if item.detail or item.is_leaf:
            width = max(width, detail.width(item.detail or _HERE))
        return (min(width, most) + 4, name.line + (detail.line if item.detail or item.is_leaf else 0))

    def _words(self, item: MapItem, room: float) -> str:
        """Return the words of a label: where its first would be cut, those in which it differs from others."""
        is_cut = bool(item.apart) and not has_room(self._style.text_style(TextRole.HEADLINE), item.label, room)
        return item.apart if is_cut else item.label

    def _paint_hint(self, painter: QPainter) -> None:
        """Say what will be here."""
        text_style = self._style.text_style(TextRole.UI)
        line = QRectF(_FIGURE_LEFT, _FIGURE_LEFT, self._sight.size.width() - 2 * _FIGURE_LEFT, text_style.line)
        for words in wrapped(text_style, NOTHING_SAID, line.width()):
            draw_text(painter, text_style, line, words, self._style.theme.text2)
            line.translate(0, text_style.line)

    def _paint_wires(self, painter: QPainter, origin: QPointF, shown: Box) -> None:
        """Draw a level line to each so many tokens, as close as can be read."""
        theme, text_style, scale = self._style.theme, self._style.text_style(TextRole.CAP), self.picture.layout.scale
        step = next(one for one in _steps() if one * scale * self._sight.zoom >= _WIRE_APART)
        caption = QRectF(_FIGURE_LEFT, origin.y() - MARGIN + 8, 2 * self.axis, text_style.line)
        words = "tokens" if self._region.is_counted else "tokens, about"
        draw_text(painter, text_style, caption, words, theme.text3)
        last = min(shown.bottom, self.picture.layout.box.bottom + 2 * MARGIN / self._sight.zoom) / scale
        for tokens in range(max(step, int(shown.top / scale / step) * step), int(last) + 1, step):
            y = round(origin.y() + tokens * scale * self._sight.zoom)
            painter.fillRect(QRectF(0, y, self._sight.size.width(), 1), theme.line)
            figure = QRectF(_FIGURE_LEFT, y - text_style.line - 1, self.axis - _FIGURE_LEFT, text_style.line)
            draw_text(painter, text_style, figure, formatting.short_count(tokens), theme.text3)

    def _paint_near(self, painter: QPainter, numbers: Sequence[int]) -> None:
        is_active = {number: self._region.is_on_path(self.picture.items[number]) for number in numbers}
        for number in sorted(numbers, key=lambda one: (is_active[one], one == self._sight.hovered)):
            self._paint_line(painter, number, is_active=is_active[number])
        for number in numbers:
            if not self.picture.items[number].versions:
                self._paint_disc(painter, number)

    def _on_screen(self, number: int) -> Placed:
        """Return where a run stands at this zoom; lines, discs and words are as large at every one."""
        placed, zoom = self.picture.layout.runs[number], self._sight.zoom
        x, top, bottom, from_x, _ = placed
        return Placed(x * zoom, top * zoom, bottom * zoom, from_x * zoom, placed.label)

    def _paint_line(self, painter: QPainter, number: int, *, is_active: bool) -> None:
        color, is_dotted = self._line(self.picture.items[number], is_active=is_active)
        pen = QPen(color, _ACTIVE if is_active else _OTHER + (number == self._sight.hovered))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if is_dotted:
            pen.setDashPattern(_DOTTED)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        placed = self._on_screen(number)
        if self.picture.items[number].versions:  # down to the group's chip
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
        return theme.accentgfx if where in _AT_ONCE else theme.mute, where == "none"

    def _paint_disc(self, painter: QPainter, number: int) -> None:
        placed, theme = self._on_screen(number), self._style.theme
        end, where = QPointF(placed.x, placed.bottom), self._region.residency(self.picture.items[number])
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
        first = [one for one in (self._open_number, self._sight.cursor) if one >= 0]
        groups = [one for one in numbers if self.picture.items[one].versions and self._sight.zoom >= NEAR]
        boxes = {one: self._label_box(one) for one in numbers}
        uncut = {one: self._uncut(one, box) for one, box in boxes.items()}
        order = sorted(numbers, key=lambda one: (uncut[one] != boxes[one], not self.picture.items[one].is_named))
        found: dict[int, QRectF] = {}
        lines = self._lines_in_the_way(numbers) if NEAR <= self._sight.zoom < 1 else []
        for number in dict.fromkeys([*first, *groups, *order]):
            is_first = number in first
            has_room = self.picture.items[number].is_leaf or self.picture.layout.runs[number].label is not None
            if not (is_first or number in groups or (self.picture.items[number].is_labelled and has_room)):
                continue
            box = uncut.get(number)
            if is_first or number in groups:
                box = self._label_box(number)
            if is_first and box is not None and not self.picture.items[number].versions:
                box = self._within_sight(number, box)
            if box is None:
                continue
            taken = [*found.values()] if is_first else [*lines, *found.values()]
            if in_the_way := [one for one in taken if one.intersects(box)]:
                is_whole = not is_first and number not in groups and box == boxes[number]
                box = self._shortened(number, box, in_the_way) if lines and is_whole else None
            if box is not None:
                found[number] = box.adjusted(-3, -1, 3, 1)
                self._paint_label(painter, number, box)
            if len(found) >= _MOST_LABELS:
                break
        for number in groups:
            if number not in found:
                self._paint_dot(painter, number)
        self.labels = [(box, number) for number, box in found.items()]

    @property
    def _shown(self) -> QRectF:
        """Return what is in sight, from the origin of the picture on."""
        return QRectF(QPointF(), self._sight.size).translated(-self._sight.origin)

    @property
    def _room(self) -> QRectF:
        """Return where no edge of the window cuts a label."""
        return self._shown.adjusted(self.axis, _LABEL_EDGE, -_LABEL_EDGE, -_LABEL_EDGE)

    def _uncut(self, number: int, box: QRectF) -> QRectF | None:
        """Return a label's box so that neither side of the window cuts its words; None where that leaves too little.

        Words below a leaf move as far as their leaf goes on standing over them, those beside a run are shortened.
        """
        room, x = self._room, self._on_screen(number).x
        if room.left() <= box.left() and box.right() <= room.right():
            return box
        if self.picture.items[number].is_leaf and self._sight.zoom >= NEAR:
            moved = box.translated(max(0.0, room.left() - box.left()) + min(0.0, room.right() - box.right()), 0)
            return moved if moved.left() + DISC <= x <= moved.right() - DISC and moved.width() <= room.width() else None
        width = room.right() - box.left()
        return (
            QRectF(box.left(), box.top(), width, box.height())
            if box.left() >= room.left() and width >= _LEAST_LABEL
            else None
        )

    def _shortened(self, number: int, box: QRectF, in_the_way: Sequence[QRectF]) -> QRectF | None:
        """Return a label's box as far as nothing is in its way, None where that leaves too little.

        Words below a leaf stay in the middle below it.
        """
        x = self._on_screen(number).x
        if self.picture.items[number].is_leaf:
            half = min(max(one.left() - x, x - one.right()) for one in in_the_way) - _LABEL_EDGE
            left, width = x - half, 2 * half
        else:
            left, width = box.left(), min(one.left() for one in in_the_way) - box.left() - _LABEL_EDGE
        return QRectF(left, box.top(), width, box.height()) if width >= _LEAST_LABEL else None

    def _within_sight(self, number: int, box: QRectF) -> QRectF:
        """Return a label's box moved so that no edge of the window cuts it, while the end of its run is in sight."""
        placed = self._on_screen(number)
        shown, room = self._shown, self._room
        if not shown.contains(QPointF(placed.x, placed.bottom)):
            return box
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
        item, placed = self.picture.items[number], self._on_screen(number)
        width, height = self.label_size(item)
        if self._sight.zoom < NEAR:
            line = self._style.text_style(TextRole.UI).line
            return QRectF(placed.x + RUN_LABEL / 2, placed.bottom - line / 2, width, height)
        if item.is_leaf:
            return QRectF(placed.x - width / 2, placed.bottom + LEAF_LABEL, width, height)
        middle = (placed.top + placed.bottom) / 2 if placed.label is None else placed.label.middle * self._sight.zoom
        return QRectF(placed.x + RUN_LABEL, middle - height / 2, width, height)

    def _paint_label(self, painter: QPainter, number: int, box: QRectF) -> None:
        item, is_hovered = self.picture.items[number], number == self._sight.hovered
        is_open = item.id == self._region.open_run_id
        if item.versions:
            self._paint_chip(painter, item, box, is_hovered=is_hovered)
            return
        theme, detail = self._style.theme, self._style.text_style(TextRole.CAP)
        name = self._style.text_style(TextRole.HEADLINE if is_open else TextRole.UI)
        is_centred = item.is_leaf and self._sight.zoom >= NEAR
        align = Qt.AlignmentFlag.AlignHCenter if is_centred else Qt.AlignmentFlag.AlignLeft
        second = _HERE if is_open and item.is_leaf else item.detail
        color = theme.accent if is_open or is_hovered else theme.text
        star = _STAR + 4 if item.is_favourite else 0
        words = self._words(item, box.width() - star)
        width = min(name.width(words), box.width() - star)
        left = box.left() if not is_centred else box.center().x() - (width + star) / 2
        first = QRectF(left + star, box.top(), width, name.line)
        # A wire does not go through words.
        painter.fillRect(first.adjusted(-star - 2, 0, 2, 0), theme.panel)
        if item.is_favourite:
            star_at = QPointF(left + _STAR / 2, first.center().y())
            self._style.icons.paint(painter, Icon.STAR, star_at, theme.accent, _STAR)
        draw_text(painter, name, first, words, color)
        if second:
            lower = QRectF(box.left(), first.bottom(), box.width(), detail.line)
            painter.fillRect(lower, theme.panel)
            draw_text(painter, detail, lower, whole_parts(detail, second, box.width(), ", "), theme.text2, align)

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
        number = self._sight.cursor
        if number < 0:
            return
        placed, radius = self._on_screen(number), DISC / 2 + _CURSOR
        box = QRectF(placed.x - radius, placed.bottom - radius, 2 * radius, 2 * radius)
        if self.picture.items[number].versions and self._sight.zoom >= NEAR:
            box = self._label_box(number).adjusted(-_CURSOR, -_CURSOR, _CURSOR, _CURSOR)
        stroke_rounded(painter, box, min(radius, box.height() / 2), self._style.theme.accentgfx, 2)

    def _paint_far(self, painter: QPainter) -> None:
        """Draw straight lines, those of one look in one go; level and upright ones need no smoothing."""
        theme, (held, rest) = self._style.theme, self._far_lines()
        painter.save()
        painter.scale(self._sight.zoom, self._sight.zoom)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for lines, color, width in (
            (rest, theme.mute, _FAR_OTHER),
            (held, theme.accentgfx, _FAR_HELD),
            (self._path_lines(), theme.accentgfx, _FAR_ACTIVE),
        ):
            painter.setPen(QPen(color, width / self._sight.zoom))
            painter.drawLines(lines)
        painter.restore()

    def _named_within(self, shown: Box) -> list[int]:
        """Return the runs with a name whose ends are in sight, not more than can have a label."""
        runs = self.picture.layout.runs
        in_sight = (
            number
            for number in self.picture.named
            if shown.left < runs[number].x < shown.right and shown.top < runs[number].bottom < shown.bottom
        )
        return list(islice(in_sight, _MOST_LABELS))

    def _far_lines(self) -> tuple[Sequence[QLineF], Sequence[QLineF]]:
        """Return the lines of runs of which something is held, and those of all others."""
        if self._far is None:
            held: list[QLineF] = []
            rest: Sequence[QLineF] = self.picture.lines
            if self._region.is_asked:
                is_held = [self._region.residency(item) in _AT_ONCE for item in self.picture.items]
                pairs = list(zip(is_held, self.picture.lines[::2], self.picture.lines[1::2], strict=True))
                held = [line for one, *both in pairs if one for line in both]
                rest = [line for one, *both in pairs if not one for line in both]
            self._far = held, rest
        return self._far

    def _path_lines(self) -> list[QLineF]:
        """Return the lines of the open path."""
        found: list[QLineF] = []
        number = self._open_number
        while number >= 0:
            found += self.picture.lines[2 * number : 2 * number + 2]
            number = self.picture.items[number].parent
        return found


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
