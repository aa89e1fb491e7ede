"""From stored conversations to the rows of the sidebar.

Properties: a row is made again only when what it is told from differs, or its age is written otherwise by now; so a
refresh costs what has changed, and ten thousand conversations are gone through without making their rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from typing import NamedTuple

from app.conversation.message import Conversation
from app.conversation.records import Folder, ListedBranch
from app.protocol.dataclass import dataclass
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


class _Made(NamedTuple):
    """A row as it was made. until: seconds since the epoch, up to which its age is written so."""

    conversation: Conversation
    row: ConversationRow
    until: float


class ConversationRows:
    """The rows of one sidebar, of which those stay that do not differ."""

    def __init__(self) -> None:
        self._conversations: tuple[Conversation, ...] = ()
        self._shown = Shown("", frozenset(), "", 0.0)
        self._zone = ""
        self._made: dict[str, _Made] = {}
        self._until = 0.0  # the first `until` of all
        self._rows: list[ConversationRow] = []

    def rows(self, conversations: Iterable[Conversation], shown: Shown) -> list[ConversationRow]:
        """Return the rows as of `conversation_rows`: the same list where nothing differs."""
        given, before, zone = tuple(conversations), self._shown, formatting.dates_as(shown.now)
        if zone != self._zone or shown.now < before.now:
            self._made, self._zone, self._until = {}, zone, 0.0
        is_same = given == self._conversations and shown == replace(before, now=shown.now)
        if not is_same or shown.now >= self._until:
            made = self._make(given, shown, _differing(before, shown))
            self._made = {one.conversation.id: one for one in made}
            self._until = min((one.until for one in made), default=float("inf"))
            self._rows = _in_sections([one.row for one in made], shown)
        self._conversations, self._shown = given, shown
        return self._rows

    def _make(self, conversations: Iterable[Conversation], shown: Shown, differing: Set[str]) -> list[_Made]:
        """Return the row of each conversation, made again where it differs."""
        rows: list[_Made] = []
        folders = {folder.id for folder in shown.folders}
        for one in conversations:
            made, is_filed = self._made.get(one.id), one.folder_id in folders
            is_new = made is None or made.conversation != one or one.id in differing
            if made is not None and not is_new and made.until > shown.now and bool(made.row.folder_id) == is_filed:
                rows.append(made)
            elif one.title or one.id == shown.open_id:
                until = formatting.age_holds_until(one.updated_at, shown.now)
                rows.append(_Made(one, _row(one, shown, is_filed), until))
        return rows


def conversation_rows(conversations: Iterable[Conversation], shown: Shown) -> list[ConversationRow]:
    """Rows in the order given, favourites first, those in folders last; a blank one is shown only while it is open."""
    return ConversationRows().rows(conversations, shown)


def _differing(before: Shown, now: Shown) -> Set[str]:
    """Return the ids of the conversations whose rows are told from something else than before."""
    listed = (before.branches.keys() | now.branches.keys()) if before.branches != now.branches else set[str]()
    ids = {one for one in listed if len(before.branches.get(one, ())) != len(now.branches.get(one, ()))}
    if (before.open_id, before.blank) != (now.open_id, now.blank):
        ids |= {before.open_id, now.open_id}
    ids |= set(before.writing_ids) ^ set(now.writing_ids)
    return ids | (before.folded ^ now.folded) | (before.unfolded ^ now.unfolded)


def _in_sections(made: Iterable[ConversationRow], shown: Shown) -> list[ConversationRow]:
    """Return all rows as they are shown, with folders and branches among them."""
    rows: dict[str, list[ConversationRow]] = {name: [] for name in SECTIONS}
    filed: dict[str, list[ConversationRow]] = {folder.id: [] for folder in shown.folders}
    for row in made:
        (filed[row.folder_id] if row.folder_id else rows[row.section]).append(row)
    for folder in shown.folders:
        rows["Folders"] += _folder(folder, filed[folder.id], folder.id in shown.folded)
    found: list[ConversationRow] = []
    for row in (row for section in SECTIONS for row in rows[section]):
        found.append(row)
        if row.branches and not row.is_folded:
            found += _branches(row, shown)
    return found


def _row(one: Conversation, shown: Shown, is_filed: bool) -> ConversationRow:
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
    listed = shown.branches.get(row.id, ())
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
