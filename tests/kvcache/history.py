"""Random histories of what people do with a cache: append, fork anywhere, regenerate, cancel, change the budget."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator

import mlx.core as mx

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session


class History:
    """One seeded history. `step` does one random thing and leaves the cache at rest, with every promise checked."""

    def __init__(self, cache: PrefixCache, seed: int, vocabulary: int, budgets: tuple[int, ...], longest: int) -> None:
        self.cache = cache
        self.random = random.Random(seed)
        self.known: list[list[int]] = [[]]
        self.last: array[int] = array("i")
        self._vocabulary, self._budgets, self._longest = vocabulary, budgets, longest

    def step(self) -> None:
        if self._budgets and self.random.random() < 0.15:
            self.cache.set_budget(self.random.choice(self._budgets))
            check(self.cache)
            return
        prompt = self._prompt()
        points = [self.random.randrange(1, len(prompt) + 2) for _ in range(self.random.randrange(3))]
        if self.random.random() < 0.7:
            points.append(len(prompt) - 1)
        priced = self.cache.price(prompt)
        with self.cache.begin(prompt, points, owner=self.random.choice("ab")) as session:
            assert session.report == priced
            for _ in self._run(session, prompt):
                check(self.cache)
                self.cache.price(self.random.choice(self.known) or [1])
        self.last = array("i", session.tokens()[: self.cache.lane.offset])
        self.known.append(list(session.tokens()))
        check(self.cache)
        if self.random.random() < 0.05:
            self.cache.release(self.random.choice("ab"))

    def _prompt(self) -> list[int]:
        """A known path cut somewhere, and new tokens, some of which may be those that were there before."""
        start = self.random.choice(self.known)
        cut = self.random.choice([len(start), len(start), self.random.randrange(len(start) + 1)])
        fresh = [self.random.randrange(1, self._vocabulary) for _ in range(self.random.randrange(1, 20))]
        return (start[:cut] + fresh)[: self._longest] if self.random.random() < 0.8 or not start else list(start)

    def _run(self, session: Session, prompt: list[int]) -> Iterator[None]:
        """Compute the request, or a part of it: it may be cancelled at any step."""
        will_cancel = self.random.random() < 0.3
        while session.prefill(self.random.choice([1, 3, 8, 64])):
            yield
            if will_cancel and self.random.random() < 0.4:
                return
        fed = prompt[-1]
        again = self.random.choice(self.known)[len(prompt) :]
        is_pipelined = self.random.random() < 0.5
        for index in range(self.random.randrange(0, 12)):
            self._feed(session, fed, is_pipelined)
            yield
            is_repeat = index < len(again) and self.random.random() < 0.8
            fed = again[index] if is_repeat else self.random.randrange(1, self._vocabulary)

    def _feed(self, session: Session, token: int, is_pipelined: bool) -> None:
        """Feed a token whose value is known, or one that is told afterwards, or taken back and fed again."""
        if not is_pipelined:
            mx.eval(session.decode(token))
            return
        if self.random.random() < 0.3:
            mx.eval(session.launch(mx.array([self.random.randrange(1, self._vocabulary)])))
            session.retract()
        logits = session.launch(mx.array([token]))
        if self.random.random() < 0.5:
            mx.eval(logits)
        session.confirm(token)
