"""What else the model would have said in one of the sample answers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from app.protocol.choices import WHOLE, Candidate, Choice, pack

_TOKEN = re.compile(r" ?[^\W\d_]{1,9}| ?\d{1,3}|\n+|[^\w\s]+| +|_")
# Tokens that the model was not sure of: the share, and what else was likely.
_UNSURE = {
    "Arro": (4120, "Gra 2360, the 1190, Al 840, Cam 470, a 310, Mour 220, Anj 140"),
    "ios": (9990, ""),
    " four": (3300, " two 2900, three 1800, five 900, a 400"),
    " metro": (5800, " tram 2700, stops 1100"),
    " further": (6200, " away 2500, out 900"),
    " 45": (2800, " 40 2200, 50 1900, 38 1100, 60 700"),
    " less": (6100, " cheaper 3100, off 300"),
    " transport": (3900, " Lisbo 3300, travel 1500, city 700"),
    " drop": (5200, " skip 3500, cancel 800"),
    " main": (1200, " cheap 4200, best 2600, big 900"),
    " almost": (40, " in 5200, at 3100, nearly 600"),
    " costs": (6000, " expenses 2900, bills 500"),
    "Run": (5900, "Use 1900, It 1200, Call 600"),
    " person": (6300, " one 2100, friend 900"),
}
_BELOW = " almost"
WORD = "Arro"


def choices_of(text: str) -> bytes:
    """Return the packed choices of a text, by tokens that are about words."""
    return pack(_choices(text))


def _choices(text: str) -> Iterator[Choice]:
    draw = random.Random(8)
    for word in _pieces(text):
        share, others = _UNSURE.get(word, (draw.choice([9_990, 9_960, 9_400, 8_100]), ""))
        found = re.findall(r"( ?\w+) (\d+)", others)
        blank = " " if word[0] == " " else ""
        likely = tuple(Candidate(at, int(one), blank + said.strip()) for at, (said, one) in enumerate(found, 1))
        yield Choice(min(share, WHOLE), likely, word == _BELOW, len(word))


def _pieces(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        if found[0] == "Arroios":
            yield from ("Arro", "ios")
        else:
            yield found[0]
