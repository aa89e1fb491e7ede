"""What each token of an answer was chosen from, noted while it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.protocol.choices import SURE, WHOLE, Candidate, Choice, pack

_GIVEN = Choice(None)


class Alternatives(NamedTuple):
    """The likeliest tokens with their probabilities, likeliest first, where the chosen one left so much to them.

    own: the probability of the token that was chosen. is_below: that was none of the likeliest.
    """

    own: float
    likeliest: tuple[tuple[int, float], ...] = ()
    is_below: bool = False


class AnswerChoices:
    """A record of the choices of one answer, token by token, beside its `OutputText`."""

    def __init__(self, codec: Codec, output: OutputText, read: Callable[[int], str] | None = None) -> None:
        """Begin where the answer does. read: what a token that was not chosen reads, None for what the output says."""
        self._codec, self._output, self._read = codec, output, read or output.preview
        self._choices: list[Choice] = []

    def give(self) -> None:
        """Note a token that the answer had to begin with."""
        self._choices.append(_GIVEN)

    def note(self, token: int, found: Alternatives | None) -> None:
        """Note a token that was drawn, before it is added to the output. found: None where nothing is known."""
        if found is None:
            self._choices.append(_GIVEN)
            return
        share = round(found.own * WHOLE)
        others = () if share >= SURE else found.likeliest
        candidates = tuple(self._candidate(number, round(one * WHOLE)) for number, one in others if number != token)
        self._choices.append(Choice(share, candidates, found.is_below))

    def packed(self) -> bytes:
        """Return the choices of the output's ids, packed; nothing where it has none."""
        places = self._output.places
        placed = zip(self._choices, places, strict=False)  # a stop text takes back the tokens that it reaches into
        return pack([one._replace(**place._asdict()) for one, place in placed]) if places else b""

    def _candidate(self, number: int, share: int) -> Candidate:
        is_end = number in self._codec.stop_ids
        return Candidate(number, share, "" if is_end else self._read(number), is_end)
