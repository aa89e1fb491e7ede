"""The foot of the chat: the composer, or the problem that stands in its way, and the end of the rail beside it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QSizePolicy, QWidget

from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.kit.live_state import LiveState
from app.widgets.chat.cards import ProblemView
from app.widgets.chat.column import Column, centred, column
from app.widgets.chat.composer import SHADOW_ROOM, Composer
from app.widgets.chat.rail import CLEAR, paint_line, paint_residency
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import fill_ground, smooth
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style

_ABOVE, _BELOW, _BAR_ROOM = 8, 16, 12
_MOST, _MOST_OF_PROBLEM = 0.4, 0.55  # of the pane, beside which the end of the chat is still seen


class ComposerArea(QWidget):
    """The composer or a problem in its place, as high as either. `acted` carries the command of a problem's button.

    Attributes: composer, problem. The composer keeps its words while a problem is shown.
    """

    acted = Signal(str)

    def __init__(self, style: Style, state: LiveState[ChatState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style = style
        self._state = state
        self._is_centred, self._has_rail = False, True
        self._pane_height = 700
        self._changes = ChangeDetector()
        self.composer = Composer(style, state, self)
        self.problem = ProblemView(style)
        self._problem_scroll = QScrollArea(self)
        self._set_up_scroll()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.composer.grew.connect(self._refit)
        self.problem.acted.connect(self.acted)
        state.changed.connect(self._refresh)
        style.changed.connect(self._refit)
        self._refresh()

    def _set_up_scroll(self) -> None:
        """Have a problem that is higher than its share scroll, whose buttons are brought into sight by Tab."""
        scroll = self._problem_scroll
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.viewport().setAutoFillBackground(False)
        use_slim_bar(scroll, self._style)
        scroll.setWidget(self.problem)
        self.problem.setAutoFillBackground(False)  # which `setWidget` turns on
        self.problem.hide()
        scroll.hide()

    def set_centred(self, is_centred: bool) -> None:
        """Put the composer in the middle, without a rail, as in an empty conversation."""
        if is_centred != self._is_centred:
            self._is_centred = is_centred
            self._refit()

    def show_rail(self, is_shown: bool) -> None:
        """Draw the end of the chat's rail beside the composer, or not."""
        if is_shown != self._has_rail:
            self._has_rail = is_shown
            self.update()

    def set_pane_height(self, height: int) -> None:
        """Let the composer grow up to its share of this height."""
        if height != self._pane_height:
            self._pane_height = height
            self._refit()

    def take_focus(self) -> None:
        """Put the keyboard where the person goes on: the text, or the problem in its place."""
        if self.problem.isHidden():
            self.composer.focus_text()
        else:
            self.problem.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def column(self) -> Column:
        """The column in which the card stands."""
        scale = self._style.typography.scale
        return centred(self.width(), scale) if self._is_centred else column(self.width(), scale)

    def sizeHint(self) -> QSize:
        return QSize(400, _ABOVE + self._card_height() + _BELOW)

    def _card_height(self) -> int:
        if not self.problem.isHidden():
            most = round(self._pane_height * _MOST_OF_PROBLEM)
            return min(most, self.problem.wanted_height(self.column.width))
        return self.composer.wanted_height(round(self._pane_height * _MOST))

    def _refresh(self) -> None:
        card = self._state.now.card
        if not self._changes.has_changed(card, self._state.now.has_residencies):
            return
        if card is not None:
            self.problem.show_problem(card)
            self._problem_scroll.verticalScrollBar().setValue(0)
        if (card is not None) == self.problem.isHidden():
            inside = QApplication.focusWidget()
            had_focus = inside is not None and self.isAncestorOf(inside)
            self.problem.setVisible(card is not None)
            self._problem_scroll.setVisible(card is not None)
            self.composer.setVisible(card is None)
            if had_focus:
                self.take_focus()
        self._refit()

    def _refit(self) -> None:
        self.updateGeometry()
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()
        self._arrange()

    def _arrange(self) -> None:
        where = self.column
        card = QRect(where.left, _ABOVE, where.width, self.height() - _ABOVE - _BELOW)
        room = SHADOW_ROOM
        self.composer.setGeometry(card.adjusted(-room, -room, room, room))
        self._problem_scroll.setGeometry(card.adjusted(0, 0, _BAR_ROOM, 0))
        self.problem.resize(card.width(), max(card.height(), self.problem.wanted_height(card.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.window)
        if self._has_rail and not self._is_centred and self._state.now.has_residencies:
            card = self.composer if self.problem.isHidden() else self.problem
            center = QPointF(self.column.rail, _ABOVE + card.first_line)
            paint_line(painter, theme, center.x(), 0, center.y() - CLEAR, "none")
            paint_residency(painter, theme, center, "none")
        painter.end()
