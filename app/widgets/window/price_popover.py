"""The card that tells what going to a branch costs, over what leads there. It takes neither keyboard nor mouse."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.warmth.price_card import PriceCard
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded, wrapped
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.popover import Popover
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WIDTH, _PAD, _BAR = 316, 16, 8
_GAP, _LINE_GAP, _KEY_GAP = 8, 12, 16
_RIGHT = Qt.AlignmentFlag.AlignRight


class PricePopover(Popover):
    """Tells the price of a branch. card: what it says."""

    def __init__(self, style: Style, window: QWidget) -> None:
        super().__init__(style, window)
        self.card = PriceCard("", "", "")
        self.setAccessibleName("Price")

    def show_at(self, card: PriceCard, rect: QRect, pane: QRect) -> None:
        """Show a card that points at a rectangle of the window. pane: as of `point_at`."""
        self.card = card
        self.setAccessibleDescription(card.spoken)
        self.point_at(QSize(self._style.typography.scaled(_WIDTH), self._height()), rect, pane)

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
        painter = smooth(QPainter(self))
        self.paint_ground(painter)
        self._paint_card(painter, self.box.adjusted(_PAD, _PAD, -_PAD, -_PAD))
        painter.end()

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
