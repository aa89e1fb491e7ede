"""Text that is painted keeps to its room, and says nothing by halves."""

from __future__ import annotations

import random

from app.widgets.kit.drawing import whole_parts
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole


def test_parts_are_whole_and_as_many_as_there_is_room_for(style: Style) -> None:
    small = style.text_style(TextRole.SMALL)
    for seed in range(100):
        rng = random.Random(seed)
        parts = ["word" * rng.randrange(1, 6) for _ in range(rng.randrange(1, 6))]
        width = rng.uniform(0, 400)
        shown = whole_parts(small, " · ".join(parts), width, " · ").split(" · ")
        assert shown == parts[: len(shown)], f"seed {seed}"
        assert len(shown) == 1 or small.width(" · ".join(shown)) <= width, f"seed {seed}"
        more = parts[: len(shown) + 1]
        assert len(shown) == len(parts) or small.width(" · ".join(more)) > width, f"seed {seed}"
