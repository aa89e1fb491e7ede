"""Conversations of other programs, and the import of their trees.

Those may have nodes without words, nodes that follow what is not there, and circles. What comes out is a tree with
every word that went in, and in it only: questions with a text; system messages at the beginning and nowhere else; and
no answer that merely continues another.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.conversation.message import Conversation, Message, checked_title, new_id, storable, title_from
from app.conversation.records import Document
from app.exchange.notes import Change, Notes
from app.protocol.chat import Role
from app.protocol.excerpts import one_line

_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """The words of a node in another program's tree.

    at: seconds since the epoch, None when unknown. model_name, stop, thinking: of an answer.
    """

    role: Role
    text: str
    at: float | None = None
    model_name: str | None = None
    stop: str | None = None
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class ForeignNode:
    """A node of another program's tree: the keys of its parent and children, and its message if it has any."""

    parent: str | None
    children: tuple[str, ...] = ()
    message: ForeignMessage | None = None


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation as another program has it. current: key of the node that is open."""

    nodes: Mapping[str, ForeignNode]
    title: str | None = None
    created: float | None = None
    updated: float | None = None
    current: str | None = None
    is_favourite: bool = False


@dataclass(slots=True)
class _Draft:
    """A node with words, on its way to be a message. children: how many of those it has."""

    message: ForeignMessage
    parent: int | None
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    children: int = 0
    host: int = 0


def import_tree(foreign: ForeignConversation, notes: Notes) -> Document | None:
    """Make a conversation with ids of its own from another program's; None when nobody says anything in it."""
    drafts, homes = _drafts(foreign.nodes, notes)
    if not drafts:
        notes.add(Change.EMPTY)
        return None
    _join(drafts, notes)
    created = foreign.created or min((one.message.at for one in drafts if one.message.at), default=None) or time.time()
    conversation_id = _digest(foreign, drafts)
    messages: dict[int, Message] = {}
    for number, one in enumerate(drafts):
        if one.host == number:
            parent = None if one.parent is None else messages[drafts[one.parent].host]
            messages[number] = _message(one, conversation_id, parent, created, notes)
    updated = foreign.updated or max(created, *(message.created_at for message in messages.values()))
    title = _title(foreign.title, messages.values(), notes)
    conversation = Conversation(conversation_id, title, created, updated, is_favourite=foreign.is_favourite)
    current = homes.get(foreign.current) if foreign.current is not None else None
    leaf = None if current is None else messages[drafts[current].host].id
    return Document(conversation, tuple(messages.values()), leaf_id=leaf)


def _digest(foreign: ForeignConversation, drafts: Sequence[_Draft]) -> str:
    """Make a conversation's id of what is said in it, so that the same export gives the same one each time."""
    digest = hashlib.sha256(json.dumps([foreign.title, foreign.created]).encode())
    for one in drafts:
        said = (one.message.role, one.parent, one.host, one.texts, one.thoughts)
        digest.update(json.dumps(said).encode())
    return digest.hexdigest()[:32]


def _drafts(nodes: Mapping[str, ForeignNode], notes: Notes) -> tuple[list[_Draft], dict[str, int | None]]:
    """Return the nodes that become messages, parents first; and where each key is, or its nearest ancestor."""
    drafts: list[_Draft] = []
    homes: dict[str, int | None] = {}
    for key, parent in _in_order(nodes, notes):
        home = None if parent is None else homes[parent]
        message = nodes[key].message
        if message is not None and _may_follow(message, None if home is None else drafts[home].message.role, notes):
            if home is not None:
                drafts[home].children += 1
            texts, thoughts = ([words] if words else [] for words in (message.text, message.thinking))
            drafts.append(_Draft(message, home, texts, thoughts, host=len(drafts)))
            home = len(drafts) - 1
        homes[key] = home
    return drafts, homes


