"""What a person attaches to the words in the composer: files, and long pasted texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.attaching.files import MOST_ATTACHMENTS, MOST_CHARACTERS, too_long
from app.conversation.message import storable
from app.protocol.chat import Attachment
from app.protocol.dataclass import dataclass
from app.protocol.excerpts import one_line
from app.protocol.reports import Problem
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.attachment_reader import AttachmentReader
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting

LONG_PASTE = 4000
"""Characters, from which on a pasted text is folded into an attachment."""
_PASTED = "Pasted text"


@dataclass(frozen=True, slots=True)
class AttachmentChip:
    """An attachment as the composer shows it: its name, its size, and its tokens, "" while they are not known."""

    name: str
    size: str
    tokens: str

    @property
    def spoken(self) -> str:
        """Return what a screen reader says."""
        return ", ".join(word for word in ("Attachment " + self.name, self.size, self.tokens) if word)


class DraftAttachments(QObject):
    """Attaches files and texts to the draft of the open conversation. What cannot be attached is told.

    Signal: changed(str), another thing is attached in this conversation, or is being read for it.
    """

    changed = Signal(str)

    def __init__(
        self,
        library: LibraryRegion,
        drafts: Drafts,
        reader: AttachmentReader,
        cards: ProblemCards,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._drafts, self._reader = library, drafts, reader
        self._cards, self._notices = cards, notices
        reader.changed.connect(self.changed)

    def reading(self, conversation_id: str) -> str:
        """Return the name of the file that is being read for a conversation, or ""."""
        return self._reader.reading(conversation_id)

    @property
    def edits_answer(self) -> bool:
        """Whether an answer's text stands in the composer: what is pasted is a part of it then, however long."""
        return self._reader.edits_answer(self._library.open_id)

    def of(self, number: int) -> Attachment | None:
        """Return what comes with the words, by its number from 0 on; None where it is gone."""
        attached = self._drafts.of(self._library.open_id).attachments
        return attached[number] if 0 <= number < len(attached) else None

    def attach_files(self, paths: Sequence[str]) -> None:
        """Have files come with the words in the composer, in this order, as soon as they are read.

        Where an answer is edited, which has no attachments, that is told instead.
        """
        if self.edits_answer:
            self._notices.error(Problem("Nothing was attached", f"{chat_text.NOT_WITH_ANSWERS}."))
            return
        self._cards.dismiss()
        self._reader.read(self._library.open_id, [Path(path) for path in paths])

    def attach_text(self, text: str) -> bool:
        """Have a text that was pasted come with the words in the composer. Returns whether that was possible."""
        conversation_id, text = self._library.open_id, storable(text)
        names = {one.name for one in self._drafts.of(conversation_id).attachments}
        numbered = (f"{_PASTED} {number}" for number in range(2, MOST_ATTACHMENTS + 2))
        name = next(name for name in (_PASTED, *numbered) if name not in names)
        if len(text) > MOST_CHARACTERS:
            self._notices.error(Problem("The text was not put in", too_long(len(text))))
            return False
        return self._reader.attach(conversation_id, Attachment(name, "paste", text))

    def detach(self, number: int) -> None:
        """Let what comes with the words in the composer go, by its number from 0 on."""
        conversation_id = self._library.open_id
        self._drafts.detach(conversation_id, number)
        self.changed.emit(conversation_id)

    def unfold_text(self, text: str) -> None:
        """Let a pasted text come with the words no more: it is among them again."""
        text, attached = storable(text), self._drafts.of(self._library.open_id).attachments
        found = [at for at, one in enumerate(attached) if one.kind == "paste" and one.text == text]
        if found:
            self.detach(found[-1])


def chips_of(attachments: Sequence[Attachment], tokens: Sequence[int]) -> tuple[AttachmentChip, ...]:
    """Return what is shown of attachments. tokens: of each, or of none while they are not known."""
    known = [formatting.tokens(one) for one in tokens] if len(tokens) == len(attachments) else [""] * len(attachments)
    return tuple(
        AttachmentChip(one_line(one.name), formatting.size(len(one.text)), words)
        for one, words in zip(attachments, known, strict=True)
    )
