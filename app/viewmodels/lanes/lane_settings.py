"""In what the settings of several answers to one question differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.protocol.chat import Sampling


def differences(settings: Sequence[Sampling | None], preset_of: Callable[[Sampling], str]) -> list[str]:
    """Say with which settings each answer is written, "" where they are the same for all. Seeds do not count.

    settings: None where they are not known. preset_of: the name of the preset that settings are, "" where they are
    none. Where these are some other ones, their temperature is said; also of all answers, where they differ in nothing
    else and not all have presets.
    """
    bare = [one and replace(one, seed=None) for one in settings]
    if len(set(bare)) < 2:
        return [""] * len(bare)
    names = [preset_of(one) if one else "" for one in bare]
    are_temperatures = len({one and replace(one, temperature=0.0) for one in bare}) < 2
    temperatures = [f"temperature {one.temperature:g}" if one else "" for one in bare]
    if are_temperatures and not all(names):
        return temperatures
    unnamed = temperatures if len(set(temperatures)) > 1 else ["own settings"] * len(bare)
    return [(name or other) if one else "" for name, other, one in zip(names, unnamed, bare, strict=True)]
