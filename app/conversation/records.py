"""Folders, what lies in the trash, and whole conversations, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple

from app.conversation.edit import Operation
from app.conversation.message import Conversation, Message, checked_title, new_id
from app.protocol.chat import Attachment
from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ListedBranch:
    """A branch that the list of conversations shows.

    id: of its first message. name: "" for one that is only a favourite. words: the first of that message, where a
    person wrote it.
    """

    id: str
    conversation_id: str
    name: str
    is_favourite: bool
    words: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in the list of conversations."""

    id: str
    name: str

    @classmethod
    def new(cls, name: str) -> Folder:
        """Make a folder with a fresh id. ValueError for an empty name."""
        return cls(new_id(), checked_title(name))


@dataclass(frozen=True, slots=True)
class ViewState:
    """State in which a conversation was left.

    draft: words in the composer that were not sent. editing: the
    question they are another version of, or None. aside: what stood in the composer before that edit. anchor: the
    message at the top of the chat, None where its end was in sight; offset: points of it above the top. is_open: the
    conversation was the one shown. attachments, attachments_aside: what comes with the draft, and with what was aside.
    settings: what was chosen for the next answers, in JSON, "" where nothing was. is_after: `editing` is the message
    that the words begin a new branch after. window: number of the one that shows the conversation, None where none
    does; of a blank one that is not open, the window that it is opened in. is_blank: nothing was said in it yet.
    """

    conversation_id: str
    draft: str = ""
    editing: str | None = None
    aside: str = ""
    anchor: str | None = None
    offset: float = 0.0
    is_open: bool = False
    attachments: tuple[Attachment, ...] = ()
    attachments_aside: tuple[Attachment, ...] = ()
    settings: str = ""
    is_after: bool = False
    window: int | None = None
    is_blank: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to remember."""
        return replace(self, window=None) == ViewState(self.conversation_id, is_blank=self.is_blank)

    def after(self, earlier: ViewState) -> ViewState:
        """Return it with those words of an earlier state, and attachments, that it lacks, before its own."""
        words = [one for one in (earlier.draft, earlier.aside) if one not in self.draft + self.aside]
        here = self.attachments + self.attachments_aside
        settings = self.settings or earlier.settings
        attached = tuple(one for one in earlier.attachments + earlier.attachments_aside if one not in here)
        if self.editing is None:
            draft = "\n".join([*words, self.draft] if self.draft else words)
            return replace(self, draft=draft, attachments=attached + self.attachments, settings=settings)
        aside = "\n".join([*words, self.aside] if self.aside else words)
        return replace(self, aside=aside, attachments_aside=attached + self.attachments_aside, settings=settings)


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings of sampling under a name: those that differ from the model's own, as JSON can hold them."""

    name: str
    sampling: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trashed:
    """An entry of the trash: what one operation has deleted.

    at: seconds since the epoch, by the clock of `Store.now`. title: of the conversation, or the name of the folder.
    excerpt: the first words of the first message. messages: how many there are, those of a whole conversation too.
    is_conversation: it is the whole.
    """

    number: int
    at: float
    operation: Operation
    conversation_id: str | None
    title: str
    excerpt: str
    messages: int
    is_conversation: bool = False


class Deleted(NamedTuple):
    """Count of the messages that an edit has put into the trash, and of those of them that ended a branch."""

    messages: int
    ends: int


@dataclass(frozen=True, slots=True)
class Document:
    """A conversation with its tree, without what lies in the trash.

    messages: parents before children. visited: ids of the last visited children. leaf_id: where the open path ends.
    choices: by message id, what each token of an answer was chosen from, packed as by `protocol.choices`.
    """

    conversation: Conversation
    messages: tuple[Message, ...] = ()
    visited: tuple[str, ...] = ()
    leaf_id: str | None = None
    choices: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """A message that a person gave a name or a pin, with where it is. words: the beginning of its text.

    title: of its conversation, None where it has none.
    """

    message_id: str
    conversation_id: str
    title: str | None
    name: str | None
    is_pinned: bool
    words: str
