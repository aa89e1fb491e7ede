"""The names of the trie's edges: whose message it is that an edge holds, and its words, the template's own left out.

A message is found by the tokens that its template writes before it. They stand in the edge itself or above it, so a
name needs no record of who asked for what, and an edge that was read from the disk has one too.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.kvcache.snapshot import TrieNode
from app.kvcache.view import EdgeLabel
from app.prompting.codec import Codec
from app.prompting.openings import Opening
from app.protocol.chat import Role
from app.protocol.trie_view import LABEL_TOKENS

FEW = 4  # tokens: so little of a longer message names no edge that holds more of another one


class _Found(NamedTuple):
    """An opening that stands in a run of tokens: where it begins and ends there."""

    start: int
    end: int
    role: Role


class _Part(NamedTuple):
    """The part of a message that lies on an edge. start, end: in its tokens. role: None where it is not known."""

    start: int
    end: int
    role: Role | None
    is_continued: bool

    @property
    def tokens(self) -> int:
        return self.end - self.start


class EdgeLabels:
    """A maker of names for the edges of one model's trie."""

    def __init__(self, codec: Codec, openings: Sequence[Opening]) -> None:
        self._codec, self._openings = codec, openings
        self._longest = max((len(opening.ids) for opening in openings), default=1)

    def __call__(self, node: TrieNode) -> EdgeLabel:
        """Return the name of an edge: of the first message of which it holds all, or more than a few tokens.

        Where there is none it is that of which it holds most; no words where all of it is the template's own text.
        """
        *before, last = self._parts(node)
        whole = [part for part in before if not part.is_continued]
        parts = [part for part in (*before, last) if self._words(node, part)]
        named = (part for part in parts if part.tokens > FEW or part in whole)
        part = next(named, max(parts, key=lambda one: one.tokens, default=None))
        if part is None:
            return EdgeLabel("")
        return EdgeLabel(self._words(node, part), part.role, part.is_continued)

    def _words(self, node: TrieNode, part: _Part) -> str:
        words = self._codec.label(node.tokens[part.start : min(part.end, part.start + LABEL_TOKENS)])
        begins_word = part.is_continued and self._codec.text_within(node.tokens[part.start])[:1].isspace()
        return f" {words}" if words and begins_word else words

    def _parts(self, node: TrieNode) -> Iterator[_Part]:
        """Cut an edge into what it holds of each message."""
        before = _tokens_before(node, self._longest)
        shift = len(before)
        openings = [one for one in self._in(before + node.tokens) if one.end >= shift]
        if not openings or openings[0].start > shift:
            end = openings[0].start - shift if openings else self._end(node.tokens)
            yield _Part(0, end, self._role_before(node), node.start > 0)
        for one, following in pairwise([*openings, None]):
            assert one is not None
            end = following.start - shift if following else self._end(node.tokens)
            yield _Part(one.end - shift, max(end, one.end - shift), one.role, is_continued=False)

    def _end(self, tokens: array[int]) -> int:
        """Return where the last message ends: before an opening that is cut off, if there is one."""
        for length in range(min(self._longest - 1, len(tokens)), 0, -1):
            tail = tuple(tokens[-length:])
            if tail[0] in self._codec.special_ids and any(one.ids[:length] == tail for one in self._openings):
                return len(tokens) - length
        return len(tokens)

    def _in(self, tokens: array[int]) -> list[_Found]:
        """Return the openings that stand in some tokens, in order; of two that overlap, the one that ends last."""
        size, text = tokens.itemsize, tokens.tobytes()
        found: list[_Found] = []
        for opening in self._openings:
            wanted = array("i", opening.ids).tobytes()
            at = text.find(wanted)
            while at >= 0:
                if at % size == 0:
                    found.append(_Found(at // size, (at + len(wanted)) // size, opening.role))
                at = text.find(wanted, at + 1)
        found.sort(key=lambda one: (one.end, one.start))
        return found

    def _role_before(self, node: TrieNode) -> Role | None:
        """Return whose message goes on where an edge begins: what precedes all openings are instructions.

        None for a template whose openings are not known.
        """
        above, carried = node.parent, array("i")
        while above is not None and above.parent is not None:
            tokens = above.tokens + carried
            openings = self._in(tokens)
            if openings:
                return openings[-1].role
            carried = tokens[: self._longest - 1]
            above = above.parent
        return "system" if self._openings else None


def _tokens_before(node: TrieNode, most: int) -> array[int]:
    """Return the last tokens before an edge, at most so many."""
    found, above = array("i"), node.parent
    while above is not None and len(found) < most:
        found = above.tokens[-(most - len(found)) :] + found
        above = above.parent
    return found
