"""The `.espalier` format: a conversation whole with its tree, as one JSON document in UTF-8, a message on each line.

    {
      "format": "espalier conversation",    always
      "version": 1,                         of this form; a reader refuses what is newer than it knows
      "id": "0123456789abcdef0123456789abcdef",
      "title": "Which pears keep?",         one line of at most 200 characters, or null
      "created": 1790000000.25,             times are seconds since 1970 in UTC
      "updated": 1790000100.5,
      "favourite": false,
      "folder": null,                       id of the folder, which counts where there is such a folder
      "selected": "…",                      id of the message that the open path ends with, or null
      "messages": [ … ]                     every message after the one that it follows, and after its elder siblings
    }

Of a message:

    "id"            32 hexadecimal digits, as all ids
    "parent"        id of the message before it, null for a first one, of which there may be several
    "role"          "system" (first messages only), "user" or "assistant"
    "text"          only an assistant's may be empty
    "created"       when it was begun

and, where there is something to say:

    "visited"       true for the child that was last open below its parent, at most one of them
    "branch"        name of the branch that begins here
    "pinned", "favourite"      true

and of a question:

    "attachments"   what comes with it: [{"name": "report.pdf", "kind": "pdf", "text": "…"}, …]. In place of a "text"
                    that stands in the file already: "message", the id of an earlier question, and "number", which of
                    its attachments has it, from 0 on. Kinds: "text", "markdown", "code", "data", "pdf", "paste"
    "instructions"  what the model is told first from this question on, "" for nothing
    "thinks"        whether it thinks before it answers, from this question on

and of an answer:

    "model", "model_name"      fingerprint of the model that wrote it, and its name
    "thinking"      what it thought before, which "text" does not have
    "sampling"      how its tokens were chosen, an object of numbers and texts
    "stop"          why it ended: "finished", "stop text", "length limit", "context full", "stopped" or "failed";
                    left out when it was cut off. Only an answer that ended has what follows.
    "tokens"        ids of its tokens, from 0 to 2147483647
    "stats"         its figures: "tokens", "rate" (per second), "seconds", "first_token" (seconds), "seed",
                    "thinking_tokens", "thinking_seconds" and
                    "request": {"total", "seen", "matched", "cached" (tokens), "reason", "diverged_at", "source"}
    "choices"       what each of the tokens was chosen from, in Base64, as `app/protocol/choices.py` packs it

What is left out and what is null is the same. Entries with other names are passed over. Dates outside of our time are
set right, and token ids that cannot belong to their text are left out, with their choices.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

from app.conversation.message import Conversation, Message, checked_id, checked_title
from app.conversation.records import Document
from app.exchange import limits
from app.exchange.dates import clamped
from app.exchange.faults import ExchangeError, MalformedError, reading, shown
from app.exchange.json_object import Entries, JsonObject, require_object
from app.exchange.json_text import parsed
from app.exchange.notes import Change, Notes
from app.protocol.chat import Attachment, AttachmentKind, Role
from app.protocol.choices import cut, pack, unpack
from app.protocol.reports import Problem, StopReason

FORMAT = "espalier conversation"
VERSION = 1

_LATEST = 253_000_000_000.0  # in the year 9987; later ones are no dates for Python
_TOKENS = 2**32  # of a figure
_IDS = 2**31  # what fits a signed 32-bit integer, as every tokenizer's does
_SPARE_IDS = 256  # that need spell nothing: signs of a turn's beginning and end, halves of a character
_LONGEST_WORDS = 1000  # characters of a name of a model
_FIGURE = 1e15
_TOO_MUCH_ATTACHED = f"more than {limits.MOST_ATTACHED >> 20} million characters are attached to its questions"
_SHOWN = 40  # characters of a message that cannot be written
_BOTH = (False, True)

T = TypeVar("T")


def write(document: Document) -> str:
    """Write a document as text, of which `read` makes an equal document."""
    return "".join(written(document))


def written(document: Document) -> Iterator[str]:
    """Write a document as text, message by message.

    Raises ExchangeError where it is larger than what can be read again, at the latest with the last piece.
    """
    count, size = len(document.messages), 0
    if count > limits.MOST_MESSAGES:
        raise _too_large(f"it has {count} messages, and at most {limits.MOST_MESSAGES} are possible")
    if sum(len(one.text) for message in document.messages for one in message.attachments) > limits.MOST_ATTACHED:
        raise _too_large(_TOO_MUCH_ATTACHED)
    for piece in _pieces(document):
        size += len(piece.encode(errors="surrogatepass"))
        if size > limits.LARGEST_FILE:
            raise _too_large(f"it comes to more than {limits.LARGEST_FILE >> 20} MB")
        yield piece


def _too_large(reason: str) -> ExchangeError:
    advice = "Nothing was changed. Save it as Markdown, or delete branches that you do not need, then try again."
    sentence = f"No .espalier file is made of it that could not be imported again: {reason}. {advice}"
    return ExchangeError(Problem("The conversation is too large to be saved whole", sentence))


def _pieces(document: Document) -> Iterator[str]:
    conversation = document.conversation
    head = {
        "format": FORMAT,
        "version": VERSION,
        "id": conversation.id,
        "title": conversation.title,
        "created": conversation.created_at,
        "updated": conversation.updated_at,
        "favourite": conversation.is_favourite,
        "folder": conversation.folder_id,
        "selected": document.leaf_id,
    }
    yield "{\n" + "".join(f"  {_json(name)}: {_json(value)},\n" for name, value in head.items())
    visited = set(document.visited)
    places: dict[str, tuple[str, int]] = {}
    mark = '  "messages": [\n'
    for message in document.messages:
        choices = document.choices.get(message.id, b"")
        value = _json(_written(message, message.id in visited, choices, places))
        if reason := limits.fault_of_value(value, 0, len(value)):
            raise _too_large(f"of the message that begins {shown(message.text, _SHOWN)}, {reason}")
        yield f"{mark}    {value}"
        mark = ",\n"
    yield "\n  ]\n}\n" if document.messages else '  "messages": []\n}\n'


def read(text: str, name: str = "the file") -> Document:
    """Read a document from a text that `write` made. Raises ExchangeError, which names `name`, for any other."""
    with reading(name):
        return document_of(parsed(text), Notes())


def is_espalier(value: Any) -> bool:
    """Return whether a JSON value claims to be an `.espalier` document."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def document_of(value: Any, notes: Notes) -> Document:
    """Read a document from the value of its JSON. Raises MalformedError where that is not of the format."""
    file = require_object(value, "")
    draft = Draft(file, notes)
    for entry in file.each("messages", "message"):
        draft.add(entry)
    return draft.finished(file)


