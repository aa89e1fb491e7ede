"""How many tokens a model reads at most, as a person types it."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.protocol.commands import CONTEXT_LIMIT
from app.viewmodels.text import formatting

_WHOLE = re.compile(r"\d+|\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+", re.ASCII)
_LONGEST = 20  # digits, which are more than any limit has
NO_NUMBER = "A context limit is a whole number of tokens, such as 8192. An empty field sets none."


class ReadLimit(NamedTuple):
    """A context limit as it was typed, None for as many tokens as the model allows; or a problem, in a sentence."""

    tokens: int | None
    problem: str = ""


def read_limit(text: str, own: int, usual: int = 0) -> ReadLimit:
    """Read a context limit.

    own: how many tokens the model could read, 0 where that is not known. usual: how many it reads without a limit, 0
    where that are all of its own.
    """
    typed = text.strip()
    if not typed:
        return ReadLimit(None)
    if not _WHOLE.fullmatch(typed):
        return ReadLimit(None, NO_NUMBER)
    tokens, least = int(re.sub(r"\D", "", typed)[:_LONGEST]), int(CONTEXT_LIMIT.least)
    if own and tokens > own:
        empty = formatting.number(usual) if usual else "all"
        return ReadLimit(None, f"This model reads at most {formatting.tokens(own)}. Leave the field empty for {empty}.")
    if own and tokens == own and not usual:
        return ReadLimit(None)
    if not least <= tokens <= CONTEXT_LIMIT.most:
        most = formatting.number(int(CONTEXT_LIMIT.most))
        return ReadLimit(None, f"A context limit is at least {least} tokens and at most {most}.")
    return ReadLimit(tokens)
