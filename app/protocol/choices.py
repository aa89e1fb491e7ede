"""What else a model would have said at each token of an answer, packed into bytes.

A token takes two bytes where the model was sure, and 64 at most. The format, numbers in seven bits a byte, low ones
first, as in Protocol Buffers:

    format   one byte, 1
    a token  2 * length + is_thinking
             0 for one that was given and not sampled, else 1 + 2 * (10,000 - share) + is_below
    count    of the candidates, except where the share is 99.5 % or more
    each     2 * id + is_end, its share, the length of its text in UTF-8, the text
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

WHOLE = 10_000  # a share of everything
MOST_CANDIDATES = 8
MOST_BYTES = 64  # of a token
_FORMAT = 1
LEAST = 50  # share of a candidate that is kept
SURE = WHOLE - LEAST  # share of a token from which on nothing else is kept
_LONGEST = 24  # bytes of a candidate's text
_CUT = "…"  # ends a text that was longer
_LARGEST = 2**32  # no number is as large


class ChoicesError(ValueError):
    """Bytes that are no packed choices."""


class Candidate(NamedTuple):
    """A token that could have stood. share: its probability in ten-thousandths. is_end: the answer ends with it."""

    id: int
    share: int
    text: str
    is_end: bool = False


class Choice(NamedTuple):
    """The likely tokens that one token was chosen from.

    share: its own probability in ten-thousandths, None where it was given and not sampled. candidates: the others,
    likeliest first, also of a given token that a person put in the place of one of them. is_below: the token itself was
    none of the likeliest.

    length: the characters that became whole with it, of the answer's thought where it belongs to that (is_thinking),
    else of its words; none inside a character, and none for the marks around a thought.
    """

    share: int | None
    candidates: tuple[Candidate, ...] = ()
    is_below: bool = False
    length: int = 0
    is_thinking: bool = False


def pack(choices: Iterable[Choice]) -> bytes:
    """Pack the choices of an answer's tokens, in order, leaving out candidates below half a percent.

    The last candidates are left out where a token would take too many bytes; long texts are cut.
    """
    return bytes((_FORMAT,)) + b"".join(map(_packed, choices))


def unpack(packed: bytes) -> tuple[Choice, ...]:
    """Unpack the choices of an answer's tokens. Raises ChoicesError for bytes that are none."""
    reader = _Reader(packed)
    if reader.number() != _FORMAT:
        raise ChoicesError(f"the format is not {_FORMAT}")
    found = []
    while not reader.is_at_end:
        found.append(reader.choice())
    return tuple(found)


def cut(packed: bytes, tokens: int) -> bytes:
    """Return packed choices without those that come after so many tokens, nothing for no token.

    Raises ChoicesError for bytes that are none.
    """
    reader = _Reader(packed)
    reader.number()
    for _ in range(tokens):
        if reader.is_at_end:
            return packed
        reader.choice()
    return reader.passed if tokens else b""


def _packed(choice: Choice) -> bytes:
    head = _number(2 * choice.length + choice.is_thinking)
    if choice.share is None:
        head += _number(0)
    else:
        share = min(max(choice.share, 0), WHOLE)
        head += _number(1 + 2 * (WHOLE - share) + choice.is_below)
        if share >= SURE:
            return head
    return head + _candidates(choice.candidates, MOST_BYTES - len(head) - 1)


def _candidates(candidates: Sequence[Candidate], room: int) -> bytes:
    """Return the count and as many of the candidates, in their order, as have room."""
    kept: list[bytes] = []
    for candidate in candidates[:MOST_CANDIDATES]:
        text = _text(candidate.text)
        share = min(candidate.share, WHOLE)
        one = _number(2 * candidate.id + candidate.is_end) + _number(max(share, 0)) + _number(len(text)) + text
        if share < LEAST or len(one) > room:
            break
        kept.append(one)
        room -= len(one)
    return _number(len(kept)) + b"".join(kept)


def _text(text: str) -> bytes:
    """Encode a text, cut between characters where it is long. Half a surrogate pair becomes a question mark."""
    encoded = text.encode(errors="replace")
    if len(encoded) <= _LONGEST:
        return encoded
    cut = _CUT.encode()
    return encoded[: _LONGEST - len(cut)].decode(errors="ignore").encode() + cut


def _number(number: int) -> bytes:
    if not 0 <= number < _LARGEST:
        raise ValueError(f"{number} cannot be packed")
    packed = bytearray()
    while number > 0x7F:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*packed, number))


class _Reader:
    """Packed choices, read from the first byte on. Whoever wrote them is not trusted."""

    def __init__(self, packed: bytes) -> None:
        self._packed, self._at = packed, 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._packed)

    @property
    def passed(self) -> bytes:
        """Return what was read so far."""
        return self._packed[: self._at]

    def choice(self) -> Choice:
        """Read a token."""
        length, is_thinking = divmod(self.number(), 2)
        head, share, is_below = self.number(), None, 0
        if head:
            missing, is_below = divmod(head - 1, 2)
            share = WHOLE - missing
            if missing > WHOLE:
                raise ChoicesError("a share is less than nothing")
        count = self.number(MOST_CANDIDATES) if share is None or share < SURE else 0
        candidates = tuple(self._candidate() for _ in range(count))
        return Choice(share, candidates, bool(is_below), length, bool(is_thinking))

    def number(self, largest: int = _LARGEST - 1) -> int:
        """Read a number."""
        number = shift = 0
        while shift < 35:
            (byte,) = self._bytes(1)
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                if number > largest or (byte == 0 and shift):
                    raise ChoicesError(f"{number} is written where {largest} is the most")
                return number
            shift += 7
        raise ChoicesError("a number has no end")

    def _candidate(self) -> Candidate:
        (number, is_end), share = divmod(self.number(), 2), self.number(WHOLE)
        try:
            return Candidate(number, share, self._bytes(self.number(_LONGEST)).decode(), bool(is_end))
        except UnicodeDecodeError as error:
            raise ChoicesError("a text is not in UTF-8") from error

    def _bytes(self, count: int) -> bytes:
        found = self._packed[self._at : self._at + count]
        if len(found) < count:
            raise ChoicesError("the end is missing")
        self._at += count
        return found
