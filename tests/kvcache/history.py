"""Random histories of what people do with a cache: append, fork, edit, regenerate, switch, cancel, evict, shrink."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator
from typing import NamedTuple

import mlx.core as mx

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session

CHUNKS = (1, 3, 8, 64)  # tokens of a prefill call
PLENTY = 1 << 30


class Turn(NamedTuple):
    """A request that was made: its prompt, the prompt with what was fed after it, and where its messages begin."""

    prompt: list[int]
    tokens: list[int]
    starts: tuple[int, ...]


class History:
    """One seeded history. `step` does one random thing and leaves the cache at rest, with every promise checked.

    is_short_of_room: the budget changes now and then, and things are evicted. longest: tokens of a prompt at most.
    last: the tokens that the active path stands for. fed: logits [1, vocabulary] of the last request's single tokens,
    by the offset of the token that was fed.
    """

    def __init__(self, cache: PrefixCache, seed: int, vocabulary: int, is_short_of_room: bool, longest: int) -> None:
        self.cache = cache
        self.random = random.Random(seed)
        self.turns = [Turn([], [], ())]
        self.last: array[int] = array("i")
        self.fed: dict[int, mx.array] = {}
        self._vocabulary, self._longest = vocabulary, longest
        self._actions = (
            [self.append] * 4 + [self.fork] * 4 + [self.edit] * 2 + [self.regenerate] * 2 + [self.switch] * 2
        )
        if is_short_of_room:
            self._actions += [self.shrink, self.evict]

    @property
    def known(self) -> list[list[int]]:
        """Every path that was asked for, with what was fed after it."""
        return [turn.tokens for turn in self.turns]

    def step(self) -> str:
        """Do one random thing. Returns its name."""
        action = self.random.choice(self._actions)
        self.fed = {}
        action()
        check(self.cache)
        assert not self.cache.faults, "what was stored did not fit, though nothing was broken on purpose"
        if self.random.random() < 0.05:
            self.cache.release(self.random.choice("ab"))
        return action.__name__

    def append(self) -> None:
        """Ask on after an answer."""
        turn = self._turn()
        self._ask(turn.tokens + self._fresh(), (*turn.starts, len(turn.tokens)))

    def fork(self) -> None:
        """Leave a known path at any token."""
        turn = self._turn()
        cut = self.random.randrange(len(turn.tokens) + 1)
        self._ask(turn.tokens[:cut] + self._fresh(), tuple(start for start in turn.starts if start <= cut))

    def edit(self) -> None:
        """Leave a known path where a message begins."""
        turn = self._turn()
        cut = self.random.choice([*turn.starts, 0])
        self._ask(turn.tokens[:cut] + self._fresh(), tuple(start for start in turn.starts if start <= cut))

    def regenerate(self) -> None:
        """The same question again, for another answer."""
        turn = self._turn()
        self._ask(turn.prompt or self._fresh(), turn.starts)

    def switch(self) -> None:
        """Go to the end of another branch."""
        turn = self._turn()
        self._ask(turn.tokens or self._fresh(), turn.starts)

    def shrink(self) -> None:
        """Less room from now on, or plenty again."""
        self.cache.set_budget(self.random.choice([self._share(), self._share(), PLENTY]))

    def evict(self) -> None:
        """Room becomes short once."""
        budget = self.cache.budget_bytes
        self.cache.set_budget(min(budget, self._share()))
        check(self.cache)
        self.cache.set_budget(budget)

    def _share(self) -> int:
        return int((self.cache.live_bytes + self.cache.paged_bytes) * self.random.choice([0.0, 0.3, 0.6, 0.9]))

    def _turn(self) -> Turn:
        return self.random.choice(self.turns)

    def _fresh(self) -> list[int]:
        return [self.random.randrange(1, self._vocabulary) for _ in range(self.random.randrange(1, 20))]

    def _ask(self, prompt: list[int], starts: tuple[int, ...]) -> None:
        """Request a prompt, with restore points as the engine sets them, or others, or none."""
        prompt = prompt[: self._longest]
        starts = tuple(start for start in dict.fromkeys((*starts, len(prompt))) if start <= len(prompt))
        points = [start - 1 if index % 2 else start for index, start in enumerate(starts)]
        if self.random.random() < 0.3:
            points = [self.random.randrange(1, len(prompt) + 2) for _ in range(self.random.randrange(3))]
        priced = self.cache.price(prompt)
        with self.cache.begin(prompt, points, owner=self.random.choice("ab")) as session:
            assert session.report == priced
            for _ in self._run(session, prompt):
                check(self.cache)
                self.cache.price(self._turn().tokens or [1])
        self.last = array("i", session.tokens()[: self.cache.active.offset])
        self.turns.append(Turn(prompt, list(session.tokens()), starts))

    def _run(self, session: Session, prompt: list[int]) -> Iterator[None]:
        """Compute the request, or a part of it: it may be cancelled at any step."""
        will_cancel = self.random.random() < 0.3
        while session.prefill(self.random.choice(CHUNKS)):
            yield
            if will_cancel and self.random.random() < 0.4:
                return
        fed = prompt[-1]
        again = self._turn().tokens[len(prompt) :]
        is_pipelined = self.random.random() < 0.5
        for index in range(self.random.randrange(0, 12)):
            at = self.cache.active.offset
            self.fed[at] = self._feed(session, fed, is_pipelined)
            yield
            is_repeat = index < len(again) and self.random.random() < 0.8
            fed = again[index] if is_repeat else self.random.randrange(1, self._vocabulary)

    def _feed(self, session: Session, token: int, is_pipelined: bool) -> mx.array:
        """Feed a token whose value is known, or one that is told afterwards, or taken back and fed again."""
        if not is_pipelined:
            logits = session.decode(token)
            mx.eval(logits)
            return logits
        if self.random.random() < 0.3:
            mx.eval(session.launch(mx.array([self.random.randrange(1, self._vocabulary)])))
            session.retract()
        logits = session.launch(mx.array([token]))
        if self.random.random() < 0.5:
            mx.eval(logits)
        session.confirm(token)
        return logits
