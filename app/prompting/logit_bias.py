"""The numbers that a person adds to the logits of tokens, by the ids of the tokens."""

from __future__ import annotations

from collections.abc import Iterable

from app.prompting.codec import Codec
from app.prompting.problems import RequestError


def biased_ids(codec: Codec, logit_bias: Iterable[tuple[str, float]]) -> dict[int, float]:
    """Return the numbers by token id; what is said twice is added up. Raises RequestError for a text of several tokens.

    A space before a word belongs to its token: “ fox” is another token than “fox”.
    """
    numbers: dict[int, float] = {}
    for text, number in logit_bias:
        token = _token(codec, text)
        numbers[token] = numbers.get(token, 0.0) + number
    return numbers


def _token(codec: Codec, text: str) -> int:
    """Return the one token that a text is in the middle of an answer, or the control token that it spells."""
    plain = codec.plain(text, after=next(iter(codec.plain("\n")), None))
    for ids in (codec.markup(text), plain):
        if len(ids) == 1 and codec.unknown(ids) is None:
            return ids[0]
    raise RequestError(
        "A token of the settings is none of this model's",
        f"“{text}” is {len(plain)} tokens here, and a number can be added to one token only. Take it out of the "
        "conversation's settings, or write a shorter text, then send again.",
    )
