"""Looking at what was painted."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.kit.drawing import smooth


def picture(widget: QWidget) -> QImage:
    """The widget as it is painted now."""
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def on_screen(widget: QWidget) -> QImage:
    """The widget as it was painted last, without having it painted again."""
    return widget.screen().grabWindow(widget.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted(width: int, height: int, paint: Callable[[QPainter, QRectF], object], ground: str = "#ffffff") -> QImage:
    """What `paint` does on an empty ground."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(ground))
    painter = smooth(QPainter(image))
    paint(painter, QRectF(0, 0, width, height))
    painter.end()
    return image


def grey(image: QImage) -> QImage:
    """The same without its hues."""
    return image.convertToFormat(QImage.Format.Format_Grayscale8)


def count(image: QImage, color: QColor) -> int:
    """Pixels of exactly this colour."""
    opaque = image.convertToFormat(QImage.Format.Format_RGB32).convertToFormat(QImage.Format.Format_ARGB32)
    return array("I", opaque.bits().tobytes()).count(color.rgb())


def columns(image: QImage, color: QColor, y: int) -> int:
    """Pixels of exactly this colour in one line."""
    return sum(image.pixel(x, y) == color.rgb() for x in range(image.width()))


def painted_height(image: QImage) -> int:
    """From the first line that is not all of the ground's colour to the last one."""
    ground = image.pixelColor(0, 0)
    lines = [y for y in range(image.height()) if count(image.copy(0, y, image.width(), 1), ground) < image.width()]
    return lines[-1] - lines[0] + 1 if lines else 0


def show(widget: QWidget, width: int = 0, height: int = 0) -> None:
    """Show it in an active window, so that focus and selection look as they do in use."""
    if width:
        widget.resize(width, height)
    widget.show()
    widget.activateWindow()
