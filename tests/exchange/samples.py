"""Small files as other programs write them, made up here, and random documents."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.protocol.chat import Attachment
from app.protocol.choices import Candidate, Choice, pack
from app.protocol.reports import StopReason
from tests.conversation.builders import told, words

AT = 1_790_000_000.0
NASTY = [
    "# Not a heading",
    "```\nan open fence",
    "~~~~ markdown\n# code\n~~~",
    "</blockquote><!-- never closed",
    "<script>\n`<b>",
    "| a | b |\n|---|---|\n",
    "> quoted\nlazy",
    "\n\n  1. one\n\n     ```html\n     <div>\n     ```\n",
    "NUL \0 and \u2028 and \U0001f333",
    "=====\n-----",
    " ",
    '{"format": "espalier conversation"}',
]


def random_document(seed: int, steps: int = 30) -> Document:
    """A document with everything that one can have."""
    rng = random.Random(seed)
    now = AT + rng.random() * 1e6
    folder = rng.choice([None, new_id()])
    title = rng.choice([None, "Pears", "# “Äpfel” \\ <b>", "x" * 200])
    conversation = Conversation(new_id(), title, now, now + 9.5, folder, rng.random() < 0.5)
    messages: list[Message] = []
    choices: dict[str, bytes] = {}
    for number in range(rng.randint(0, steps)):
        parent = rng.choice([None, *messages[-3:]])
        message = _random_message(rng, conversation.id, parent, now + number)
        messages.append(message)
        if message.ids and rng.random() < 0.7:
            choices[message.id] = pack(random_choices(rng, message))
    children: dict[str | None, list[str]] = {}
    for message in messages:
        children.setdefault(message.parent_id, []).append(message.id)
    seen = {rng.choice(ids) for ids in children.values() if rng.random() < 0.7}
    leaf = rng.choice([None, *[message.id for message in messages]])
    visited = tuple(message.id for message in messages if message.id in seen)
    return Document(conversation, tuple(messages), visited, leaf, choices)


def random_choices(rng: random.Random, message: Message) -> list[Choice]:
    """What the tokens of an answer may have been chosen from; of the first ones only now and then."""
    found, left = [], {False: len(message.text), True: len(message.thinking)}
    for token in (message.ids or ())[: rng.choice([1, None])]:
        is_thinking = rng.random() < 0.5
        length = rng.randrange(min(left[is_thinking], 4) + 1)
        left[is_thinking] -= length
        share = rng.choice([None, 10_000, rng.randrange(9_950)])
        others = (Candidate(token ^ 1, 60, rng.choice(["", "ü", '"']), is_end=rng.random() < 0.5),)
        known = others if share is None or share < 9_950 else ()
        found.append(Choice(share, known, share is not None and rng.random() < 0.2, length, is_thinking))
    return found


def _random_message(rng: random.Random, conversation_id: str, parent: Message | None, at: float) -> Message:
    role = rng.choice(["user", "assistant", *(["system"] if parent is None else [])])
    text = rng.choice([words(rng, rng.randint(1, 30)), rng.choice(NASTY)])
    message = Message(new_id(), conversation_id, parent.id if parent else None, role, text, at)
    message = replace(
        message,
        name=rng.choice([None, None, "Winter", "*Quince* | 2"]),
        is_pinned=rng.random() < 0.2,
        is_favourite=rng.random() < 0.2,
    )
    if role == "user" and rng.random() < 0.5:
        texts = rng.choices(["a document", *NASTY], k=rng.randint(1, 3))
        message = replace(message, attachments=tuple(Attachment("a.txt", "text", text) for text in texts))
    if role == "user":
        message = replace(message, instructions=told(rng), thinks=rng.choice([None, None, True, False]))
    return _finished(rng, message) if role == "assistant" else message


def _finished(rng: random.Random, message: Message) -> Message:
    message = replace(
        message,
        text=rng.choice(["", message.text]),
        thinking=rng.choice(["", "", words(rng, 4), rng.choice(NASTY)]),
        model=rng.choice([None, "f1"]),
        model_name=rng.choice([None, "Guide <4>"]),
        sampling=rng.choice([None, {"temperature": 0.1, "seed": None, "stop": ["\n"]}]),
    )
    if rng.random() < 0.2:
        return message
    request = {"total": 9, "seen": 9, "matched": 8, "cached": 8, "reason": "", "diverged_at": None}
    stats = {"request": request, "stop": "finished", "tokens": 3, "first_token": None, "rate": 38.5, "seconds": 0.1}
    stats |= {"thinking_tokens": 2, "thinking_seconds": 0.5}
    return replace(
        message,
        ids=rng.choice([None, (), (0, 2**31 - 1), tuple(rng.randrange(50_000) for _ in range(200))]),
        stats=rng.choice([None, stats, {}]),
        stop=str(rng.choice(list(StopReason))),
    )


def node(parent: str | None, children: list[str], role: str = "", parts: Any = None, **more: Any) -> dict[str, Any]:
    """A node of ChatGPT's mapping; without a role it has no message. `more` goes into the message."""
    if not role:
        return {"parent": parent, "children": children, "message": None}
    content = {"content_type": "text", "parts": parts if isinstance(parts, list) else [parts]}
    message = {"author": {"role": role, "name": None}, "create_time": AT, "content": content, "metadata": {}}
    return {"parent": parent, "children": children, "message": message | more}


