"""From stored conversations to the rows of the sidebar."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.conversation.message import Conversation
from app.conversation.records import Folder, ListedBranch
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.library.samples import SAMPLE_ID
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted

SECTIONS = ("Favourites", "Today", "Earlier", "Samples", "Folders")


def blank_title(is_first: bool, is_guide: bool) -> str:
    """Return what a conversation is called before anything is said in it. is_first: there is no other."""
    return "Welcome to Espalier" if is_first and is_guide else "New conversation"


@dataclass(frozen=True, slots=True)
class Shown:
    """The values that the rows are told from. blank: title of a conversation that has none. folded: ids of folders,
    and of the open conversation where its branches are put away. branches: those that are listed, by conversation;
    unfolded: conversations that show theirs, beside the open one; open_branch: the listed one that is open.

    now: seconds since the epoch.
    """

    open_id: str
    writing_ids: Collection[str]
    blank: str
    now: float
    folders: tuple[Folder, ...] = ()
    folded: frozenset[str] = frozenset()
    branches: Mapping[str, Sequence[ListedBranch]] = field(default_factory=dict)
    unfolded: frozenset[str] = frozenset()
    open_branch: str = ""


def conversation_rows(conversations: Iterable[Conversation], shown: Shown) -> list[ConversationRow]:
    """Rows in the order given, favourites first, those in folders last; a blank one is shown only while it is open."""
    rows: dict[str, list[ConversationRow]] = {name: [] for name in SECTIONS}
    filed: dict[str, list[ConversationRow]] = {folder.id: [] for folder in shown.folders}
    for one in conversations:
        if one.title or one.id == shown.open_id:
            row = _row(one, shown)
            (filed[row.folder_id] if row.folder_id else rows[row.section]).append(row)
    for folder in shown.folders:
        rows["Folders"] += _folder(folder, filed[folder.id], folder.id in shown.folded)
    return [each for section in SECTIONS for row in rows[section] for each in (row, *_branches(row, shown))]


def _row(one: Conversation, shown: Shown) -> ConversationRow:
    is_filed = any(folder.id == one.folder_id for folder in shown.folders)
    section = "Today" if formatting.is_today(one.updated_at, shown.now) else "Earlier"
    if one.id == SAMPLE_ID:
        section = "Samples"
    if is_filed or one.is_favourite:
        section = "Folders" if is_filed else "Favourites"
    return ConversationRow(
        id=one.id,
        title=one.title or shown.blank,
        age=formatting.age(one.updated_at, shown.now),
        section=section,
        is_open=one.id == shown.open_id,
        is_writing=one.id in shown.writing_ids,
        can_change=bool(one.title),
        is_favourite=one.is_favourite,
        folder_id=(one.folder_id or "") if is_filed else "",
        branches=len(shown.branches.get(one.id, ())),
        is_folded=_is_folded(one.id, shown),
    )


def _is_folded(conversation_id: str, shown: Shown) -> bool:
    """Return whether the branches of a conversation are put away: all but those of the open one are at first."""
    is_unfolded = conversation_id in shown.unfolded or conversation_id == shown.open_id
    return not is_unfolded or conversation_id in shown.folded


def _branches(row: ConversationRow, shown: Shown) -> Iterator[ConversationRow]:
    """Yield the branches of a conversation that shows them."""
    listed = () if row.is_folder or row.is_folded else shown.branches.get(row.id, ())
    for number, one in enumerate(listed):
        yield ConversationRow(
            id=one.id,
            title=one.name or quoted(formatting.plain_words(one.words)) or "Favourite",
            age="",
            section=row.section,
            is_open=row.is_open and one.id == shown.open_branch,
            is_writing=False,
            is_favourite=one.is_favourite,
            folder_id=row.folder_id,
            conversation_id=row.id,
            is_last=number + 1 == len(listed),
        )


def _folder(folder: Folder, rows: list[ConversationRow], is_folded: bool) -> Iterator[ConversationRow]:
    """Yield the folder and what lies in it, favourites first; of a folded one only what is open."""
    count = formatting.number(len(rows))
    yield ConversationRow(folder.id, folder.name, count, "Folders", False, False, is_folder=True, is_folded=is_folded)
    for row in sorted(rows, key=lambda row: not row.is_favourite):
        if row.is_open or not is_folded:
            yield row
