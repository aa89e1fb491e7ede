"""The mouse in the chat: the row under it, text that it selects, and links that it presses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent

from app.widgets.chat.markdown.footnotes import FootnoteMark, Link
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.row_view import RowView
from app.widgets.chat.messages.text_selection import TextSelection

_LEFT = Qt.MouseButton.LeftButton
_SCROLL_EVERY = 30  # ms, while a selection is dragged beyond what is in sight


class Hit(NamedTuple):
    """A place under the mouse: a row's text, the nearest character of it, and where a link there leads."""

    number: int
    item: RowItem
    point: TextPoint
    link: Link


class Pointer(QObject):
    """Watches the chat's viewport. hovered: the row under the mouse, or -1. selection: text that was selected.

    Signals: linkAsked(address); footnoteAsked(row, mark of the footnote whose other end is asked for, where it stands).
    """

    linkAsked = Signal(str)
    footnoteAsked = Signal(int, FootnoteMark, tuple)

    def __init__(self, view: RowView) -> None:
        super().__init__(view)
        self.hovered = -1
        self.selection = TextSelection(lambda number: view.layout_of_rows.item(number).body)
        self._view = view
        self._pressed_link: Link = ""
        self._is_selecting = False
        self._dragged_to = QPointF()
        self._scroll = QTimer(self, interval=_SCROLL_EVERY)
        self._scroll.timeout.connect(self._scroll_on)
        view.viewport().installEventFilter(self)

    def forget_from(self, number: int) -> None:
        """Forget the rows from this one on: they are not under the mouse, and nothing of them is selected."""
        self.hovered = self.hovered if self.hovered < number else -1
        self.selection.forget_from(number)
        self._is_selecting = self._is_selecting and self.selection.is_begun

    def selected_text(self) -> str:
        """Return the text that is selected, or "". Messages are divided by a blank line."""
        return self._selected(as_markdown=False)

    def selected_markdown(self) -> str:
        """Return what is selected as Markdown, or ""."""
        return self._selected(as_markdown=True)

    def selected_in(self, number: int, *, as_markdown: bool) -> Iterator[str]:
        """Return the pieces of what is selected in one message, each of which takes a moment."""
        span = self.selection.of(number)
        if span is None:
            return iter(())
        return self._view.layout_of_rows.item(number).body.selected_pieces(*span, as_markdown=as_markdown)

    def _selected(self, *, as_markdown: bool) -> str:
        texts = ("".join(self.selected_in(number, as_markdown=as_markdown)) for number in self.selection.rows)
        return "\n\n".join(text for text in texts if text)

    def select_all(self, number: int) -> None:
        """Select the whole text of one message."""
        if 0 <= number < len(self._view.layout_of_rows):
            item = self._view.layout_of_rows.item(number)
            self.selection.take(number, item.body.all_of_it())
            self._view.viewport().update()

    def ask(self, number: int, link: Link, at: tuple[int, int]) -> None:
        """Ask for what a link at a place in a message leads to."""
        if isinstance(link, FootnoteMark):
            self.footnoteAsked.emit(number, link, at)
        else:
            self.linkAsked.emit(link)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Leave:
            self._hover(-1)
        elif isinstance(event, QMouseEvent):
            if kind == QEvent.Type.MouseMove:
                self._move(event)
            elif event.button() is _LEFT:
                return self._use_button(kind, event)
        return False

    def _use_button(self, kind: QEvent.Type, event: QMouseEvent) -> bool:
        """Return whether the event was for the text. A press goes on to the view, which takes the focus by it."""
        if kind == QEvent.Type.MouseButtonPress:
            is_extending = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and self.selection.is_begun
            (self._extend if is_extending else self._press)(event.position())
        elif kind == QEvent.Type.MouseButtonRelease:
            self._release(event.position())
        elif kind == QEvent.Type.MouseButtonDblClick:
            self._take_word(event.position())
            return True
        return False

    def hit(self, at: QPointF) -> Hit | None:
        """Return the text under a point, or None where there is none."""
        rows, y = self._view.layout_of_rows, at.y() + self._view.verticalOffset()
        number = rows.row_at(y)
        if number < 0:
            return None
        item = rows.item(number)
        inner = QPointF(at.x(), y - rows.top(number))
        if item.row.prefill is not None or not item.text.adjusted(-8, -4, 8, 4).contains(inner):
            return None
        place = inner - item.text.topLeft()
        point = item.body.point_at(place)
        return None if point is None else Hit(number, item, point, item.body.link_at(place))

    def _press(self, at: QPointF) -> None:
        hit = self.hit(at)
        self._is_selecting = hit is not None
        self._pressed_link = hit.link if hit else ""
        if hit is None:
            self.selection.clear()
        else:
            self.selection.begin(hit.number, hit.point)
        self._view.viewport().update()

    def _move(self, event: QMouseEvent) -> None:
        at = event.position()
        self._hover(self._view.layout_of_rows.row_at(at.y() + self._view.verticalOffset()))
        if event.buttons() & _LEFT and self._is_selecting:
            self._dragged_to = at
            self._extend(at)
            if self._beyond and not self._scroll.isActive():
                self._scroll.start()
            return
        hit = self.hit(at)
        shape = Qt.CursorShape.ArrowCursor
        if hit is not None:
            shape = Qt.CursorShape.PointingHandCursor if hit.link else Qt.CursorShape.IBeamCursor
        self._view.viewport().setCursor(shape)

    @property
    def _beyond(self) -> float:
        """The points by which the mouse has been dragged above or below what is in sight."""
        y = self._dragged_to.y()
        return min(y, 0.0) + max(y - self._view.viewport().height(), 0.0)

    def _scroll_on(self) -> None:
        """Scroll while the mouse is held beyond what is in sight: the farther, the faster."""
        if not (self._is_selecting and self._beyond):
            self._scroll.stop()
            return
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + round(self._beyond / 2 + (1 if self._beyond > 0 else -1)))
        self._extend(self._dragged_to)

    def _extend(self, at: QPointF) -> None:
        """Select to the nearest character of the message under the mouse, or of the nearest one."""
        rows, y = self._view.layout_of_rows, at.y() + self._view.verticalOffset()
        number = rows.row_at(min(max(y, 0.0), rows.top(len(rows)) - 1))
        if number < 0:
            return
        item = rows.item(number)
        inner = QPointF(at.x(), y - rows.top(number))
        point = item.body.point_at(inner - item.text.topLeft())
        if point is not None:
            self.selection.extend(number, point)
            self._view.viewport().update()

    def _release(self, at: QPointF) -> None:
        self._is_selecting = False
        self._scroll.stop()
        hit = self.hit(at)
        is_plain_click = not self.selection.rows
        if hit is not None and hit.link and hit.link == self._pressed_link and is_plain_click:
            self.ask(hit.number, hit.link, hit.point)

    def _take_word(self, at: QPointF) -> None:
        hit = self.hit(at)
        if hit is not None:
            self.selection.take(hit.number, hit.item.body.word_at(hit.point))
            self._view.viewport().update()

    def _hover(self, number: int) -> None:
        if number != self.hovered:
            self.hovered = number
            self._view.updateGeometries()
            self._view.viewport().update()