def chatgpt(mapping: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    """A conversation of ChatGPT's."""
    for key, value in mapping.items():
        value.setdefault("id", key)
    return {
        "title": "Pears",
        "create_time": AT,
        "update_time": AT + 60,
        "mapping": mapping,
        "current_node": current,
    } | more


def forked() -> dict[str, Any]:
    """Two answers to one question, the second of which was asked on."""
    return chatgpt(
        {
            "root": node(None, ["hidden"]),
            "hidden": node("root", ["q"], "system", ""),
            "q": node("hidden", ["a2", "a1"], "user", "Which pears keep?"),
            "a1": node("q", [], "assistant", "Winter pears.", metadata={"model_slug": "oak-1"}, create_time=AT + 1),
            "a2": node("q", ["q2"], "assistant", "Hard ones.", metadata={"model_slug": "oak-2"}, create_time=AT + 2),
            "q2": node("a2", ["a3"], "user", "How long?", create_time=AT + 3),
            "a3": node("q2", [], "assistant", "Until March.", create_time=AT + 4),
        },
        "a1",
    )


def webui_message(parent: str | None, children: list[str], role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A message of Open WebUI's history."""
    return {"parentId": parent, "childrenIds": children, "role": role, "content": content, "timestamp": AT} | more


def webui(messages: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    """A chat's record of Open WebUI's."""
    for key, value in messages.items():
        value.setdefault("id", key)
    history = {"messages": messages, "currentId": current}
    chat = {"title": "Pears", "history": history, "timestamp": int(AT * 1000), "models": ["oak:1"]}
    return {"id": "c1", "title": "Pears", "chat": chat, "created_at": int(AT), "updated_at": int(AT) + 60} | more


def webui_forked() -> dict[str, Any]:
    """The same as `forked`."""
    return webui(
        {
            "q": webui_message(None, ["a2", "a1"], "user", "Which pears keep?"),
            "a1": webui_message("q", [], "assistant", "Winter pears.", model="oak-1", done=True),
            "a2": webui_message("q", ["q2"], "assistant", "Hard ones.", modelName="oak-2", done=True),
            "q2": webui_message("a2", ["a3"], "user", "How long?"),
            "a3": webui_message("q2", [], "assistant", "Until March.", done=True),
        },
        "a1",
    )


def packed(value: Any) -> bytes:
    """The value as a file."""
    return json.dumps(value).encode()


def outline(document: Document) -> dict[str, list[str]]:
    """Texts by the text that they follow, in order; first ones follow ""."""
    texts = {message.id: message.text for message in document.messages}
    found: dict[str, list[str]] = {}
    for message in document.messages:
        found.setdefault(texts[message.parent_id] if message.parent_id else "", []).append(message.text)
    return found
