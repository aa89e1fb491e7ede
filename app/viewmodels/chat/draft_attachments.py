"""What a person attaches to the words in the composer: files, read on a thread of their own, and long pasted texts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal

from app.attaching.faults import AttachmentError
from app.attaching.files import MOST_ATTACHMENTS, MOST_CHARACTERS, name_of, read_file, too_long
from app.conversation.message import storable
from app.protocol.chat import Attachment
from app.protocol.reports import Problem
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting

LONG_PASTE = 4000
"""Characters, from which on a pasted text is folded into an attachment."""
_PASTED = "Pasted text"
_MOST_TOGETHER = 2 * MOST_CHARACTERS
_PARTING = 1.0  # seconds that the end of the program waits for a file that is being read


class _Came(NamedTuple):
    """Outcome of reading one file. attachment: None where problem says why, the first of its kind if is_first."""

    conversation_id: str
    attachment: Attachment | None
    problem: Problem | None
    note: str
    is_first: bool = True


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

    A file that is read when another conversation is open comes with the words of the one for which it was chosen.

    Signal: changed(str), another thing is attached in this conversation, or is being read for it.
    """

    changed = Signal(str)
    _came = Signal(object)

    def __init__(
        self,
        library: LibraryRegion,
        drafts: Drafts,
        cards: ProblemCards,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._drafts, self._cards, self._notices = library, drafts, cards, notices
        self._reading: list[tuple[str, str]] = []
        self._threads: list[threading.Thread] = []
        self._turn = threading.Lock()
        self._is_closed = threading.Event()
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def reading(self, conversation_id: str) -> str:
        """Return the name of the file that is being read for a conversation, or ""."""
        return next((name for known, name in self._reading if known == conversation_id), "")

    def of(self, number: int) -> Attachment | None:
        """Return what comes with the words, by its number from 0 on; None where it is gone."""
        attached = self._drafts.of(self._library.open_id).attachments
        return attached[number] if 0 <= number < len(attached) else None

    def attach_files(self, paths: Sequence[str]) -> None:
        """Have files come with the words in the composer, in this order, as soon as they are read."""
        self._cards.dismiss()
        conversation_id, files = self._library.open_id, [Path(path) for path in paths]
        self._reading += [(conversation_id, name_of(file)) for file in files]
        thread = threading.Thread(
            target=self._read, args=(conversation_id, files), name="attaching", daemon=True
        )  # a disk that hangs keeps nobody from quitting
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        self.changed.emit(conversation_id)

    def attach_text(self, text: str) -> bool:
        """Have a text that was pasted come with the words in the composer. Returns whether that was possible."""
        conversation_id, text = self._library.open_id, storable(text)
        names = {one.name for one in self._drafts.of(conversation_id).attachments}
        numbered = (f"{_PASTED} {number}" for number in range(2, MOST_ATTACHMENTS + 2))
        name = next(name for name in (_PASTED, *numbered) if name not in names)
        if len(text) > MOST_CHARACTERS:
            self._notices.error(Problem("The text was not put in", too_long(len(text))))
            return False
        return self._attach(conversation_id, Attachment(name, "paste", text))

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

    def close(self) -> None:
        """Give up what is being read."""
        self._is_closed.set()
        self._reading.clear()
        for thread in self._threads:
            thread.join(_PARTING)

    def _attach(self, conversation_id: str, attachment: Attachment) -> bool:
        attached = self._drafts.of(conversation_id).attachments
        if len(attached) >= MOST_ATTACHMENTS:
            reason = f"A question takes {MOST_ATTACHMENTS} attachments. Ask about these first."
        elif len(attachment.text) + sum(len(one.text) for one in attached) > _MOST_TOGETHER:
            most = formatting.plural(_MOST_TOGETHER, "character")
            reason = f"With what is attached already it comes to more than {most}. Ask about that first."
        else:
            self._drafts.attach(conversation_id, attachment)
            self.changed.emit(conversation_id)
            return True
        self._notices.error(Problem(f"{attachment.name} cannot be attached", reason))
        return False

    def _read(self, conversation_id: str, files: Sequence[Path]) -> None:
        with self._turn:
            has_failed = False
            for file in files:
                came = _read(conversation_id, file, lambda: not self._is_closed.is_set())
                if self._is_closed.is_set():
                    return
                self._came.emit(came._replace(is_first=not has_failed))
                has_failed = has_failed or came.problem is not None

    def _take(self, came: _Came) -> None:
        if self._is_closed.is_set():
            return
        at = next(at for at, (known, _) in enumerate(self._reading) if known == came.conversation_id)
        del self._reading[at]
        if came.attachment is None or not self._attach(came.conversation_id, came.attachment):
            self.changed.emit(came.conversation_id)
        if came.problem is not None:
            tell = self._notices.error if came.is_first else self._notices.add_error
            tell(came.problem)
        elif came.note:
            self._notices.info(came.note)


def _read(conversation_id: str, file: Path, is_wanted: Callable[[], bool]) -> _Came:
    try:
        read = read_file(file, is_wanted)
    except AttachmentError as error:
        return _Came(conversation_id, None, error.problem, "")
    return _Came(conversation_id, read.attachment, None, read.note)


def chips_of(attachments: Sequence[Attachment], tokens: Sequence[int]) -> tuple[AttachmentChip, ...]:
    """Return what is shown of attachments. tokens: of each, or of none while they are not known."""
    known = [formatting.tokens(one) for one in tokens] if len(tokens) == len(attachments) else [""] * len(attachments)
    return tuple(
        AttachmentChip(one.name, formatting.size(len(one.text)), words)
        for one, words in zip(attachments, known, strict=True)
    )
