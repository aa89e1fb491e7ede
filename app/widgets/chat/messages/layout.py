"""Where every message of the open path stands. Only what is in sight is measured, and only what is near is estimated.

Opening a path of any length therefore costs what is seen of it. When a height turns out to be another one, what is
already in sight and measured stays where it is.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from PySide6.QtCore import QPointF

from app.protocol.chat import Role
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import MessageRow
from app.widgets.chat.column import Column, column, inset
from app.widgets.chat.messages.block_layout import Allowance
from app.widgets.chat.messages.heights import Heights
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.chat.messages.row_item import Estimates, RowItem
from app.widgets.kit.style import Style

_BELOW = 24
# What a scroll bar can count.
_HIGHEST = (1 << 31) - 1
# Rows above and below those in sight whose heights are estimated one by one.
_NEAR = 2048
# Rows that are kept as they are laid out, and those of them whose documents are.
_MOST_ITEMS, _MOST_LAID = 256, 96
# Rows of other paths that are kept as they were laid out: those of a few windowfuls.
_MOST_LEFT = 64
_MOST_ROUNDS = 16
# Characters that are laid out before the window is shown again: several times what a large pane holds of usual text.
_AT_ONCE = 40_000


class Settled(NamedTuple):
    """changed: whether any height did. shift: points by which what was in sight has moved down."""

    changed: bool
    shift: float


class ScrollAnchor(NamedTuple):
    """A place in the rows that is found again at another width or text size.

    point: the character that stands there, or None beside the text. below: points from the top of its line, or of the
    row, to the place.
    """

    row: int
    point: TextPoint | None
    below: float


class _Reference(NamedTuple):
    row: int
    block: int | None


class Source(Protocol):
    """The model that the rows are read from. has_rail: a line goes along beside them."""

    @property
    def rows(self) -> PathRows: ...
    @property
    def has_rail(self) -> bool: ...


class ChatLayout:
    """The rows, one above the other. Heights in points from the first row's top; `total` ends below the last row.

    is_behind: whether something in sight could not be measured yet, for so much stands there.
    """

    def __init__(self, style: Style, source: Source) -> None:
        self.column = Column(0, 0)
        self.is_behind = False
        self._style = style
        self._source = source
        self._estimates = Estimates(style)
        self._heights = Heights(self._estimate)
        self._items: dict[int, RowItem] = {}
        self._laid: dict[RowItem, None] = {}
        self._left: dict[str, RowItem] = {}  # of paths that were shown before, by message, in the order they were left

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> float:
        return self.top(len(self)) + (_BELOW if len(self) else 0)

    def top(self, number: int) -> float:
        """Return where a row begins; that of the row after the last is where the last one ends."""
        return self._heights.top(number)

    def height(self, number: int) -> float:
        """Return the height of a row."""
        return self._heights.height(number)

    def row_at(self, y: float) -> int:
        """Return the row at a height, or -1."""
        return self._heights.row_at(y)

    def row_of(self, message_id: str) -> int:
        """Return the row of a message, or -1 when it is not on the path."""
        return self._source.rows.place_of(message_id)

    def in_sight(self, top: float, bottom: float) -> range:
        """Return the rows between two heights."""
        first = self.row_at(max(0.0, top))
        if first < 0:
            return range(0)
        last = self.row_at(bottom)
        return range(first, len(self) if last < 0 else last + 1)

    def item(self, number: int) -> RowItem:
        """Return a row as it is laid out now. The heights of the list stay what they were until `settle`."""
        rows = self._source.rows
        row, item = rows[number], self._items.pop(number, None)
        if item is not None and item.row.id != row.id:
            self._leave(item)
            item = None
        if item is None:
            item = self._come_back_to(row) or RowItem(row, self._style)
            item.follow(self._role_before(number))
            item.set_column(self.column)
        if item.row is not row:
            item.set_row(row)
        self._items[number] = item
        return item

    def extend(self) -> None:
        """Take over the rows that were added at the end."""
        first = len(self)
        self._heights.extend(len(self._source.rows) - first)
        self._heights.know(max(first, len(self) - _NEAR), len(self) - 1)

    def cut(self, count: int) -> None:
        """Keep the first so many rows."""
        for number in sorted((number for number in self._items if number >= count), reverse=True):
            self._leave(self._items.pop(number))
        self._heights.cut(count)

    def renew(self, number: int) -> None:
        """Show another state of a row; only new text is laid out. What is laid out nowhere waits until it is seen."""
        if number in self._items or number == len(self) - 1:
            self._heights.set(number, self.item(number).height)

    def renew_formulas(self) -> bool:
        """Take in the formulas of which it is known now how they are drawn; returns whether there were any."""
        return sum(item.body.renew_formulas() for item in self._items.values()) > 0

    def set_pane(self, width: int) -> None:
        """Take the pane's width in points. The style is asked again too, since its text size decides the column."""
        wanted = self._column_of(width)
        if wanted != self.column:
            self.column = wanted
            for item in self._items.values():
                item.set_column(wanted)
            self._heights.forget()

    def is_for(self, width: int) -> bool:
        """Return whether a pane of this width has the column that the rows have."""
        return self.column == self._column_of(width)

    def _column_of(self, width: int) -> Column:
        place = column if self._source.has_rail else inset
        return place(width, self._style.typography.scale)

    def anchor_at(self, offset: float) -> ScrollAnchor | None:
        """Return the anchor of a height, or None beyond the rows."""
        row = self.row_at(offset)
        if row < 0:
            return None
        item, inner = self.item(row), offset - self.top(row)
        start = item.text.top()
        point = item.body.point_at(QPointF(0, inner - start)) if item.text.bottom() > inner >= start else None
        below = inner - (0 if point is None else start + item.body.line_top(point))
        self._heights.set(row, item.height)
        return ScrollAnchor(row, point, below)

    def offset_of(self, anchor: ScrollAnchor) -> float:
        """Return the height of an anchor. What is near it is estimated, so that it stays there."""
        self._know_around(range(anchor.row, anchor.row + 1))
        item = self.item(anchor.row)
        inner = 0.0 if anchor.point is None else item.text.top() + item.body.line_top(anchor.point)
        self._heights.set(anchor.row, item.height)
        return self.top(anchor.row) + inner + anchor.below

    def limit(self, height: int) -> int:
        """Return the highest scroll offset in a viewport of this height."""
        return min(_HIGHEST, max(0, round(self.total - height)))

    def come_to_rest(self, offset: float, height: int, *, is_at_end: bool, covered: int = 0) -> float:
        """Measure until nothing in sight is an estimate any more; returns the offset at which it stands still.

        What takes too long for one turn is left for the next one; then `is_behind`.
        covered: points that were taken from the top of the viewport, by which rows that have room may be scrolled too.
        """
        allowance = Allowance(_AT_ONCE)
        for _ in range(_MOST_ROUNDS):
            offset = self._within(offset, self.limit(height), covered, is_at_end)
            settled = self.settle(offset, offset + height, allowance)
            offset += settled.shift
            if not settled.changed or allowance.is_refused:
                break
        self.is_behind = settled.changed or allowance.is_refused
        return max(0.0, self._within(offset, self.limit(height), covered, is_at_end))

    def _within(self, offset: float, limit: int, covered: int, is_at_end: bool) -> float:
        return max(limit, min(offset, covered)) if is_at_end else min(offset, max(limit, covered))

    def settle(self, top: float, bottom: float, allowance: Allowance | None = None) -> Settled:
        """Measure what lies between two heights, as far as is allowed."""
        rows = self.in_sight(top, bottom)
        reference = self._reference(rows, top, bottom)
        before = self._height_of(reference)
        changed = self._know_around(rows)
        for number in () if changed else rows:
            item, start = self.item(number), self.top(number)
            item.settle(top - start, bottom - start, allowance)
            changed |= self._heights.set(number, item.height)
            self._laid.pop(item, None)
            self._laid[item] = None
        self._drop_far(len(rows))
        return Settled(changed, self._height_of(reference) - before)

    def _know_around(self, rows: range) -> bool:
        """Estimate what is near these rows one by one; returns whether anything was not known."""
        return bool(rows) and self._heights.know(rows[0] - _NEAR, rows[-1] + _NEAR)

    def _estimate(self, first: int, end: int) -> list[float]:
        said = self._source.rows.said(first, end)
        return self._estimates.heights(said, self._role_before(first), self.column)

    def _role_before(self, number: int) -> Role | None:
        return self._source.rows.said(number - 1, number)[0][0] if number else None

    def _reference(self, rows: range, top: float, bottom: float) -> _Reference | None:
        """Return what must not move: the first measured block in sight, else the first row that begins there."""
        for number in rows:
            item = self._items.get(number)
            if item is not None and not item.body.is_empty:
                start = self.top(number) + item.text.top()
                block = item.body.exact_block(top - start, bottom - start)
                if block is not None:
                    return _Reference(number, block)
        begun = [number for number in rows[:2] if self.top(number) >= top]
        return _Reference(begun[0] if begun else rows[0], None) if rows else None

    def _height_of(self, reference: _Reference | None) -> float:
        if reference is None:
            return 0.0
        top = self.top(reference.row)
        if reference.block is None:
            return top
        item = self._items[reference.row]
        return top + item.text.top() + item.body.top_of(reference.block)

    def _drop_far(self, in_sight: int) -> None:
        """Let go of what was not seen for longest."""
        while len(self._items) > max(_MOST_ITEMS, 2 * in_sight):
            self._laid.pop(self._items.pop(next(iter(self._items))), None)
        while len(self._laid) > max(_MOST_LAID, 2 * in_sight):
            item = next(iter(self._laid))
            del self._laid[item]
            item.body.drop_documents()

    def _leave(self, item: RowItem) -> None:
        """Keep a row that is on the path no more as it is laid out: people go back and forth."""
        if item not in self._laid:
            return
        del self._laid[item]
        self._left[item.row.id] = item
        if len(self._left) > _MOST_LEFT:
            del self._left[next(iter(self._left))]

    def _come_back_to(self, row: MessageRow) -> RowItem | None:
        """Return a message as it was laid out on a path that was shown before, if it was seen there lately."""
        item = self._left.pop(row.id, None)
        if item is not None:
            item.body.renew_formulas()
        return item
