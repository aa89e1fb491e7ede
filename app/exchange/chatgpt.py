"""The form of ChatGPT's export: `conversations.json`, a list of conversations, each a `mapping` of nodes.

A node has an `id`, its key in the mapping; a `parent`; its `children` in order; and a `message` or null. A message has
an `author` with a `role` ("system", "user", "assistant", "tool"), a `create_time` in seconds, `metadata`, and `content`
of a `content_type`. "text" and "multimodal_text" have `parts`, strings and objects that point to images, sound and
files; "code" and "execution_output" have a `text`; "user_editable_context" holds what the person always wants the model
to know; "thoughts" has `thoughts`, each with a `summary` and `content`, and "reasoning_recap" says how long they took.
The form is not documented: what is not known here is kept where it has a text, and counted where it has none.
"""

from __future__ import annotations

from typing import Any

from app.exchange.dates import moment
from app.exchange.fences import fenced
from app.exchange.foreign import ForeignConversation, ForeignMessage, ForeignNode
from app.exchange.json_object import Entries, JsonObject, require_object
from app.exchange.notes import Notes, named
from app.protocol.reports import StopReason

_PARTS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "sound",
    "real_time_user_audio_video_asset_pointer": "sound",
    "video_container_asset_pointer": "film",
}
_CONTENTS = {
    "tether_browsing_display": "page that a model read",
    "tether_quote": "page that a model read",
    "model_editable_context": "memory of a model",
}
_THOUGHTS = ("thoughts", "reasoning_recap")
_STOPS = {"interrupted": StopReason.CANCELLED, "max_tokens": StopReason.LENGTH}


def is_chatgpt(value: Any) -> bool:
    """Return whether a JSON value is a conversation of ChatGPT's export."""
    return isinstance(value, dict) and "mapping" in value


def conversation_of(conversation: JsonObject, notes: Notes) -> ForeignConversation:
    """Read one conversation of ChatGPT's export. Raises MalformedError where it is none."""
    mapping = conversation.below("mapping")
    if mapping is None:
        raise conversation.wrong("mapping", "is missing")
    return ForeignConversation(
        {key: node_of(node, mapping.at(key), notes) for key, node in mapping.entries.items()},
        conversation.text("title"),
        moment(conversation.entries.get("create_time")),
        moment(conversation.entries.get("update_time")),
        conversation.text("current_node"),
        conversation.entries.get("is_starred") is True,
    )


def node_of(value: Any, place: str, notes: Notes) -> ForeignNode:
    """Read one node of a mapping; a ForeignNode is returned as it is."""
    if isinstance(value, ForeignNode):
        return value
    node = require_object(value, place)
    message = node.below("message")
    return ForeignNode(node.text("parent"), node.texts("children"), message and _foreign_message(message, notes))


def _foreign_message(message: JsonObject, notes: Notes) -> ForeignMessage | None:
    author = message.below("author")
    role = author and author.text("role")
    if role is None:
        raise message.wrong("author", "has no role")
    content = message.below("content")
    kind = (content and content.text("content_type")) or "text"
    metadata = message.below("metadata") or JsonObject({})
    at = moment(message.entries.get("create_time"))
    if kind == "user_editable_context" and content is not None:
        return ForeignMessage("system", _standing_wishes(content), at)
    is_hidden = metadata.entries.get("is_visually_hidden_from_conversation") is True
    if kind in _THOUGHTS and role == "assistant" and content is not None and not is_hidden:
        return ForeignMessage("assistant", "", at, _model(metadata), StopReason.FINISHED, _thoughts(content))
    quiet = Notes()
    text = _text(content, kind, quiet) if content else ""
    if is_hidden or not (role in ("system", "user", "assistant") or kind == "execution_output"):
        notes.leave_out(_what_is_hidden(role, kind, is_hidden), 1 if text or quiet.sentences else 0)
        return None
    notes.add_all(quiet)
    _count_attachments(metadata, notes)
    if role == "system":
        return ForeignMessage("system", text, at)
    if role == "user":
        lost = quiet.left_out or _attachment_names(metadata)
        return ForeignMessage("user", text or (f"[{', '.join(lost)}: not imported]" if lost else ""), at)
    return ForeignMessage("assistant", text, at, _model(metadata), _stop(message, metadata))


def _model(metadata: JsonObject) -> str | None:
    model = metadata.entries.get("model_slug")
    return model if isinstance(model, str) and model else None


def _thoughts(content: JsonObject) -> str:
    """Return what a model thought, each step below its title."""
    found = content.entries.get("thoughts")
    steps = [step for step in found if isinstance(step, dict)] if isinstance(found, list) else []
    words = [step.get(name) for step in steps for name in ("summary", "content")]
    return "\n\n".join([one for one in words if isinstance(one, str) and one])


def _what_is_hidden(role: str, kind: str, is_hidden: bool) -> str:
    if is_hidden:
        return "message that ChatGPT hides"
    if role == "tool":
        return _CONTENTS.get(kind, "message of a tool")
    return f"message of {named(role)}"


def _stop(message: JsonObject, metadata: JsonObject) -> str | None:
    """Why an answer ended; None when it was cut off."""
    if message.entries.get("status") == "in_progress":
        return None
    details = metadata.entries.get("finish_details")
    kind = details.get("type") if isinstance(details, dict) else None
    return _STOPS.get(kind, StopReason.FINISHED) if isinstance(kind, str) else StopReason.FINISHED


def _text(content: JsonObject, kind: str, notes: Notes) -> str:
    """Return the words of a message; what is not words is counted."""
    parts = content.array("parts")
    if parts is not None:
        return "\n\n".join(words for part in parts if (words := _part(part, notes)))
    text = content.entries.get("text")
    if not isinstance(text, str) or not text:
        is_lost = kind != "text" or text not in (None, "")
        notes.leave_out(_CONTENTS.get(kind) or f"content of the kind {named(kind)}", 1 if is_lost and text != "" else 0)
        return ""
    if kind == "code":
        language = content.entries.get("language")
        return fenced(text, language if isinstance(language, str) and language != "unknown" else "")
    return fenced(text) if kind == "execution_output" else text


def _part(part: Any, notes: Notes) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        return _object_part(part, notes)
    notes.leave_out("content of an unknown kind", 1 if part is not None else 0)
    return ""


def _object_part(part: Entries, notes: Notes) -> str:
    """Return the text of a transcript; images, sounds and files have none."""
    text = part.get("text")
    if isinstance(text, str) and text:
        return text
    kind = part.get("content_type")
    if not isinstance(kind, str):
        notes.leave_out("content of an unknown kind")
    else:
        notes.leave_out(_PARTS.get(kind) or f"content of the kind {named(kind)}")
    return ""


def _standing_wishes(content: JsonObject) -> str:
    found = (content.text("user_profile"), content.text("user_instructions"))
    return "\n\n".join(text for text in found if text)


def _attachment_names(metadata: JsonObject) -> tuple[str, ...]:
    found = metadata.entries.get("attachments")
    return ("attached file",) if isinstance(found, list) and found else ()


def _count_attachments(metadata: JsonObject, notes: Notes) -> None:
    found = metadata.entries.get("attachments")
    notes.leave_out("attached file", len(found) if isinstance(found, list) else 0)
