"""What the window shows of the stored conversations beside their list."""

from __future__ import annotations

from app.conversation.records import Folder
from app.protocol.dataclass import dataclass

READ_ONLY = "The conversations can only be read, so nothing new is saved."


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The open conversation among all others.

    open_id: which one it is. is_favourite: it is marked as one.
    blank_title: what a conversation without a title is called. folders: all of them in their order. undo, redo: what
    Undo and Redo would do among conversations ("Delete"), "" for nothing. has_conversations: something is stored.
    is_read_only: the database refuses every change.
    """

    open_id: str = ""
    is_favourite: bool = False
    blank_title: str = ""
    folders: tuple[Folder, ...] = ()
    undo: str = ""
    redo: str = ""
    has_conversations: bool = False
    is_read_only: bool = False

    @property
    def refusal(self) -> str:
        """Return why nothing can be changed, "" where it can."""
        return READ_ONLY if self.is_read_only else ""
