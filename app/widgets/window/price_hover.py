"""When the price of a branch is shown: while the mouse rests on what leads there, and as the keyboard comes to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from app.viewmodels.warmth.price_card import PricedBranch, price_beside, price_card
from app.viewmodels.warmth.warmth import Warmth
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.widgets.kit.style import Style
from app.widgets.window.price_popover import PricePopover

HOVER_MS = 350
_BY_KEYS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_MOVING = (
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
)
_ENDING = (
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.Wheel,
    QEvent.Type.WindowDeactivate,
)


class Priced(NamedTuple):
    """Something that leads to a branch, and the rectangle of its widget that it takes.

    beside: another branch that the same keys lead to, the other way. warmth: returns what is known of a branch that no
    message ends, None for one that a message or its conversation does.
    """

    branch: PricedBranch
    rect: QRect
    beside: PricedBranch | None = None
    warmth: Callable[[], Warmth | None] | None = None


Under = Callable[[QPoint], Priced | None]
AtKeyboard = Callable[[], Priced | None]


class PriceHover(QObject):
    """Shows one price at a time, and takes it away when the mouse leaves, a key is pressed, or anything scrolls.

    Attribute: popover. Signal: told(object), the `PricedBranch` whose price is shown, None when it is taken away.
    """

    told = Signal(object)

    def __init__(self, style: Style, warmth: WarmthIndex, can_price: Callable[[], bool], window: QWidget) -> None:
        super().__init__(window)
        self._warmth, self._can_price, self._window = warmth, can_price, window
        self.popover = PricePopover(style, window)
        self._priced: Priced | None = None
        self._widget: QWidget | None = None
        self._described = ""
        self._rest = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._rest.timeout.connect(self._show)
        warmth.changed.connect(self.renew)
        style.changed.connect(self.hide)

    def watch(self, widget: QWidget, under: Under | None, at_keyboard: AtKeyboard | None = None) -> None:
        """Show prices over a widget. under: what leads somewhere at a point; at_keyboard: where the keyboard is."""
        _Watch(widget, self, under, at_keyboard)

    def point(self, widget: QWidget, priced: Priced | None) -> None:
        """Follow the mouse to something, or to nothing."""
        if widget is self._widget and priced == self._priced:
            return
        if widget is self._widget or priced is not None:
            self.hide()
        if priced is not None and self._can_price():
            self._begin(widget, priced)
            self._rest.start()

    def look_at(self, widget: QWidget, priced: Priced | None) -> None:
        """Follow the keyboard to something: its price is shown at once."""
        self.hide()
        if priced is not None and self._can_price():
            self._begin(widget, priced)
            self._show()

    def leave(self, widget: QWidget) -> None:
        """Take away what is shown over a widget."""
        if widget is self._widget:
            self.hide()

    def hide(self) -> None:
        """Take the price away, and forget what it was of."""
        self._rest.stop()
        widget, self._widget, self._priced = self._widget, None, None
        if widget is not None:
            widget.destroyed.disconnect(self._forget)
            application = QApplication.instance()
            if application is not None:
                application.removeEventFilter(self)
            if self.popover.isVisible():
                widget.setAccessibleDescription(self._described)
        self._put_away()

    def is_over(self, widget: QWidget) -> bool:
        """Return whether the price of something in a widget is shown or about to be."""
        return widget is self._widget

    def _begin(self, widget: QWidget, priced: Priced) -> None:
        self._widget, self._priced = widget, priced
        widget.destroyed.connect(self._forget)
        for branch in (priced.beside, priced.branch):
            if branch is not None:
                self._warmth.hurry(branch.message_id, branch.conversation_id)
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def _forget(self) -> None:
        """Let go of a widget that is gone."""
        self._rest.stop()
        self._widget = self._priced = None
        self._put_away()

    def _put_away(self) -> None:
        if self.popover.isVisible():
            self.popover.hide()
            self.told.emit(None)

    def _show(self) -> None:
        widget = self._widget
        if widget is None or not widget.isVisible():
            self.hide()
            return
        if not self.popover.isVisible():
            self._described = widget.accessibleDescription()
        self._fill()

    def _fill(self) -> None:
        widget, priced = self._widget, self._priced
        if widget is None or priced is None:
            return
        branch, other = priced.branch, priced.beside
        is_alone = priced.warmth is not None
        card = price_card(branch, self._warmth_of(branch) if priced.warmth is None else priced.warmth())
        if other is not None:
            beside = price_beside(other, self._warmth_of(other))
            card = replace(card, beside=beside, spoken=f"{card.spoken}; {beside}")
        rect = QRect(widget.mapTo(self._window, priced.rect.topLeft()), priced.rect.size())
        self.popover.show_at(card, rect, self._pane_of(widget))
        widget.setAccessibleDescription(card.spoken)
        self.told.emit(None if is_alone else branch)

    def _warmth_of(self, branch: PricedBranch) -> Warmth | None:
        if branch.message_id:
            return self._warmth.warmth_of(branch.message_id, branch.conversation_id)
        return self._warmth.warmth_of_conversation(branch.conversation_id)

    def _pane_of(self, widget: QWidget) -> QRect:
        """Return where in the window the side or the chat is that a widget belongs to."""
        pane = widget
        while (above := pane.parentWidget()) is not None and above is not self._window:
            if isinstance(above, QSplitter):
                break
            pane = above
        return QRect(pane.mapTo(self._window, QPoint(0, 0)), pane.size())

    def renew(self) -> None:
        """Show what is known now of the branch whose price is shown."""
        if self.popover.isVisible():
            self._fill()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the price away at whatever the person does next."""
        if event.type() in _ENDING:
            self.hide()
        return False


class _Watch(QObject):
    """Tells of the mouse and the keyboard in one widget; goes with it."""

    def __init__(self, widget: QWidget, hover: PriceHover, under: Under | None, at_keyboard: AtKeyboard | None) -> None:
        super().__init__(widget)
        self._widget, self._hover, self._under, self._at_keyboard = widget, hover, under, at_keyboard
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if self._under is not None and isinstance(event, QEnterEvent | QMouseEvent):
            if kind in (QEvent.Type.MouseMove, QEvent.Type.Enter):
                self._hover.point(self._widget, self._under(event.position().toPoint()))
        elif kind in (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.FocusOut):
            self._hover.leave(self._widget)
        elif kind == QEvent.Type.ToolTip:
            return self._hover.is_over(self._widget)
        elif _comes_by_keys(event):
            self._look()
        return False

    def _look(self) -> None:
        if self._at_keyboard is not None and self._widget.hasFocus():
            self._hover.look_at(self._widget, self._at_keyboard())


def _comes_by_keys(event: QEvent) -> bool:
    """Return whether the keyboard has come to a widget, or to another part of it."""
    if isinstance(event, QFocusEvent):
        return event.gotFocus() and event.reason() in _BY_KEYS
    return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyRelease and event.key() in _MOVING
