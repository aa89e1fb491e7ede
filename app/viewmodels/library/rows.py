"""What one row of the sidebar shows. The model returns it whole; the delegate draws it and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from app.viewmodels.text import formatting


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation in the sidebar, or a folder of them, whose `age` is how many there are.

    age: as shown ("now", "12 min", "yesterday"). section: one of `conversation_rows.SECTIONS`. can_change: it is
    stored, so it has a title to be changed. folder_id: the folder it lies in, or "". is_folded: a folder whose
    conversations are not shown.
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


def spoken_conversation(row: ConversationRow) -> str:
    """Say a row: "Trip plan, 12 min, open, writing" or "Folder Work, 12 conversations, closed"."""
    if row.is_folder:
        count = f"{row.age}{formatting.HARD}conversation{'' if row.age == '1' else 's'}"
        return f"Folder {row.title}, {count}, {'closed' if row.is_folded else 'open'}"
    marks = (("favourite", row.is_favourite), ("open", row.is_open), ("writing", row.is_writing))
    states = [word for word, holds in marks if holds]
    return ", ".join([row.title, row.age, *states])
