"""Option with Up and Down: from passage to passage within a message, and on into its neighbours.

With Left and Right code and tables that are wider than the column are scrolled. Tab goes from link to link within the
message, and on to what is below it; Return asks to open the link that was come to, and goes from a footnote's mark to
the note and back.
What was come to is selected, so that it is seen and can be copied, and a screen reader says what it is.
"""

from __future__ import annotations

import sys
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QAccessible, QKeyEvent

from app.widgets.chat.markdown.footnotes import FootnoteMark
from app.widgets.chat.messages.message_body import MessageBody, TextPoint
from app.widgets.chat.messages.passages import Passage, PassageKind
from app.widgets.chat.messages.pointer import Pointer
from app.widgets.chat.messages.row_view import WHEEL_STEP, RowView
from app.widgets.kit.accessible import RowPart, announce, speak_rows
from app.widgets.kit.tips import show_tip

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_LINK_STEPS = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MOVES = Qt.KeyboardModifier.KeypadModifier  # the arrow keys of a Mac have it
_OPTION = "Option" if sys.platform == "darwin" else "Alt"
_LONGEST_SPOKEN = 4000
_ROLES = {PassageKind.HEADING: QAccessible.Role.Heading, PassageKind.LINK: QAccessible.Role.Link}


class PassageCursor(QObject):
    """Watches the chat's keys, and tells screen readers of the passages of each message."""

    def __init__(self, view: RowView, pointer: Pointer) -> None:
        super().__init__(view)
        self._view = view
        self._pointer = pointer
        self._came_from = (-1, "", (0, 0))  # row, label and place of the footnote that was followed last
        view.installEventFilter(self)
        pointer.footnoteAsked.connect(self._follow_footnote)
        view.setAccessibleDescription(
            f"Up and Down go from message to message; with {_OPTION}, from paragraph to paragraph within one. "
            "Tab goes from link to link within a message, and Return opens one."
        )
        speak_rows(view, self._parts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key, is_option = Qt.Key(event.key()), event.modifiers() & ~_MOVES == Qt.KeyboardModifier.AltModifier
            if is_option and key in _STEPS:
                self.step(_STEPS[key])
                return True
            if is_option and key in _SIDEWAYS:
                return self.scroll(_SIDEWAYS[key])
            if key in _LINK_STEPS and not event.modifiers() & ~_MOVES & ~Qt.KeyboardModifier.ShiftModifier:
                return self.step_link(_LINK_STEPS[key])
            if key in _ENTER and not event.modifiers() & ~_MOVES:
                return self._open_link()
        return False

    def step(self, way: int) -> None:
        """Go to the passage after (+1) or before (-1) what is selected in the current message, or to its first or last.

        From the last one it goes on in the message below, from the first one in that above.
        """
        rows, number = self._view.layout_of_rows, self._view.currentIndex().row()
        if number < 0:
            number = len(rows) - 1
        selected = self._pointer.selection.of(number) if 0 <= number < len(rows) else None
        while 0 <= number < len(rows):
            found = rows.item(number).body.passages()
            beyond = [one for one in found if selected is None or (TextPoint(*one.first) > selected[0]) is (way > 0)]
            if selected is not None and way < 0:
                beyond = [one for one in beyond if TextPoint(*one.first) != selected[0]]
            if beyond:
                self._come_to(number, beyond[0 if way > 0 else -1])
                return
            number, selected = number + way, None

    def step_link(self, way: int) -> bool:
        """Go to the link after (+1) or before (-1) the one that is selected; False where the message has none there.

        From the first link it goes back to the message itself.
        """
        number = self._view.currentIndex().row()
        if number < 0:
            return False
        body, selected = self._view.layout_of_rows.item(number).body, self._pointer.selection.of(number)
        found = body.links()
        at = self._link_at(number)
        if at is not None:
            at += way
        elif way > 0:
            at = next((at for at, one in enumerate(found) if selected is None or one.first >= selected[0]), len(found))
        else:
            return False
        show_tip(QPoint(), "", self._view)
        if 0 <= at < len(found):
            self._come_to(number, found[at])
            rect = self._rect(number, found[at])
            show_tip(self._view.viewport().mapToGlobal(rect.bottomLeft()), body.link_tip(found[at].link), self._view)
            return True
        if selected is not None:
            self._pointer.selection.clear()
            self._view.viewport().update()
        return way < 0

    def _link_at(self, number: int) -> int | None:
        """Return which link of a message is what is selected, or None."""
        found = self._view.layout_of_rows.item(number).body.links() if number >= 0 else []
        selected = self._pointer.selection.of(number)
        return next((at for at, one in enumerate(found) if (one.first, one.last) == selected), None)

    def _open_link(self) -> bool:
        """Ask to open the link that was come to; False where there is none."""
        number = self._view.currentIndex().row()
        at = self._link_at(number)
        if at is None:
            return False
        found = self._view.layout_of_rows.item(number).body.links()[at]
        self._pointer.ask(number, found.link, found.first)
        return True

    def _follow_footnote(self, number: int, mark: FootnoteMark, at: tuple[int, int]) -> None:
        """Go to the other end of a footnote, which is brought into sight; what is said is the passage it stands in."""
        show_tip(QPoint(), "", self._view)
        body = self._view.layout_of_rows.item(number).body
        # Of several places that refer to a note, back to the one that was left.
        row, label, place = self._came_from
        found = body.footnote(mark.other, place if (row, label) == (number, mark.label) else (0, 0))
        if found is not None:
            if not mark.is_note:
                self._came_from = number, mark.label, at
            self._come_to(number, found, body.passage_around(found))

    def scroll(self, way: int) -> bool:
        """Scroll the code or table that is selected by a third of its width; False where none is."""
        number = self._view.currentIndex().row()
        selected = self._pointer.selection.of(number)
        if selected is None:
            return False
        item = self._view.layout_of_rows.item(number)
        has_moved = item.body.scroll_wide(selected[0].block, way * item.text.width() / 3)
        self._view.viewport().update()
        return has_moved

    def _come_to(self, number: int, passage: Passage, said: Passage | None = None) -> None:
        """Select a passage and bring it into sight. said: what is told instead of it."""
        body = self._view.layout_of_rows.item(number).body
        self._view.setCurrentIndex(self._view.model().index(number, 0))
        self._pointer.selection.take(number, (TextPoint(*passage.first), TextPoint(*passage.last)))
        for _ in range(2):  # what was an estimate on the way there is measured now
            rect, bar = self._rect(number, passage), self._view.verticalScrollBar()
            height = self._view.viewport().height()
            if rect.top() < WHEEL_STEP or rect.bottom() > height - WHEEL_STEP:
                is_below = rect.top() >= WHEEL_STEP and rect.height() < height - 2 * WHEEL_STEP
                by = rect.bottom() - height + WHEEL_STEP if is_below else rect.top() - WHEEL_STEP
                bar.setValue(bar.value() + by)
        self._view.viewport().update()
        announce(self._view, spoken(body, said or passage))

    def _rect(self, number: int, passage: Passage) -> QRect:
        item = self._view.layout_of_rows.item(number)
        place = item.body.passage_rect(passage)
        row = QRectF(self._view.row_rect(number))
        return place.translated(item.text.topLeft() + row.topLeft()).toAlignedRect()

    def _parts(self, number: int) -> list[RowPart]:
        rows = self._view.layout_of_rows
        if not 0 <= number < len(rows):
            return []
        body = rows.item(number).body
        parts = list[RowPart]()
        for one in body.passages():
            cells = body.table_rows(one)
            links = (link for link in body.links() if one.first <= link.first < one.last)
            for row in cells:
                said = f"{one.says}: {row.says}" if row is cells[0] else row.says
                parts.append(RowPart(role_of(row), partial(str, said), partial(self._rect, number, row)))
            if not cells:
                parts.append(RowPart(role_of(one), partial(spoken, body, one), partial(self._rect, number, one)))
            for link in links:
                press = partial(self._pointer.ask, number, link.link, link.first)
                words = _link_words(body, link)
                parts.append(RowPart(role_of(link), partial(str, words), partial(self._rect, number, link), press))
        return parts


def role_of(passage: Passage) -> QAccessible.Role:
    """Return what a passage is told as: a Mac knows headings, and goes from one to the next."""
    return _ROLES.get(passage.kind, QAccessible.Role.StaticText)


def spoken(body: MessageBody, passage: Passage) -> str:
    """Say a passage: what it is, and its words. Each cell of a table is said after the name of its column."""
    if passage.kind is PassageKind.TABLE:
        words = "\n".join(row.says for row in body.table_rows(passage))
    elif passage.kind is PassageKind.LINK:
        words = _link_words(body, passage)
    else:
        words = body.selected_text(TextPoint(*passage.first), TextPoint(*passage.last)).strip()
    if len(words) > _LONGEST_SPOKEN:
        words = f"{words[:_LONGEST_SPOKEN]}…"
    return ": ".join(filter(None, [passage.says, words]))


def _link_words(body: MessageBody, link: Passage) -> str:
    """Return what a link reads, and where it leads unless it reads so; of a footnote only that."""
    if isinstance(link.link, FootnoteMark):
        return link.link.says
    words = body.selected_text(TextPoint(*link.first), TextPoint(*link.last)).strip()
    return ", ".join(dict.fromkeys(filter(None, [words, link.link])))
