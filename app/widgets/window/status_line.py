"""The line under the chat: what the engine does, and how full the cache is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.viewmodels.app_state import AppState
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import draw_text, smooth, whole_parts
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 20
_BAR = 96


class StatusLine(QWidget):
    """Left the engine's line, with a bar where it can be measured and there is room; right the cache's, never cut.

    Where there is no room for the whole of the engine's line, its first parts stand there and the rest in its tip.
    While a menu is open, the tip of its entry stands in the place of the engine's line.
    """

    def __init__(self, style: Style, state: LiveState[AppState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._state = state
        self._tip = ""
        self._changes = ChangeDetector()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        style.changed.connect(self.updateGeometry)
        style.changed.connect(self.update)
        state.changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(320, self._style.typography.foot)

    def show_tip(self, tip: str) -> None:
        """Show what a menu's entry does in the place of the engine's line; "" to show that again."""
        if tip != self._tip:
            self._tip = tip
            self.update()

    def _refresh(self) -> None:
        now = self._state.now
        if not self._changes.has_changed(now.activity, now.cache_line):
            return
        self.setAccessibleName("Status")
        self.setAccessibleDescription(", ".join(line for line in (now.activity.text, now.cache_line) if line))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, text_style, now = self._style.theme, self._style.text_style(TextRole.CAP), self._state.now
        activity = Activity(self._tip) if self._tip else now.activity
        painter = smooth(QPainter(self))
        painter.fillRect(self.rect(), theme.window)
        painter.fillRect(0, 0, self.width(), 1, theme.line)
        line = QRectF(_INSET, 1, self.width() - 2 * _INSET, self.height() - 1)
        taken = draw_text(painter, text_style, line, now.cache_line, theme.text2, Qt.AlignmentFlag.AlignRight)
        line.setRight(line.right() - taken - _INSET)
        has_room = text_style.width(activity.text) <= line.width() - _BAR - 12
        if activity.done is not None and has_room:
            done, cached = activity.done, min(activity.reused, activity.done)
            bar = QRectF(line.left(), line.center().y() - 2, _BAR, 4)
            paint_cost(painter, theme, bar, cached or done, done - cached if cached else 0, 1 - done)
            line.setLeft(bar.right() + 12)
        words = whole_parts(text_style, activity.text, line.width(), DOT, ", ", ": ")
        draw_text(painter, text_style, line, words, theme.text2)
        painter.end()
        is_whole = text_style.width(activity.text) <= line.width()
        self.setToolTip("" if is_whole else activity.text)
