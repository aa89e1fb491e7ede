"""What stands in the composer, kept for each conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.protocol.chat import Attachment
from app.protocol.dataclass import dataclass

Attachments = tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """Words not sent yet.

    editing: id of the question or answer that they are another version of, or None. aside: what stood there before the
    edit. is_sent: they go as soon as the answer that is being written ends; end: the message that the path ended with
    then, None for none. attachments: what comes with them; attachments_aside: what came with those that stood there
    before the edit. is_after: they are no version of that answer, but begin a new branch after it.
    """

    text: str = ""
    editing: str | None = None
    aside: str = ""
    is_sent: bool = False
    attachments: Attachments = ()
    attachments_aside: Attachments = ()
    is_after: bool = False
    end: str | None = None


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

    def restore(self, conversation_id: str, earlier: Draft) -> None:
        """Take over a draft from an earlier run. Words that were in line then wait to be sent again."""
        since = self._all_of(conversation_id)
        if earlier.editing:
            text, attached = _joined(earlier.aside, since.text), earlier.attachments_aside + since.attachments
            self._put(conversation_id, replace(earlier, aside=text, attachments_aside=attached, is_sent=False))
        elif earlier != Draft():
            text, attached = _joined(earlier.text, since.text), earlier.attachments + since.attachments
            self._put(conversation_id, replace(earlier, text=text, attachments=attached, is_sent=False))

    @property
    def sent(self) -> tuple[str, ...]:
        """The conversations whose words are in line, those that have waited longest first."""
        return tuple(known for known, draft in self._drafts.items() if draft.is_sent)

    def write(self, conversation_id: str, text: str) -> None:
        """Note the words in the composer. Words that were in line and are changed leave it: they are not finished."""
        draft = self.of(conversation_id)
        self._put(conversation_id, replace(draft, text=text, is_sent=draft.is_sent and text == draft.text))

    def attach(self, conversation_id: str, attachment: Attachment) -> None:
        """Have this come with the words, after what comes with them already. Words that were in line leave it."""
        draft = self.of(conversation_id)
        self._put(conversation_id, replace(draft, attachments=(*draft.attachments, attachment), is_sent=False))

    def attach_aside(self, conversation_id: str, attachment: Attachment) -> None:
        """Have this come with the words that were put aside for an edit, after what comes with them already."""
        draft = self.of(conversation_id)
        self._put(conversation_id, replace(draft, attachments_aside=(*draft.attachments_aside, attachment)))

    def detach(self, conversation_id: str, number: int) -> None:
        """Let an attachment go that comes with the words, by its number from 0 on."""
        draft = self.of(conversation_id)
        kept = tuple(one for at, one in enumerate(draft.attachments) if at != number)
        self._put(conversation_id, replace(draft, attachments=kept, is_sent=False))

    def edit(
        self,
        conversation_id: str,
        message_id: str,
        text: str,
        is_changed: bool = True,
        attachments: Attachments = (),
        *,
        is_after: bool = False,
    ) -> None:
        """Begin another version of a message; what stood in the composer is put aside.

        is_changed: words of an edit that was begun before are put aside too; False where they are only the question's.
        is_after: begin a new branch after the message.
        """
        draft = self.of(conversation_id)
        if draft.editing is None:
            aside, attached = draft.text, draft.attachments
        elif is_changed:
            aside, attached = _joined(draft.aside, draft.text), draft.attachments_aside + draft.attachments
        else:
            aside, attached = draft.aside, draft.attachments_aside
        edit = Draft(text, message_id, aside, attachments=attachments, attachments_aside=attached, is_after=is_after)
        self._put(conversation_id, edit)

    def leave_edit(self, conversation_id: str) -> None:
        """Let the words be another version of a question no more; what was put aside for that follows them."""
        draft = self.of(conversation_id)
        if draft.editing is not None:
            self._put(conversation_id, self._all_of(conversation_id))

    def cancel_edit(self, conversation_id: str) -> None:
        """Put back what stood in the composer before an edit."""
        self._put(conversation_id, _aside(self.of(conversation_id)))

    def send(self, conversation_id: str, end: str | None = None) -> None:
        """Put the words of a conversation in line. end: the message that its path ends with, None for none."""
        draft = self._drafts.pop(conversation_id, Draft())
        self._put(conversation_id, replace(draft, is_sent=True, end=end))

    def hold(self, conversation_id: str) -> None:
        """Take the words of a conversation out of the line; they stay in the composer."""
        self._put(conversation_id, replace(self.of(conversation_id), is_sent=False))

    def take(self, conversation_id: str, *, attached: bool = True) -> Draft:
        """Return the words, now sent. What was put aside for an edit stands in the composer again.

        attached: False where they are sent without what comes with them, which stays.
        """
        draft = self._drafts.pop(conversation_id, Draft())
        left = _aside(draft)
        if not attached:
            left = replace(left, attachments=draft.attachments + left.attachments)
        if left != Draft():
            self._drafts[conversation_id] = left
        self.changed(conversation_id)
        return draft

    def give_back(self, conversation_id: str, words: str, editing: str | None, attachments: Attachments = ()) -> None:
        """Put back words that could not be sent, before what was typed since and before what an edit has put aside."""
        self.restore(conversation_id, Draft(words, editing, attachments=attachments))

    def _all_of(self, conversation_id: str) -> Draft:
        """Return all words of a draft and what comes with them, those put aside too, as if they were not."""
        draft = self.of(conversation_id)
        attachments = draft.attachments + draft.attachments_aside
        return Draft(_joined(draft.text, draft.aside), attachments=attachments)

    def _put(self, conversation_id: str, draft: Draft) -> None:
        if not draft.is_sent:
            draft = replace(draft, end=None)
        if draft != self.of(conversation_id):
            self._drafts[conversation_id] = draft
            self.changed(conversation_id)


def _aside(draft: Draft) -> Draft:
    return Draft(draft.aside, attachments=draft.attachments_aside)


def _joined(words: str, since: str) -> str:
    return f"{words}\n{since}" if words and since else words or since
