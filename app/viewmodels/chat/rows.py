"""What one row of the chat shows. The model returns it whole; the painter draws it and decides nothing."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from pathlib import PurePath
from typing import NamedTuple

from app.protocol.chat import Attachment, AttachmentKind, Role
from app.protocol.dataclass import dataclass
from app.protocol.events import TextKind
from app.protocol.excerpts import isolated
from app.protocol.trie_view import Residency
from app.viewmodels.text import formatting

_WARMTH: dict[Residency, str] = {
    "live": "warm, live",
    "memory": "warm, in memory",
    "disk": "warm, on disk",
    "believed": "should be warm, on the server",
    "none": "cold",
}


_SOURCE: tuple[AttachmentKind, ...] = "code", "data"
_LONGEST_NAME = 60  # characters of a name on its line


class SegmentKind(Enum):
    """Kinds of what a message is made of. The view has one way to lay out each.

    TYPED: text as a person typed it. MARKDOWN: text of a model. THINKING: what a model thought before that.
    ATTACHED: what comes with a question, as it is; SOURCE: the same of source code or data.
    """

    TYPED = auto()
    MARKDOWN = auto()
    THINKING = auto()
    ATTACHED = auto()
    SOURCE = auto()


class Segment(NamedTuple):
    """A piece of a message, of one kind from its beginning to its end. language: of source, as its file's name ends."""

    kind: SegmentKind
    text: str
    language: str = ""


def segments_of(role: Role, text: str) -> tuple[Segment, ...]:
    """Return what a message is made of, in order."""
    return (Segment(SegmentKind.TYPED if role == "user" else SegmentKind.MARKDOWN, text),)


def segment_of_attachment(attachment: Attachment | AttachmentRow) -> Segment:
    """Return what an attachment that is open is laid out as."""
    text = attachment.text.rstrip("\n")
    if attachment.kind not in _SOURCE:
        return Segment(SegmentKind.ATTACHED, text)
    return Segment(SegmentKind.SOURCE, text, PurePath(attachment.name).suffix.removeprefix(".").lower())


@dataclass(frozen=True, slots=True)
class Footer:
    """Figures below an answer. `reused` and `computed` are prompt tokens; None leaves a figure out.

    is_about: these two are what is believed of a server's cache.
    """

    reused: int | None
    computed: int | None
    tokens: int | None
    rate: float | None
    first_token: float | None
    stop: str
    is_about: bool = False


@dataclass(frozen=True, slots=True)
class PrefillRow:
    """A prompt being read, in tokens. `rate` in tokens per second, `why` in one line or empty."""

    cached: int
    done: int
    total: int
    rate: float
    why: str


