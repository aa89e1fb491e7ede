"""From the trees that other programs write to the one that is kept here.

Theirs may have nodes without words, nodes that follow what is not there, and circles. What comes out is a tree with
every word that went in, and in it only: questions with a text; system messages at the beginning and nowhere else; and
no answer that merely continues another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.conversation.message import Conversation, Message, checked_title, new_id, storable, title_from
from app.conversation.records import Document
from app.exchange.notes import Change, Notes
from app.protocol.chat import Role

_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a node. at: seconds since the epoch, None when unknown. model_name, stop: of an answer."""

    role: Role
    text: str
    at: float | None = None
    model_name: str | None = None
    stop: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One node as the other program has it: the keys of its parent and children, and its words if it has any."""

    parent: str | None
    children: tuple[str, ...] = ()
    said: Said | None = None


@dataclass(frozen=True, slots=True)
class Plant:
    """A conversation as the other program has it. current: key of the node that is open."""

    nodes: Mapping[str, Node]
    title: str | None = None
    created: float | None = None
    updated: float | None = None
    current: str | None = None
    is_favourite: bool = False


@dataclass(slots=True)
class _Kept:
    """A node with words, on its way to be a message. children: how many of those it has."""

    said: Said
    parent: int | None
    texts: list[str] = field(default_factory=list)
    children: int = 0
    host: int = 0


def grafted(plant: Plant, notes: Notes) -> Document | None:
    """The conversation with ids of its own; None when nobody says anything in it."""
    kept, homes = _kept(plant.nodes, notes)
    if not kept:
        notes.add(Change.EMPTY)
        return None
    _join(kept, notes)
    created = plant.created or min((one.said.at for one in kept if one.said.at), default=None) or time.time()
    conversation_id = new_id()
    messages: dict[int, Message] = {}
    for number, one in enumerate(kept):
        if one.host == number:
            parent = None if one.parent is None else messages[kept[one.parent].host]
            messages[number] = _message(one, conversation_id, parent, created, notes)
    updated = plant.updated or max(created, *(message.created_at for message in messages.values()))
    title = _title(plant.title, messages.values(), notes)
    conversation = Conversation(conversation_id, title, created, updated, is_favourite=plant.is_favourite)
    current = homes.get(plant.current) if plant.current is not None else None
    leaf = None if current is None else messages[kept[current].host].id
    return Document(conversation, tuple(messages.values()), leaf_id=leaf)


def _kept(nodes: Mapping[str, Node], notes: Notes) -> tuple[list[_Kept], dict[str, int | None]]:
    """The nodes that become messages, parents first; and where each key is, or else its nearest ancestor."""
    kept: list[_Kept] = []
    homes: dict[str, int | None] = {}
    for key, parent in _in_order(nodes, notes):
        home = None if parent is None else homes[parent]
        said = nodes[key].said
        if said is not None and _has_place(said, None if home is None else kept[home].said.role, notes):
            if home is not None:
                kept[home].children += 1
            kept.append(_Kept(said, home, [said.text] if said.text else [], host=len(kept)))
            home = len(kept) - 1
        homes[key] = home
    return kept, homes


def _has_place(said: Said, before: Role | None, notes: Notes) -> bool:
    """Whether a message may follow one of that role, or begin a conversation."""
    if said.role == "system" and said.text and before is not None:
        notes.leave_out("instructions in the middle of a conversation")
        return False
    return bool(said.text) or (said.role == "assistant" and before not in (None, "system"))


def _in_order(nodes: Mapping[str, Node], notes: Notes) -> list[tuple[str, str | None]]:
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
    """The key itself when it is a beginning or stands in a circle, or else where one comes to the circle from it."""
    passed: set[str] = set()
    while (parent := parents[key]) is not None and key not in passed:
        passed.add(key)
        key = parent
    return key


def _parents(nodes: Mapping[str, Node], notes: Notes) -> dict[str, str | None]:
    """A node's parent is the one that it names, or else the first that names it as a child, or else none."""
    claimed: dict[str, str] = {}
    for key, node in nodes.items():
        for child in node.children:
            claimed.setdefault(child, key)
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parents[key] = node.parent if node.parent in nodes else claimed.get(key)
        if node.parent is not None and parents[key] is None and node.said is not None:
            notes.add(Change.ORPHAN)
    return parents


def _below(nodes: Mapping[str, Node], parents: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Children in the order in which their parent names them, then those that it does not name."""
    below: dict[str, dict[str, None]] = {}
    for key, node in nodes.items():
        below[key] = {child: None for child in node.children if child in nodes and parents[child] == key}
    for key, parent in parents.items():
        if parent is not None:
            below[parent].setdefault(key)
    return {key: list(children) for key, children in below.items()}


def _join(kept: list[_Kept], notes: Notes) -> None:
    """An answer that alone follows an answer is the rest of it: thoughts, a call of a tool, and what came of it."""
    for one in kept:
        before = None if one.parent is None else kept[one.parent]
        if before and before.said.role == one.said.role == "assistant" and before.children == 1:
            one.host = before.host
            host = kept[one.host]
            notes.add(Change.MERGED, 1 if host.texts and one.texts else 0)
            host.texts += one.texts
            host.said = Said(
                *("assistant", "", host.said.at or one.said.at, one.said.model_name or host.said.model_name),
                one.said.stop,
            )


def _message(one: _Kept, conversation_id: str, parent: Message | None, created: float, notes: Notes) -> Message:
    whole = "\n\n".join(one.texts)
    text = storable(whole)
    notes.add(Change.HALF, text != whole)
    notes.add(Change.DATE, one.said.at is None)
    name = one.said.model_name
    return Message(
        *(new_id(), conversation_id, parent.id if parent else None, one.said.role, text),
        one.said.at or (parent.created_at if parent else created),
        model_name=storable(name) if name else None,
        stop=one.said.stop,
    )


def _title(title: str | None, messages: Iterable[Message], notes: Notes) -> str | None:
    whole = storable(title or "")
    notes.add(Change.HALF, whole != (title or ""))
    line = " ".join(whole.split())
    if line:
        return checked_title(line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…")
    question = next((message.text[:1000] for message in messages if message.role == "user"), "")
    return title_from(question) or None
