"""Looking at what was painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.drawing import smooth


def picture(widget: QWidget) -> QImage:
    """The widget as it is painted now."""
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


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
    wanted = color.rgb()
    return sum(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def columns(image: QImage, color: QColor, y: int) -> int:
    """Pixels of exactly this colour in one line."""
    return sum(image.pixel(x, y) == color.rgb() for x in range(image.width()))


def show(widget: QWidget, width: int = 0, height: int = 0) -> None:
    """Show it in an active window, so that focus and selection look as they do in use."""
    if width:
        widget.resize(width, height)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, False)
    widget.show()
    widget.activateWindow()
