"""Values come through a pipe whole, however it cuts them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest

from app.rendering.frames import Frames, packed
from tests.seeds import chosen


def test_frames_come_whole_and_in_order_however_they_are_cut() -> None:
    for seed in chosen(range(30)):
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


def take_all(frames: Frames, pieces: Iterable[bytes], taken: list[bytes]) -> None:
    for piece in pieces:
        frames.add(piece)
        while (content := frames.take()) is not None:
            taken.append(content)


def test_a_frame_that_is_too_long_is_refused_before_it_has_come_whatever_came_before_it() -> None:
    stream = packed("x" * 90) + packed("x" * 1000)[:10]
    for cut in range(len(stream)):
        taken: list[bytes] = []
        with pytest.raises(OverflowError, match="1002 bytes"):
            take_all(Frames(most=100), (stream[:cut], stream[cut:]), taken)
        assert len(taken) == 1, cut
