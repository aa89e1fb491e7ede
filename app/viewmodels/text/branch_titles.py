"""What a branch is called wherever it is listed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.excerpts import is_cut, isolated, plain_words
from app.protocol.sequences import count_common

_LONGEST = 80  # characters of its first words
_VERSIONS, _COMPARED = 16, 8_000  # versions that a message is compared with, and characters of each
_BESIDE, _ALONG = 256, 8  # versions and messages that are looked through for words that only one of them says
_ABOVE = 4  # branches that a message follows, from which it is told apart
_BEFORE = 12  # characters that are said of what two versions have in common
_BEGUN = re.compile(r"^\S*\s+")  # the rest of a word


def branch_title(first: Message, most: int = _LONGEST) -> str:
    """Return the name of the branch that begins with a message, or its first words in quotes, or who speaks in it."""
    return first.name or quoted(plain_words(first.text, most)) or first.speaker


def branch_title_among(first: Message, versions: Iterable[Message], most: int = _LONGEST) -> str:
    """Return what the branch is called that begins with a message, or where that leaves out words `title_apart`."""
    title = branch_title(first, most)
    return (is_cut(title) and title_apart(first, versions, most)) or title


def branch_title_in(tree: MessageTree, first_id: str, most: int = _LONGEST) -> str:
    """Return what the branch is called that begins with a message, told apart from those beside it."""
    told, versions = telling_message(tree, first_id)
    return branch_title_among(told, versions, most)


def telling_message(tree: MessageTree, first_id: str) -> tuple[Message, Sequence[Message]]:
    """Return the message by which a branch is known, and what says the same place of the branches beside it.

    The first of the branch; where another one begins with the same words, the first after it that goes on with others.
    """
    first = tree.message(first_id)
    versions = tree.siblings(first_id, _BESIDE)
    told, beside = first, [one for one in versions if one.id != first_id]
    for _ in range(0 if first.name else _ALONG):
        alike = [one for one in beside if one.text == told.text]
        if not alike:
            return (told, (told, *beside)) if told.text else (first, versions)
        below = tree.children(told.id)
        if len(below) != 1 or below[0].name:
            break
        beside_below = (one for each in alike for one in tree.children(each.id, _BESIDE))
        told, beside = below[0], [*islice(beside_below, _BESIDE)]
    return first, versions


def neighbours(tree: MessageTree, message_id: str) -> Iterator[Message]:
    """Yield what a message stands beside where a tree is drawn: the first of each branch above it, and its versions."""
    run = tree.run_of(message_id)
    above = run.parent_id if run.first_id == message_id else run.first_id
    for _ in range(_ABOVE):
        if above is not None:
            yield tree.message(above)
            above = tree.runs()[above].parent_id
    yield from tree.siblings(message_id)


def title_apart_in(tree: MessageTree, first_id: str) -> str:
    """Return the words in which a branch differs from those it follows and those beside it, "" where it need not."""
    told, versions = telling_message(tree, first_id)
    return title_apart(told, neighbours(tree, first_id) if told.id == first_id else versions)


def title_apart(first: Message, versions: Iterable[Message], most: int = _LONGEST) -> str:
    """Return the words with which a message becomes another than the versions beside it: "“…about a hen”".

    To be shown where its title is cut before it differs from theirs. "" where it has a name, and where it differs early
    or from none of them. One with which another only goes on is told by its end.
    """
    text = first.text[:_COMPARED]
    others = islice((one.text[:_COMPARED] for one in versions if one.text != first.text), _VERSIONS)
    same = max((count_common(text, other) for other in others), default=0)
    if first.name or not _BEFORE < same < _COMPARED:
        return ""
    before = text[same - _BEFORE : same]
    begun = _BEGUN.sub("", before) or before  # a script without spaces has none
    return quoted(f"…{plain_words(begun + text[same:], most)}")


def quoted(words: str) -> str:
    """Put words in quotes, within which alone they may run from right to left; "" where there are none."""
    return f"“{isolated(words)}”" if words else ""
