"""The figures that fix a training run. Another value of any of them makes another model."""

from __future__ import annotations

from dataclasses import dataclass

from guide_model.dialogue import FIRST, SECOND, Mix


@dataclass(frozen=True, slots=True)
class Stage:
    """`steps` on conversations of one mix, at a rate planned for `span` steps: a share `peak` of the full one while it
    is level, then falling to zero over the last part, `falling`."""

    name: str
    steps: int
    span: int
    mix: Mix
    peak: float
    falling: float


SEED = 11
STAGES = (
    Stage("training", 4600, 4600, FIRST, peak=1.0, falling=0.55),
    Stage("finishing", 1200, 1400, SECOND, peak=0.4, falling=0.85),
)
CONTINUING = (
    Stage("continuing", 2000, 2000, FIRST, peak=0.6, falling=0.75),
    Stage("finishing", 1000, 1100, SECOND, peak=0.35, falling=0.85),
)
"""The shorter way: from the weights of a guide that already knows most of it, with that guide's tokenizer."""
TOKENS = 4096
"""Places in one batch."""
WARM_UP = 40
"""Steps over which the rate rises at the beginning of a stage."""
MUON_RATE, ADAM_RATE = 0.02, 0.004
OPENING, OPENING_WEIGHT = 3, 3.0
"""The first tokens of an answer, which decide what it is about, and how much each weighs."""
OTHERS_SHARE, OTHERS_WEIGHT = 0.25, 0.3
"""How many of the tokens the guide does not say are counted, and how much each weighs."""
