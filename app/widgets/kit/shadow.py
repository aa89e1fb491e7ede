"""Soft shadows. Each is computed once, for a small shape; those of larger ones are made from it and kept."""

from __future__ import annotations

from functools import cache, lru_cache
from math import erf, hypot, sqrt

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

_CORE = 2
_KEPT = 8


def paint_shadow(painter: QPainter, rect: QRectF, radius: int, blur: int, down: int, color: QColor) -> None:
    """Paint the shadow of an opaque rounded shape, which is drawn over it afterwards.

    blur, down: how far the shadow reaches and how far it lies below the shape, in points. What the shape will cover is
    left out.
    """
    outer = rect.translated(0, down).adjusted(-blur, -blur, blur, blur).toAlignedRect()
    whole = _shadow(outer.width(), outer.height(), radius, blur, color.rgba())
    edge = radius + blur
    width, height = outer.width(), outer.height()
    inner = height - 2 * edge
    for piece in (
        QRect(0, 0, width, edge),
        QRect(0, height - edge, width, edge),
        QRect(0, edge, edge, inner),
        QRect(width - edge, edge, edge, inner),
    ):
        if piece.isValid():
            painter.drawPixmap(piece.translated(outer.topLeft()), whole, piece)


@lru_cache(maxsize=_KEPT)
def _shadow(width: int, height: int, radius: int, blur: int, rgba: int) -> QPixmap:
    """Return the shadow of a shape, `width` by `height` points with its surroundings: corners kept, edges stretched."""
    picture = _picture(radius, blur, rgba)
    edge = (picture.width() - _CORE) // 2
    result = QPixmap(width, height)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    sources = _thirds(picture.width(), edge)
    for (x, wide), (from_x, from_wide) in zip(_thirds(width, edge), sources, strict=True):
        for (y, high), (from_y, from_high) in zip(_thirds(height, edge), sources, strict=True):
            painter.drawImage(QRect(x, y, wide, high), picture, QRect(from_x, from_y, from_wide, from_high))
    painter.end()
    return result


def _thirds(length: int, edge: int) -> list[tuple[int, int]]:
    """(start, length) of the two edges and of what lies between them."""
    edge = min(edge, length // 2)
    return [(0, edge), (edge, length - 2 * edge), (length - edge, edge)]


@cache
def _picture(radius: int, blur: int, rgba: int) -> QImage:
    """Draw the smallest shape that has all corners, blurred: alpha falls with the distance as a Gaussian edge does."""
    side = 2 * (radius + 2 * blur) + _CORE
    color = QColor.fromRgba(rgba)
    picture = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(QColor.fromRgb(color.rgb()))
    levels = _levels(side, radius, blur, color.alpha())
    picture.setAlphaChannel(QImage(levels, side, side, side, QImage.Format.Format_Alpha8))
    return picture


def _levels(side: int, radius: int, blur: int, most: int) -> bytes:
    """Return the alpha of each pixel, 0 to 255, row by row: one quarter is computed, and mirrored."""
    half, width = side / 2 - blur - radius, blur / 2 * sqrt(2)
    away = [max(0.0, side / 2 - at - 0.5 - half) for at in range(side // 2)]
    rows = []
    for away_y in away:
        levels = bytes(round(most * (1 - erf((hypot(x, away_y) - radius) / width)) / 2) for x in away)
        rows.append(levels + levels[::-1])
    return b"".join(rows + rows[::-1])
