"""What is unfolded: any order of pressing leaves what was pressed an odd number of times, and tells each time."""

from __future__ import annotations

import random

from app.viewmodels.chat.unfolded import Unfolded, attachment_key
from tests.seeds import chosen


def test_what_was_pressed_an_odd_number_of_times_is_open() -> None:
    for seed in chosen(range(20)):
        rng = random.Random(seed)
        unfolded, told, open_now = Unfolded(), [], set()
        unfolded.changed.connect(lambda unfolded=unfolded, told=told: told.append(unfolded.ids))
        for step in range(1, 30):
            message_id, number = rng.choice("ab"), rng.randrange(2)
            verb = rng.randrange(4)
            if verb == 0:
                unfolded.toggle_thought(message_id)
                open_now ^= {message_id}
            elif verb == 1:
                unfolded.toggle_attachment(message_id, number)
                open_now ^= {attachment_key(message_id, number)}
            elif verb == 2:
                assert unfolded.open_part(message_id) is (message_id not in open_now)
                open_now |= {message_id}
            else:
                unfolded.fold_part(message_id)
                open_now -= {message_id}
            assert unfolded.ids == open_now, seed
            assert (len(told), told[-1]) == (step, open_now), seed
