"""Reuse of an answer's own tokens, as far as its rendered text still consists of them.

An answer was generated as tokens, and other tokens can spell the same text. The cache holds the state of the generated
ones, so the prompt repeats them wherever they still say what the template prints, and only the rest is tokenized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.prompting.codec import Codec
from app.prompting.detokenizer import text_ends

# Enough tokens before an answer for any decoder to see that it is not the beginning of a text.
_CONTEXT = 4


@dataclass(frozen=True, slots=True)
class ReusedIds:
    """The part of an answer's own ids that can be reused. They spell characters [start, end) of the rendered text."""

    ids: tuple[int, ...]
    start: int
    end: int


def shared_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many items two sequences begin with alike."""
    unlike = (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(unlike, min(len(one), len(other)))


def reuse_ids(codec: Codec, ids: Sequence[int], before: Sequence[int], inserted: str, content: str) -> ReusedIds:
    """Find the longest run of an answer's ids that its rendered text `inserted + content` repeats.

    before: the prompt's ids up to the end of the generation prompt. inserted: what the template prints between that
    and the content. Tried in turn: the ids as they follow the prompt; the ids by themselves against the content; and,
    where the template dropped the beginning of the answer, those after it.
    """
    if not ids:
        return ReusedIds((), 0, 0)
    context = list(before[-_CONTEXT:])
    follows = _prefix(codec, ids, context, inserted + content, 0)
    if follows.end == len(inserted) + len(content):
        return follows
    alone = _prefix(codec, ids, [], content, len(inserted))
    best = max(follows, alone, key=lambda reused: len(reused.ids))
    return best if best.ids else _suffix(codec, ids, content, len(inserted))


def _prefix(codec: Codec, ids: Sequence[int], context: list[int], text: str, start: int) -> ReusedIds:
    """Return the first of the ids, as far as they spell the beginning of the text."""
    spelled = codec.decode(context + list(ids))[len(codec.decode(context)) if context else 0 :]
    if spelled == text:
        return ReusedIds(tuple(ids), start, start + len(text))
    own, ends = text_ends(codec, ids, context)
    number, length = _agreeing(own, ends, text)
    return ReusedIds(tuple(ids[:number]), start, start + length)


def _suffix(codec: Codec, ids: Sequence[int], content: str, start: int) -> ReusedIds:
    """Return the ids from the one that begins where the content does, when the answer ends with the content."""
    own, ends = text_ends(codec, ids)
    at = own.rfind(content) if content else -1
    if at <= 0 or at not in ends:
        return ReusedIds((), start, start)
    # Tokens without text of their own belong to what follows them.
    first = ends.index(at) + 1
    number, length = _agreeing(own[at:], [end - at for end in ends[first:]], content)
    return ReusedIds(tuple(ids[first : first + number]), start, start + length)


def _agreeing(own: str, ends: Sequence[int], text: str) -> tuple[int, int]:
    """Count the tokens that spell a beginning of the text, and the characters of that.

    Tokens that complete no character count only with the one that does, or at the very end of an answer, where half a
    character was cut off and the text goes no further.
    """
    agreed = shared_length(own, text)
    if agreed == len(own):
        return len(ends), agreed
    number = length = 0
    for at, end in enumerate(ends):
        if end > agreed:
            break
        if end > length:
            number, length = at + 1, end
    return number, length
