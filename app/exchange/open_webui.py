"""The form of Open WebUI's export: a list of chats, or one of them.

A chat's record has a `title`, `created_at` and `updated_at`, and `chat`, or it is itself what `chat` holds elsewhere:
`history` with `currentId` and `messages`, a map of messages by id. A message has a `parentId`, `childrenIds` in order,
a `role`, `content`, a `timestamp`, and for an answer `model`, `modelName` and `done`. What a model thought stands in an
answer's content as `<details type="reasoning">` with a `<summary>` and lines that begin with an escaped "> ". Times are
in seconds in some versions, in milliseconds or nanoseconds in others. Before it knew branches, a chat had a list of
`messages` only.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from app.exchange.dates import moment
from app.exchange.foreign import ForeignConversation, ForeignMessage, ForeignNode
from app.exchange.json_object import JsonObject, require_object
from app.exchange.notes import Notes, named
from app.protocol.reports import StopReason

_OPENING = re.compile(r'<details type="reasoning"[^>\n]{0,200}>\s{0,9}(?:<summary>[^<\n]{0,200}</summary>)?')
_CLOSING = "</details>"
_INSTRUCTIONS = "\0instructions"  # a key that the instructions get, which are no message there


def is_open_webui(value: Any) -> bool:
    """Return whether a JSON value is a chat of Open WebUI's export."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("chat"), dict) or "history" in value


def conversation_of(record: JsonObject, notes: Notes) -> ForeignConversation:
    """Read one chat of Open WebUI's export. Raises MalformedError where it is none."""
    chat = record.below("chat") or record
    history = chat.below("history")
    nodes = _listed(chat, notes) if history is None else _mapped(history, notes)
    wishes = _instructions(chat)
    if wishes:
        first = [key for key, node in nodes.items() if node.parent is None]
        nodes |= {key: ForeignNode(_INSTRUCTIONS, nodes[key].children, nodes[key].message) for key in first}
        nodes = {
            _INSTRUCTIONS: ForeignNode(None, tuple(first), ForeignMessage("system", wishes, _time(record, chat)))
        } | nodes
    return ForeignConversation(
        nodes,
        record.text("title") or chat.text("title"),
        _time(record, chat),
        moment(record.entries.get("updated_at")),
        history.text("currentId") if history else None,
        record.entries.get("pinned") is True,
    )


def _time(record: JsonObject, chat: JsonObject) -> float | None:
    return moment(record.entries.get("created_at")) or moment(chat.entries.get("timestamp"))


def _instructions(chat: JsonObject) -> str:
    """Return what the model was told before the first question."""
    params = chat.entries.get("params")
    found = (chat.entries.get("system"), params.get("system") if isinstance(params, dict) else None)
    return next((text for text in found if isinstance(text, str) and text), "")


def _mapped(history: JsonObject, notes: Notes) -> dict[str, ForeignNode]:
    messages = history.below("messages")
    if messages is None:
        raise history.wrong("messages", "is missing")
    return {key: node_of(value, messages.at(key), notes) for key, value in messages.entries.items()}


def node_of(value: Any, place: str, notes: Notes) -> ForeignNode:
    """Read one message of a history; a ForeignNode is returned as it is."""
    if isinstance(value, ForeignNode):
        return value
    message = require_object(value, place)
    return ForeignNode(message.text("parentId"), message.texts("childrenIds"), _foreign_message(message, notes))


def _listed(chat: JsonObject, notes: Notes) -> dict[str, ForeignNode]:
    if chat.array("messages") is None:
        raise chat.wrong("history", "is missing")
    messages = [_foreign_message(message, notes) for message in chat.each("messages", "message")]
    return {
        str(number): ForeignNode(str(number - 1) if number else None, (), message)
        for number, message in enumerate(messages)
    }


def _foreign_message(message: JsonObject, notes: Notes) -> ForeignMessage | None:
    role = message.text("role")
    if role is None:
        raise message.wrong("role", "is missing")
    lost = Notes()
    text = _text(message, lost)
    at = moment(message.entries.get("timestamp"))
    if role not in ("system", "user", "assistant"):
        notes.leave_out("message of a tool" if role == "tool" else f"message of {named(role)}", 1 if text else 0)
        return None
    notes.add_all(lost)
    if role == "system":
        return ForeignMessage("system", text, at)
    if role == "user":
        return ForeignMessage(
            "user", text or (f"[{', '.join(lost.left_out)}: not imported]" if lost.left_out else ""), at
        )
    names = (message.entries.get("modelName"), message.entries.get("model"))
    model = next((name for name in names if isinstance(name, str) and name), None)
    stop = None if message.entries.get("done") is False else StopReason.FINISHED
    thinking, said = _thought_and_said(text)
    return ForeignMessage("assistant", said, at, model, stop, thinking)


def _thought_and_said(text: str) -> tuple[str, str]:
    """Divide an answer's content into what the model thought and what it says."""
    thoughts: list[str] = []
    said: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) and (end := text.find(_CLOSING, opening.end())) >= 0:
        lines = unescape(text[opening.end() : end]).split("\n")
        thoughts.append("\n".join([line.removeprefix(">").removeprefix(" ") for line in lines]).strip())
        said.append(text[at : opening.start()])
        at = end + len(_CLOSING)
    whole = "".join([*said, text[at:]])
    return "\n\n".join(thoughts), whole.lstrip() if thoughts else whole


def _text(message: JsonObject, notes: Notes) -> str:
    """Return the words of a message; images and files are counted."""
    files = message.entries.get("files")
    for file in files if isinstance(files, list) else ():
        kind = file.get("type") if isinstance(file, dict) else None
        notes.leave_out("image" if kind == "image" else "attached file")
    content = message.entries.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise message.wrong("content", "has to be a text or a list of parts")
    return "\n\n".join(words for part in content if (words := _part(part, notes)))


def _part(part: Any, notes: Notes) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    if isinstance(text, str):
        return text
    kind = part.get("type") if isinstance(part, dict) else None
    notes.leave_out("image" if kind == "image_url" else "content of an unknown kind")
    return ""
