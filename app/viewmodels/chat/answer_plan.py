"""How many answers the next question gets, and in what they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.protocol.chat import PARAMETERS, Sampling

_REACH = 0.4  # of the temperature, to either side of the chosen one


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """The answers that a question gets. has_ladder: each has a temperature of its own, from cold to warm."""

    count: int = 1
    has_ladder: bool = False

    def settings(self, sampling: Sampling, count: int) -> tuple[Sampling, ...]:
        """Return the settings of so many answers, where `sampling` is chosen.

        The temperatures of a ladder are evenly apart, around the chosen one as far as they may be.
        """
        if not self.has_ladder or count < 2:
            return (sampling,) * count
        least = max(PARAMETERS["temperature"].least, sampling.temperature - _REACH)
        step = (sampling.temperature + _REACH - least) / (count - 1)
        return tuple(replace(sampling, temperature=round(least + number * step, 2)) for number in range(count))
