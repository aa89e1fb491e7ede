"""What one row of a view shows. Models return it whole under `RowRole.ROW`; delegates draw it and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass

from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Role
from app.protocol.trie_view import Residency


@dataclass(frozen=True, slots=True)
class Footer:
    """Figures below an answer. `reused` and `computed` are prompt tokens; None leaves a figure out."""

    reused: int | None
    computed: int | None
    tokens: int | None
    rate: float | None
    first_token: float | None
    stop: str


@dataclass(frozen=True, slots=True)
class PrefillRow:
    """A prompt being read, in tokens. `rate` in tokens per second, `why` in one line or empty."""

    cached: int
    done: int
    total: int
    rate: float
    why: str


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message of the open path.

    name: who wrote it. version, versions: which sibling this is, counted from 1. sibling_residencies: of each sibling,
    this one included. footer: an ended answer's figures. prefill: set while its prompt is read.
    caret: the text still grows. note: one line under a message that did not come to its end.
    """

    id: str
    role: Role
    name: str
    text: str
    residency: Residency
    version: int
    versions: int
    sibling_residencies: tuple[Residency, ...]
    footer: Footer | None = None
    prefill: PrefillRow | None = None
    is_streaming: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation in the sidebar, or a folder of them, whose `age` is how many there are.

    age: as shown ("now", "12 min", "yesterday"). section: "Favourites", "Today", "Earlier" or "Folders". can_change:
    it is stored, so it has a title to be changed. folder_id: the folder it lies in, or "". is_folded: a folder whose
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


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line of the cache's log. `time` as shown ("09:41:07"); `why` in one sentence or empty."""

    time: str
    kind: CacheEventKind
    text: str
    why: str
