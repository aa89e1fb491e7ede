"""The line under the chat: what the engine does, and how full the cache is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.viewmodels.app_state import AppState
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_ground, smooth, whole_parts
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 20
_BAR, _TO_WORDS = 96, 12
_MENTIONED_MS = 3000
_GO = "Go to the Answer"


class PlaceLink(Control):
    """Lies over words that do something when they are pressed: lead to an answer elsewhere, or end some."""

    ring_radius = 4.0

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, _GO, parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        """Underline the words below the pointer."""
        if self.state in (State.HOVER, State.PRESSED):
            line = self._style.text_style(TextRole.CAP).line
            painter.fillRect(QRectF(0, rect.center().y() + line / 2 - 2, rect.width(), 1), self._style.theme.text2)


class StatusLine(QWidget):
    """Left the engine's line, with a bar where it can be measured and there is room; right the cache's, never cut.

    Where there is no room for the whole of the engine's line, its first parts stand there and the rest in its tip.
    While a menu is open, the tip of its entry stands in the place of the engine's line, and so does for a moment what
    was done without a trace, such as copying. What is done elsewhere is a link, and so is the end of what other
    programs are answered. Attribute: link. Signals: placeAsked(str, str), go to this message of a conversation;
    stopAsked(), end the answers to other programs.
    """

    placeAsked = Signal(str, str)
    stopAsked = Signal()

    def __init__(self, style: Style, state: LiveState[AppState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style = style
        self._state = state
        self._tip = self._mentioned = ""
        self._back = QTimer(self, singleShot=True, interval=_MENTIONED_MS)
        self._back.timeout.connect(lambda: self._mention(""))
        self._changes = ChangeDetector()
        self.link = PlaceLink(style, self)
        self.link.clicked.connect(self._go)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        style.changed.connect(self._restyle)
        state.changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(320, self._style.typography.foot)

    def show_tip(self, tip: str) -> None:
        """Show what a menu's entry does in the place of the engine's line; "" to show that again."""
        if tip != self._tip:
            self._tip = tip
            self._place_link()
            self.update()

    def mention(self, text: str) -> None:
        """Say for a moment what was done."""
        self._mention(text)
        self._back.start()

    def _mention(self, text: str) -> None:
        self._mentioned = text
        self._place_link()
        self.update()

    def _refresh(self) -> None:
        now = self._state.now
        if not self._changes.has_changed(now.activity, now.cache_line):
            return
        self.setAccessibleName("Status")
        self.setAccessibleDescription(", ".join(line for line in (now.activity.text, now.cache_line) if line))
        self._place_link()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_link()

    def _restyle(self) -> None:
        self.updateGeometry()
        self._place_link()
        self.update()

    @property
    def _activity(self) -> Activity:
        said = self._tip or self._mentioned
        return Activity(said) if said else self._state.now.activity

    @property
    def _line(self) -> QRectF:
        """Return where the engine's line has room."""
        cache = self._style.text_style(TextRole.CAP).width(self._state.now.cache_line)
        return QRectF(_INSET, 1, self.width() - 3 * _INSET - cache, self.height() - 1)

    @property
    def _has_bar(self) -> bool:
        activity, width = self._activity, self._style.text_style(TextRole.CAP).width
        return activity.done is not None and width(activity.text) <= self._line.width() - _BAR - _TO_WORDS

    @property
    def _words(self) -> tuple[QRectF, str]:
        """Return where the engine's words stand, and as many of them as have room."""
        line, text_style = self._line, self._style.text_style(TextRole.CAP)
        if self._has_bar:
            line.adjust(_BAR + _TO_WORDS, 0, 0, 0)
        return line, whole_parts(text_style, self._activity.text, line.width(), DOT, ", ", ": ")

    def _go(self) -> None:
        if self._activity.place is not None:
            self.placeAsked.emit(*self._activity.place)
        elif self._activity.stops_guests:
            self.stopAsked.emit()

    def _place_link(self) -> None:
        """Have the words be a link where they tell of another place."""
        activity = self._activity
        self.link.setVisible(activity.place is not None or activity.stops_guests)
        self.link.setAccessibleName("Stop the API’s Answers" if activity.stops_guests else _GO)
        line, words = self._words
        width = min(line.width(), self._style.text_style(TextRole.CAP).width(words))
        self.link.setGeometry(QRectF(line.left(), 3, width, self.height() - 6).toRect())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, text_style, activity = self._style.theme, self._style.text_style(TextRole.CAP), self._activity
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.window)
        painter.fillRect(0, 0, self.width(), 1, theme.line)
        whole = QRectF(_INSET, 1, self.width() - 2 * _INSET, self.height() - 1)
        draw_text(painter, text_style, whole, self._state.now.cache_line, theme.text2, Qt.AlignmentFlag.AlignRight)
        line, words = self._words
        if self._has_bar and activity.done is not None:
            done, cached = activity.done, min(activity.reused, activity.done)
            bar = QRectF(_INSET, line.center().y() - 2, _BAR, 4)
            paint_cost(painter, theme, bar, cached or done, done - cached if cached else 0, 1 - done)
        draw_text(painter, text_style, line, words, theme.text2)
        painter.end()
        is_whole = text_style.width(activity.text) <= line.width()
        self.setToolTip("" if is_whole else activity.text)
