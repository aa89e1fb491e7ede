"""What an empty conversation shows: who answers here, what one might ask, and how to open a larger model."""

from __future__ import annotations

import sys
from itertools import pairwise

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.kit.live_state import LiveState
from app.widgets.chat.cards import lines_of
from app.widgets.chat.column import Column, centred
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Button, Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.program_icon import program_icon
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_ICON, _SMALL_ICON, _ICON_TO_TITLE, _TITLE_TO_PROMISE, _TO_GREETING = 112, 64, 12, 8, 38
_NAME_TO_GREETING, _TO_CHIPS, _CHIP_APART, _TO_OFFER, _OFFER, _OFFER_SIDE = 4, 14, 8, 24, 60, 16
_HIGHEST_TOP, _LOWEST_TOP = 20, 64
_PROMISE_SIDE, _OFFER_WORDS_LEFT, _TO_BUTTON = 20, 44, 12
_PROMISE = "A place to try an answer more than one way. Nothing you try is lost."
_OFFER_TITLE = "Ready for a larger model?"
_MACHINE = "Mac" if sys.platform == "darwin" else "computer"
_OFFER_WORDS = f"Those on this {_MACHINE} are listed; others can be downloaded."
_CENTER = Qt.AlignmentFlag.AlignHCenter


class Chip(Control):
    """A question to press."""

    def __init__(self, style: Style, text: str, parent: QWidget) -> None:
        super().__init__(style, text, parent)
        self.setText(text)
        self.setAccessibleDescription("Asks this question.")

    def sizeHint(self) -> QSize:
        text_style = self._style.text_style(TextRole.UI)
        self.ring_radius = (text_style.line + 14) / 2
        return QSize(round(text_style.width(self.text())) + 28, text_style.line + 14)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._style.theme
        radius = rect.height() / 2
        fill = {State.HOVER: theme.fill, State.PRESSED: theme.fill2}.get(self.state, theme.window)
        fill_rounded(painter, rect, radius, fill)
        stroke_rounded(painter, rect, radius, theme.line2)
        words = rect.adjusted(12, 0, -12, 0)
        draw_text(painter, self._style.text_style(TextRole.UI), words, self.text(), theme.text, _CENTER)


