"""A slider over numbers, painted in the style: a bar, filled up to a round handle."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.style import Style

_BAR, _HANDLE, _HEIGHT = 4, 16, 20


class Slider(QSlider):
    """Goes through numbers by steps. The wheel scrolls what is around it.

    Signals: moved(float), by a person; settled(float), a key was pressed or the mouse has let go.
    """

    ring_radius = 8.0
    moved = Signal(float)
    settled = Signal(float)

    def __init__(
        self, style: Style, name: str, low: float, high: float, step: float, parent: QWidget | None = None
    ) -> None:
        """name: for screen readers, which hear the number as its description."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._style, self._low, self._step = style, low, step
        self._is_told = self._is_held = False
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setRange(0, round((high - low) / step))
        self.setPageStep(max(1, self.maximum() // 10))
        self.setFixedHeight(_HEIGHT)
        self.valueChanged.connect(self._on_value)
        style.changed.connect(self.update)

    def show_number(self, number: float) -> None:
        """Put the handle at a number, at an end where it lies beyond."""
        self._is_told = True
        steps = (number - self._low) / self._step
        self.setValue(round(min(max(steps, 0.0), float(self.maximum()))))
        self._is_told = False
        self.setAccessibleDescription(f"{number:g}")

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what scrolls."""
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle to where the mouse is."""
        self._is_held = True
        self._go_to(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go_to(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._go_to(event)
        self._is_held = False
        self.settled.emit(self._number)

    def _go_to(self, event: QMouseEvent) -> None:
        room = max(1.0, self.width() - _HANDLE)
        share = min(max((event.position().x() - _HANDLE / 2) / room, 0.0), 1.0)
        self.setValue(round(share * self.maximum()))

    def _on_value(self, _value: int) -> None:
        if not self._is_told:
            self.moved.emit(self._number)
            if not self._is_held:
                self.settled.emit(self._number)

    @property
    def _number(self) -> float:
        return round(self._low + self.value() * self._step, 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle = self._style.theme, self.height() / 2
        share = self.value() / max(1, self.maximum())
        at = _HANDLE / 2 + share * (self.width() - _HANDLE)
        painter = smooth(QPainter(self))
        bar = QRectF(0, middle - _BAR / 2, self.width(), _BAR)
        fill_rounded(painter, bar, _BAR / 2, theme.track)
        fill_rounded(painter, QRectF(0, bar.top(), at, _BAR), _BAR / 2, theme.accentgfx)
        handle = QRectF(0, 0, _HANDLE, _HANDLE)
        handle.moveCenter(QPointF(at, middle))
        fill_rounded(painter, handle, _HANDLE / 2, theme.segment if theme.is_dark else theme.raised)
        stroke_rounded(painter, handle, _HANDLE / 2, theme.mute)
        painter.end()