class Draft:
    """A document that is being read, message by message."""

    def __init__(self, file: JsonObject, notes: Notes) -> None:
        """Begin a document. file: what stands before the messages, the version and the id in any case."""
        _check_version(file)
        self._id = _needed(_id(file, "id"), file, "id")
        self._notes = notes
        self._messages: dict[str, Message] = {}
        self._visited: dict[str | None, str] = {}
        self._choices: dict[str, bytes] = {}
        self._attached = 0

    def add(self, entry: JsonObject) -> None:
        """Add the next message."""
        message = self._message(entry)
        self._messages[message.id] = message
        if entry.flag("visited") and self._visited.setdefault(message.parent_id, message.id) != message.id:
            raise entry.wrong("visited", "one of its siblings is the last visited already")
        choices = _choices(entry, message, self._notes)
        if choices:
            self._choices[message.id] = choices

    def finished(self, file: JsonObject) -> Document:
        """Return the whole document. file: all of it that stands outside of the messages."""
        created, updated = (_needed(_time(file, name), file, name) for name in ("created", "updated"))
        conversation = Conversation(
            self._id,
            _title(file, "title"),
            self._dated(created),
            self._dated(updated),
            _id(file, "folder"),
            file.flag("favourite"),
        )
        leaf = _id(file, "selected")
        if leaf is not None and leaf not in self._messages:
            raise file.wrong("selected", "no message has this id")
        seen = set(self._visited.values())
        return Document(
            conversation,
            tuple(self._messages.values()),
            tuple(message_id for message_id in self._messages if message_id in seen),
            leaf,
            self._choices,
        )

    def _message(self, entry: JsonObject) -> Message:
        message_id = _needed(_id(entry, "id"), entry, "id")
        if message_id in self._messages:
            raise entry.wrong("id", "an earlier message has the same")
        parent_id = _id(entry, "parent")
        if parent_id is not None and parent_id not in self._messages:
            raise entry.wrong("parent", "refers to a message that comes later, or is not there")
        text = _needed(entry.whole_text("text"), entry, "text")
        thinking = entry.whole_text("thinking") or ""
        try:
            return Message(
                *(message_id, self._id, parent_id, _role(entry), text),
                self._dated(_needed(_time(entry, "created"), entry, "created")),
                ids=self._ids(entry, thinking + text),
                thinking=thinking,
                model=entry.whole_text("model", _LONGEST_WORDS),
                model_name=entry.whole_text("model_name", _LONGEST_WORDS),
                stats=_stats(entry),
                stop=_stop(entry),
                sampling=entry.figures("sampling"),
                name=_title(entry, "branch"),
                is_pinned=entry.flag("pinned"),
                is_favourite=entry.flag("favourite"),
                attachments=self._attachments(entry, message_id),
                instructions=entry.whole_text("instructions"),
                thinks=entry.boolean("thinks"),
            )
        except ValueError as error:
            raise MalformedError(entry.place, str(error)) from error

    def _attachments(self, entry: JsonObject, message_id: str) -> tuple[Attachment, ...]:
        found: list[Attachment] = []
        for one in entry.each("attachments", "attachment"):
            text = one.whole_text("text")
            if text is None:
                text = self._attached_before(one, message_id, found)
            self._attached += len(text)
            if self._attached > limits.MOST_ATTACHED:
                raise MalformedError(one.place, _TOO_MUCH_ATTACHED, "Divide it.")
            name = _needed(one.whole_text("name"), one, "name")
            found.append(Attachment(name, _kind_of(one), text))
        return tuple(found)

    def _attached_before(self, one: JsonObject, message_id: str, found: list[Attachment]) -> str:
        """Return the text that an attachment shares with one that came before it."""
        above, number = _needed(_id(one, "message"), one, "text"), _needed(one.integer("number", 2**31), one, "number")
        known = found if above == message_id else self._messages[above].attachments if above in self._messages else ()
        if number >= len(known):
            raise one.wrong("message", "no earlier message has this attachment")
        return known[number].text

    def _ids(self, entry: JsonObject, text: str) -> tuple[int, ...] | None:
        """Token ids, or None where they cannot be those of the words: each spells a byte at least, but for a few."""
        found = entry.entries.get("tokens")
        if found is None:
            return None
        is_sound = (
            type(found) is list
            and len(found) <= len(text.encode()) + _SPARE_IDS
            and all(type(one) is int and 0 <= one < _IDS for one in found)
        )
        self._notes.add(Change.TOKENS, not is_sound)
        return tuple(found) if is_sound else None

    def _dated(self, at: float) -> float:
        found = clamped(at)
        self._notes.add(Change.CLOCK, found != at)
        return found


