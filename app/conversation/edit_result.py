"""What the window shows after an edit, as a value."""

from __future__ import annotations

from app.conversation.edit import Edit
from app.conversation.message import Conversation
from app.conversation.records import Folder, ListedBranch
from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EditResult:
    """Content of the database after an edit: the lists, and the trees of the edited conversations that still stand.

    Whoever gets it owns the trees.
    """

    edit: Edit
    conversations: tuple[Conversation, ...]
    folders: tuple[Folder, ...]
    trees: tuple[MessageTree, ...]
    branches: tuple[ListedBranch, ...] = ()

    @property
    def is_gone(self) -> bool:
        """Whether the conversation that the edit was about is no longer there."""
        return self.edit.conversation_id is not None and self.edit.conversation_id not in self.ids

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all conversations there are."""
        return frozenset(one.id for one in self.conversations)
