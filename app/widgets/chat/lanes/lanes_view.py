"""Several answers to one question in columns, in the chat's place: the question, what they share, and each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.chat.text_marks import TextMark
from app.viewmodels.kit.action import Actions
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.lanes.lanes import Lanes
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.chat.lanes.lane_column import LaneColumn
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.drawing import draw_text, fill_ground, fill_rounded, smooth, whole_parts, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

LEAST_COLUMN = 300  # points, at the usual text size
_MOST_NEEDED = 3  # columns that must have room for all of them to be columns
_EDGE, _BETWEEN, _ABOVE, _BELOW = 24, 20, 16, 12
_BUBBLE_SIDE, _BUBBLE_ABOVE, _BUBBLE_RADIUS, _LINES = 16, 10, 10, 2
_TO_PREFIX, _TO_FORK, _FORK, _CORNER, _BAR = 12, 10, 14, 7, 62
_INSET = 22  # of the arm above a column


class LanesView(QWidget):
    """Columns, as many as have room; the others come into sight with the keyboard, or by the buttons at the ends.

    Attributes: columns; earlier and later, the buttons; close_button; marks_of, returns the marked places in a message.
    Signals: as of `ChatView`, from any column; columnMade(LaneColumn), there is another one.
    """

    editAsked = Signal(str)
    againAsked = Signal(str)
    deleteAsked = Signal(str)
    commandAsked = Signal(str, str)
    menuMade = Signal(object)
    linkAsked = Signal(str)
    branchNamed = Signal(str, str)
    currentMessageChanged = Signal(str)
    copied = Signal(int)
    columnMade = Signal(object)

    def __init__(
        self,
        style: Style,
        lanes: Lanes,
        state: LiveState[ChatState],
        actions: Actions,
        edit: ComposerEdit,
        parent: QWidget | None = None,
    ) -> None:
        """edit: the message field, in which digits choose an answer while it is empty."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style, self._lanes, self._state, self._actions, self._edit = style, lanes, state, actions, edit
        self.setAccessibleName("Answers beside each other")
        self.columns: list[LaneColumn] = []
        self.marks_of: Callable[[MessageRow], Sequence[TextMark]] = lambda _row: ()
        self._first = 0
        self._marked: ChatView | None = None
        self.earlier = ToolButton(style, Icon.LEFT, "Earlier Answers", "Shows the answers before these", parent=self)
        self.later = ToolButton(style, Icon.RIGHT, "Later Answers", "Shows the answers after these", parent=self)
        self.close_button = ToolButton(
            style, Icon.DISCARD, "Show One Answer", "Shows the chat again, with one answer (Esc)", parent=self
        )
        self.earlier.clicked.connect(lambda: self._scroll_by(-1))
        self.later.clicked.connect(lambda: self._scroll_by(1))
        self.close_button.clicked.connect(lanes.close)
        edit.installEventFilter(self)
        lanes.arranged.connect(self._make_columns)
        lanes.state.changed.connect(self._show)
        style.changed.connect(self._restyle)
        self._make_columns()

    def fits(self, width: int) -> bool:
        """Return whether the answers have room beside each other; else they are versions in the chat."""
        return width >= min(len(self.columns), _MOST_NEEDED) * self._style.typography.scaled(LEAST_COLUMN)

    def _make_columns(self) -> None:
        """Have one column to each answer; those that stay keep what was scrolled and selected in them.

        The first of those that come is in sight, and as many of the others as have room. Where all of them come, it is
        the one that is written, or was read last.
        """
        known = {one.view.model(): one for one in self.columns}
        come = [number for number, rows in enumerate(self._lanes.rows) if rows.chat_model not in known]
        columns = []
        for rows in self._lanes.rows:
            column = known.pop(rows.chat_model, None)
            columns.append(self._new_column(rows.chat_model) if column is None else column)
        for gone in known.values():
            gone.hide()
            gone.deleteLater()
        self.columns = columns
        first = self._lanes.first if len(come) == len(columns) else next(iter(come), self._first)
        self._first = max(0, min(first, len(columns) - 1))
        for before, after in pairwise(columns):
            QWidget.setTabOrder(before.go_on, after.compare)
        self._show()

    def _new_column(self, model: ChatModel) -> LaneColumn:
        column = LaneColumn(self._style, model, self._state, self._actions, self)
        column.keepAsked.connect(self._lanes.keep)
        column.goOnAsked.connect(self._lanes.go_on)
        column.compareAsked.connect(self._lanes.compare)
        column.discardAsked.connect(self._lanes.discard)
        column.markAsked.connect(self._lanes.mark)
        column.pressed.connect(self._focus)
        column.view.marks_of = lambda row: self.marks_of(row)
        column.view.thoughtPressed.connect(self._lanes.unfolded.toggle_thought)
        column.view.attachmentPressed.connect(self._lanes.unfolded.toggle_attachment)
        column.view.linkAsked.connect(self.linkAsked)
        column.view.editAsked.connect(self.editAsked)
        column.view.againAsked.connect(self.againAsked)
        column.view.deleteAsked.connect(self.deleteAsked)
        column.view.commandAsked.connect(self.commandAsked)
        column.view.menuMade.connect(self.menuMade)
        column.view.branchNamed.connect(self.branchNamed)
        column.view.currentMessageChanged.connect(self.currentMessageChanged)
        column.view.copy_work.copied.connect(self.copied)
        self.columnMade.emit(column)
        return column

    def _focus(self, answer_id: str) -> None:
        for number, lane in enumerate(self._lanes.state.now.lanes):
            if lane.answer_id == answer_id:
                self._lanes.focus(number)

    def _show(self) -> None:
        now = self._lanes.state.now
        for number, (column, lane) in enumerate(zip(self.columns, now.lanes, strict=False)):
            column.show_lane(lane, number + 1, len(now.lanes), is_focused=number == now.focused)
        if now.focused >= 0 and not self._first <= now.focused < self._first + self._in_sight:
            self._first = min(now.focused, len(self.columns) - self._in_sight)
        self._arrange()

    @property
    def view_with_keyboard(self) -> ChatView | None:
        """The messages that the keyboard is among, if it is."""
        focused = QApplication.focusWidget()
        return next((one.view for one in self.columns if focused is not None and _is_within(focused, one.view)), None)

    @property
    def looked_at(self) -> ChatView:
        """The messages that the keyboard is among, else those of the answer that is focused, or the first in sight."""
        focused = self._lanes.state.now.focused
        return self.view_with_keyboard or self.columns[focused if focused >= 0 else self._first].view

    # What is looked for

    @property
    def first_row(self) -> int:
        """The number of the first message in sight, where those of all columns are counted from the left."""
        before = sum(len(one.chat_model.rows) for one in self._lanes.rows[: self._first])
        return before + self.columns[self._first].view.first_row if self.columns else 0

    def show_marks(self) -> None:
        """Paint the marked places as they are now."""
        for column in self.columns:
            column.view.viewport().update()

    def show_mark(self, message_id: str, mark: TextMark) -> None:
        """Bring a marked place into sight, and its column where that is not."""
        for number, rows in enumerate(self._lanes.rows):
            if rows.chat_model.row_of(message_id) >= 0:
                if not self._first <= number < self._first + self._in_sight:
                    self._first = number
                    self._arrange()
                self._marked = self.columns[number].view
                self._marked.show_mark(message_id, mark)

    def focus_marked(self) -> None:
        """Take the keyboard to the column in which a place was found last."""
        views = [one.view for one in self.columns]
        at = self._marked if self._marked in views else next(iter(views), self)
        at.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Geometry

    @property
    def _in_sight(self) -> int:
        """Return how many columns have room."""
        least = self._style.typography.scaled(LEAST_COLUMN)
        room = max(1, (self.width() - 2 * _EDGE + _BETWEEN) // (least + _BETWEEN))
        return min(room, len(self.columns))

    @property
    def _bubble(self) -> QRectF:
        line = self._style.text_style(TextRole.BODY).line
        height = len(self._question_lines) * line + 2 * _BUBBLE_ABOVE
        right = self.close_button.sizeHint().width() + _BETWEEN
        return QRectF(_EDGE, _ABOVE, self.width() - 2 * _EDGE - right, height)

    @property
    def _question_lines(self) -> list[str]:
        """The question, as far as it has room; the chat shows all of it."""
        body, width = self._style.text_style(TextRole.BODY), self.width() - 2 * _EDGE - 2 * _BUBBLE_SIDE - 60
        lines = wrapped(body, self._lanes.state.now.question, max(1, width))
        return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], " ".join(lines[_LINES - 1 :])]

    @property
    def _prefix(self) -> QRectF:
        line = self._style.text_style(TextRole.SMALL).line
        return QRectF(_EDGE, self._bubble.bottom() + _TO_PREFIX, self.width() - 2 * _EDGE, line)

    def _arrange(self) -> None:
        count = self._in_sight
        self._first = max(0, min(self._first, len(self.columns) - count))
        top = round(self._prefix.bottom()) + _TO_FORK + _FORK
        width = (self.width() - 2 * _EDGE - (count - 1) * _BETWEEN) / max(count, 1)
        for number, column in enumerate(self.columns):
            place = number - self._first
            column.setVisible(0 <= place < count)
            if 0 <= place < count:
                left = round(_EDGE + place * (width + _BETWEEN))
                column.setGeometry(left, top, round(width), max(0, self.height() - top - _BELOW))
        size = self.close_button.sizeHint()
        right = self.width() - _EDGE - size.width()
        self.close_button.setGeometry(right, round(self._bubble.center().y() - size.height() / 2), *_pair(size))
        middle = round(self._prefix.center().y() - size.height() / 2)
        for button, is_shown in (
            (self.later, self._first + count < len(self.columns)),
            (self.earlier, self._first > 0),
        ):
            button.setVisible(count < len(self.columns))
            button.setEnabled(is_shown)
            button.setGeometry(right, middle, *_pair(size))
            right -= size.width()
        self.update()

    def _scroll_by(self, step: int) -> None:
        self._first += step
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show()

    def _restyle(self) -> None:
        self._show()

    # Keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Have a digit choose an answer while nothing is written; other keys go where they went."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or not self.isVisible():
            return False
        number = event.key() - Qt.Key.Key_1
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if not is_plain or not 0 <= number < len(self.columns) or self._edit.toPlainText():
            return False
        self._lanes.focus(number)
        return True

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.window)
        bubble, body = self._bubble, self._style.text_style(TextRole.BODY)
        fill_rounded(painter, bubble, _BUBBLE_RADIUS, theme.fill)
        for number, text in enumerate(self._question_lines):
            top = bubble.top() + _BUBBLE_ABOVE + number * body.line
            line = QRectF(bubble.left() + _BUBBLE_SIDE, top, bubble.width() - 2 * _BUBBLE_SIDE, body.line)
            draw_text(painter, body, line, text, theme.text)
        self._paint_prefix(painter)
        self._paint_fork(painter)
        painter.end()

    def _paint_prefix(self, painter: QPainter) -> None:
        theme, now, line = self._style.theme, self._lanes.state.now, self._prefix
        if not now.prefix:
            return
        if not self.later.isHidden():
            line = line.adjusted(0, 0, self.earlier.x() - line.right() - _BETWEEN, 0)
        middle = line.center().y()
        paint_bar(painter, theme, QRectF(line.left() + _INSET + 12, middle - 2, _BAR, 4), ((1.0, theme.accentgfx),))
        small, strong = self._style.text_style(TextRole.SMALL), self._style.text_style(TextRole.SMALL_MEDIUM)
        words = line.adjusted(_INSET + _BAR + 24, 0, 0, 0)
        taken = draw_text(painter, strong, words, now.prefix, theme.text)
        rest = words.adjusted(taken + 12, 0, 0, 0)
        draw_text(painter, small, rest, whole_parts(small, now.saved, rest.width(), "; "), theme.text2)

    def _paint_fork(self, painter: QPainter) -> None:
        """Draw the one branch that becomes several."""
        shown = [column for column in self.columns if not column.isHidden()]
        if not shown:
            return
        painter.setPen(QPen(self._style.theme.accentgfx, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        bottom = float(shown[0].y())
        across = bottom - _FORK
        xs = [column.x() + _INSET for column in shown]
        path = QPainterPath(QPointF(xs[0], self._bubble.bottom() + 4))
        path.lineTo(xs[0], bottom)
        for x in xs[1:]:
            path.moveTo(xs[0], across)
            path.lineTo(x - _CORNER, across)
            path.quadTo(x, across, x, across + _CORNER)
            path.lineTo(x, bottom)
        painter.drawPath(path)


def _is_within(widget: QWidget, other: QWidget) -> bool:
    return widget is other or other.isAncestorOf(widget)


def _pair(size: QSize) -> tuple[int, int]:
    return size.width(), size.height()
