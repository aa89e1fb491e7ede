"""Settings at random, as far as their ranges go: a server that refuses one of them says so in a person's face."""

from __future__ import annotations

import math
import random

from app.protocol.chat import PARAMETERS, Parameter, Sampling

_LARGE = 1e9


def extreme_sampling(seed: int, length: int) -> Sampling:
    """Return settings of which each is at an end of its range, between, or as usual. length: tokens of the answer."""
    dice = random.Random(seed)
    found: dict[str, float | None] = {}
    for name, declared in PARAMETERS.items():
        if name != "max_tokens" and dice.random() < 0.6:
            found[name] = _value(dice, declared)
    return Sampling(**{"max_tokens": length, **found})  # type: ignore[arg-type]


def _value(dice: random.Random, declared: Parameter) -> float | None:
    most = _LARGE if math.isinf(declared.most) else declared.most
    if declared.may_lack and dice.random() < 0.2:
        return None
    if declared.is_whole:
        return dice.choice((int(declared.least), int(most), dice.randint(int(declared.least), int(most)), 5))
    return dice.choice((declared.least, most, math.ceil(declared.least), dice.uniform(declared.least, most)))
