"""A conversation and its messages, as values. Ids are 32 hexadecimal digits; times are seconds since the epoch."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from app.protocol.chat import Attachment, Role, Turn
from app.protocol.dataclass import dataclass
from app.protocol.excerpts import one_line, plain_words

TITLE_LENGTH = 48
INSTRUCTIONS = "Instructions"
THOUGHT = "Thought"
EDITED = "edited"  # of an answer's figures: how many characters of its beginning a person wrote
_SPEAKERS = {"user": "You", "system": INSTRUCTIONS}
_HEX = frozenset("0123456789abcdef")


def new_id() -> str:
    """Make a fresh id for a conversation or a message."""
    return uuid.uuid4().hex


def id_beside(message_id: str, *words: str) -> str:
    """Return the id of the message with these words that comes beside another: always the same one."""
    return uuid.uuid5(uuid.UUID(hex=message_id), "\0".join(map(storable, words))).hex


def checked_id(value: str) -> str:
    """Return an id as it is; ValueError when it is none."""
    if len(value) != 32 or not _HEX.issuperset(value):
        raise ValueError(f"not an id (32 hexadecimal digits): {value!r}")
    return value


def storable(text: str) -> str:
    """Join halves of surrogate pairs, which UTF-8 cannot hold, or replace them by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def title_from(text: str) -> str:
    """Make a conversation's title of the first plain words of a text, at most TITLE_LENGTH characters."""
    return plain_words(text, TITLE_LENGTH)


def checked_title(title: str) -> str:
    """Put a title or name on one line; ValueError when nothing would be seen of it, or for more than 200 characters."""
    line = one_line(title)
    if not 1 <= len(line) <= 200:
        raise ValueError(f"a title has 1 to 200 characters, this one {len(line)}")
    return line


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its messages, as the list shows it. `title` is None until the first question is asked."""

    id: str
    title: str | None
    created_at: float
    updated_at: float
    folder_id: str | None = None
    is_favourite: bool = False

    @classmethod
    def new(cls, title: str | None = None) -> Conversation:
        """Make a conversation that begins now. ValueError for an empty title."""
        now = time.time()
        return cls(new_id(), None if title is None else checked_title(title), now, now)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a tree. ValueError when it could not be stored.

    parent_id: None for a first message, of which a conversation may have several. Only answers have the rest: `ids`,
    the token ids they were generated with; `model`, the fingerprint of the model that wrote them, and its name;
    `stats`, figures that JSON can hold; `stop`, why they ended, None while they are being written or were cut off;
    `sampling`, how their tokens were chosen, JSON too. `name`: what the branch that comes here is called. `thinking`:
    what its model thought before an answer. `attachments`: what comes with a question. `instructions`, `thinks`: what
    holds from a question on, None where that is what held before it; "" for no instructions.
    """

    id: str
    conversation_id: str
    parent_id: str | None
    role: Role
    text: str
    created_at: float
    ids: tuple[int, ...] | None = None
    model: str | None = None
    model_name: str | None = None
    stats: Mapping[str, Any] | None = None
    stop: str | None = None
    sampling: Mapping[str, Any] | None = None
    name: str | None = None
    is_pinned: bool = False
    is_favourite: bool = False
    attachments: tuple[Attachment, ...] = ()
    instructions: str | None = None
    thinks: bool | None = None
    thinking: str = ""

    def __post_init__(self) -> None:
        checked_id(self.id)
        checked_id(self.conversation_id)
        if self.parent_id is not None:
            checked_id(self.parent_id)
        if self.role not in get_args(Role):
            raise ValueError(f"unknown role: {self.role!r}")
        if self.role == "system" and self.parent_id is not None:
            raise ValueError("a system message stands at the beginning of a conversation")
        if self.role != "assistant":
            self._check_typed()
        if self.role != "user" and self.attachments:
            raise ValueError(f"only a question has attachments, not a {self.role} message")
        if self.role != "user" and (self.instructions is not None or self.thinks is not None):
            raise ValueError(f"instructions hold from a question on, not from a {self.role} message")
        if self.stop is None and (self.ids is not None or self.stats is not None):
            raise ValueError("only an answer that has ended has token ids and figures")

    @property
    def speaker(self) -> str:
        """Return who speaks, as a heading: "You", "Instructions", or the name of the model, where it is known."""
        return _SPEAKERS.get(self.role) or one_line(self.model_name or "") or "Answer"

    def marked_as(self, other: Message) -> Message:
        """Return it with the name, the pin and the star of another message."""
        return replace(self, name=other.name, is_pinned=other.is_pinned, is_favourite=other.is_favourite)

    def _check_typed(self) -> None:
        if not self.text:
            raise ValueError(f"a {self.role} message needs a text")
        if self.thinking or any(value is not None for value in self._of_an_answer):
            what = "token ids, a model, figures, a stop reason, sampling or a thought"
            raise ValueError(f"only an answer has {what}, not a {self.role} message")

    @property
    def _of_an_answer(self) -> tuple[object, ...]:
        return (self.ids, self.model, self.model_name, self.stats, self.stop, self.sampling)

    @classmethod
    def new(
        cls,
        conversation_id: str,
        parent_id: str | None,
        role: Role,
        text: str = "",
        *,
        model: str | None = None,
        model_name: str | None = None,
        sampling: Mapping[str, Any] | None = None,
        attachments: tuple[Attachment, ...] = (),
        instructions: str | None = None,
        thinks: bool | None = None,
    ) -> Message:
        """Make a message that is written now, with a fresh id. An answer begins empty and unfinished."""
        now = time.time()
        return cls(
            *(new_id(), conversation_id, parent_id, role, text, now),
            model=model,
            model_name=model_name,
            sampling=sampling,
            attachments=attachments,
            instructions=instructions,
            thinks=thinks,
        )

    def edit(self, text: str, sampling: Mapping[str, Any] | None, stop: str) -> Message:
        """Make another version of an answer, which says what a person made of its text; its thought stays.

        sampling: how the tokens will be chosen with which it goes on, None where it does not. stop: why it ended.
        """
        edit = Message.new(self.conversation_id, self.parent_id, "assistant", text, sampling=sampling)
        return replace(edit, thinking=self.thinking, stop=stop, stats={EDITED: len(text)})

    @property
    def is_unfinished(self) -> bool:
        """Whether this is an answer that is being written or was cut off."""
        return self.role == "assistant" and self.stop is None

    @property
    def is_wordless(self) -> bool:
        """Whether this is an answer that says nothing, whatever was thought before it."""
        return self.role == "assistant" and not self.text.strip()

    def turn(self, fingerprint: str | None) -> Turn:
        """Return the message as the engine reads it: with its ids when the model with this fingerprint wrote them."""
        is_own = fingerprint is not None and self.model == fingerprint
        ids = self.ids if is_own else None
        return Turn(self.role, self.text, ids, self.created_at, self.thinking, self.attachments)
