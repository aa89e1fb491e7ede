"""Where a message has versions: "< 2 of 3 >". One stop for the keyboard; the arrows are for the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.kit.accessible import speak_as
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_ARROW = 22


class VersionSwitcher(QWidget):
    """Shows which version of how many; `stepped` asks for the one before (-1) or after (+1)."""

    stepped = Signal(int)
    ring_radius = 6.0

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._version, self._versions = 1, 1
        self._hovered, self._pressed = 0, 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        speak_as(self, QAccessible.Role.SpinBox, self.step)
        style.changed.connect(self.updateGeometry)
        style.changed.connect(self.update)
        self.show_version(1, 1)

    def show_version(self, version: int, versions: int) -> None:
        """Show which version of how many this is, counted from 1."""
        self._version, self._versions = version, versions
        self.setAccessibleName(f"Version {version} of {versions}")
        self.setAccessibleDescription("Left and Right arrow show the versions beside it.")
        self.updateGeometry()
        self.update()

    @property
    def version(self) -> int:
        """Which version this is, counted from 1."""
        return self._version

    @property
    def text(self) -> str:
        """The words between the arrows, for example "2 of 3"."""
        return f"{self._version} of {self._versions}"

    def sizeHint(self) -> QSize:
        text_style = self._style.text_style(TextRole.CAP_MEDIUM)
        return QSize(round(text_style.width(self.text)) + 2 * _ARROW, self._style.typography.scaled(12) + 10)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def can_step(self, step: int) -> bool:
        """Return whether there is a version that way."""
        return self.isEnabled() and 1 <= self._version + step <= self._versions

    def step(self, step: int) -> None:
        """Ask for a neighbour; nothing where there is none."""
        if self.can_step(step):
            self.stepped.emit(step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if direction:
            self.step(direction)
        else:
            super().keyPressEvent(event)

    def arrow(self, step: int) -> QRect:
        """Return the rectangle of the arrow to the left (-1) or right (+1)."""
        return QRect(0 if step < 0 else self.width() - _ARROW, 0, _ARROW, self.height())

    def side_at(self, position: QPointF) -> int:
        """Return which arrow is at a point: -1 or +1, 0 for none."""
        if not self.rect().contains(position.toPoint()):
            return 0
        if position.x() < _ARROW:
            return -1
        return 1 if position.x() >= self.width() - _ARROW else 0

    def _point_at(self, hovered: int, pressed: int) -> None:
        if (hovered, pressed) != (self._hovered, self._pressed):
            self._hovered, self._pressed = hovered, pressed
            self.setToolTip({-1: "Previous version", 1: "Next version"}.get(hovered, ""))
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.side_at(event.position()), self._pressed)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            side = self.side_at(event.position())
            self._point_at(side, side)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        side, pressed = self.side_at(event.position()), self._pressed
        self._point_at(side, 0)
        if side and side == pressed:
            self.step(side)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._style.theme, QRectF(self.rect())
        painter = smooth(QPainter(self))
        fill_rounded(painter, rect, self.ring_radius, theme.fill2)
        if theme.outline.alpha():
            stroke_rounded(painter, rect, self.ring_radius, theme.outline)
        self._paint_arrow(painter, -1, Icon.LEFT, QRectF(0, 0, _ARROW, rect.height()))
        self._paint_arrow(painter, 1, Icon.RIGHT, QRectF(rect.right() - _ARROW, 0, _ARROW, rect.height()))
        text_style = self._style.text_style(TextRole.CAP_MEDIUM)
        draw_text(painter, text_style, rect, self.text, theme.text, Qt.AlignmentFlag.AlignHCenter)
        painter.end()

    def _paint_arrow(self, painter: QPainter, step: int, icon: Icon, rect: QRectF) -> None:
        theme, can_step = self._style.theme, self.can_step(step)
        if can_step and step in (self._hovered, self._pressed):
            color = theme.line2 if self._pressed == step else theme.track
            fill_rounded(painter, rect, self.ring_radius, color)
        tint = theme.text if self._hovered == step else theme.text2
        center = QPointF(rect.center().x(), rect.center().y())
        self._style.icons.paint(painter, icon, center, tint if can_step else theme.ghost, 12, 1.7)
