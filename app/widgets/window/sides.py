"""Sidebar, chat and inspector beside each other; in a narrow window the outer ones lie over the chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QSplitterHandle, QWidget

from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style

INSPECTOR_NEEDS, SIDEBAR_NEEDS = 1080, 760
_SIDEBAR, _INSPECTOR, _CHAT_LEAST = 248, 352, 360


class _Handle(QSplitterHandle):
    """Takes the mouse but shows nothing: the sidebar and the inspector draw the lines."""

    def __init__(self, style: Style, parent: QSplitter) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._style = style

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._style.theme.window)
        painter.end()


class _Splitter(QSplitter):
    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._style = style
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self._style, self)


class Side:
    """The sidebar or the inspector, as it stands beside the chat or over it.

    is_wanted: the person wants it beside the chat. is_over: it lies over the chat now, or would. is_offered: it has
    something to show. usual: its width before it was widened, 0 where it was not.
    """

    def __init__(self, widget: QWidget, needs: int, width: int, slot: int) -> None:
        self.widget = widget
        self.needs = needs
        self.width = width
        self.usual = 0
        self.slot = slot
        self.is_wanted = True
        self.is_over = False
        self.is_offered = True


class Sides(QWidget):
    """The sidebar, the chat and the inspector. Widths in points.

    Signals: changed, a side came or went; left, the person goes back to writing from a side that lies over the chat;
    keyboard_lost, a side went away that had the keyboard.
    Attribute: keeps_escape, whether the window has a use for Escape of its own now.
    """

    changed = Signal()
    left = Signal()
    keyboard_lost = Signal()

    def __init__(self, style: Style, sidebar: QWidget, chat: QWidget, inspector: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.keeps_escape: Callable[[], bool] = lambda: False
        self._style = style
        self._splitter = _Splitter(style, self)
        self._chat = chat
        self._sides = {
            "sidebar": Side(sidebar, SIDEBAR_NEEDS, _SIDEBAR, 0),
            "inspector": Side(inspector, INSPECTOR_NEEDS, _INSPECTOR, 2),
        }
        chat.setMinimumWidth(_CHAT_LEAST)
        for widget in (sidebar, chat, inspector):
            self._splitter.addWidget(widget)
        self._splitter.setStretchFactor(0, 0)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setStretchFactor(2, 0)

    def restore(self, widths: tuple[int, ...], has_sidebar: bool, has_inspector: bool) -> None:
        """Take the widths of sidebar, chat and inspector, and which of them are wanted."""
        if len(widths) == 3:
            self._sides["sidebar"].width, self._sides["inspector"].width = widths[0], widths[2]
        self._sides["sidebar"].is_wanted = has_sidebar
        self._sides["inspector"].is_wanted = has_inspector
        self._arrange()
        self._share_out()

    def is_shown(self, name: str) -> bool:
        """Return whether "sidebar" or "inspector" can be seen, beside the chat or over it."""
        return not self._sides[name].widget.isHidden()

    def is_wanted(self, name: str) -> bool:
        """Return whether the person wants a side where there is room."""
        return self._sides[name].is_wanted

    def is_offered(self, name: str) -> bool:
        """Return whether a side has something to show."""
        return self._sides[name].is_offered

    def offer(self, name: str, is_offered: bool) -> None:
        """Say whether a side has something to show; it is neither beside the chat nor over it while it has not."""
        side = self._sides[name]
        if is_offered != side.is_offered:
            self._remember()
            side.is_offered = is_offered
            self._arrange()
            self._share_out()
            self.changed.emit()

    def widths(self) -> tuple[int, int, int]:
        """Return the widths of sidebar, chat and inspector, as `restore` takes them."""
        self._remember()
        sidebar, inspector = self._sides["sidebar"], self._sides["inspector"]
        return sidebar.width, self._chat.width(), inspector.usual or inspector.width

    def widen(self, name: str, least: int) -> None:
        """Give a side so many points at least; with 0, the width that it had before that."""
        side = self._sides[name]
        self._remember()
        if least > side.width:
            side.usual, side.width = side.usual or side.width, least
        elif not least and side.usual:
            side.width, side.usual = side.usual, 0
        else:
            return
        self._arrange()
        self._share_out()

    def toggle(self, name: str) -> None:
        """Show or hide one of the sides."""
        side = self._sides[name]
        if not side.is_offered:
            return
        self._remember()
        if self._has_room(side):
            side.is_wanted = not side.is_wanted
        else:
            side.is_over = not side.is_over
        self._arrange()
        self._share_out()
        self.changed.emit()

    def close_overlay(self) -> bool:
        """Put away what lies over the chat. False when nothing did."""
        over = [side for side in self._sides.values() if side.is_over]
        for side in over:
            side.is_over = False
        if over:
            self._arrange()
            self.changed.emit()
        return bool(over)

    def close_overlay_with_keyboard(self) -> bool:
        """Put away what lies over the chat where the keyboard is in it. False where it is elsewhere."""
        return self._has_keyboard() and self.close_overlay()

    def _has_keyboard(self) -> bool:
        """Return whether the keyboard is in a side that lies over the chat."""
        at = QApplication.focusWidget()
        over = [side.widget for side in self._sides.values() if side.is_over]
        return at is not None and any(one is at or one.isAncestorOf(at) for one in over)

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is in what lies over the chat, which it puts away then, and for
        the window: whose own `event` would keep other threads waiting while all that it shows is drawn.
        """
        is_kept = claim_key(event, Qt.Key.Key_Escape, when=lambda: self._has_keyboard() or self.keeps_escape())
        return is_kept or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self._has_keyboard():
            super().keyPressEvent(event)
        else:
            self.left.emit()

    def _has_room(self, side: Side) -> bool:
        return self.width() >= side.needs

    def _remember(self) -> None:
        for side in self._sides.values():
            if not side.widget.isHidden() and side.widget.parentWidget() is self._splitter:
                side.width = side.widget.width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        had_room = [event.oldSize().width() >= side.needs for side in self._sides.values()]
        has_room = [self._has_room(side) for side in self._sides.values()]
        self._splitter.setGeometry(self.rect())
        self._arrange()
        if had_room != has_room:
            self._share_out()
            self.changed.emit()

    def _arrange(self) -> None:
        """Put each side into the splitter or over it.

        The keyboard stays in its side: Qt gives that of a widget that moves or goes to any other.
        """
        at = self.focusWidget()
        held = next((side.widget for side in self._sides.values() if at and side.widget.isAncestorOf(at)), None)
        self._place()
        if at is None or held is None:
            return
        if held.isHidden():
            self.keyboard_lost.emit()
        elif self.focusWidget() is not at:
            at.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        for side in self._sides.values():
            if self._has_room(side):
                side.is_over = False
                if side.widget.parentWidget() is not self._splitter:
                    self._splitter.insertWidget(side.slot, side.widget)
                side.widget.setVisible(side.is_wanted and side.is_offered)
            else:
                self._lay_over(side)

    def _lay_over(self, side: Side) -> None:
        if side.widget.parentWidget() is not self:
            side.widget.setParent(self)
        width = min(side.width, self.width())
        if side.slot == 0:
            side.widget.setGeometry(0, 0, width, self.height())
        else:
            # Below the toolbar, which has the button that puts it away again.
            top = self._style.typography.bar
            side.widget.setGeometry(self.width() - width, top, width, self.height() - top)
        side.widget.setVisible(side.is_over and side.is_offered)
        side.widget.raise_()

    def _share_out(self) -> None:
        """Give the sides their widths, and the chat what is left."""
        inside = {side.slot: side for side in self._sides.values() if side.widget.parentWidget() is self._splitter}
        widths = {slot: side.width if side.is_wanted and side.is_offered else 0 for slot, side in inside.items()}
        widths[1] = max(_CHAT_LEAST, self.width() - sum(widths.values()))
        self._splitter.setSizes([widths[slot] for slot in sorted(widths)])
