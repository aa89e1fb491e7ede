"""Values come through a pipe whole, however it cuts them."""

from __future__ import annotations

import json
import random

import pytest

from app.rendering.frames import Frames, packed


def test_frames_come_whole_and_in_order_however_they_are_cut() -> None:
    for seed in range(30):
        dice = random.Random(seed)
        values = [{"text": "ä😀\ud800"[: dice.randrange(4)] * dice.randrange(500)} for _ in range(9)]
        stream = b"".join(packed(value) for value in values)
        frames, taken = Frames(), []
        while stream:
            cut = dice.choice((1, 2, 3, 100, 4000))
            frames.add(stream[:cut])
            stream = stream[cut:]
            while (content := frames.take()) is not None:
                taken.append(json.loads(content))
        assert taken == values, seed
        assert frames.take() is None


def test_a_frame_that_is_too_long_is_refused_before_it_has_come() -> None:
    frames = Frames(most=100)
    frames.add(packed("x" * 90))
    frames.take()
    with pytest.raises(OverflowError, match="1002 bytes"):
        frames.add(packed("x" * 1000)[:10])
