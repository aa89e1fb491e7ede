"""The selection of text within one message."""

from __future__ import annotations

from app.widgets.chat.messages.message_body import MessageBody, Selection, TextPoint


class TextSelection:
    """The selected text of one message. message_id: "" while nothing is selected."""

    def __init__(self) -> None:
        self.message_id = ""
        self._anchor = TextPoint(0, 0)
        self._end = TextPoint(0, 0)

    def clear(self) -> None:
        self.message_id = ""

    def begin(self, message_id: str, point: TextPoint) -> None:
        """Put the anchor; nothing is selected until `extend`."""
        self.message_id = message_id
        self._anchor = self._end = point

    def extend(self, point: TextPoint) -> None:
        """Select from the anchor to a point."""
        self._end = point

    def take(self, message_id: str, span: Selection) -> None:
        """Select this much: a word, or all."""
        self.message_id = message_id
        self._anchor, self._end = span

    def of(self, message_id: str) -> Selection | None:
        """Return from and to in reading order, or None where nothing of this message is selected."""
        if message_id != self.message_id or self._anchor == self._end:
            return None
        return min(self._anchor, self._end), max(self._anchor, self._end)

    def text(self, body: MessageBody) -> str:
        """Return the selected text, of the message whose body this is, or ""."""
        span = self.of(self.message_id)
        return body.selected_text(*span) if span else ""
