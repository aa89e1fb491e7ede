"""Random sessions by turns on one cache: begun, gone on with, ended, failed; room, pins and owners change meanwhile."""

from __future__ import annotations

import gc
import logging
import random
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx

from app.kvcache import active_path
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session
from app.protocol.reports import Reason
from tests.kvcache.comparison import VOCABULARY, cache_of, require_same
from tests.kvcache.history import CHUNKS, PLENTY

MOST = 8  # sessions
LONGEST = 90  # tokens
OWNERS = ("a", "b", "c")
GRIDS = (256, 7, 0)


class Interleaving:
    """One seeded course. `step` does one thing, checks every promise, and compares what is live with its record."""

    def __init__(self, cache: PrefixCache, seed: int) -> None:
        self.cache = cache
        self.done: list[str] = []
        self._random = random.Random(seed)
        self._vocabulary = self._random.choice([5, VOCABULARY])
        self._known: list[list[int]] = [[1, 2, 3]]
        self._pinned: list[list[int]] = []
        self._faults = 0
        gc.collect()
        self._base = mx.get_active_memory()

    def step(self) -> None:
        """Do one thing that can be done now."""
        cache = self.cache
        choices: dict[Callable[[], None], float] = {self.evict: 0.3, self.set_budget: 0.3, self.price: 0.5}
        choices |= {self.unpin: 0.3, self.release: 0.1, self.begin: 2.0 * (len(cache.sessions) < MOST)}
        if cache.sessions:
            choices |= {self.turn: 12, self.end: 1, self.fail: 0.2}
        if cache.session is None and cache.disk is not None:
            choices |= {self.tend: 3}
        if not cache.sessions:
            choices |= {self.pin: 1, self.erase: 1, self.abandon: 0.5}
        (operation,) = self._random.choices(list(choices), list(choices.values()))
        self.done.append(operation.__name__)
        operation()
        check(cache)
        assert cache.faults == self._faults, "what was stored did not fit, though nothing was broken on purpose"
        for session in cache.sessions:
            assert session.reread.reason in (Reason.NONE, Reason.EVICTED) or self._faults

    def end_all(self) -> None:
        """Leave nothing open, and nothing held."""
        while self.cache.sessions:
            self.end()
            check(self.cache)
        assert not list(self.cache.paths.seats)
        assert not any(node.locks for node in self.cache.trie)

    def erase_all(self) -> None:
        """Erase what everybody who asked has left: no edge stays, and no byte, in the account or in MLX's."""
        cache = self.cache
        for owner in OWNERS:
            cache.erase(owner)
            check(cache)
        assert not cache.trie.nodes, f"{len(cache.trie.nodes)} edges are left, and nobody who has used them"
        left = cache.live_bytes, cache.paged_bytes, cache.trie.pinned_bytes, cache.paths.allocated_bytes
        assert not any(left), f"{left} bytes are left, live, stored, pinned and allocated"
        assert cache.disk is None or not cache.disk.nbytes, f"{cache.disk.nbytes} bytes are left on disk"
        gc.collect()
        held = mx.get_active_memory() - self._base
        assert held <= 0, f"{held} bytes are held by MLX that the account knows nothing of"

    def begin(self) -> None:
        known = self._random.choice(self._known)
        cut = self._random.choice([len(known), self._random.randrange(len(known) + 1)])
        prompt = [*known[:cut], *self._words(self._random.choice([0, 1, 12]))][:LONGEST] or [1]
        points = [self._random.randrange(1, len(prompt) + 1) for _ in range(self._random.randrange(3))]
        priced = self.cache.price(prompt)
        session = self.cache.begin(prompt, points, self._random.choice(OWNERS))
        assert session.report == priced
        self._remember(prompt)

    def turn(self) -> None:
        """Go on with one of those that are open."""
        session = self._random.choice(self.cache.sessions)
        self.cache.mount(session)
        if not session.unread or self._random.random() < 0.7:
            while session.prefill(self._random.choice(CHUNKS)):
                check(self.cache)
            for _ in range(self._random.choice([0, 1, 3, 4])):
                self._feed(session)
        else:
            session.prefill(self._random.choice(CHUNKS))
        self._compare(session)

    def _feed(self, session: Session) -> None:
        at, prompt = session.offset, session.tokens()
        token = prompt[at] if at < len(prompt) else self._random.randrange(1, self._vocabulary)
        if self._random.random() < 0.5:
            mx.eval(session.decode(token))
            return
        mx.eval(session.launch(mx.array([token])))
        if self._random.random() < 0.2:
            session.retract()
        else:
            session.confirm(token)

    def _compare(self, session: Session) -> None:
        """Compare what is live with the replay of its record."""
        self.cache.active.record()
        require_same(self.cache, session.tokens()[: session.offset], {})

    def end(self) -> None:
        """End one, whether it is mounted or waits."""
        session = self._random.choice(self.cache.sessions)
        tokens = list(session.tokens()[: session.offset])
        with session:
            pass
        if tokens:
            self._remember(tokens)

    def fail(self) -> None:
        """Have the model fail in one of them."""
        session = self._random.choice(self.cache.sessions)
        self.cache.mount(session)
        self._faults = self.cache.faults + 1
        try:
            with session:
                raise RuntimeError("on purpose")
        except RuntimeError:
            return

    def price(self) -> None:
        self.cache.price(self._random.choice(self._known))

    def set_budget(self) -> None:
        whole = self.cache.live_bytes + self.cache.paged_bytes
        share = self._random.choice([0.0, 0.5, 0.8, 1.1])
        self.cache.set_budget(self._random.choice([PLENTY, PLENTY, int(whole * share)]))

    def evict(self) -> None:
        nodes = list(self.cache.trie.nodes)
        if nodes:
            self.cache.evict([self._random.choice(nodes)])

    def tend(self) -> None:
        """Write some of what is to be written."""
        assert self.cache.disk is not None
        for _ in range(self._random.randrange(1, 20)):
            self.cache.disk.tend()
        self.cache.disk.wait(1.0)

    def pin(self) -> None:
        tokens = self._random.choice(self._known)
        if kept := self.cache.pin(tokens):
            self._pinned.append(tokens[:kept])

    def unpin(self) -> None:
        if self._pinned:
            self.cache.unpin(self._pinned.pop())

    def release(self) -> None:
        self.cache.release(self._random.choice(OWNERS))

    def erase(self) -> None:
        self.cache.erase(self._random.choice(OWNERS))

    def abandon(self) -> None:
        self.cache.abandon(self._random.choice(self._known))

    def _remember(self, tokens: list[int]) -> None:
        self._known = [*self._known, tokens][-12:]

    def _words(self, most: int) -> list[int]:
        return [self._random.randrange(1, self._vocabulary) for _ in range(self._random.randrange(most + 1))]


def interleave(kind: str, dtype: mx.Dtype, seed: int, steps: int, root: Path) -> None:
    """Play so many steps on a model of this kind, half of the seeds with a disk below `root`, and erase all.

    Raises what `check` and the comparison raise.
    """
    logging.getLogger(active_path.__name__).setLevel(logging.ERROR)  # failures are meant here
    cache = cache_of(kind, dtype)
    cache.grid = GRIDS[seed % len(GRIDS)]
    if seed % 2:
        cache.open_disk(root, "model", PLENTY, writes_all=True)
    course = Interleaving(cache, seed)
    try:
        for _ in range(steps):
            course.step()
        course.end_all()
        course.erase_all()
    except Exception as error:
        error.add_note(f"after {' '.join(course.done[-30:])}")
        raise
    finally:
        cache.close_disk(0)
        cache.close()
