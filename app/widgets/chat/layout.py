"""Where every message of the open path stands. Only what is in sight is measured; the rest is estimated.

Opening a path of thousands of messages therefore costs an estimate each. When an estimate is corrected, what is
already in sight and measured stays where it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF

from app.viewmodels.rows import MessageRow
from app.widgets.chat.body import TextPoint
from app.widgets.chat.column import Column, column
from app.widgets.chat.laid_part import Allowance
from app.widgets.chat.row_item import RowItem
from app.widgets.kit.look import Look

_BELOW = 24
# What a scroll bar can count.
_HIGHEST = (1 << 31) - 1
_MOST_LAID = 96
_MOST_ROUNDS = 16
# Characters that are laid out before the window is shown again: several times what a large pane holds of usual text.
_AT_ONCE = 40_000


class Settled(NamedTuple):
    """changed: whether any height did. shift: points by which what was in sight has moved down."""

    changed: bool
    shift: float


class Spot(NamedTuple):
    """A place that survives another width or text size.

    point: the character that stands there, or None beside the text. below: points from the top of its line, or of the
    row, to the place.
    """

    row: int
    point: TextPoint | None
    below: float


class _Reference(NamedTuple):
    row: int
    part: int | None


class ChatLayout:
    """The rows, one above the other. Heights in points from the first row's top; `total` ends below the last row.

    is_behind: whether something in sight could not be measured yet, for so much stands there.
    """

    def __init__(self, look: Look) -> None:
        self.items: list[RowItem] = []
        self.column = Column(0, 0)
        self.is_behind = False
        self._look = look
        self._tops: list[float] = [0.0]
        self._laid: dict[RowItem, None] = {}

    @property
    def total(self) -> float:
        return self.top(len(self.items)) + (_BELOW if self.items else 0)

    def top(self, number: int) -> float:
        """Where a row begins; that of the row after the last is where the last one ends."""
        while len(self._tops) <= number:
            self._tops.append(self._tops[-1] + self.items[len(self._tops) - 1].height)
        return self._tops[number]

    def row_at(self, y: float) -> int:
        """The row at a height, or -1."""
        end = self.top(len(self.items))
        return -1 if y < 0 or y >= end else bisect_right(self._tops, y) - 1

    def in_sight(self, top: float, bottom: float) -> range:
        """The rows between two heights."""
        first = self.row_at(max(0.0, top))
        if first < 0:
            return range(0)
        last = self.row_at(bottom)
        return range(first, len(self.items) if last < 0 else last + 1)

    def insert(self, first: int, rows: Sequence[MessageRow]) -> None:
        """Add rows before row `first`."""
        items = [RowItem(row, self._look) for row in rows]
        for item in items:
            item.set_column(self.column)
        self.items[first:first] = items
        self._renew_gaps(first, first + len(rows))

    def remove(self, first: int, last: int) -> None:
        """Take out rows, `last` included."""
        for item in self.items[first : last + 1]:
            self._laid.pop(item, None)
        del self.items[first : last + 1]
        self._renew_gaps(first, first)

    def set_row(self, number: int, row: MessageRow) -> None:
        """Show another state of the same message; another message at this place is laid out anew."""
        item = self.items[number]
        if item.row.id == row.id:
            item.set_row(row)
            self._forget_from(number)
        else:
            self.remove(number, number)
            self.insert(number, [row])

    def set_pane(self, width: int) -> None:
        """Take the pane's width in points. The look is asked again too, since its text size decides the column."""
        wanted = column(width, self._look.type.scale)
        if wanted != self.column:
            self.column = wanted
            for item in self.items:
                item.set_column(wanted)
            self._forget_from(0)

    def is_for(self, width: int) -> bool:
        """Whether a pane of this width has the column that the rows have."""
        return self.column == column(width, self._look.type.scale)

    def spot(self, offset: float) -> Spot | None:
        """What stands at a height, or None beyond the rows."""
        row = self.row_at(offset)
        if row < 0:
            return None
        item, inner = self.items[row], offset - self.top(row)
        start = item.text.top()
        point = item.body.point_at(QPointF(0, inner - start)) if item.text.bottom() > inner >= start else None
        self._forget_from(row)
        return Spot(row, point, inner - (0 if point is None else start + item.body.line_top(point)))

    def offset_of(self, spot: Spot) -> float:
        """At which height a spot is now."""
        item = self.items[spot.row]
        inner = 0.0 if spot.point is None else item.text.top() + item.body.line_top(spot.point)
        self._forget_from(spot.row)
        return self.top(spot.row) + inner + spot.below

    def limit(self, height: int) -> int:
        """The highest scroll offset in a viewport of this height."""
        return min(_HIGHEST, max(0, round(self.total - height)))

    def come_to_rest(self, offset: float, height: int, *, is_at_end: bool) -> float:
        """Measure until nothing in sight is an estimate any more; returns the offset at which it stands still.

        What takes too long for one turn is left for the next one; then `is_behind`.
        """
        allowance = Allowance(_AT_ONCE)
        for _ in range(_MOST_ROUNDS):
            limit = self.limit(height)
            offset = limit if is_at_end else min(offset, limit)
            settled = self.settle(offset, offset + height, allowance)
            offset += settled.shift
            if not settled.changed or allowance.is_refused:
                break
        self.is_behind = settled.changed or allowance.is_refused
        limit = self.limit(height)
        return limit if is_at_end else max(0.0, min(offset, limit))

    def settle(self, top: float, bottom: float, allowance: Allowance | None = None) -> Settled:
        """Measure what lies between two heights, as far as is allowed."""
        rows = self.in_sight(top, bottom)
        reference = self._reference(rows, top, bottom)
        before = self._height_of(reference)
        changed = False
        for number in rows:
            item, start = self.items[number], self.top(number)
            if item.settle(top - start, bottom - start, allowance):
                self._forget_from(number)
                changed = True
            self._laid.pop(item, None)
            self._laid[item] = None
        self._drop_far_documents(len(rows))
        return Settled(changed, self._height_of(reference) - before)

    def _reference(self, rows: range, top: float, bottom: float) -> _Reference | None:
        """What must not move: the first part in sight that is measured, else the first row that begins in sight."""
        for number in rows:
            item = self.items[number]
            start = self.top(number) + item.text.top()
            part = item.body.exact_part(top - start, bottom - start) if item.body.text else None
            if part is not None:
                return _Reference(number, part)
        begun = [number for number in rows[:2] if self.top(number) >= top]
        return _Reference(begun[0] if begun else rows[0], None) if rows else None

    def _height_of(self, reference: _Reference | None) -> float:
        if reference is None:
            return 0.0
        item, top = self.items[reference.row], self.top(reference.row)
        return top if reference.part is None else top + item.text.top() + item.body.top_of(reference.part)

    def _forget_from(self, number: int) -> None:
        """The rows after this one may stand elsewhere now."""
        del self._tops[number + 1 :]

    def _renew_gaps(self, first: int, last: int) -> None:
        for number in range(first, min(last + 1, len(self.items))):
            self.items[number].follow(self.items[number - 1].row if number else None)
        self._forget_from(first)

    def _drop_far_documents(self, in_sight: int) -> None:
        while len(self._laid) > max(_MOST_LAID, 2 * in_sight):
            item = next(iter(self._laid))
            del self._laid[item]
            item.body.drop_documents()
