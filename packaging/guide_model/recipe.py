"""The figures that fix a training run. Another value of any of them makes another model."""

from __future__ import annotations

SEED = 11
STEPS = 4600
TOKENS = 4096
"""Places in one batch."""
WARM_UP = 40
"""Steps over which the rate rises."""
FALLING = 0.55
"""The last part of the run, over which the rate falls to zero."""
MUON_RATE, ADAM_RATE = 0.02, 0.004
OPENING, OPENING_WEIGHT = 3, 3.0
"""The first tokens of an answer, which decide what it is about, and how much each weighs."""
OTHERS_SHARE, OTHERS_WEIGHT = 0.25, 0.3
"""How many of the tokens the guide does not say are counted, and how much each weighs."""
