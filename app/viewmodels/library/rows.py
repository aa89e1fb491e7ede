"""What one row of the sidebar shows. The model returns it whole; the delegate draws it and decides nothing."""

from __future__ import annotations

from app.protocol.dataclass import dataclass
from app.viewmodels.text import formatting


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation in the sidebar, a folder of them, whose `age` is how many there are, or a branch of one.

    age: as shown ("now", "12 min", "yesterday"). section: one of `conversation_rows.SECTIONS`. can_change: it is
    stored, so it has a title to be changed. folder_id: the folder it lies in, or "". is_folded: a folder whose
    conversations are not shown, or a conversation whose branches are not. branches: of a conversation, those that it
    can show. conversation_id: of a branch, the one it belongs to; is_last: it is the last of those shown.
    """

    id: str
    title: str
    age: str
    section: str
    is_open: bool
    is_writing: bool
    can_change: bool = True
    is_favourite: bool = False
    folder_id: str = ""
    is_folder: bool = False
    is_folded: bool = False
    branches: int = 0
    conversation_id: str = ""
    is_last: bool = False

    @property
    def is_branch(self) -> bool:
        """Return whether this is a branch: its id is that of its first message."""
        return bool(self.conversation_id)


def spoken_conversation(row: ConversationRow) -> str:
    """Say a row: "Trip plan, 12 min, open, writing" or "Folder Work, 12 conversations, closed"."""
    if row.is_folder:
        count = f"{row.age}{formatting.HARD}conversation{'' if row.age == '1' else 's'}"
        return f"Folder {row.title}, {count}, {'closed' if row.is_folded else 'open'}"
    if row.is_branch:
        return ", ".join(["Branch " + row.title, *["favourite"] * row.is_favourite, *["open"] * row.is_open])
    marks = (("favourite", row.is_favourite), ("open", row.is_open), ("writing", row.is_writing))
    states = [word for word, holds in marks if holds]
    if row.branches:
        folded = "collapsed" if row.is_folded else "expanded"
        states.append(f"{formatting.plural(row.branches, 'branch', 'branches')}, {folded}")
    return ", ".join([row.title, row.age, *states])
