"""JSON is measured as it would be parsed."""

from __future__ import annotations

import json
import random

from app.protocol.modest_json import is_modest
from tests.seeds import chosen


def test_depth_is_that_of_the_parsed_value() -> None:
    """At random: brackets and quotes within strings, escaped ones too, do not count."""
    for seed in chosen(range(300)):
        dice = random.Random(seed)
        depth = dice.randrange(1, 130)
        value: object = dice.choice(["", "[[[", '\\"[', "\\", '"', "]}\\\\"])
        for _ in range(depth):
            text = "".join(dice.choices('[]{}"\\x', k=4))
            value = [text, value] if dice.random() < 0.5 else {text: value, "b": []}
            if isinstance(value, dict):
                value["b"] = text
        assert is_modest(json.dumps(value).encode()) == (depth <= 64), seed
