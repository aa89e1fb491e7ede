"""Copying of messages: what is long is put together between events, be it thousands of them or a single one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.slices import SlicedWork
from app.widgets.chat.messages.copied_message import pieces_of
from app.widgets.chat.messages.pointer import Pointer
from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.style import Style

# Characters of a message that is copied at once.
_AT_ONCE = 50_000


class CopyWork(SlicedWork):
    """Puts together what is copied, as it was when that was asked for, and then copies it. A later copy is the one.

    Signal: copied(int), so many messages, where more than the words that a person selected in one.
    """

    copied = Signal(int)

    def __init__(self, style: Style, pointer: Pointer, widget: QWidget) -> None:
        """widget: where it is copied."""
        super().__init__(widget)
        self._style, self._pointer, self._widget = style, pointer, widget
        self._texts: list[str] = []
        self._is_told = False
        self.done.connect(self._put)

    def copy(self, rows: PathRows, selected: range, row: MessageRow | None, *, as_markdown: bool) -> bool:
        """Copy what is selected, else this message; returns whether there was anything.

        rows: those of the path that the selection is of. selected: the rows in which something is selected that is
        meant. What is long is copied when it is `done`.
        """
        self.stop()
        if selected:
            messages = self._selected(rows, selected, as_markdown=as_markdown)
            said = rows[selected[0]].shown
        elif row is not None:
            messages = iter([pieces_of(row.segments, self._style, as_markdown=as_markdown)])
            said = row.segments
        else:
            return False
        is_long = len(selected) > 1 or sum(len(segment.text) for segment in said) > _AT_ONCE
        self._texts, self._is_told = [], is_long or not selected
        steps = self._take(messages)
        if is_long:
            self.start(steps)
            return True
        for _ in steps:
            pass
        return self._put()

    def copy_whole(self, text: str) -> None:
        """Copy a message in other words than it is shown in."""
        self.stop()
        self._texts, self._is_told = [text], True
        self._put()

    def _selected(self, rows: PathRows, selected: range, *, as_markdown: bool) -> Iterator[Iterator[str]]:
        """Return the pieces of each message: of those between both ends, of the whole of it."""
        ends = [self._pointer.selected_in(number, as_markdown=as_markdown) for number in (selected[0], selected[-1])]
        between = (
            pieces_of(rows.said(number, number + 1)[0][1], self._style, as_markdown=as_markdown)
            for number in selected[1:-1]
        )
        return chain(ends[:1], between, ends[1:] if len(selected) > 1 else ())

    def _take(self, messages: Iterator[Iterator[str]]) -> Iterator[None]:
        for pieces in messages:
            texts = list[str]()
            for piece in pieces:
                texts.append(piece)
                yield
            self._texts.append("".join(texts))

    def _put(self) -> bool:
        count, text = len(self._texts), "\n\n".join(text for text in self._texts if text)
        self._texts = []
        if text and self._is_told:
            QGuiApplication.clipboard().setText(text)
            self.copied.emit(count)
        elif text:
            copy_text(text, self._widget)
        return bool(text)
