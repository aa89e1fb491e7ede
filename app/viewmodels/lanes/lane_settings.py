"""In what the settings of several answers to one question differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.protocol.chat import Sampling


def differences(settings: Sequence[Sampling | None], preset_of: Callable[[Sampling], str]) -> list[str]:
    """Say with which settings each answer is written, "" where they are the same for all. Seeds do not count.

    settings: None where they are not known. preset_of: the name of the preset that settings are, "" where they are
    none. Of answers that differ in nothing but their temperature, that is said, unless all have presets.
    """
    bare = [one and replace(one, seed=None) for one in settings]
    if len(set(bare)) < 2:
        return [""] * len(bare)
    names = [preset_of(one) if one else "" for one in bare]
    are_temperatures = len({one and replace(one, temperature=0.0) for one in bare}) < 2
    if are_temperatures and not all(names):
        return [f"temperature {one.temperature:g}" if one else "" for one in bare]
    return [(name or "own settings") if one else "" for name, one in zip(names, bare, strict=True)]
