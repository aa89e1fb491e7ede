"""Copying what is selected over several messages: put together between events, since they may be thousands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import MessageRow, Segment
from app.viewmodels.kit.slices import SlicedWork
from app.widgets.chat.messages.copied_message import markdown_of, text_of
from app.widgets.chat.messages.pointer import Pointer
from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.style import Style

Told = Callable[[Sequence[Segment], Style], str]


class CopyWork(SlicedWork):
    """Puts a selection together, as it was when it was copied, and then on the clipboard. A later copy is the one.

    Signal: copied(int), from so many messages.
    """

    copied = Signal(int)

    def __init__(self, style: Style, pointer: Pointer, widget: QWidget) -> None:
        """widget: where it is copied."""
        super().__init__(widget)
        self._style, self._pointer, self._widget = style, pointer, widget
        self._pieces: list[str] = []
        self.done.connect(self._finish)

    def copy(self, rows: PathRows, row: MessageRow | None, *, as_markdown: bool) -> bool:
        """Copy what is selected, else this message; returns whether there was anything.

        rows: those of the path that the selection is of. What goes over several messages is copied when it is `done`.
        """
        selected = self._pointer.selection.rows
        told = markdown_of if as_markdown else text_of
        self.stop()
        if len(selected) > 1:
            ends = [
                self._pointer.selected_in(number, as_markdown=as_markdown) for number in (selected[0], selected[-1])
            ]
            self._pieces = []
            self.start(self._take(rows, selected, ends, told))
            return True
        text = self._pointer.selected_in(selected[0], as_markdown=as_markdown) if selected else ""
        if not text and row is not None:
            text = told(row.segments, self._style)
        if text:
            copy_text(text, self._widget)
        return bool(text)

    def _take(self, rows: PathRows, selected: range, ends: Sequence[str], told: Told) -> Iterator[None]:
        """Take the messages between both ends whole."""
        self._pieces.append(ends[0])
        for number in selected[1:-1]:
            self._pieces.append(told(rows.said(number, number + 1)[0][1], self._style))
            yield
        self._pieces.append(ends[1])

    def _finish(self) -> None:
        copy_text("\n\n".join(piece for piece in self._pieces if piece), self._widget)
        self.copied.emit(len(self._pieces))
        self._pieces = []
