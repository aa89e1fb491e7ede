"""The Markdown of conversations, to read and to pass on. https://spec.commonmark.org/0.31.2/

What was said stands in block quotes, and what is said about it outside, so a heading, a list or an open fence in a
message ends with its quote. Raw HTML would not: a comment that is never closed swallows the rest of the page.
`escaping` takes care of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from app.conversation.message import Message, storable
from app.conversation.records import Document
from app.conversation.tree import MessageTree
from app.exchange.escaping import harmless
from app.protocol.attachments import question_text
from app.protocol.excerpts import first_words
from app.protocol.figures import plural

_UNTITLED = "Conversation"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#!|~&$])")
_FIRST_WORDS = 60  # characters


@dataclass(slots=True)
class _Branch:
    """Messages between two forks. number: from 1 on, in the order of reading. after: number of the message before."""

    number: int
    after: int | None
    messages: list[Message] = field(default_factory=list)
    children: list[int] = field(default_factory=list)


def markdown_of_path(document: Document, leaf_id: str | None = None) -> str:
    """Write the messages down to this one, None for the open path. LookupError for an id that is not there."""
    return "".join(path_in_pieces(document, leaf_id))


def path_in_pieces(document: Document, leaf_id: str | None = None) -> Iterator[str]:
    """Write the messages of a path, as `markdown_of_path` does, one at a time."""
    tree = _tree(document)
    leaf = leaf_id or document.leaf_id or tree.leaf_below(None)
    path = () if leaf is None else tree.path_to(leaf)
    return _joined(chain([_title(document)], (part for message in path for part in _message(message, "##"))))


def markdown_of_tree(document: Document) -> str:
    """Write all messages of a tree, numbered; after every fork its branches, numbered too."""
    return "".join(tree_in_pieces(document))


def tree_in_pieces(document: Document) -> Iterator[str]:
    """Write all messages of a tree, as `markdown_of_tree` does, one at a time."""
    return _joined(_parts_of_tree(document))


def _parts_of_tree(document: Document) -> Iterator[str]:
    tree = _tree(document)
    branches, numbers = _branches(tree)
    yield _title(document)
    yield _summary(branches, tree)
    roots = [branch for branch in branches if branch.after is None]
    if len(roots) > 1:
        yield _fork([branch.number for branch in roots], branches)
    for branch in branches:
        yield _heading(branch)
        for message in branch.messages:
            yield from _message(message, "###", f"{numbers[message.id]} · ")
        if branch.children:
            yield _fork(branch.children, branches)


def _tree(document: Document) -> MessageTree:
    return MessageTree(document.conversation.id, document.messages, document.visited)


def _branches(tree: MessageTree) -> tuple[list[_Branch], dict[str, int]]:
    """Return the branches, each before those that part from it, and the number of every message."""
    branches: list[_Branch] = []
    numbers: dict[str, int] = {}
    front: list[tuple[Message, _Branch | None]] = [(root, None) for root in reversed(tree.children(None))]
    while front:
        message, before = front.pop()
        branch = _Branch(len(branches) + 1, numbers[before.messages[-1].id] if before else None)
        branches.append(branch)
        if before:
            before.children.append(branch.number)
        following: Sequence[Message] = (message,)
        while len(following) == 1:
            branch.messages.append(following[0])
            numbers[following[0].id] = len(numbers) + 1
            following = tree.children(following[0].id)
        front += ((one, branch) for one in reversed(following))
    return branches, numbers


def _title(document: Document) -> str:
    return f"# {_plain(document.conversation.title or _UNTITLED)}"


def _summary(branches: Sequence[_Branch], tree: MessageTree) -> str:
    ends = sum(not branch.children for branch in branches)
    return f"*{plural(len(tree), 'message')} on {plural(ends, 'path')}.*"


def _heading(branch: _Branch) -> str:
    name = next((message.name for message in branch.messages if message.name), None)
    where = "" if branch.after is None else f", after message {branch.after}"
    return f"## Branch {branch.number}{where}" + (f": {_plain(name)}" if name else "")


def _fork(numbers: Sequence[int], branches: Sequence[_Branch]) -> str:
    told = [f"- Branch {number}: {_first_words(branches[number - 1].messages[0])}" for number in numbers]
    return "\n".join([f"**A fork:** {len(numbers)} branches follow.", "", *told])


def _first_words(message: Message) -> str:
    words = first_words(message.text, _FIRST_WORDS)
    return f"“{_plain(words)}”" if words else "nothing was said"


def _message(message: Message, level: str, number: str = "") -> Iterator[str]:
    marks = [
        words
        for words, holds in (
            ("pinned", message.is_pinned),
            ("favourite", message.is_favourite),
            ("not finished", message.is_unfinished),
        )
        if holds
    ]
    told = f" ({', '.join(marks)})" if marks else ""
    if message.instructions is not None:
        yield f"*{_told(message.instructions)}*"
        if message.instructions.strip():
            yield _quoted(message.instructions)
    yield f"{level} {number}{_plain(message.speaker)}{told}"
    if message.thinking.strip():
        yield "*Thought:*"
        yield _quoted(message.thinking)
        yield "*Answer:*"
    text = question_text(message.text, message.attachments)
    yield _quoted(text) if text.strip() else "*Nothing was said.*"


def _told(instructions: str) -> str:
    return "Instructions from here on:" if instructions.strip() else "Without instructions from here on."


def _quoted(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in harmless(lines))


def _plain(words: str) -> str:
    """Words as they are, on one line, wherever Markdown stands."""
    return _SPECIAL.sub(r"\\\1", " ".join(words.split()))


def _joined(parts: Iterable[str]) -> Iterator[str]:
    gap = ""
    for part in parts:
        yield storable(gap + part)
        gap = "\n\n"
    yield "\n"