@dataclass(frozen=True, slots=True)
class ThoughtRow:
    """Thought of a model before an answer, folded to one line or open.

    seconds, tokens: that it took, None where that is not known. is_growing: the thought is being written.
    """

    text: str
    seconds: float | None = None
    tokens: int | None = None
    is_open: bool = False
    is_growing: bool = False

    @property
    def title(self) -> str:
        """Return the line that stands for it: "Thinking… 3 s", "Thought for 12 s · 214 tokens"."""
        if self.is_growing:
            return "Thinking…" if self.seconds is None else f"Thinking… {formatting.whole_seconds(self.seconds)}"
        took = "" if self.seconds is None else f" for {formatting.whole_seconds(self.seconds)}"
        return f"Thought{took}" + ("" if self.tokens is None else f"{formatting.DOT}{formatting.tokens(self.tokens)}")

    @property
    def spoken(self) -> str:
        """Say it: "thought, 214 tokens, collapsed"; without figures while they change."""
        parts = ["thinking" if self.is_growing else "thought"]
        if self.tokens is not None and not self.is_growing:
            parts.append(formatting.tokens(self.tokens))
        return ", ".join([*parts, "expanded" if self.is_open else "collapsed"])


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """An attachment of a question, folded to one line or open. tokens: None where that is not known."""

    name: str
    text: str
    tokens: int | None = None
    is_open: bool = False
    kind: AttachmentKind = "text"

    @property
    def title(self) -> str:
        """Return the line that stands for it: "report.pdf · 12 000 tokens"."""
        size = formatting.size(len(self.text)) if self.tokens is None else formatting.tokens(self.tokens)
        return isolated(formatting.first_words(self.name, _LONGEST_NAME)) + formatting.DOT + size

    @property
    def spoken(self) -> str:
        """Say it: "attachment report.pdf, 12 000 tokens, collapsed"."""
        size = formatting.size(len(self.text)) if self.tokens is None else formatting.tokens(self.tokens)
        return ", ".join([f"attachment {self.name}", size, "expanded" if self.is_open else "collapsed"])


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message of the open path.

    name: who wrote it. segments: what was said, in order. residency: None when the engine does not tell it. version,
    versions: which sibling this is, counted from 1. sibling_residencies: of each sibling, this one included, or empty.
    footer: an ended answer's figures. prefill: how far its prompt is read, while that is done and told. is_streaming:
    the last segment still grows; doing: what becomes of it in a word, "" for what has ended. note: one line under a
    message that did not come to its end, or from which on something else holds. is_edited: its words stand in the
    composer. is_pinned: what is cached of the branch down to here is kept. is_unanswered: a question that ends the
    path, and that nobody answers or is about to. thought: before an answer, no segment of it. attachments: before a
    question's words. branch: the name of the branch that begins here, or "".
    """

    id: str
    role: Role
    name: str
    segments: tuple[Segment, ...]
    residency: Residency | None
    version: int
    versions: int
    sibling_residencies: tuple[Residency, ...]
    footer: Footer | None = None
    prefill: PrefillRow | None = None
    is_streaming: bool = False
    doing: str = ""
    note: str = ""
    thought: ThoughtRow | None = None
    attachments: tuple[AttachmentRow, ...] = ()
    branch: str = ""
    is_edited: bool = False
    is_pinned: bool = False
    is_unanswered: bool = False

    @property
    def shown(self) -> tuple[Segment, ...]:
        """Return what is laid out: the segments, after the thought and the attachments that are open."""
        if self.attachments:
            opened = [segment_of_attachment(one) for one in self.attachments if one.is_open]
            return (*opened, *self.segments)
        if self.thought is None or not self.thought.is_open:
            return self.segments
        said = [segment for segment in self.segments if segment.text]
        return (Segment(SegmentKind.THINKING, self.thought.text), *said)

    @property
    def text(self) -> str:
        """Return the whole message, as it is copied and spoken."""
        return "\n\n".join([segment.text for segment in self.segments])

    def going_on(self, text: str, kind: TextKind = "text") -> MessageRow:
        """Return the row with this text after that of its last segment, or of its thought."""
        if kind == "thinking":
            thought = self.thought or ThoughtRow("", is_growing=True)
            return replace(self, thought=replace(thought, text=thought.text + text))
        *before, last = self.segments
        return replace(self, segments=(*before, Segment(last.kind, last.text + text)))


def spoken_message(row: MessageRow, position: int, count: int) -> str:
    """Say a message: "Espalier Guide, message 4 of 9, version 2 of 3, 214 tokens, warm, live: The plan holds…"."""
    parts = [row.name, f"message {position} of {count}"]
    if row.versions > 1:
        parts.append(f"version {row.version} of {row.versions}")
    if row.branch:
        parts.append(f"branch {row.branch}")
    if row.is_edited:
        parts.append("being edited")
    if row.is_pinned:
        parts.append("pinned")
    if row.doing:
        parts.append(row.doing)
    elif row.footer and row.footer.tokens is not None:
        parts.append(formatting.tokens(row.footer.tokens))
    if row.thought is not None:
        parts.append(row.thought.spoken)
    parts += [one.spoken for one in row.attachments]
    if row.residency is not None:
        parts.append(_WARMTH[row.residency])
    if row.note:
        parts.append(row.note)
    return ", ".join(parts) + (f": {formatting.first_words(row.text, 200)}" if row.text else "")