def _may_follow(message: ForeignMessage, before: Role | None, notes: Notes) -> bool:
    """Return whether a message may follow one of that role, or begin a conversation."""
    if message.role == "system" and message.text and before is not None:
        notes.leave_out("instructions in the middle of a conversation")
        return False
    return bool(message.text or message.thinking) or (message.role == "assistant" and before not in (None, "system"))


def _in_order(nodes: Mapping[str, ForeignNode], notes: Notes) -> list[tuple[str, str | None]]:
    """Every node once, after its parent, siblings in order; a circle is opened where the file names it first."""
    parents = _parents(nodes, notes)
    below = _below(nodes, parents)
    done: set[str] = set()
    ordered: list[tuple[str, str | None]] = []
    beginnings = [key for key, parent in parents.items() if parent is None]
    for root in (*beginnings, *nodes):
        if root in done:
            continue
        if parents[root] is not None:
            notes.add(Change.CIRCLE)
        front: list[tuple[str, str | None]] = [(_in_circle(root, parents), None)]
        while front:
            key, parent = front.pop()
            if key not in done:
                done.add(key)
                ordered.append((key, parent))
                front += ((child, key) for child in reversed(below.get(key, ())))
    return ordered


def _in_circle(key: str, parents: Mapping[str, str | None]) -> str:
    """Return the key itself when it is a beginning or stands in a circle, or where one comes to the circle from it."""
    passed: set[str] = set()
    while (parent := parents[key]) is not None and key not in passed:
        passed.add(key)
        key = parent
    return key


def _parents(nodes: Mapping[str, ForeignNode], notes: Notes) -> dict[str, str | None]:
    """Find each node's parent: the one that it names, or the first that names it as a child, or none."""
    named: dict[str, str] = {}
    for key, node in nodes.items():
        for child in node.children:
            named.setdefault(child, key)
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parents[key] = node.parent if node.parent in nodes else named.get(key)
        if node.parent is not None and parents[key] is None and node.message is not None:
            notes.add(Change.ORPHAN)
    return parents


def _below(nodes: Mapping[str, ForeignNode], parents: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Children in the order in which their parent names them, then those that it does not name."""
    below: dict[str, dict[str, None]] = {}
    for key, node in nodes.items():
        below[key] = {child: None for child in node.children if child in nodes and parents[child] == key}
    for key, parent in parents.items():
        if parent is not None:
            below[parent].setdefault(key)
    return {key: list(children) for key, children in below.items()}


def _join(drafts: list[_Draft], notes: Notes) -> None:
    """Join an answer that alone follows an answer to it: thoughts, a call of a tool, and what came of it."""
    for one in drafts:
        before = None if one.parent is None else drafts[one.parent]
        if before and before.message.role == one.message.role == "assistant" and before.children == 1:
            one.host = before.host
            host = drafts[one.host]
            notes.add(Change.MERGED, 1 if host.texts and one.texts else 0)
            host.texts += one.texts
            host.thoughts += one.thoughts
            first, rest = host.message, one.message
            host.message = ForeignMessage(
                *("assistant", "", first.at or rest.at, rest.model_name or first.model_name), rest.stop
            )


def _message(one: _Draft, conversation_id: str, parent: Message | None, created: float, notes: Notes) -> Message:
    whole, whole_thought = ("\n\n".join(words) for words in (one.texts, one.thoughts))
    text, thinking = storable(whole), storable(whole_thought)
    notes.add(Change.HALF, (text, thinking) != (whole, whole_thought))
    notes.add(Change.DATE, one.message.at is None)
    name = one.message.model_name
    return Message(
        *(new_id(), conversation_id, parent.id if parent else None, one.message.role, text),
        one.message.at or (parent.created_at if parent else created),
        model_name=storable(name) if name else None,
        stop=one.message.stop,
        thinking=thinking,
    )


def _title(title: str | None, messages: Iterable[Message], notes: Notes) -> str | None:
    whole = storable(title or "")
    notes.add(Change.HALF, whole != (title or ""))
    line = one_line(whole)
    if line:
        return checked_title(line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…")
    question = next((message.text[:1000] for message in messages if message.role == "user"), "")
    return title_from(question) or None