class WelcomePage(QWidget):
    """The page itself, as high as it needs to be. `asked` carries a question; `modelsAsked`: show the models."""

    asked = Signal(str)
    modelsAsked = Signal()

    def __init__(self, style: Style, state: LiveState[ChatState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._state = state
        self._picture = program_icon()
        self._pane = QSize(0, 0)
        self._is_low = False
        self._offer_title, self._offer_words = QTextLayout(), QTextLayout()
        self._changes = ChangeDetector()
        self.chips: list[Chip] = []
        self.models_button = Button(style, "Models…", parent=self)
        self.models_button.clicked.connect(self.modelsAsked)
        self.setAccessibleName("Welcome")
        state.changed.connect(self._refresh)
        style.changed.connect(self.arrange)
        self._refresh()

    def set_pane(self, pane: QSize, width: int) -> None:
        """Take as much height as is needed in a pane of this size, of which a scroll bar leaves this width."""
        self._pane = pane
        self.resize(width, pane.height())
        self.arrange()

    def _refresh(self) -> None:
        now = self._state.now
        if not self._changes.has_changed(now.greeting, now.suggestions, now.title, now.model_name):
            return
        if tuple(chip.text() for chip in self.chips) != now.suggestions:
            for chip in self.chips:
                chip.hide()
                chip.deleteLater()
            self.chips = [self._chip(text) for text in now.suggestions]
            for before, after in pairwise([self, *self.chips, self.models_button]):
                QWidget.setTabOrder(before, after)
        self.models_button.setVisible(bool(now.greeting))
        spoken = now.greeting or _PROMISE
        self.setAccessibleDescription(spoken)
        self.arrange()

    def _chip(self, text: str) -> Chip:
        chip = Chip(self._style, text, self)
        chip.clicked.connect(lambda: self.asked.emit(text))
        chip.show()
        return chip

    def arrange(self) -> None:
        """Place everything from above; what is left over goes above the icon."""
        self._is_low = False
        height = self._lay_out(0)
        if height > self._pane.height():
            self._is_low = True
            height = self._lay_out(0)
        top = min(_LOWEST_TOP, max(_HIGHEST_TOP, (self._pane.height() - height) // 2))
        total = self._lay_out(top)
        self.setFixedHeight(max(self._pane.height(), total + _HIGHEST_TOP))
        self.update()

    def _lay_out(self, top: int) -> int:
        """Set all places for a page that begins at `top`; returns where it ends."""
        typography, column, now = self._style.typography, self._column, self._state.now
        width, icon = self._pane.width(), _SMALL_ICON if self._is_low else _ICON
        self._icon = QRectF(width / 2 - icon / 2, top, icon, icon)
        y = top + icon + _ICON_TO_TITLE
        self._title = QRectF(0, y, width, typography[TextRole.DISPLAY].line)
        y += typography[TextRole.DISPLAY].line + _TITLE_TO_PROMISE
        self._promise = QRectF(_PROMISE_SIDE, y, width - 2 * _PROMISE_SIDE, 0)
        lines = lines_of(_PROMISE, typography[TextRole.BODY], self._promise.width(), is_centred=True).lineCount()
        y += lines * typography[TextRole.BODY].line
        if not now.greeting:
            return y
        y += _TO_GREETING // 2 if self._is_low else _TO_GREETING
        self._name = QRectF(column.left, y, column.width, typography[TextRole.SMALL_MEDIUM].line + 6)
        y = round(self._name.bottom()) + _NAME_TO_GREETING
        self._greeting = QPointF(column.left, y)
        lines = lines_of(now.greeting, typography[TextRole.BODY], column.width).lineCount()
        y = self._place_chips(column, y + lines * typography[TextRole.BODY].line + _TO_CHIPS)
        return self._place_offer(column, y + _TO_OFFER)

    def _place_chips(self, column: Column, top: int) -> int:
        left, bottom = column.left, top
        for chip in self.chips:
            size = chip.sizeHint()
            if left > column.left and left + size.width() > column.right:
                left, top = column.left, bottom + _CHIP_APART
            chip.setGeometry(left, top, min(size.width(), column.width), size.height())
            left, bottom = left + size.width() + _CHIP_APART, top + size.height()
        return bottom

    def _place_offer(self, column: Column, top: int) -> int:
        typography, size = self._style.typography, self.models_button.sizeHint()
        room = column.width - _OFFER_WORDS_LEFT - _TO_BUTTON - size.width() - _OFFER_SIDE
        self._offer_title = lines_of(_OFFER_TITLE, typography[TextRole.UI_MEDIUM], room)
        self._offer_words = lines_of(_OFFER_WORDS, typography[TextRole.SMALL], room)
        height = max(typography.scaled(_OFFER), round(self._offer_height) + _OFFER_SIDE)
        self._offer = QRect(column.left, top, column.width, height)
        left = self._offer.right() + 1 - _OFFER_SIDE - size.width()
        self.models_button.setGeometry(left, top + (height - size.height()) // 2, size.width(), size.height())
        return top + height

    @property
    def _title_height(self) -> float:
        return self._offer_title.lineCount() * self._style.typography[TextRole.UI_MEDIUM].line

    @property
    def _offer_height(self) -> float:
        """The height of the words of the offer."""
        return self._title_height + 2 + self._offer_words.lineCount() * self._style.typography[TextRole.SMALL].line

    @property
    def _column(self) -> Column:
        return centred(self._pane.width(), self._style.typography.scale)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, now = self._style.theme, self._state.now
        painter = smooth(QPainter(self))
        painter.fillRect(self.rect(), theme.window)
        self._picture.paint(painter, self._icon.toRect())
        title = "Welcome to Espalier" if now.greeting else now.title
        draw_text(painter, self._style.text_style(TextRole.DISPLAY), self._title, title, theme.text, _CENTER)
        painter.setPen(theme.text2)
        promise = lines_of(_PROMISE, self._style.text_style(TextRole.BODY), self._promise.width(), is_centred=True)
        promise.draw(painter, self._promise.topLeft())
        if now.greeting:
            self._paint_guide(painter)
        painter.end()

    def _paint_guide(self, painter: QPainter) -> None:
        theme, body, now = self._style.theme, self._style.text_style(TextRole.BODY), self._state.now
        draw_text(painter, self._style.text_style(TextRole.SMALL_MEDIUM), self._name, now.model_name, theme.text2)
        painter.setPen(theme.text)
        lines_of(now.greeting, body, self._column.width).draw(painter, self._greeting)
        offer = QRectF(self._offer)
        fill_rounded(painter, offer, 10, theme.fill)
        center = QPointF(offer.left() + _OFFER_SIDE + 8, offer.center().y())
        self._style.icons.paint(painter, Icon.FOLDER, center, theme.text2)
        at = QPointF(offer.left() + _OFFER_WORDS_LEFT, offer.center().y() - self._offer_height / 2)
        painter.setPen(theme.text)
        self._offer_title.draw(painter, at)
        painter.setPen(theme.text2)
        self._offer_words.draw(painter, at + QPointF(0, self._title_height + 2))


class WelcomeView(QScrollArea):
    """The page, scrolled where the window is too low for it. Signals: see `WelcomePage`."""

    def __init__(self, style: Style, state: LiveState[ChatState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = WelcomePage(style, state)
        self.asked = self.page.asked
        self.modelsAsked = self.page.modelsAsked
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Empty conversation")
        use_slim_bar(self, style)
        self.setWidget(self.page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.page.set_pane(self.size(), self.viewport().width())
