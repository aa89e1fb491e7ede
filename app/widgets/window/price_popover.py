"""The card that tells what going to a branch costs, over what leads there. It takes neither keyboard nor mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.viewmodels.warmth.price_card import PriceCard
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded, wrapped
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.shadow import paint_shadow
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WIDTH, _PAD, _RADIUS, _BAR = 316, 16, 12, 8
_ARROW_WIDTH, _ARROW_HEIGHT = 18, 9
_BLUR, _DOWN = 34, 12
_EDGE = 8  # points that stay free towards the edges of the window
_GAP, _LINE_GAP, _KEY_GAP = 8, 12, 16
_RIGHT = Qt.AlignmentFlag.AlignRight


class PricePopover(QWidget):
    """A part of its window, above all others there. card: what it says."""

    def __init__(self, style: Style, window: QWidget) -> None:
        super().__init__(window)
        self._style, self._window = style, window
        self.card = PriceCard("", "", "")
        self._tip = QPointF()
        self._is_below = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Price")
        self.hide()

    def show_at(self, card: PriceCard, rect: QRect, pane: QRect) -> None:
        """Show a card that points at a rectangle of the window, below it or, without room there, above.

        pane: what the card does not go beyond to the left and right, where it is wide enough: beside it may be the rows
        that the price is about.
        """
        self.card = card
        self.setAccessibleDescription(card.spoken)
        window = self._window
        width, height = self._style.typography.scaled(_WIDTH), self._height()
        middle = rect.center().x()
        around = pane if pane.width() >= width + 2 * _EDGE else window.rect()
        most = max(around.left() + _EDGE, around.right() + 1 - width - _EDGE)
        left = min(max(middle - width // 2, around.left() + _EDGE), most)
        self._is_below = rect.bottom() + _ARROW_HEIGHT + height + _EDGE <= window.height()
        top = rect.bottom() + 1 + _ARROW_HEIGHT if self._is_below else rect.top() - _ARROW_HEIGHT - height
        box = QRect(left, top, width, height)
        whole = box.adjusted(-_BLUR, -_BLUR, _BLUR, _BLUR + _DOWN)
        self.setGeometry(whole)
        reach = _RADIUS + _ARROW_WIDTH / 2
        tip = min(max(float(middle), left + reach), left + width - reach)
        self._tip = QPointF(tip - whole.left(), (box.top() if self._is_below else box.bottom() + 1) - whole.top())
        self.raise_()
        self.show()
        self.update()

    @property
    def _box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_BLUR, _BLUR, -_BLUR, -_BLUR - _DOWN)

    def _inner_width(self) -> float:
        return self._style.typography.scaled(_WIDTH) - 2 * _PAD

    def _price_lines(self) -> list[str]:
        title = self._style.text_style(TextRole.TITLE)
        room = self._inner_width()
        if self.card.time:
            whole = title.width(self.card.price) + _GAP + self._style.text_style(TextRole.SMALL).width(self.card.time)
            if whole <= room:
                return [self.card.price]
        return wrapped(title, self.card.price, room)

    def _figure_lines(self) -> list[tuple[str, str]]:
        """Return what is reused and what is computed, line by line: beside each other where there is room."""
        small, card = self._style.text_style(TextRole.SMALL), self.card
        is_wide = small.width(card.reused) + _GAP + small.width(card.computed) > self._inner_width()
        return [(card.reused, ""), ("", card.computed)] if is_wide else [(card.reused, card.computed)]

    def _reason_lines(self) -> list[str]:
        """Return the lines under the figures: why that is the price, and what the other way costs."""
        small, width = self._style.text_style(TextRole.SMALL), self._inner_width()
        said = (self.card.reason, self.card.beside)
        return [line for words in said if words for line in wrapped(small, words, width)]

    def _height(self) -> int:
        """Return the points that the card takes, its padding included."""
        style, card = self._style, self.card
        small = style.text_style(TextRole.SMALL).line
        height = 2 * _PAD + style.text_style(TextRole.HEADLINE).line + _GAP
        height += len(self._price_lines()) * style.text_style(TextRole.TITLE).line
        if self._has_time_below:
            height += small
        if card.parts is not None:
            height += _GAP + _BAR + _GAP + len(self._figure_lines()) * small
        reasons = len(self._reason_lines())
        if reasons or card.keys:
            height += 2 * _LINE_GAP - 2 + reasons * small
        if card.keys:
            height += (_GAP if reasons else 0) + small + 6
        return height

    @property
    def _has_time_below(self) -> bool:
        lines = self._price_lines()
        small = self._style.text_style(TextRole.SMALL)
        used = self._style.text_style(TextRole.TITLE).width(lines[-1]) if lines else 0
        return bool(self.card.time) and used + _GAP + small.width(self.card.time) > self._inner_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box = self._style.theme, self._box
        painter = smooth(QPainter(self))
        paint_shadow(painter, box, _RADIUS, _BLUR, _DOWN, theme.shadow)
        fill_rounded(painter, box, _RADIUS, theme.raised)
        stroke_rounded(painter, box, _RADIUS, theme.line2)
        self._paint_arrow(painter)
        self._paint_card(painter, box.adjusted(_PAD, _PAD, -_PAD, -_PAD))
        painter.end()

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

    def _paint_card(self, painter: QPainter, rect: QRectF) -> None:
        style, theme, card = self._style, self._style.theme, self.card
        head, title, small = (style.text_style(one) for one in (TextRole.HEADLINE, TextRole.TITLE, TextRole.SMALL))
        y = rect.top()

        def line(height: float) -> QRectF:
            nonlocal y
            y += height
            return QRectF(rect.left(), y - height, rect.width(), height)

        row = line(head.line)
        place = draw_text(painter, small, row, card.place, theme.text2, _RIGHT)
        draw_text(painter, head, row.adjusted(0, 0, -place - _GAP, 0), card.title, theme.text)
        y += _GAP
        used = 0.0
        for words in self._price_lines():
            row = line(title.line)
            used = draw_text(painter, title, row, words, theme.text)
        if card.time:
            row = line(small.line) if self._has_time_below else row.adjusted(used + _GAP, 2, 0, 2)
            is_beside = not self._has_time_below
            draw_text(painter, small, row, card.time, theme.text2, _RIGHT if is_beside else Qt.AlignmentFlag.AlignLeft)
        if card.parts is not None:
            y += _GAP
            paint_cost(painter, theme, line(_BAR), *card.parts)
            y += _GAP
            for reused, computed in self._figure_lines():
                row = line(small.line)
                draw_text(painter, small, row, reused, theme.accent)
                draw_text(painter, small, row, computed, theme.text2, _RIGHT)
        reasons = self._reason_lines()
        if reasons or card.keys:
            y += _LINE_GAP - 1
            painter.fillRect(QRectF(rect.left() - _PAD, y, rect.width() + 2 * _PAD, 1), theme.line)
            y += _LINE_GAP - 1
        for words in reasons:
            draw_text(painter, small, line(small.line), words, theme.text2)
        if card.keys:
            y += _GAP if reasons else 0
            self._paint_keys(painter, line(small.line + 6))

    def _paint_keys(self, painter: QPainter, rect: QRectF) -> None:
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        x = rect.left()
        for keys, words in self.card.keys:
            cap = QRectF(x, rect.top(), small.width(keys) + 12, rect.height())
            if cap.right() + _GAP + small.width(words) > rect.right() + 0.5:
                return
            fill_rounded(painter, cap, 5, theme.fill)
            stroke_rounded(painter, cap, 5, theme.line2)
            draw_text(painter, small, cap, keys, theme.text2, Qt.AlignmentFlag.AlignHCenter)
            said = QRectF(cap.right() + _GAP, rect.top(), small.width(words) + 1, rect.height())
            draw_text(painter, small, said, words, theme.text2)
            x = said.right() + _KEY_GAP
