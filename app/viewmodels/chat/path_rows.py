"""The rows of one path, of which only those that are asked for are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import overload

from app.protocol.chat import Role
from app.viewmodels.chat.rows import MessageRow, Segment

# Rows that are kept once they are made: many times what is in sight.
_MOST_MADE = 256
# Ids that are compared at a time: many together cost a fraction of one by one.
_COMPARED = 1024


class PathRows(Sequence[MessageRow]):
    """Rows by number. A path of any length costs nothing here but the list of its ids.

    ids: of all messages, in order. made: the rows that were asked for last, by number.
    """

    def __init__(
        self,
        ids: Sequence[str],
        make: Callable[[int], MessageRow],
        said: Callable[[int, int], Sequence[tuple[Role, Sequence[Segment]]]],
    ) -> None:
        """make: the row with a number. said: role and segments from one number up to another, which costs no row."""
        self.ids = ids
        self.made: dict[int, MessageRow] = {}
        self.said = said
        self._make = make

    @classmethod
    def of(cls, rows: Sequence[MessageRow]) -> PathRows:
        """Return rows that are made already."""
        made = cls(
            [row.id for row in rows],
            rows.__getitem__,
            lambda first, last: [(row.role, row.segments) for row in rows[first:last]],
        )
        made.made.update(enumerate(rows))
        return made

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, number: int) -> MessageRow: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[MessageRow]: ...

    def __getitem__(self, number: int | slice) -> MessageRow | Sequence[MessageRow]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(f"no row {number} of {len(self)}")
        row = self.made.get(number)
        if row is None:
            row = self._make(number)
            self.put(number, row)
        return row

    def put(self, number: int, row: MessageRow) -> None:
        """Have this row at a number until it is let go of and made again."""
        self.made[number] = row
        if len(self.made) > _MOST_MADE:
            del self.made[next(iter(self.made))]

    def cut(self, count: int) -> PathRows:
        """Return the first so many of these rows."""
        cut = PathRows(self.ids[:count], self._make, self.said)
        cut.made = {number: row for number, row in self.made.items() if number < count}
        return cut

    def shared(self, other: PathRows) -> int:
        """Count the messages that both paths begin with."""
        if other.ids is self.ids:
            return len(self)
        mine, others, shorter = self.ids, other.ids, min(len(self), len(other))
        starts = range(0, shorter, _COMPARED)
        differing = (one for one in starts if mine[one : one + _COMPARED] != others[one : one + _COMPARED])
        start = next(differing, shorter)
        pairs = map(ne, mine[start : start + _COMPARED], others[start : start + _COMPARED])
        return next(compress(count(start), pairs), shorter)

    def place_of(self, message_id: str) -> int:
        """Return the number of a message, or -1."""
        if self.ids and self.ids[-1] == message_id:  # what is asked about most
            return len(self) - 1
        try:
            return self.ids.index(message_id)
        except ValueError:
            return -1

    def questions_above(self, number: int) -> Iterator[str]:
        """Yield the ids of what a person said, from a row upwards."""
        return self._above(number, "user")

    def answers_above(self, number: int) -> Iterator[str]:
        """Yield the ids of what a model said, from a row upwards."""
        return self._above(number, "assistant")

    def _above(self, number: int, role: Role) -> Iterator[str]:
        for one in range(number, -1, -1):
            if self.said(one, one + 1)[0][0] == role:
                yield self.ids[one]
