"""The selection of text, within one message or from one to another."""

from __future__ import annotations

from app.widgets.chat.messages.message_body import Selection, TextPoint

_START, _END = TextPoint(0, 0), TextPoint(1 << 30, 1 << 30)


class TextSelection:
    """The selected text: between two places, each a row and a point in its message.

    Rows keep their numbers while they are there: a path is only ever cut at its end and goes on from there.
    """

    def __init__(self) -> None:
        self._anchor: tuple[int, TextPoint] | None = None
        self._end: tuple[int, TextPoint] = (0, _START)

    def clear(self) -> None:
        """Select nothing."""
        self._anchor = None

    def forget_from(self, number: int) -> None:
        """Select nothing if a row from this one on is part of it."""
        if self._anchor is not None and max(self._anchor[0], self._end[0]) >= number:
            self.clear()

    def begin(self, row: int, point: TextPoint) -> None:
        """Put the anchor; nothing is selected until `extend`."""
        self._anchor = self._end = (row, point)

    def extend(self, row: int, point: TextPoint) -> None:
        """Select from the anchor to a point, of the same message or another one."""
        self._end = (row, point)

    def take(self, row: int, span: Selection) -> None:
        """Select this much of a message: a word, or all."""
        self._anchor, self._end = (row, span[0]), (row, span[1])

    @property
    def is_begun(self) -> bool:
        """Whether there is an anchor."""
        return self._anchor is not None

    @property
    def rows(self) -> range:
        """The rows of which something is selected; none while nothing is."""
        if self._anchor is None or self._anchor == self._end:
            return range(0)
        first, last = sorted((self._anchor, self._end))
        return range(first[0], last[0] + 1)

    def of(self, row: int) -> Selection | None:
        """Return from and to in reading order, or None where nothing of this row is selected."""
        if self._anchor is None or row not in self.rows:
            return None
        first, last = sorted((self._anchor, self._end))
        return (first[1] if row == first[0] else _START), (last[1] if row == last[0] else _END)
