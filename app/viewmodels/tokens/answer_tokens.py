"""The tokens of an answer: where each stands in its words or its thought, and how sure the model was of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate

from app.conversation.message import Message
from app.protocol.choices import WHOLE, Choice, ChoicesError, unpack

LIKELY, UNLIKELY, RARE = (WHOLE * share // 100 for share in (65, 40, 15))


class Certainty(IntEnum):
    """The ways in which a token came to stand where it stands.

    SURE, UNSURE, DOUBTFUL, RARE: by the share that the model gave it. BELOW: it was none of the likeliest. GIVEN: it
    was not chosen by the model.
    """

    SURE = 0
    UNSURE = 1
    DOUBTFUL = 2
    RARE = 3
    BELOW = 4
    GIVEN = 5


class AnswerTokens:
    """The tokens of one answer, by their numbers from 0 on. Places are characters of its words, or of its thought.

    Property: tokens follow each other without a gap, in the words as in the thought.
    """

    def __init__(self, answer: Message, choices: Sequence[Choice]) -> None:
        """choices: of as many tokens as they are known of; those beyond the answer's ids are of what was taken back."""
        self.answer = answer
        self.choices = tuple(choices[: len(answer.ids or ())])
        self._numbers: dict[bool, list[int]] = {False: [], True: []}  # of the tokens of the words and of the thought
        for number, choice in enumerate(self.choices):
            self._numbers[choice.is_thinking].append(number)
        self._starts = {part: self._starts_of(part) for part in self._numbers}
        self._places = {
            number: start
            for part, numbers in self._numbers.items()
            for number, start in zip(numbers, self._starts[part], strict=False)
        }

    def __len__(self) -> int:
        return len(self.choices)

    def span(self, number: int) -> tuple[int, int]:
        """Return from and to of a token; the same twice for one that is no character."""
        start = self._places[number]
        return start, start + self.choices[number].length

    def text(self, number: int) -> str:
        """Return the characters of a token, "" for one without any of its own."""
        start, end = self.span(number)
        return (self.answer.thinking if self.choices[number].is_thinking else self.answer.text)[start:end]

    def within(self, start: int, end: int, *, is_thinking: bool) -> Sequence[int]:
        """Return the tokens that begin within these characters, with the one that reaches into them."""
        starts = self._starts[is_thinking]
        return self._numbers[is_thinking][max(0, bisect_right(starts, start) - 1) : bisect_left(starts, end)]

    def at(self, character: int, *, is_thinking: bool) -> int | None:
        """Return the token that a character belongs to, None where it belongs to none."""
        found = self.within(character, character + 1, is_thinking=is_thinking)
        return next((one for one in reversed(found) if self.span(one)[0] <= character < self.span(one)[1]), None)

    def certainty(self, number: int) -> Certainty:
        """Say how a token came to stand there."""
        choice = self.choices[number]
        if choice.share is None:
            return Certainty.GIVEN
        if choice.is_below:
            return Certainty.BELOW
        return Certainty(sum(choice.share < one for one in (LIKELY, UNLIKELY, RARE)))

    def is_open(self, number: int) -> bool:
        """Return whether something else might well have stood there."""
        certainty = self.certainty(number)
        return bool(self.choices[number].candidates) and certainty is not Certainty.SURE

    def next(self, number: int, by: int, *, every: bool) -> int:
        """Return the token so many further on where something else might have stood, or each; the same at the end."""
        for _ in range(abs(by)):
            way = 1 if by > 0 else -1
            rest = range(number + way, len(self) if way > 0 else -1, way)
            number = next((one for one in rest if every or self.is_open(one)), number)
        return number

    def _starts_of(self, is_thinking: bool) -> list[int]:
        lengths = (self.choices[number].length for number in self._numbers[is_thinking])
        return list(accumulate(lengths, initial=0))[:-1]


def answer_tokens(answer: Message, packed: bytes) -> AnswerTokens | None:
    """Return the tokens of an answer with what each was chosen from; None where that is not known, or is damaged."""
    try:
        choices = unpack(packed) if packed else ()
    except ChoicesError:
        return None
    tokens = AnswerTokens(answer, choices)
    return tokens if len(tokens) else None
