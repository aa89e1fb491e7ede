"""What each token of an answer was chosen from, as it is kept with the answer."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

from app.protocol.choices import MOST_BYTES, MOST_CANDIDATES, Candidate, Choice, ChoicesError, cut

_HEAD = 8  # bytes before the first token, with room to spare


class NewChoices(NamedTuple):
    """The choices of an answer that ends, packed.

    like: id of the answer that its beginning comes from, where it goes on from one: another one, or itself.
    """

    packed: bytes
    like: str | None = None


class KnownAnswer(NamedTuple):
    """An answer whose beginning another one has. choices: of the first of its ids, or of all."""

    ids: Sequence[int]
    choices: Sequence[Choice]
    text: str
    thinking: str


def compress(packed: bytes) -> bytes:
    """Return packed choices as they are stored."""
    return zlib.compress(packed, 9)


def decompress(stored: bytes, tokens: int) -> bytes:
    """Return stored choices as they were packed, of at most so many tokens; nothing where they are damaged."""
    reader, most = zlib.decompressobj(), _HEAD + tokens * MOST_BYTES
    try:
        packed = reader.decompress(stored, most)
    except zlib.error:
        return b""
    return packed if reader.eof else b""


def first_choices(packed: bytes, tokens: int) -> bytes:
    """Return the packed choices of the first tokens; nothing where they are damaged."""
    try:
        return cut(packed, tokens) if packed else b""
    except ChoicesError:
        return b""


def inherited(choices: Sequence[Choice], ids: Sequence[int], known: KnownAnswer) -> tuple[Choice, ...]:
    """Return the choices of an answer with what is known of the tokens that it was given to begin with.

    They are those of `known` as far as both have the same ids. Where the first of them differs, a person chose it: what
    could have stood there stays, with the token that did.
    """
    found = list(choices)
    ends = {False: 0, True: 0}
    for at, (token, before) in enumerate(zip(known.ids, known.choices, strict=False)):
        if at == len(found) or found[at].share is not None:
            break
        begin = ends[before.is_thinking]
        ends[before.is_thinking] = begin + before.length
        if token != ids[at]:
            said = (known.thinking if before.is_thinking else known.text)[begin : begin + before.length]
            found[at] = found[at]._replace(candidates=_others(before, ids[at], token, said))
            break
        found[at] = before._replace(length=found[at].length, is_thinking=found[at].is_thinking)
    return tuple(found)


def _others(before: Choice, chosen: int, token: int, said: str) -> tuple[Candidate, ...]:
    """Return what could have stood in the place of a token: what stood there before, and the others."""
    others = [one for one in before.candidates if one.id != chosen]
    if before.share is not None:
        others = [Candidate(token, before.share, said), *others[: MOST_CANDIDATES - 1]]
    return tuple(sorted(others, key=lambda one: -one.share))
