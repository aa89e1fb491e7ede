"""What stands in the composer, kept for each conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Draft:
    """Words not sent yet.

    editing: id of the question that they are another version of, or None. aside: what stood there before the edit.
    is_sent: they go as soon as the answer that is being written ends.
    """

    text: str = ""
    editing: str | None = None
    aside: str = ""
    is_sent: bool = False


class Drafts:
    """A draft to each conversation, in the order in which they were last sent.

    Attribute: changed, is called with a conversation whenever its draft is another one.
    """

    def __init__(self) -> None:
        self._drafts: dict[str, Draft] = {}
        self.changed: Callable[[str], None] = lambda _conversation_id: None

    def of(self, conversation_id: str) -> Draft:
        """Return the draft of a conversation, empty when nothing was written."""
        return self._drafts.get(conversation_id, Draft())

    def restore(self, conversation_id: str, text: str, editing: str | None, aside: str) -> None:
        """Take over a draft from an earlier run. Words that were in line then wait to be sent again."""
        since = self._all_of(conversation_id)
        if text or editing or aside:
            self._put(conversation_id, Draft(_joined(text, since), editing, aside))

    @property
    def sent(self) -> tuple[str, ...]:
        """The conversations whose words are in line, those that have waited longest first."""
        return tuple(known for known, draft in self._drafts.items() if draft.is_sent)

    def write(self, conversation_id: str, text: str) -> None:
        """Note the words in the composer. Words that were in line and are changed leave it: they are not finished."""
        draft = self.of(conversation_id)
        self._put(conversation_id, replace(draft, text=text, is_sent=draft.is_sent and text == draft.text))

    def edit(self, conversation_id: str, message_id: str, text: str, is_changed: bool = True) -> None:
        """Begin another version of a question; what stood in the composer is put aside.

        is_changed: words of an edit that was begun before are put aside too; False where they are only the question's.
        """
        draft = self.of(conversation_id)
        aside = draft.text if draft.editing is None else draft.aside
        if draft.editing is not None and is_changed:
            aside = _joined(draft.aside, draft.text)
        self._put(conversation_id, Draft(text, message_id, aside))

    def cancel_edit(self, conversation_id: str) -> None:
        """Put back what stood in the composer before an edit."""
        self._put(conversation_id, Draft(self.of(conversation_id).aside))

    def send(self, conversation_id: str) -> None:
        """Put the words of a conversation in line."""
        draft = self._drafts.pop(conversation_id, Draft())
        self._put(conversation_id, replace(draft, is_sent=True))

    def hold(self, conversation_id: str) -> None:
        """Take the words of a conversation out of the line; they stay in the composer."""
        self._put(conversation_id, replace(self.of(conversation_id), is_sent=False))

    def take(self, conversation_id: str) -> Draft:
        """Return the words, now sent. What was put aside for an edit stands in the composer again."""
        draft = self._drafts.pop(conversation_id, Draft())
        if draft.aside:
            self._drafts[conversation_id] = Draft(draft.aside)
        self.changed(conversation_id)
        return draft

    def give_back(self, conversation_id: str, words: str, editing: str | None) -> None:
        """Put back words that could not be sent, before what was typed since and before what an edit has put aside."""
        since = self._all_of(conversation_id)
        self._put(conversation_id, Draft(words, editing, since) if editing else Draft(_joined(words, since)))

    def _all_of(self, conversation_id: str) -> str:
        draft = self.of(conversation_id)
        return _joined(draft.text, draft.aside)

    def _put(self, conversation_id: str, draft: Draft) -> None:
        if draft != self.of(conversation_id):
            self._drafts[conversation_id] = draft
            self.changed(conversation_id)


def _joined(words: str, since: str) -> str:
    return f"{words}\n{since}" if words and since else words or since
