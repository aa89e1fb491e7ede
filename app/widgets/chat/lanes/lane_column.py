"""One of several answers: its letter, its text as it grows, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.kit.action import Actions
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.lanes.lane_state import LaneState
from app.viewmodels.text.formatting import DOT
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.controls import Button, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import DISC, paint_disc
from app.widgets.kit.refused import refuse
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_RADIUS, _SIDE, _HEAD, _BUTTON, _GAP = 12, 18, 46, 28, 8
_TO_FIGURES, _KEY = 12, 18


class LaneColumn(QWidget):
    """A card with one answer and what follows it on its branch.

    Signals, each with the id of the answer: keepAsked, goOnAsked, compareAsked, discardAsked, markAsked; pressed, the
    card itself.

    Attribute: view, of its messages.
    """

    keepAsked = Signal(str)
    goOnAsked = Signal(str)
    compareAsked = Signal(str)
    discardAsked = Signal(str)
    markAsked = Signal(str)
    pressed = Signal(str)

    def __init__(
        self,
        style: Style,
        model: ChatModel,
        state: LiveState[ChatState],
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._style, self._state = style, state
        self._now, self._count, self._is_focused, self._number = LaneState("", "A"), 1, False, 1
        self.view = ChatView(style, model, state, actions, self)
        self.compare = ToolButton(style, Icon.COMPARE, "Compare", size=_BUTTON, parent=self)
        self.mark = ToolButton(style, Icon.HOLLOW_STAR, "Favourite", size=_BUTTON, parent=self)
        self.discard = ToolButton(style, Icon.DISCARD, "Discard", size=_BUTTON, parent=self)
        self.keep = Button(style, "Keep", parent=self)
        self.go_on = Button(style, "Continue Here", parent=self)
        for button, asked in (
            (self.compare, self.compareAsked),
            (self.mark, self.markAsked),
            (self.discard, self.discardAsked),
            (self.keep, self.keepAsked),
            (self.go_on, self.goOnAsked),
        ):
            button.clicked.connect(lambda _checked=False, asked=asked: asked.emit(self._now.answer_id))
        for before, after in (
            (self.compare, self.mark),
            (self.mark, self.discard),
            (self.discard, self.view),
            (self.view, self.keep),
            (self.keep, self.go_on),
        ):
            QWidget.setTabOrder(before, after)
        style.changed.connect(self._restyle)

    def show_lane(self, lane: LaneState, number: int, count: int, *, is_focused: bool) -> None:
        """Show how the answer with this number, from 1 on, is doing among so many."""
        self._now, self._number, self._count, self._is_focused = lane, number, count, is_focused
        self.setAccessibleName(lane.spoken(count))
        self.view.setAccessibleName(f"Messages of answer {lane.letter}")
        self.mark.show_icon(Icon.STAR if lane.is_favourite else Icon.HOLLOW_STAR)
        what = "No longer a favourite" if lane.is_favourite else "Make this branch a favourite"
        self.compare.setEnabled(lane.can_compare)
        compared = f"Compare Answer {lane.letter} with {lane.other}"
        why = "" if lane.can_compare else ", as soon as both have ended"
        for button, name, tip in (
            (self.compare, compared, f"Show answers {lane.letter} and {lane.other} with the words that differ{why}"),
            (self.mark, f"Favourite, Answer {lane.letter}", what),
            (self.discard, f"Discard Answer {lane.letter}", "Put this answer into the trash"),
            (self.keep, f"Keep Answer {lane.letter}", "Go on with this answer; the others stop, and stay as versions"),
            (self.go_on, f"Continue with Answer {lane.letter}", "Go on with this answer; the others are written on"),
        ):
            button.setAccessibleName(name)
            button.setToolTip(tip)
        for button in (self.mark, self.discard):
            refuse(button, self._state.now.refusal)
        self.keep.is_default = is_focused
        self.keep.update()
        self.update()

    @property
    def lane(self) -> LaneState:
        """The answer as it is shown now."""
        return self._now

    def sizeHint(self) -> QSize:
        return QSize(self._style.typography.scaled(340), 400)

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    @property
    def _head(self) -> int:
        return self._style.typography.scaled(18) + _HEAD - 18

    @property
    def _foot(self) -> int:
        line = self._style.text_style(TextRole.SMALL).line
        return _TO_FIGURES + line + _GAP + self.keep.sizeHint().height() + _SIDE

    def _arrange(self) -> None:
        width, foot = self.width(), self.height() - self._foot
        top = (self._head - _BUTTON) // 2
        self.discard.setGeometry(width - _SIDE // 2 - _BUTTON, top, _BUTTON, _BUTTON)
        self.mark.setGeometry(self.discard.x() - _BUTTON - 2, top, _BUTTON, _BUTTON)
        self.compare.setGeometry(self.mark.x() - _BUTTON - 2, top, _BUTTON, _BUTTON)
        self.view.setGeometry(3, self._head, width - 6, max(0, foot - self._head))
        left = _SIDE
        for button in (self.keep, self.go_on):
            size = button.sizeHint()
            button.setGeometry(left, self.height() - _SIDE - size.height(), size.width(), size.height())
            left += size.width() + _GAP

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a press beside the text as meant for the answer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(self._now.answer_id)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, now = self._style.theme, self._now
        painter = smooth(QPainter(self))
        card = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        fill_rounded(painter, card, _RADIUS, theme.window)
        self._paint_head(painter)
        foot = self.height() - self._foot
        painter.fillRect(QRectF(1, foot, self.width() - 2, 1), theme.line)
        small = self._style.text_style(TextRole.SMALL)
        line = QRectF(_SIDE, foot + _TO_FIGURES, self.width() - 2 * _SIDE, small.line)
        color = theme.accent if now.is_writing else theme.text2
        taken = draw_text(painter, small, line, now.status, color, Qt.AlignmentFlag.AlignRight)
        draw_text(painter, small, line.adjusted(0, 0, -taken - _GAP, 0), now.figures, theme.text2)
        self._paint_key(painter)
        if self._is_focused:
            stroke_rounded(painter, card, _RADIUS, theme.accentgfx, 2)
        else:
            stroke_rounded(painter, card, _RADIUS, theme.line2)
        painter.end()

    def _paint_head(self, painter: QPainter) -> None:
        theme, now = self._style.theme, self._now
        middle = self._head / 2
        center = QPointF(_SIDE + DISC / 2, middle)
        paint_disc(painter, theme, center, now.residency, DISC, theme.window)
        strong, small = self._style.text_style(TextRole.BODY_STRONG), self._style.text_style(TextRole.SMALL)
        line = QRectF(_SIDE + 20, 0, self.compare.x() - _SIDE - 20, self._head)
        line.adjust(draw_text(painter, strong, line, now.letter, theme.text) + _GAP, 0, 0, 0)
        draw_text(painter, small, line, whole_parts(small, now.made_with, line.width(), DOT), theme.text2)

    def _paint_key(self, painter: QPainter) -> None:
        """Draw the key that chooses this answer, where there is room beside the buttons."""
        theme, cap = self._style.theme, self._style.text_style(TextRole.CAP)
        side = self._style.typography.scaled(_KEY)
        box = QRectF(self.width() - _SIDE - side, self.keep.geometry().center().y() - side / 2, side, side)
        if box.left() > self.go_on.geometry().right() + _GAP:
            stroke_rounded(painter, box, 4, theme.line2)
            draw_text(painter, cap, box, str(self._number), theme.text2, Qt.AlignmentFlag.AlignHCenter)
