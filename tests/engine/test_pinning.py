"""Of each message one place of the cache is pinned, and that is the one that is let go of with it."""

from __future__ import annotations

import random

import pytest

from app.protocol.chat import Turn
from app.protocol.commands import Pin, SetBudget
from app.protocol.events import Pinned, TrieChanged
from tests.engine.bench import Bench, opened, user
from tests.seeds import chosen

LONG = user("Which of all the pears that grow here are those that keep until spring, and which of them do not?")


def pinned(bench: Bench, message_id: str, *turns: Turn, is_pinned: bool = True) -> Pinned:
    [found] = [one for one in bench.do(Pin(1, turns, is_pinned, message_id=message_id)) if isinstance(one, Pinned)]
    return found


def holds_pins(bench: Bench) -> bool:
    last = next(event for event in reversed(bench.events) if isinstance(event, TrieChanged))
    return any(node.is_pinned for node in last.view.nodes)


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_a_message_that_is_pinned_twice_is_let_go_of_at_once(model: str, request: pytest.FixtureRequest) -> None:
    """The second time more of it is held, as a row of the cache shows that is not pinned yet."""
    bench = opened(request.getfixturevalue(model))
    said = bench.ask(LONG, max_tokens=6).turn
    first = pinned(bench, "a", LONG, said)
    bench.ask(LONG, said, user("And then?"), max_tokens=6)
    second = pinned(bench, "a", LONG, said, user("And then?"))
    assert 0 < first.tokens < second.tokens
    assert pinned(bench, "a", LONG, is_pinned=False).tokens == second.tokens
    assert not holds_pins(bench)
    let_go = pinned(bench, "a", LONG, is_pinned=False)
    assert (let_go.tokens, let_go.problem) == (0, None)


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_what_is_pinned_with_a_message_stays_as_long_as_that_is_pinned(
    model: str, request: pytest.FixtureRequest
) -> None:
    """Whatever else is pinned and let go of on the same branches, and whatever is read, at random."""
    for seed in chosen(range(6)):
        dice = random.Random(seed)
        bench = opened(request.getfixturevalue(model))
        branches: list[tuple[Turn, ...]] = [(LONG,)]
        kept: dict[str, int] = {}
        for _ in range(30):
            branch, message_id = dice.choice(branches), dice.choice("abcd")
            if dice.random() < 0.4:
                said = bench.ask(*branch, max_tokens=3).turn
                branches.append((*branch, said, user(dice.choice(("And then?", "Why?")))))
            elif dice.random() < 0.6:
                found = pinned(bench, message_id, *branch)
                kept |= {message_id: found.tokens} if found.tokens else {}
            else:
                assert pinned(bench, message_id, is_pinned=False).tokens == kept.pop(message_id, 0)
        bench.do(SetBudget(0))
        for message_id, tokens in kept.items():
            assert pinned(bench, message_id, is_pinned=False).tokens == tokens
        assert not holds_pins(bench)
