"""Token mode in the chat: its keys, the mouse over an answer's words, and the card of the token that is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.viewmodels.tokens.token_mode import TokenMode
from app.widgets.chat.markdown.marks import BlockMarks
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.row_view import WHEEL_STEP
from app.widgets.chat.messages.view import ChatView
from app.widgets.chat.tokens.own_words import OwnWords
from app.widgets.chat.tokens.token_places import BlockRange, TokenMarks, TokenPlaces
from app.widgets.chat.tokens.token_popover import TokenPopover
from app.widgets.kit.accessible import announce
from app.widgets.kit.style import Style

HOVER_MS = 350
_LEFT = Qt.MouseButton.LeftButton
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_LABEL = "token mode"


class TokenCursor(QObject):
    """Watches a chat while one of its answers is in token mode.

    Attributes: popover; words, the field in which own words are typed, in the popover's foot.
    """

    def __init__(self, style: Style, view: ChatView, mode: TokenMode) -> None:
        super().__init__(view)
        self._style, self._view, self._mode = style, view, mode
        self._places: TokenPlaces | None = None
        self._position = -1  # of the token that was brought into sight last
        self._before: QWidget | None = None  # had the keyboard before token mode
        self.popover: TokenPopover | None = None
        self.words: OwnWords | None = None
        self._under = QPointF()
        self._rest = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._rest.timeout.connect(self._look_under_mouse)
        view.token_marks = self.marks
        view.label_of = self.label
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)
        view.verticalScrollBar().valueChanged.connect(self._show)
        mode.opened.connect(self._on_opened)
        mode.moved.connect(self._come_to)
        mode.state.refreshed.connect(self._show)  # what is shown at once may be told of to nobody
        style.changed.connect(self._show)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    # What is shown

    def marks(self, item: RowItem, others: BlockMarks) -> BlockMarks:
        """Return the marks of a message's words, with those of its tokens where it is in token mode."""
        if self._places is None or item.row.id != self._mode.state.now.message_id:
            return others
        return TokenMarks(self._places, item, self._mode.state.now.position, others)

    def label(self, message_id: str) -> str:
        """Return what stands beside the name over a message."""
        return _LABEL if message_id == self._mode.state.now.message_id else ""

    def _on_opened(self) -> None:
        tokens = self._mode.tokens
        if self._places is None:
            self._before = QApplication.focusWidget()
        self._places = None if tokens is None else TokenPlaces(tokens, self._style)
        self._position = -1
        self._rest.stop()
        if tokens is None:
            self._put_away()
            self._give_back_focus()
        else:
            number = self._number
            if number >= 0:
                self._view.setCurrentIndex(self._view.model().index(number, 0))
            self._view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            announce(self._view, f"Token mode, {len(tokens)} tokens")
        self._view.viewport().update()

    def _give_back_focus(self) -> None:
        """Give the keyboard back to what had it before, if it is where token mode took it to."""
        before, self._before = self._before, None
        is_there = before in QApplication.allWidgets()  # a field that a name was typed into is gone
        if before is not None and is_there and before.isVisible() and self._has_focus():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _come_to(self) -> None:
        """Bring the token that is looked at into sight."""
        state, number = self._mode.state.now, self._number
        if self._places is None or state.position < 0 or number < 0:
            self._put_away()
            return
        if self._mode.tokens is not None and self._mode.tokens.choices[state.position].is_thinking:
            thought = self._item(number).row.thought
            if thought is not None and not thought.is_open:
                self._view.thoughtPressed.emit(state.message_id)
        for _ in range(2):  # what was an estimate on the way there is measured now
            rect, bar = self._rect(), self._view.verticalScrollBar()
            if rect is None:
                break
            height = self._view.viewport().height()
            if rect.top() < 0 or rect.bottom() > height:
                by = rect.bottom() - height + WHEEL_STEP if rect.top() >= 0 else rect.top() - WHEEL_STEP
                bar.setValue(bar.value() + by)
        self._view.viewport().update()
        self._show()
        announce(self._view, state.spoken)

    def _show(self) -> None:
        """Show the card of the token that is looked at, where it stands now.

        With own words in it the card stays, at the edge where the token left the view.
        """
        state, rect = self._mode.state.now, self._rect()
        view, window = self._view, self._view.window()
        is_in_sight = rect is not None and view.isVisible() and rect.intersects(view.viewport().rect())
        if rect is not None and not is_in_sight and self._is_writing:
            rect.moveTop(max(0, min(rect.top(), view.viewport().height() - rect.height())))
            is_in_sight = view.isVisible()
        if not is_in_sight or rect is None or not self._has_focus():
            self._put_away()
            return
        if self.popover is None:
            self._make_popover(window)
        popover = self.popover
        assert popover is not None
        chosen = popover.state.chosen
        at = view.viewport().mapTo(window, rect.topLeft())
        pane = QRect(view.mapTo(window, QPoint(0, 0)), view.size())
        popover.show_token(state, QRect(at, rect.size()), pane)
        if self.words is not None:
            self.words.place(popover.words_rect)
            self.words.setAccessibleDescription(state.spoken_words)
        if state.chosen != chosen and state.position == self._position:
            announce(view, state.spoken_choice)
        self._position = state.position

    def _make_popover(self, window: QWidget) -> None:
        self.popover = TokenPopover(self._style, window)
        self.popover.pointed.connect(self._point_at_row)
        self.popover.pressed.connect(self._press_row)
        self.words = OwnWords(self._style, self.popover)
        self.words.written.connect(self._mode.write)
        self.words.typed.connect(self._mode.type)
        self.words.closed.connect(self._view.setFocus)

    def _put_away(self) -> None:
        """Hide the card. The keyboard goes from its field to the chat: Qt would give it to any other widget."""
        if self._is_writing and self._view.window().focusWidget() is self.words:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.popover is not None:
            self.popover.hide()
        if self.words is not None:
            self.words.hide()

    def _point_at_row(self, number: int) -> None:
        """Follow the mouse to a row, unless what is looked at are own words."""
        if not self._is_writing:
            self._mode.choose_row(number)

    def _press_row(self, number: int) -> None:
        self._mode.choose_row(number)
        self._mode.fork()

    # Where it is

    @property
    def _number(self) -> int:
        return self._view.layout_of_rows.row_of(self._mode.state.now.message_id)

    def _item(self, number: int) -> RowItem:
        return self._view.layout_of_rows.item(number)

    def _place(self) -> BlockRange | None:
        position, number = self._mode.state.now.position, self._number
        if self._places is None or position < 0 or number < 0:
            return None
        return self._places.place(self._item(number), position)

    def _rect(self) -> QRect | None:
        """Return where the last line of the token stands in the viewport, None where it is not shown."""
        place, places = self._place(), self._places
        if place is None or places is None:
            return None
        rects = places.rects(self._item(self._number), place)
        if not rects:
            return None
        row = self._view.row_rect(self._number)
        return rects[-1].translated(QPointF(row.topLeft())).toAlignedRect().adjusted(0, 0, 1, 0)

    def _token_at(self, at: QPointF) -> int | None:
        hit = self._view.pointer.hit(at)
        if self._places is None or hit is None or hit.item.row.id != self._mode.state.now.message_id:
            return None
        row = self._view.row_rect(hit.number)
        return self._places.token_at(hit.item, hit.point, at - QPointF(row.topLeft()))

    def _has_focus(self) -> bool:
        """Return whether the keyboard is here, or will be when the window is in front again."""
        focused = self._view.window().focusWidget()
        return focused is not None and (focused in (self._view, self.words) or self._view.isAncestorOf(focused))

    def _follow_focus(self, _old: QWidget | None, _now: QWidget | None) -> None:
        if self._places is not None:
            self._show()

    # Keys and mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._places is None:
            return False
        kind = event.type()
        if isinstance(event, QKeyEvent) and watched is self._view:
            act = self._act_of(event)
            if kind == QEvent.Type.ShortcutOverride and act is not None:
                event.accept()
                return True
            if kind == QEvent.Type.KeyPress and act is not None:
                act()
                return True
        elif isinstance(event, QMouseEvent):
            self._follow_mouse(kind, event)
        elif isinstance(event, QContextMenuEvent):
            return self._open_menu(event)
        elif kind in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._rest.stop()
        return False

    def _act_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a key does in token mode, None for one that does what it always does."""
        mode, key, text = self._mode, Qt.Key(event.key()), event.text()
        if event.modifiers() & _COMMANDS:
            return None
        every = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        acts: dict[Qt.Key, Callable[[], object]] = {
            Qt.Key.Key_Left: partial(mode.step, -1, every=every),
            Qt.Key.Key_Right: partial(mode.step, 1, every=every),
            Qt.Key.Key_Up: partial(mode.choose, -1),
            Qt.Key.Key_Down: partial(mode.choose, 1),
            Qt.Key.Key_Return: mode.fork,
            Qt.Key.Key_Enter: mode.fork,
            Qt.Key.Key_Escape: mode.close,
        }
        if key in acts:
            return acts[key]
        if text in tuple("2345678") and mode.state.now.position >= 0:
            return partial(mode.fork_ways, int(text))
        return partial(self._write, text) if text.isprintable() and text.strip() else None

    def _write(self, text: str) -> None:
        """Begin own words in the place of the token."""
        if self.words is not None and self.popover is not None and self.popover.isVisible():
            self.words.begin(text, self.popover.words_rect)

    def _follow_mouse(self, kind: QEvent.Type, event: QMouseEvent) -> None:
        self._under = event.position()
        if kind == QEvent.Type.MouseMove and not event.buttons():
            self._rest.start()
        elif kind == QEvent.Type.MouseButtonRelease and event.button() is _LEFT:
            self._rest.stop()
            if not self._view.pointer.selection.rows:
                self._look_under_mouse()

    def _look_under_mouse(self) -> None:
        number = self._token_at(self._under)
        if number is not None and number != self._mode.state.now.position and not self._is_writing:
            self._mode.point(number)

    @property
    def _is_writing(self) -> bool:
        return self.words is not None and self.words.isVisible()

    def _open_menu(self, event: QContextMenuEvent) -> bool:
        """Open the menu of a token. False where there is none under the mouse."""
        is_by_keys = event.reason() is QContextMenuEvent.Reason.Keyboard
        number = self._mode.state.now.position if is_by_keys else self._token_at(QPointF(event.pos()))
        if number is None or number < 0:
            return False
        self._mode.point(number)
        menu = self.menu()
        rect = self._rect()
        at = self._view.viewport().mapToGlobal(rect.bottomLeft()) if is_by_keys and rect else event.globalPos()
        menu.popup(at)
        return True

    def menu(self) -> QMenu:
        """Return what can be done at the token that is looked at."""
        mode, menu = self._mode, QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        deed = mode.state.now.deed
        menu.addAction(f"{deed[:1].upper()}{deed[1:]}", mode.fork)
        for count in range(2, mode.ways + 1):
            menu.addAction(f"Branch Here {count} Ways", partial(mode.fork_ways, count))
        menu.addSeparator()
        menu.addAction("Leave Token Mode", mode.close)
        return menu
