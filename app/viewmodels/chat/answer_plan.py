"""How many answers the next question gets, and in what they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.protocol.chat import PARAMETERS, Sampling
from app.protocol.dataclass import dataclass

_REACH = 0.4  # of the temperature, to either side of the chosen one


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """The answers that a question gets. has_ladder: each has a temperature of its own, from cold to warm.

    presets: by name, of the first answers; "" for one that has what is chosen.
    """

    count: int = 1
    has_ladder: bool = False
    presets: tuple[str, ...] = ()

    def with_preset(self, number: int, name: str) -> AnswerPlan:
        """Return the plan in which an answer, by its number from 0 on, has a preset, "" for what is chosen.

        A preset says which temperature it has, so that there is no ladder.
        """
        presets = [*self.presets, *[""] * (number + 1 - len(self.presets))]
        presets[number] = name
        return replace(self, has_ladder=False, presets=tuple(presets))

    def settings(
        self, sampling: Sampling, count: int, of_preset: Callable[[str], Sampling | None]
    ) -> tuple[Sampling, ...]:
        """Return the settings of so many answers, where `sampling` is chosen. of_preset: None for one that is gone.

        The temperatures of a ladder are evenly apart, around the chosen one as far as they may be. One answer alone has
        what is chosen.
        """
        if count > 1 and any(self.presets):
            names = [*self.presets, *[""] * count][:count]
            return tuple(of_preset(name) or sampling for name in names)
        if not self.has_ladder or count < 2:
            return (sampling,) * count
        least = max(PARAMETERS["temperature"].least, sampling.temperature - _REACH)
        step = (sampling.temperature + _REACH - least) / (count - 1)
        return tuple(replace(sampling, temperature=round(least + number * step, 2)) for number in range(count))
