"""Files that are read for drafts, on a thread of their own, whichever window they were chosen in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal

from app.attaching.faults import AttachmentError
from app.attaching.files import MOST_ATTACHMENTS, MOST_CHARACTERS, name_of, read_file
from app.protocol.chat import Attachment
from app.protocol.reports import Problem
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.versions import edited_answer
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library import Library
from app.viewmodels.text import formatting

_MOST_TOGETHER = 2 * MOST_CHARACTERS
_PARTING = 1.0  # seconds that the end of the program waits for a file that is being read


class _Came(NamedTuple):
    """Outcome of reading one file. attachment: None where problem says why, the first of its kind if is_first."""

    conversation_id: str
    attachment: Attachment | None
    problem: Problem | None
    note: str
    is_first: bool = True


class AttachmentReader(QObject):
    """Attaches files and texts to the drafts of conversations. What cannot be attached is told.

    A file comes with the words of the conversation that it was chosen for, whatever windows show by then. An answer has
    no attachments: where one is edited by then, the file comes with the words that were put aside for that.

    Signal: changed(str), another thing is attached in this conversation, or is being read for it.
    """

    changed = Signal(str)
    _came = Signal(object)

    def __init__(self, drafts: Drafts, library: Library, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts, self._library, self._notices = drafts, library, notices
        self._reading: list[tuple[str, str]] = []
        self._threads: list[threading.Thread] = []
        self._turn = threading.Lock()
        self._is_closed = threading.Event()
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def reading(self, conversation_id: str) -> str:
        """Return the name of the file that is being read for a conversation, or ""."""
        return next((name for known, name in self._reading if known == conversation_id), "")

    def edits_answer(self, conversation_id: str) -> bool:
        """Return whether the words of a conversation are another version of an answer, which has no attachments."""
        tree = self._library.tree_of(conversation_id)
        return tree is not None and edited_answer(tree, self._drafts.of(conversation_id)) is not None

    def read(self, conversation_id: str, files: Sequence[Path]) -> None:
        """Have files come with the words of a conversation, in this order, as soon as they are read."""
        self._reading += [(conversation_id, name_of(file)) for file in files]
        thread = threading.Thread(
            target=self._read, args=(conversation_id, files), name="attaching", daemon=True
        )  # a disk that hangs keeps nobody from quitting
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        self.changed.emit(conversation_id)

    def attach(self, conversation_id: str, attachment: Attachment) -> bool:
        """Have this come with the words of a conversation. Returns whether that was possible; where not, says why."""
        draft, is_aside = self._drafts.of(conversation_id), self.edits_answer(conversation_id)
        attached = draft.attachments_aside if is_aside else draft.attachments
        if len(attached) >= MOST_ATTACHMENTS:
            reason = f"A question takes {MOST_ATTACHMENTS} attachments. Ask about these first."
        elif len(attachment.text) + sum(len(one.text) for one in attached) > _MOST_TOGETHER:
            most = formatting.plural(_MOST_TOGETHER, "character")
            reason = f"With what is attached already it comes to more than {most}. Ask about that first."
        else:
            put = self._drafts.attach_aside if is_aside else self._drafts.attach
            put(conversation_id, attachment)
            self.changed.emit(conversation_id)
            return True
        self._notices.error(Problem(f"{attachment.name} cannot be attached", reason))
        return False

    def close(self) -> None:
        """Give up what is being read."""
        self._is_closed.set()
        self._reading.clear()
        for thread in self._threads:
            thread.join(_PARTING)

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
        if came.attachment is None or not self.attach(came.conversation_id, came.attachment):
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
