"""A card that points at something in its window, above all others there. It takes neither keyboard nor mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from app.widgets.kit.drawing import fill_rounded, stroke_rounded
from app.widgets.kit.shadow import paint_shadow
from app.widgets.kit.style import Style

_RADIUS = 12
_ARROW_WIDTH, _ARROW_HEIGHT = 18, 9
_BLUR, _DOWN = 34, 12
_EDGE = 8  # points that stay free towards the edges of the window


class Popover(QWidget):
    """The ground of such a card, with its shadow and its arrow."""

    def __init__(self, style: Style, window: QWidget) -> None:
        super().__init__(window)
        self._style, self._window = style, window
        self._tip = QPointF()
        self._is_below = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def point_at(self, size: QSize, rect: QRect, pane: QRect) -> None:
        """Show a card of this size that points at a rectangle of the window, below it or, without room there, above.

        Where it has room in neither place it covers the rectangle, and stays in the window.

        pane: what the card does not go beyond to the left and right, where it is wide enough: beside it may be what the
        card is about.
        """
        window, width, height = self._window, size.width(), size.height()
        middle = rect.center().x()
        around = pane if pane.width() >= width + 2 * _EDGE else window.rect()
        most = max(around.left() + _EDGE, around.right() + 1 - width - _EDGE)
        left = min(max(middle - width // 2, around.left() + _EDGE), most)
        self._is_below = rect.bottom() + _ARROW_HEIGHT + height + _EDGE <= window.height()
        top = rect.bottom() + 1 + _ARROW_HEIGHT if self._is_below else rect.top() - _ARROW_HEIGHT - height
        box = QRect(left, max(_EDGE, min(top, window.height() - height - _EDGE)), width, height)
        whole = box.adjusted(-_BLUR, -_BLUR, _BLUR, _BLUR + _DOWN)
        self.setGeometry(whole)
        reach = _RADIUS + _ARROW_WIDTH / 2
        tip = min(max(float(middle), left + reach), left + width - reach)
        self._tip = QPointF(tip - whole.left(), (box.top() if self._is_below else box.bottom() + 1) - whole.top())
        self.raise_()
        self.show()
        self.update()

    @property
    def box(self) -> QRectF:
        """The card without its shadow."""
        return QRectF(self.rect()).adjusted(_BLUR, _BLUR, -_BLUR, -_BLUR - _DOWN)

    def paint_ground(self, painter: QPainter) -> None:
        """Draw the card without what stands on it."""
        theme, box = self._style.theme, self.box
        paint_shadow(painter, box, _RADIUS, _BLUR, _DOWN, theme.shadow)
        fill_rounded(painter, box, _RADIUS, theme.raised)
        stroke_rounded(painter, box, _RADIUS, theme.line2)
        self._paint_arrow(painter)

    def _paint_arrow(self, painter: QPainter) -> None:
        theme, way = self._style.theme, -1 if self._is_below else 1
        base = self._tip.y() - way * 1.0
        left, right = QPointF(self._tip.x() - _ARROW_WIDTH / 2, base), QPointF(self._tip.x() + _ARROW_WIDTH / 2, base)
        tip = QPointF(self._tip.x(), self._tip.y() + way * _ARROW_HEIGHT)
        path = QPainterPath(left)
        path.lineTo(tip)
        path.lineTo(right)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.raised)
        painter.drawPath(path)
        painter.setPen(QPen(theme.line2, 1))
        painter.drawLine(left, tip)
        painter.drawLine(tip, right)
