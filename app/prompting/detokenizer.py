"""The decoding of tokens while they come, whole characters only.

A token may hold a part of a character (the three bytes of "こ" can arrive as three tokens), and some decoders treat
the first token of a text apart. So a window is decoded that begins one step before what is new: what it says beyond
the part already known is the new text. Nothing is said while the window ends in U+FFFD, as the character may still
become complete. (The scheme of the text-generation servers; it fits every tokenizer that can decode.)
"""

from __future__ import annotations

from collections.abc import Sequence

from app.prompting.codec import Codec

_INCOMPLETE = "\ufffd"
# A character has at most four bytes, so at most three of them can be waiting for the last.
_LONGEST_WAIT = 3


class Detokenizer:
    """A decoder of one token at a time. `length`: characters that are complete so far."""

    def __init__(self, codec: Codec, context: Sequence[int] = ()) -> None:
        """Begin after `context`: tokens that precede the first one and are not part of the text."""
        self._codec = codec
        self.length = 0
        self._known = list(context)
        self._known_length = len(codec.decode(self._known)) if context else 0
        self._new: list[int] = []
        self._said = 0

    def add(self, token: int) -> str:
        """Decode the next token and return the text that became complete with it, often none."""
        self._new.append(token)
        fresh = self._codec.decode(self._known + self._new)[self._known_length :]
        if fresh.endswith(_INCOMPLETE):
            waiting = min(len(fresh) - len(fresh.rstrip(_INCOMPLETE)), _LONGEST_WAIT)
            said = fresh[self._said : len(fresh) - waiting]
            self._said += len(said)
        else:
            said = fresh[self._said :]
            self._advance()
        self.length += len(said)
        return said

    @property
    def is_whole(self) -> bool:
        """Whether the last character is complete."""
        return not self._new

    def preview(self, token: int) -> str:
        """Decode a token as if it came next, characters that are not complete and wait for it included."""
        if self._known and not self._new:
            return self._codec.text_within(token)
        return self._codec.decode([*self._known, *self._new, token])[self._known_length + self._said :]

    def _advance(self) -> None:
        """Take the new tokens for the known ones that the next are decoded after: nothing waits."""
        new = self._new
        self._known, self._new, self._said = new, [], 0
        self._known_length = self._codec.length_alone(new[0]) if len(new) == 1 else len(self._codec.decode(new))


def text_ends(codec: Codec, ids: Sequence[int], context: Sequence[int] = ()) -> tuple[str, list[int]]:
    """Return the text of tokens and, for each, how many characters are complete after it."""
    detokenizer = Detokenizer(codec, context)
    pieces, ends = [], []
    for token in ids:
        pieces.append(detokenizer.add(token))
        ends.append(detokenizer.length)
    return "".join(pieces), ends
