"""The marks, as painter functions: discs say where, bars say how much.

Each shape differs from the others without its colour, and a word always stands beside it or in the accessible text.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.protocol.trie_view import Residency
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.theme import Theme
from app.widgets.kit.typography import TextRole

DISC = 10.0
SIBLING_DISC = 8.0
_HALO = 2.5
_RING = 1.4
_LEAST = 8.0


def paint_disc(
    painter: QPainter,
    theme: Theme,
    center: QPointF,
    where: Residency,
    diameter: float = DISC,
    halo: QColor | None = None,
) -> None:
    """Paint where tokens are, each place in a form of its own.

    Live is full, in memory half filled, on a server its left half, on disk a ring, nowhere a dashed ring.

    halo: the pane's colour, which cuts the line behind the disc; None leaves the line.
    """
    radius = diameter / 2
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if halo is not None:
        painter.setBrush(halo)
        painter.drawEllipse(center, radius + _HALO, radius + _HALO)
    color = theme.accentgfx if where in ("live", "memory", "believed") else theme.mute
    if where == "live":
        painter.setBrush(color)
        painter.drawEllipse(center, radius, radius)
    else:
        _paint_ring(painter, center, radius - _RING / 2, color, where)
    painter.restore()


def _paint_ring(painter: QPainter, center: QPointF, radius: float, color: QColor, where: Residency) -> None:
    pen = QPen(color, _RING)
    if where == "none":
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.15, 1.35])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(center, radius, radius)
    if where in ("memory", "believed"):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        box = QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius)
        painter.drawPie(box, (180 if where == "memory" else 90) * 16, 180 * 16)


def paint_bar(
    painter: QPainter, theme: Theme, rect: QRectF, parts: Sequence[tuple[float, QColor]], gap: float = 1.0
) -> list[float]:
    """Paint shares of the whole, from the left; the rest is track. A gap parts neighbours, none ends the bar.

    parts: (share, colour); shares sum up to 1 at most. A share that is not 0 is wide enough to be seen. Returns the
    points that each took.
    """
    painter.setPen(Qt.PenStyle.NoPen)
    left = rect.left()
    widths = _bar_widths([share for share, _ in parts], rect.width(), min(rect.height(), _LEAST))
    for width, (_, color) in zip(widths, parts, strict=True):
        if not width:
            continue
        right = left + width
        is_end = right >= rect.right() - 0.5
        painter.setBrush(color)
        painter.drawPath(_slice(rect, left, rect.right() if is_end else right - min(gap, width / 2)))
        left = rect.right() if is_end else right
    if left < rect.right():
        painter.setBrush(theme.track)
        painter.drawPath(_slice(rect, left, rect.right()))
    return widths


def _bar_widths(shares: Sequence[float], whole: float, least: float) -> list[float]:
    """Return points for each share; small ones get `least`, of the largest where there is no free room."""
    widths = [max(least, share * whole) if share > 0 else 0.0 for share in shares]
    over = sum(widths) - whole
    if over > 0:
        largest = widths.index(max(widths))
        widths[largest] = max(least, widths[largest] - over)
    return widths


def _slice(rect: QRectF, left: float, right: float) -> QPainterPath:
    """Return the part of the bar's rounded shape between two abscissas."""
    whole, cut = QPainterPath(), QPainterPath()
    whole.addRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    cut.addRect(QRectF(left, rect.top(), right - left, rect.height()))
    return whole.intersected(cut)


def paint_cost(
    painter: QPainter, theme: Theme, rect: QRectF, reused: float, computed: float, to_go: float = 0.0
) -> None:
    """Paint tokens reused, computed and still to go as shares of their sum; with nothing at all, an empty track."""
    total = reused + computed + to_go
    shares = (reused / total, computed / total) if total > 0 else (0.0, 0.0)
    paint_bar(painter, theme, rect, ((shares[0], theme.accentgfx), (shares[1], theme.mute)))


def paint_warmth(painter: QPainter, theme: Theme, rect: QRectF, share: float, is_on_disk: bool = False) -> None:
    """Paint how warm a branch is: full, part filled, three blocks from disk, a thin line when cold. share: 0 to 1."""
    if is_on_disk:
        width = (rect.width() - 4) / 3
        for i in range(3):
            block = QRectF(rect.left() + i * (width + 2), rect.top(), width, rect.height())
            filled = min(max(share * 3 - i, 0.0), 1.0)
            paint_bar(painter, theme, block, ((filled, theme.mute),))
    elif share <= 0:
        fill_rounded(painter, QRectF(rect.left(), rect.center().y() - 0.75, rect.width(), 1.5), 0.75, theme.mute)
    else:
        paint_bar(painter, theme, rect, ((min(share, 1.0), theme.accentgfx),))


def paint_budget(painter: QPainter, theme: Theme, rect: QRectF, live: float, memory: float, budget: float) -> None:
    """Paint bytes live (solid) and in memory (hatched) of a budget; the bar is full when they reach it."""
    whole = max(budget, live + memory, 1.0)
    shares = ((live / whole, theme.accentgfx), (memory / whole, theme.soft))
    widths = paint_bar(painter, theme, rect, shares)
    if widths[1]:
        start = rect.left() + widths[0]
        end = start + widths[1]
        _hatch(painter, _slice(rect, start, end - (1.0 if end < rect.right() - 0.5 else 0.0)), theme.accentgfx)


def paint_disk_budget(painter: QPainter, theme: Theme, rect: QRectF, used: float, allowed: float) -> None:
    """Paint bytes on disk of what may be there; a bar of its own, since it has a limit of its own."""
    paint_bar(painter, theme, rect, ((used / max(allowed, used, 1.0), theme.mute),))


def _hatch(painter: QPainter, shape: QPainterPath, color: QColor) -> None:
    box = shape.boundingRect()
    painter.save()
    painter.setClipPath(shape)
    painter.setPen(QPen(color, 1.5))
    x = box.left() - box.height()
    while x < box.right() + box.height():
        painter.drawLine(QPointF(x, box.bottom() + 1), QPointF(x + box.height() + 2, box.top() - 1))
        x += 3.6
    painter.restore()


def pill_width(style: Style, text: str, where: Residency) -> float:
    """Return the points that a pill takes; the bare words of "No snapshot" have no padding."""
    return style.text_style(TextRole.CAP_MEDIUM).width(text) + (0 if where == "none" else 14)


def paint_pill(
    painter: QPainter,
    style: Style,
    right: float,
    middle: float,
    text: str,
    where: Residency,
    surface: QColor | None = None,
) -> float:
    """Paint a state in words, 17 high, ending at `right` around `middle`; return where it begins.

    surface: fills the pill instead of its own colour, for a selected row; bare words stay bare.
    """
    theme, text_style = style.theme, style.text_style(TextRole.CAP_MEDIUM)
    width, height = pill_width(style, text, where), text_style.line + 3
    rect = QRectF(right - width, round(middle - height / 2), width, height)
    color = {"live": theme.accent, "none": theme.text3}.get(where, theme.text2)
    if where != "none":
        fill_rounded(painter, rect, height / 2, surface or (theme.soft if where == "live" else theme.fill2))
        if theme.outline.alpha():
            stroke_rounded(painter, rect, height / 2, theme.outline)
    draw_text(painter, text_style, rect, text, color, Qt.AlignmentFlag.AlignHCenter, Qt.TextElideMode.ElideNone)
    return rect.left()