def _written(message: Message, is_visited: bool, choices: bytes, places: dict[str, tuple[str, int]]) -> Entries:
    """places: where each attached text stands in the file; those of this message are added."""
    entries: Entries = {
        "id": message.id,
        "parent": message.parent_id,
        "role": message.role,
        "text": message.text,
        "created": message.created_at,
    }
    optional: Entries = {
        "visited": is_visited or None,
        "branch": message.name,
        "attachments": _attachments_written(message, places) or None,
        "pinned": message.is_pinned or None,
        "favourite": message.is_favourite or None,
        "instructions": message.instructions,
        "thinks": message.thinks,
        "thinking": message.thinking or None,
        "model": message.model,
        "model_name": message.model_name,
        "sampling": message.sampling,
        "stop": message.stop,
        "tokens": message.ids,
        "stats": message.stats,
        "choices": base64.b64encode(choices).decode() if choices else None,
    }
    return entries | {name: value for name, value in optional.items() if value is not None}


def _attachments_written(message: Message, places: dict[str, tuple[str, int]]) -> list[Entries]:
    entries: list[Entries] = []
    for number, one in enumerate(message.attachments):
        place = places.setdefault(one.text, (message.id, number))
        is_first = place == (message.id, number)
        text: Entries = {"text": one.text} if is_first else {"message": place[0], "number": place[1]}
        entries.append({"name": one.name, "kind": one.kind} | text)
    return entries


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _check_version(file: JsonObject) -> None:
    version = file.integer("version", 10**6)
    if not version:
        raise file.wrong("version", "has to be a whole number from 1 on")
    if version > VERSION:
        reason = f"a newer Espalier has written it, in version {version} of its form, and this one reads {VERSION}"
        raise MalformedError("", reason, "Open it with that version.")


