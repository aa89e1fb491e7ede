"""The decoding of tokens while they come, whole characters only.

A token may hold a part of a character (the three bytes of "こ" can arrive as three tokens), and some decoders treat
the first token of a text apart. So a window is decoded that begins one step before what is new: what it says beyond
the part already known is the new text. Nothing is said while the window ends in U+FFFD, as the character may still
become complete. (The scheme of the text-generation servers; it fits every tokenizer that can decode.)

Property: a token costs the same however many came before it, also where nothing becomes complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.prompting.codec import Codec

_INCOMPLETE = "\ufffd"
# A character has at most four bytes, so at most three of them can be waiting for the last.
_LONGEST_WAIT = 3
# Tokens of a window in which nothing became complete: at most, and those that are left of it then.
_LONGEST_WINDOW, _LEFT = 32, 16


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
            waiting = _waiting(fresh)
            said = fresh[self._said : len(fresh) - waiting]
            self._said += len(said)
            if len(self._new) > _LONGEST_WINDOW:
                self._shorten(waiting)
        else:
            said = fresh[self._said :]
            self._advance()
        self.length += len(said)
        return said

    @property
    def is_whole(self) -> bool:
        """Whether the last character is complete."""
        return not self._new

    @property
    def waiting(self) -> str:
        """Return what the last tokens read that completed no character."""
        return self._codec.decode(self._known + self._new)[self._known_length + self._said :] if self._new else ""

    def preview(self, token: int) -> str:
        """Decode a token as if it came next, characters that are not complete and wait for it included."""
        if self._known and not self._new:
            return self._codec.text_within(token)
        return self._codec.decode([*self._known, *self._new, token])[self._known_length + self._said :]

    def _shorten(self, waiting: int) -> None:
        """Forget the first tokens of the window, unless the last would become complete without them.

        Bytes at its new beginning may read otherwise than before, but not those that wait at its end. Some decoders
        read all bytes in a row as none where one of them fits no character.
        """
        left = self._new[-_LEFT:]
        texts = [self._codec.decode(left[: _LEFT - fewer]) for fewer in range(_LONGEST_WAIT + 1)]
        if _waiting(texts[0]) == waiting and all(text.endswith(_INCOMPLETE) for text in texts):
            self._known, self._known_length = [], 0
            self._new, self._said = left, len(texts[0]) - waiting

    def _advance(self) -> None:
        """Take the new tokens for the known ones that the next are decoded after: nothing waits."""
        new = self._new
        self._known, self._new, self._said = new, [], 0
        self._known_length = self._codec.length_alone(new[0]) if len(new) == 1 else len(self._codec.decode(new))


def _waiting(text: str) -> int:
    """Return how many characters at the end of a text may still become a complete one."""
    return min(len(text) - len(text.rstrip(_INCOMPLETE)), _LONGEST_WAIT)


def text_ends(codec: Codec, ids: Sequence[int], context: Sequence[int] = ()) -> tuple[str, list[int]]:
    """Return the text of tokens and, for each, how many characters are complete after it."""
    detokenizer = Detokenizer(codec, context)
    pieces, ends = [], []
    for token in ids:
        pieces.append(detokenizer.add(token))
        ends.append(detokenizer.length)
    return "".join(pieces), ends
