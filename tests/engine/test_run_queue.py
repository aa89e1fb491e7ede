"""Questions are taken in the order they came, and those for the next model after those for this one."""

from __future__ import annotations

import random

from app.engine.run_queue import RunQueue
from app.protocol.commands import Generate, Lane
from tests.seeds import chosen


def test_each_question_is_taken_or_removed_once_and_in_order() -> None:
    for seed in chosen(range(50)):
        dice, queue, number = random.Random(seed), RunQueue(), 0
        ready: list[int] = []
        held: list[int] = []
        for _ in range(60):
            action = dice.choice(["add", "hold", "take", "remove", "release"])
            if action in ("add", "hold"):
                number += 1
                (queue.add if action == "add" else queue.hold)(Generate(number, ()))
                (ready if action == "add" else held).append(number)
            elif action == "take" and ready:
                assert queue.take().command.run_id == ready.pop(0), f"seed {seed}"
            elif action == "remove":
                wanted = dice.randint(0, number)
                there = [one for one in (*ready, *held) if one == wanted]
                assert [(command.run_id, lane) for command, lane in queue.remove(wanted)] == [
                    (one, 0) for one in there
                ], f"seed {seed}"
                ready, held = ([one for one in waiting if one != wanted] for waiting in (ready, held))
            elif action == "release":
                queue.release()
                ready, held = ready + held, []
            assert bool(queue) == bool(ready), f"seed {seed}"


def test_answers_are_removed_one_by_one_and_the_question_with_the_last() -> None:
    for hold in (False, True):
        queue = RunQueue()
        (queue.hold if hold else queue.add)(Generate(1, (), beside=(Lane(), Lane())))
        assert [lane for _, lane in queue.remove(1, 1)] == [1]
        assert [lane for _, lane in queue.remove(1, 1)] == []
        assert [lane for _, lane in queue.remove(1, 0)] == [0]
        queue.release()
        assert queue.lanes == 1
        assert [lane for _, lane in queue.remove(1)] == [2]
        assert not queue
