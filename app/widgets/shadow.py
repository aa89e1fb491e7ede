"""Soft shadows, drawn from one small picture whose corners are kept and whose edges are stretched."""

from __future__ import annotations

from functools import cache
from math import erf, hypot, sqrt

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

_CORE = 2


def paint_shadow(painter: QPainter, rect: QRectF, radius: int, blur: int, down: int, color: QColor) -> None:
    """The shadow of a rounded shape. blur, down: how far it reaches and how far it lies below, in points."""
    picture = _picture(radius, blur, color.rgba())
    edge = (picture.width() - _CORE) // 2
    outer = rect.translated(0, down).adjusted(-blur, -blur, blur, blur).toAlignedRect()
    columns = _thirds(outer.left(), outer.width(), edge)
    rows = _thirds(outer.top(), outer.height(), edge)
    sources = _thirds(0, picture.width(), edge)
    for (x, width), (from_x, from_width) in zip(columns, sources, strict=True):
        for (y, height), (from_y, from_height) in zip(rows, sources, strict=True):
            target = QRect(QPoint(x, y), QPoint(x + width - 1, y + height - 1))
            painter.drawImage(target, picture, QRect(from_x, from_y, from_width, from_height))


def _thirds(start: int, length: int, edge: int) -> list[tuple[int, int]]:
    """(start, length) of the two edges and of what lies between them."""
    middle = max(0, length - 2 * edge)
    return [(start, edge), (start + edge, middle), (start + edge + middle, edge)]


@cache
def _picture(radius: int, blur: int, rgba: int) -> QImage:
    """The smallest shape that has all corners, blurred: alpha falls with the distance as a Gaussian edge does."""
    edge = radius + 2 * blur
    side = 2 * edge + _CORE
    color = QColor.fromRgba(rgba)
    picture = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    half, sigma = side / 2 - blur - radius, blur / 2
    for y in range(side):
        for x in range(side):
            away_x = max(0.0, abs(x + 0.5 - side / 2) - half)
            away_y = max(0.0, abs(y + 0.5 - side / 2) - half)
            distance = hypot(away_x, away_y) - radius
            alpha = color.alphaF() * (1 - erf(distance / (sigma * sqrt(2)))) / 2
            picture.setPixelColor(x, y, QColor.fromRgbF(color.redF(), color.greenF(), color.blueF(), alpha))
    return picture
