"""The rail: one line past all messages to the composer, solid where tokens are held, dotted where they are not.

At a fork it grows level arms to the discs of the versions beside this one: earlier ones left, later ones right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.protocol.trie_view import Residency
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.marks import DISC, SIBLING_DISC, paint_disc
from app.widgets.kit.style import Style
from app.widgets.kit.theme import Theme
from app.widgets.kit.typography import TextRole

CLEAR = 7
_SOLID, _DOTTED, _ARM = 2.0, 1.6, 1.5
_APART, _ARM_ABOVE, _CORNER = 16, 17, 5
_EARLIER, _LATER = 2, 1  # discs at most on either side: on the right the message's name begins after one


def paint_line(painter: QPainter, theme: Theme, x: float, top: float, bottom: float, residency: Residency) -> None:
    """Paint the rail between two heights, beside tokens that are at `residency`."""
    if bottom <= top:
        return
    pen = QPen(theme.mute if residency == "none" else theme.accentgfx, _DOTTED if residency == "none" else _SOLID)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if residency == "none":
        pen.setDashPattern([2, 2.4])
        pen.setDashOffset(top / _DOTTED % 4.4)
    painter.setPen(pen)
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def paint_residency(painter: QPainter, theme: Theme, center: QPointF, residency: Residency) -> None:
    """Paint the disc of a message on the rail."""
    paint_disc(painter, theme, center, residency, DISC, theme.window)


def paint_fork(
    painter: QPainter, style: Style, center: QPointF, version: int, residencies: Sequence[Residency]
) -> None:
    """Paint arms and discs of the versions beside this one. version: counted from 1; residencies: of all, in order."""
    for slot, index in _shown(version, len(residencies)):
        x = center.x() + slot * _APART
        _paint_arm(painter, style.theme, center, x)
        paint_disc(painter, style.theme, QPointF(x, center.y()), residencies[index], SIBLING_DISC, style.theme.window)
    for side, count in _hidden(version, len(residencies)):
        _paint_count(painter, style, center, side, count)


def version_at(center: QPointF, version: int, versions: int, at: QPointF) -> tuple[QPointF, int] | None:
    """Return the disc of another version at a point, its middle and which one it is, from 0; None without one.

    center: of this version's disc. version: counted from 1. versions: how many have discs at all.
    """
    for slot, index in _shown(version, versions):
        disc = QPointF(center.x() + slot * _APART, center.y())
        if max(abs(at.x() - disc.x()), abs(at.y() - disc.y())) <= _APART / 2:
            return disc, index
    return None


def _shown(version: int, versions: int) -> Iterator[tuple[int, int]]:
    """(slot from this one, index) of the nearest siblings: two earlier ones of three, else one on each side."""
    earlier = _EARLIER if versions <= 3 else 1
    for slot in (*range(-earlier, 0), *range(1, _LATER + 1)):
        if 0 < version + slot <= versions:
            yield slot, version + slot - 1


def _hidden(version: int, versions: int) -> Iterator[tuple[int, int]]:
    """(side, how many) of siblings that have no disc."""
    slots = [slot for slot, _index in _shown(version, versions)]
    earlier, later = version - 1 - sum(slot < 0 for slot in slots), versions - version - sum(slot > 0 for slot in slots)
    yield from ((side, count) for side, count in ((-1, earlier), (1, later)) if count > 0)


def _paint_arm(painter: QPainter, theme: Theme, center: QPointF, x: float) -> None:
    way = 1 if x > center.x() else -1
    level = center.y() - _ARM_ABOVE
    path = QPainterPath(QPointF(center.x() + way * 1.5, level))
    path.lineTo(x - way * _CORNER, level)
    path.quadTo(x, level, x, level + _CORNER)
    path.lineTo(x, center.y() - SIBLING_DISC / 2 - 2)
    painter.setPen(QPen(theme.ghost, _ARM))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _paint_count(painter: QPainter, style: Style, center: QPointF, side: int, count: int) -> None:
    """ "+3" where the arm on a side ends."""
    text_style = style.text_style(TextRole.CAP)
    edge = center.x() + side * (_APART + 5)
    top = center.y() - _ARM_ABOVE - text_style.line / 2
    width = text_style.width(f"+{count}")
    rect = QRectF(edge if side > 0 else edge - width, top, width, text_style.line)
    align = Qt.AlignmentFlag.AlignLeft if side > 0 else Qt.AlignmentFlag.AlignRight
    draw_text(painter, text_style, rect, f"+{count}", style.theme.text3, align)