def _needed(value: T | None, entry: JsonObject, name: str) -> T:
    if value is None:
        raise entry.wrong(name, "is missing")
    return value


def _id(entry: JsonObject, name: str) -> str | None:
    value = entry.text(name)
    try:
        return None if value is None else checked_id(value)
    except ValueError as error:
        raise entry.wrong(name, "has to be 32 hexadecimal digits") from error


def _title(entry: JsonObject, name: str) -> str | None:
    value = entry.whole_text(name)
    try:
        return None if value is None else checked_title(value)
    except ValueError as error:
        raise entry.wrong(name, "has to have 1 to 200 characters that can be seen") from error


def _time(entry: JsonObject, name: str) -> float | None:
    return entry.number(name, 0.0, _LATEST)


def _role(entry: JsonObject) -> Role:
    value = entry.text("role")
    roles: tuple[Role, ...] = get_args(Role)
    for role in roles:
        if value == role:
            return role
    raise entry.wrong("role", "has to be “system”, “user” or “assistant”")


def _kind_of(entry: JsonObject) -> AttachmentKind:
    value = _needed(entry.text("kind"), entry, "kind")
    kinds: tuple[AttachmentKind, ...] = get_args(AttachmentKind)
    for kind in kinds:
        if value == kind:
            return kind
    return "text"  # a kind of a newer version: its text is what counts


def _stop(entry: JsonObject) -> str | None:
    value = entry.text("stop")
    if value is not None and value not in set(StopReason):
        raise entry.wrong("stop", "has to be " + ", ".join(f"“{one}”" for one in StopReason))
    return value


def _stats(entry: JsonObject) -> Mapping[str, Any] | None:
    """Figures, of which those that the window shows are of the right kind."""
    found = entry.figures("stats")
    if found is None:
        return None
    stats = JsonObject(dict(found), entry.at("stats"))
    for name in ("tokens", "thinking_tokens"):
        stats.integer(name, _TOKENS)
    for name in ("rate", "seconds", "first_token", "thinking_seconds"):
        stats.number(name, 0.0, _FIGURE)
    request = stats.below("request") or JsonObject({})
    for name in ("total", "seen", "matched", "cached", "diverged_at"):
        request.integer(name, _TOKENS)
    return found


def _choices(entry: JsonObject, message: Message, notes: Notes) -> bytes:
    """Return the choices of an answer's tokens, packed; nothing where they cannot be those of its tokens."""
    written = entry.text("choices")
    if written is None:
        return b""
    if message.role != "assistant":
        raise entry.wrong("choices", "only an answer has them")
    if message.ids is None:
        return b""
    try:
        packed = base64.b64decode(written, validate=True)
        found = unpack(packed) if cut(packed, len(message.ids)) == packed else ()  # millions, in a hostile file
    except ValueError:
        found = ()
    lengths = {is_thought: sum(one.length for one in found if one.is_thinking is is_thought) for is_thought in _BOTH}
    is_sound = len(found) > 0 and lengths[True] <= len(message.thinking) and lengths[False] <= len(message.text)
    notes.add(Change.CHOICES, not is_sound)
    return pack(found) if is_sound else b""
