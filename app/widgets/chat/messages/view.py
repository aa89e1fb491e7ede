"""The chat: the open path as a list of messages on their rail, with the answer that is being written at its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.chat.text_marks import TextMark
from app.viewmodels.kit.action import Actions
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.kit.live_state import LiveState
from app.widgets.chat.markdown.marks import BlockMarks
from app.widgets.chat.messages.branch_name import BranchNaming
from app.widgets.chat.messages.copy_work import CopyWork
from app.widgets.chat.messages.growing_answer import GrowingAnswer
from app.widgets.chat.messages.jump_pill import JumpPill
from app.widgets.chat.messages.layout import ChatLayout, ScrollAnchor
from app.widgets.chat.messages.marked_text import marks_by_block, place_of
from app.widgets.chat.messages.message_menu import branch_action, message_menu
from app.widgets.chat.messages.message_to_edit import is_head_in_sight, message_to_edit
from app.widgets.chat.messages.passage_cursor import PassageCursor
from app.widgets.chat.messages.pointer import Pointer
from app.widgets.chat.messages.row_controls import RowControls
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.row_painter import RowContext, RowPainter
from app.widgets.chat.messages.row_view import RowView
from app.widgets.chat.messages.sideways_scroll import SidewaysScroll
from app.widgets.chat.messages.visible_controls import STRIP, visible_controls
from app.widgets.chat.rail import paint_line
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import smooth
from app.widgets.kit.item_views import menu_target
from app.widgets.kit.row_focus import RowFocus
from app.widgets.kit.style import Style

_WHEEL_STEP = 44
_PILL_ABOVE = 12
_MARK_AT = 0.35  # of the height, where a mark stands that was not in sight
_MOST_ROUNDS = 8  # of measuring what a thought that was opened has moved
_CursorAction = QAbstractItemView.CursorAction


class ChatView(RowView):
    """Shows a `ChatModel`. New text of the streaming answer is taken up at most 30 times a second.

    Nothing moves the view but what the person asks for: scrolling, keys that go from message to message, a message to
    be shown, another path, and the end while it is followed.

    Signals: versionAsked(message id, -1 or +1); editAsked, againAsked, deleteAsked, thoughtPressed(message id);
    attachmentPressed(message id, its number);
    commandAsked(id of a command, message id); menuMade(the menu of a message, which is about to be opened);
    linkAsked(address); branchNamed(message id, name);
    currentMessageChanged(id of the message that is the current one, "" for none).

    Attributes: marks_of, returns the marked places in a message; token_marks, those of a message by block, with these
    others; label_of, what stands beside the name over a message; copy_work, of what is selected over several messages.
    """

    versionAsked = Signal(str, int)
    editAsked = Signal(str)
    againAsked = Signal(str)
    deleteAsked = Signal(str)
    commandAsked = Signal(str, str)
    menuMade = Signal(object)
    thoughtPressed = Signal(str)
    attachmentPressed = Signal(str, int)
    linkAsked = Signal(str)
    branchNamed = Signal(str, str)
    currentMessageChanged = Signal(str)

    def __init__(
        self,
        style: Style,
        model: ChatModel,
        state: LiveState[ChatState],
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        """actions: those about messages, "fork", "regenerate" and "delete_message"."""
        super().__init__(style, model, "Messages", parent)
        self._style = style
        self._chat = model
        self._state = state
        self._actions = actions
        self._is_settling = True
        self._above = 0  # points from the window's top to this view
        self._above_at_first: int | None = None  # when these rows were first painted, or the least since
        self._follows_end = True
        self._has_left_end = False
        self._changes = ChangeDetector()
        self._painter = RowPainter(style)
        self._growing = GrowingAnswer(self, model)
        self._naming = BranchNaming(style, self, model.row_of)
        self._catch_up = QTimer(self, singleShot=True, interval=0)
        self._catch_up.timeout.connect(self._show_anew)
        self._focus = RowFocus(self)
        self._sideways = SidewaysScroll(self)
        self.controls = RowControls(style, self.viewport(), self, actions)
        self.pill = JumpPill(style, self.viewport())
        self.pointer = Pointer(self)
        self.copy_work = CopyWork(style, self.pointer, self)
        self.passages = PassageCursor(self, self.pointer)
        self.marks_of: Callable[[MessageRow], Sequence[TextMark]] = lambda _row: ()
        self.token_marks: Callable[[RowItem, BlockMarks], BlockMarks] = lambda _item, marks: marks
        self.label_of: Callable[[str], str] = lambda _message_id: ""
        self._connect()
        self._is_settling = False
        self.setModel(model)

    def _connect(self) -> None:
        self._growing.grew.connect(self._show_pill)
        self._naming.named.connect(self.branchNamed)
        self._state.changed.connect(self._follow_state)
        self._style.changed.connect(self._restyle)
        self._style.formulas.drawn.connect(self._renew_formulas)
        self.controls.stepped.connect(self.versionAsked)
        self.controls.acted.connect(self._act)
        self.controls.thoughtPressed.connect(partial(self._keep_in_place, self.thoughtPressed.emit))
        self.controls.attachmentPressed.connect(partial(self._keep_in_place, self.attachmentPressed.emit))
        self.controls.codeScrolled.connect(self._sideways.step)
        self.pill.clicked.connect(self.go_to_end)
        self.pointer.linkAsked.connect(self.linkAsked)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow_focus)

    # What others ask of it

    @property
    def follows_end(self) -> bool:
        """Whether new text keeps the end in sight."""
        return self._follows_end

    def go_to_end(self) -> None:
        """Show the end, and keep it in sight while text comes."""
        self._follows_end, self._has_left_end = True, False
        self.updateGeometries()

    def show_message(self, message_id: str) -> None:
        """Bring a message into sight and make it the current one."""
        number = self._chat.row_of(message_id)
        if number >= 0:
            self.executeDelayedItemsLayout()
            self.setCurrentIndex(self._chat.index(number))
            self.scrollTo(self.currentIndex())

    def show_head(self, message_id: str) -> None:
        """Bring the line over a message into sight, where its marks stand; one that is higher than the view, too."""
        number = self._chat.row_of(message_id)
        if number >= 0 and not is_head_in_sight(self, number):
            self.show_anchor(message_id, 0.0)

    def has(self, message_id: str) -> bool:
        """Return whether a message is one of those that are shown here."""
        return self._chat.row_of(message_id) >= 0

    def edit_branch_name(self, message_id: str) -> None:
        """Let the person name the branch that begins with a message, over its head."""
        self.show_message(message_id)
        number = self._chat.row_of(message_id)
        if number >= 0:
            self._naming.begin(message_id, self._chat.rows[number].branch)

    def show_mark(self, message_id: str, mark: TextMark) -> None:
        """Bring a marked place into sight, unless it is, and make its message the current one."""
        number = self._chat.row_of(message_id)
        if number < 0:
            return
        self.executeDelayedItemsLayout()
        self.setCurrentIndex(self._chat.index(number))
        for _ in range(2):  # what was an estimate on the way there is measured now
            anchor = place_of(mark, self.layout_of_rows.item(number), number)
            if anchor is not None and not self._is_in_sight(self.layout_of_rows.offset_of(anchor)):
                self._follows_end, self._has_left_end = False, True
                top = self.layout_of_rows.offset_of(anchor) - self.viewport().height() * _MARK_AT
                self._scroll_to(max(0.0, top))
                self.updateGeometries()
        self.viewport().update()

    def _is_in_sight(self, y: float) -> bool:
        top, height = self.verticalOffset(), self.viewport().height()
        return top + _WHEEL_STEP <= y <= top + height - 2 * _WHEEL_STEP

    @property
    def first_row(self) -> int:
        """The first message in sight, or 0."""
        return next(iter(self.rows_in_sight()), 0)

    def anchor(self) -> tuple[str, float]:
        """Return the message at the top of what is in sight and how many points of it are above; "" at the end."""
        row = -1 if self._follows_end else self.layout_of_rows.row_at(self.verticalOffset())
        if row < 0:
            return "", 0.0
        return self._chat.rows[row].id, self.verticalOffset() - self.layout_of_rows.top(row)

    def show_anchor(self, message_id: str, offset: float) -> None:
        """Have a message at the top, with so many points of it above."""
        number = self._chat.row_of(message_id)
        if number >= 0:
            self._is_settling = True
            self.executeDelayedItemsLayout()  # of the end of another conversation, which nobody sees
            self._is_settling = self._follows_end = False
            for _ in range(2):  # what comes into sight is measured and may be higher than was thought
                self._scroll_to(self.layout_of_rows.offset_of(ScrollAnchor(number, None, offset)))
                self._measure()
            self._show_controls()

    def copy(self, *, as_markdown: bool = False) -> bool:
        """Copy the selected text, else the message that the keyboard is on. False when there is neither.

        What goes over several messages is on the clipboard when `copy_work` is done.
        """
        row = self.current_row() if self._has_focus_within() or as_markdown else None
        return self.copy_work.copy(self._chat.rows, self.pointer.selection.rows, row, as_markdown=as_markdown)

    def step(self, by: int) -> bool:
        """Take the keyboard to the message so many below the one it is on; from elsewhere to the last one in sight.

        Return whether there is one.
        """
        number = self._row_looked_at + (by if self.keyboard_row >= 0 else 0)
        if len(self._chat.rows):
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.setCurrentIndex(self._chat.index(min(max(number, 0), len(self._chat.rows) - 1)))
            self.scrollTo(self.currentIndex())
        return 0 <= number < len(self._chat.rows)

    def current_row(self) -> MessageRow | None:
        """Return the message that is current, if there is one."""
        index = self.currentIndex()
        row: MessageRow | None = index.data(RowRole.ROW) if index.isValid() else None
        return row

    @property
    def keyboard_row(self) -> int:
        """The row that the keyboard is on, or -1 while the keyboard is elsewhere."""
        return self.currentIndex().row() if self._has_focus_within() else -1

    @property
    def question_to_edit(self) -> str | None:
        """Id of the question that is looked at."""
        return message_to_edit(self, self._chat.rows, self.keyboard_row, "user")

    @property
    def answer_to_edit(self) -> str | None:
        """Id of the answer that is looked at."""
        return message_to_edit(self, self._chat.rows, self.keyboard_row, "assistant")

    @property
    def _row_looked_at(self) -> int:
        """The row that the keyboard is on, else the last one in sight; -1 without rows."""
        return self.keyboard_row if self.keyboard_row >= 0 else max(self.rows_in_sight(), default=-1)

    # The model

    def reset(self) -> None:
        """Take all rows anew."""
        super().reset()
        self.layout_of_rows.cut(0)
        self.layout_of_rows.extend()
        self._begin()
        self.lay_out_soon()

    def _begin(self) -> None:
        """Show the end of another conversation, whatever was taken from the top of the view before."""
        self._follows_end, self._has_left_end = True, False
        self._above_at_first = None
        self._scroll_to(0)

    def rowsInserted(self, parent: AnyIndex, start: int, end: int) -> None:
        """Follow an answer that begins, unless the person has scrolled away since asking."""
        self.layout_of_rows.extend()
        if self._chat.rows[end].is_streaming and not self._has_left_end:
            self._follows_end = True
        self.lay_out_soon()
        super().rowsInserted(parent, start, end)

    def rowsAboutToBeRemoved(self, parent: AnyIndex, start: int, end: int) -> None:
        """Keep a fork where it is when another branch is shown below it; show the end of another conversation."""
        super().rowsAboutToBeRemoved(parent, start, end)
        self._follows_end, self._has_left_end = False, False
        if start == 0:
            self._begin()
        self.layout_of_rows.cut(start)
        self.pointer.forget_from(start)
        self.lay_out_soon()

    def dataChanged(self, topLeft: AnyIndex, bottomRight: AnyIndex, roles: Sequence[int] = ()) -> None:
        """Take the new state of rows; only new text is laid out."""
        for number in range(topLeft.row(), bottomRight.row() + 1):
            self.layout_of_rows.renew(number)
        self.lay_out_soon()

    def _show_pill(self) -> None:
        self.pill.setVisible(not self._follows_end)

    # Geometry

    def updateGeometries(self) -> None:
        """Measure what is in sight, and keep still what the person looks at."""
        if not self._is_settling:
            self._measure()
            self._show_controls()

    def _measure(self) -> None:
        rows, offset = self.layout_of_rows, self._offset_after_resize()
        height = self.viewport().height()
        self._scroll_to(rows.come_to_rest(offset, height, is_at_end=self._follows_end, covered=self._covered))
        if rows.is_behind:
            self._catch_up.start()
        self._follows_end = self._is_at_end
        if self._follows_end:
            self.pill.hide()
        else:
            self._place_pill()

    def _show_anew(self) -> None:
        """Measure and paint again what is in sight, and what was too much for the turn before."""
        self.updateGeometries()
        self.viewport().update()

    def _offset_after_resize(self) -> float:
        """Return the scroll offset; in another width that at which the same message stands at the top."""
        rows, offset = self.layout_of_rows, float(self.verticalOffset())
        if rows.is_for(self.width()):
            return offset
        anchor = rows.anchor_at(offset)
        rows.set_pane(self.width())
        return offset if anchor is None else rows.offset_of(anchor)

    def _restyle(self) -> None:
        """Lay everything out anew for another theme or text size, at the same position."""
        anchor = self.layout_of_rows.anchor_at(self.verticalOffset())
        self._painter = RowPainter(self._style)
        self.layout_of_rows = ChatLayout(self._style, self._chat)
        self.layout_of_rows.set_pane(self.width())
        self.layout_of_rows.extend()
        if anchor is not None:
            self._scroll_to(self.layout_of_rows.offset_of(anchor))
        self._show_anew()

    def _renew_formulas(self) -> None:
        """Show the formulas of which it is known now how they are drawn; what is at the top stays there."""
        if self.layout_of_rows.renew_formulas():
            self._show_anew()

    def _scroll_to(self, offset: float) -> None:
        """Set the scroll bar, which is not heard as the person's doing."""
        was_settling, self._is_settling = self._is_settling, True
        height, bar = self.viewport().height(), self.verticalScrollBar()
        bar.setRange(0, self._limit)
        bar.setPageStep(height)
        bar.setValue(round(offset))
        self._is_settling = was_settling

    @property
    def _covered(self) -> int:
        """Points that a bar has taken from the top of the view since these rows are shown.

        Rows that have room for themselves are scrolled by as much, so that they stay where they are.
        """
        return 0 if self._above_at_first is None else self._above - self._above_at_first

    @property
    def _limit(self) -> int:
        return max(self.layout_of_rows.limit(self.viewport().height()), self._covered)

    @property
    def _is_at_end(self) -> bool:
        return self.verticalOffset() >= self.layout_of_rows.limit(self.viewport().height()) - 1

    def _place_pill(self) -> None:
        self.pill.adjustSize()
        middle = self.layout_of_rows.column.left + self.layout_of_rows.column.width // 2
        self.pill.move(middle - self.pill.width() // 2, self.viewport().height() - self.pill.height() - _PILL_ABOVE)
        self.pill.raise_()

    # Scrolling and the keyboard

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Measure what came into sight. Reaching the end means following it."""
        if not self._is_settling:
            self._follows_end = self._is_at_end
            self._has_left_end = not self._follows_end
            self.updateGeometries()
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll code or a table sideways where the mouse is on it, else the chat."""
        if self._sideways.take(event):
            event.accept()
        else:
            super().wheelEvent(event)

    def moveCursor(self, cursorAction: _CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Return the message that a key leads to: up and down go from message to message."""
        last = len(self._chat.rows) - 1
        now = self.currentIndex().row()
        if last < 0:
            return QModelIndex()
        if now < 0:
            return self._chat.index(last)
        step = {
            _CursorAction.MoveUp: -1,
            _CursorAction.MovePrevious: -1,
            _CursorAction.MoveDown: 1,
            _CursorAction.MoveNext: 1,
            _CursorAction.MoveHome: -now,
            _CursorAction.MoveEnd: last - now,
        }.get(cursorAction, 0)
        return self._chat.index(min(max(now + step, 0), last))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show versions with Left and Right, scroll by pages, copy; other keys move between messages."""
        key, row = event.key(), self.current_row()
        by_space = -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        pages = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1, Qt.Key.Key_Space: by_space}
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.pointer.select_all(self.currentIndex().row())
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not _has_command(event):
            if row is not None and row.versions > 1:
                self.versionAsked.emit(row.id, -1 if key == Qt.Key.Key_Left else 1)
        elif key in pages and not _has_command(event):
            self._turn_page(pages[Qt.Key(key)])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
            self.scrollTo(self.currentIndex())
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the message under the mouse, or of the one that the keyboard is on."""
        index, at = menu_target(self, event)
        if index.isValid():
            self._open_menu(index.row(), at)

    def _turn_page(self, way: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + way * (bar.pageStep() - _WHEEL_STEP))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Take the keyboard to the message it was on while that is in sight, else to the last one in sight."""
        in_sight = self.rows_in_sight()
        if in_sight and self.currentIndex().row() not in in_sight:
            self.setCurrentIndex(self._chat.index(in_sight[-1]))
        super().focusInEvent(event)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        row = self.current_row()
        self.currentMessageChanged.emit(row.id if row is not None else "")
        self.lay_out_soon()

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if any(widget is not None and (widget is self or self.isAncestorOf(widget)) for widget in (old, now)):
            self.lay_out_soon()

    def _has_focus_within(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def _follow_state(self) -> None:
        if self._changes.has_changed(self._state.now.message_actions, self._state.now.refusal):
            self.lay_out_soon()

    def _show_controls(self) -> None:
        now = self._state.now
        self.controls.show(visible_controls(self, self._active_rows, now.message_actions), now.refusal)
        self._naming.place()

    @property
    def _active_rows(self) -> tuple[int, ...]:
        """The rows with all their controls: under the mouse, under the keyboard, and the last answer."""
        return self.pointer.hovered, self.keyboard_row, len(self.layout_of_rows) - 1

    def _keep_in_place(self, ask: Callable[..., object], *about: object) -> None:
        """Have a thought or an attachment opened or folded below its line, which stays where it is."""
        rows, offset = self.layout_of_rows, self.verticalOffset()
        self._follows_end = False
        ask(*about)
        for _ in range(_MOST_ROUNDS):
            limit = self._limit
            if not rows.settle(offset, offset + self.viewport().height()).changed:
                break
        self._scroll_to(min(offset, limit))
        self._show_anew()

    def _act(self, action_id: str, message_id: str) -> None:
        """Carry out what a button of a message says, or its menu."""
        asks = {"fork": self.editAsked, "regenerate": self.againAsked, "delete_message": self.deleteAsked}
        if action_id in asks:
            asks[action_id].emit(message_id)
        else:
            self.commandAsked.emit(action_id, message_id)

    def _open_menu(self, number: int, at: QPoint) -> None:
        """Open the menu of a message at a place on screen."""
        row, now = self._chat.rows[number], self._state.now
        goes_on = now.can_continue and number == len(self._chat.rows) - 1 and bool(row.note)
        menu = message_menu(
            *(row, self._actions, partial(self._copy_row, row), lambda action_id: self._act(action_id, row.id), self),
            copy_whole=self.copy_work.copy_whole,
            can_branch=branch_action(row) in now.message_actions and not row.is_streaming,
            can_pin=now.can_pin and not row.is_streaming,
            more=[verb for verb, can in (("answer", row.is_unanswered), ("continue", goes_on)) if can],
            is_selected=number in self.pointer.selection.rows,
            refusal=now.refusal,
        )
        self.menuMade.emit(menu)
        menu.popup(at)

    def _copy_row(self, row: MessageRow, as_markdown: bool) -> None:
        """Copy a message, or what is selected if that is of it."""
        selected = self.pointer.selection.rows
        selected = selected if self._chat.row_of(row.id) in selected else range(0)
        self.copy_work.copy(self._chat.rows, selected, row, as_markdown=as_markdown)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._above_at_first is None:
            self._above_at_first = self._above
        self.executeDelayedItemsLayout()
        rows, offset, clip = self.layout_of_rows, self.verticalOffset(), QRectF(event.rect())
        painter = smooth(QPainter(self.viewport()))
        painter.fillRect(clip, self._style.theme.window)
        for number in rows.in_sight(offset + clip.top(), offset + clip.bottom()):
            top = round(rows.top(number)) - offset
            self._painter.paint(painter, rows.item(number), top, rows.column, clip, self._context(number))
        end = round(rows.top(len(rows))) - offset
        last = self._chat.rows[-1].residency if len(rows) else None
        if last is not None and end < clip.bottom():
            gap = 0 if last == "none" else 4
            paint_line(painter, self._style.theme, rows.column.rail, end + gap, self.viewport().height(), "none")
        painter.end()

    def _context(self, number: int) -> RowContext:
        rows, item = self._chat.rows, self.layout_of_rows.item(number)
        label = self.label_of(item.row.id)
        return RowContext(
            above=rows[number - 1].residency if number else None,
            selection=self.pointer.selection.of(number),
            is_ringed=self._focus.is_shown and number == self.currentIndex().row() and not label,
            actions=STRIP if number in self._active_rows else 0,
            marks=self.token_marks(item, marks_by_block(self.marks_of(rows[number]), item)),
            label=label,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep what is in sight where it was, when something comes or goes above the chat or grows over its end."""
        was_end_in_sight = self.layout_of_rows.top(len(self.layout_of_rows)) <= (
            self.verticalOffset() + event.oldSize().height()
        )
        offset, came_above = self.verticalOffset(), self._take_what_is_above()
        super().resizeEvent(event)
        if came_above:
            self._scroll_to(offset + came_above)
        elif was_end_in_sight and not self._follows_end:
            end = self.layout_of_rows.top(len(self.layout_of_rows))
            self._scroll_to(max(self.verticalOffset(), math.ceil(end) - self.viewport().height()))
        self.updateGeometries()

    def _take_what_is_above(self) -> int:
        """Note how far the view is from the window's top; return by how many points it has gone down since."""
        above, before = self.mapTo(self.window(), QPoint(0, 0)).y(), self._above
        self._above = above
        if self._above_at_first is not None:
            self._above_at_first = min(self._above_at_first, above)
        is_new = self._above_at_first is None and self._follows_end
        return above - before if self.isVisible() and not is_new else 0


def _has_command(event: QKeyEvent) -> bool:
    mask = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
    return bool(event.modifiers() & mask)
