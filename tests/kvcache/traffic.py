"""Random single operations on a cache and its sessions, each under watch: a seeded course of them."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable

import mlx.core as mx

from app.kvcache import active_path
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session
from app.kvcache.snapshot import RowsSnapshot, TrieNode
from tests.kvcache.ballast import MIXES, VOCABULARY, Ballast
from tests.kvcache.watch import Watch, watching

PLENTY = 1 << 30
CHUNKS = (1, 7, 64, 256, 512)  # tokens of a prefill call
KNOWN = 10  # paths that may be gone back to
OWNERS = ("a", "b")


class Traffic:
    """One seeded course of operations. `step` does one. done: how many there were. `watch.done` has them by name."""

    def __init__(self, watch: Watch, model: Ballast, seed: int) -> None:
        self.watch, self.cache, self.model = watch, watch.cache, model
        self.random = random.Random(seed)
        self._guests = random.Random(f"guests {seed}")
        self.done = 0
        self._session: Session | None = None
        self._known: list[list[int]] = [[]]
        self._pinned: list[list[int]] = []
        self._fed = 0  # tokens decoded in this session
        self._is_launched = False
        self._launched = 0
        self._faults = 0  # that were made on purpose

    def step(self) -> None:
        """Do one thing that can be done now."""
        choices = self._in_session() if self._session is not None else self._at_rest()
        (operation,) = self.random.choices(list(choices), list(choices.values()))
        operation()
        self.done += 1
        if self._session is None:
            check(self.cache)
            assert self.cache.faults == self._faults, "what was stored did not fit, though nothing was broken"
            self.watch.rest()

    def _at_rest(self) -> dict[Callable[[], None], float]:
        return {
            self.begin: 10, self.set_budget: 1, self.price: 1, self.residencies: 0.5, self.release: 0.3,
            self.spoil: 0.1, self.pin: 0.2, self.unpin: 0.3,
        }  # fmt: skip

    def _in_session(self) -> dict[Callable[[], None], float]:
        assert self._session is not None
        anyhow = {self.price: 0.5, self.record: 0.5, self.set_budget: 0.1}
        if self._is_launched:
            return {**anyhow, self.confirm: 6, self.retract: 2, self.leave: 0.5, self.bookmark: 0.5}
        if self._session.left > 1:
            return {**anyhow, self.prefill: 10, self.leave: 0.3, self.fail: 0.05}
        ends = 0.2 + self._fed / 8
        return {
            **anyhow, self.decode: 5, self.launch: 5, self.bookmark: 1, self.keep: bool(self.watch.bookmarks),
            self.leave: ends, self.fail: 0.05,
        }  # fmt: skip

    # At rest

    def begin(self) -> None:
        """Ask on, fork anywhere, ask the same again, or something new."""
        known = self.random.choice(self._known)
        cut = self.random.choice([len(known), self.random.randrange(len(known) + 1), len(known)])
        longest = 1700 if self.random.random() < 0.1 else 600
        prompt = (known[:cut] + self._words(self.random.choice([1, 5, 30, 120, 400, 1200])))[:longest]
        if self.random.random() < 0.2 and known:
            prompt = list(known)
        points = [self.random.randrange(1, len(prompt) + 1) for _ in range(self.random.randrange(4))]
        self._begin(prompt, points)

    def _begin(self, prompt: list[int], points: list[int]) -> None:
        is_guest = self._guests.random() < 0.3
        owner = "" if is_guest else self.random.choice(OWNERS)
        extra = self._state_bytes + self.model.harvest_bytes
        self._session = self.watch.do(
            "begin", lambda: self.cache.begin(prompt, points, owner, is_guest=is_guest), extra
        )
        self._fed = 0

    def set_budget(self) -> None:
        """Less room, or plenty again."""
        share = self.random.choice([0.0, 0.3, 0.6, 0.8, 0.9, 1.2, 2, 4])
        # Rows that were put back into live buffers are held until these are evaluated, as the next call will do.
        mx.eval([x for layer in self.cache.active.layers.rows for x in layer.arrays()])
        whole = self.cache.live_bytes + self.cache.paged_bytes
        budget = self.random.choice([PLENTY, int(whole * share), int(whole * share)])
        with self.watch.moving():
            self.watch.do("set_budget", lambda: self.cache.set_budget(budget), is_live=False)

    def price(self) -> None:
        self.watch.do("price", lambda: self.cache.price(self.random.choice(self._known) or [1]), is_live=False)

    def residencies(self) -> None:
        tokens = self.random.choice(self._known) or [1]
        self.watch.do("residencies", lambda: self.cache.residencies(tokens, range(0, len(tokens), 50)), is_live=False)

    def release(self) -> None:
        self.watch.do("release", lambda: self.cache.release(self.random.choice(OWNERS)), is_live=False)

    def pin(self) -> None:
        """Somebody wants a place kept."""
        tokens = self.random.choice(self._known)
        if tokens:
            kept = self.watch.do("pin", lambda: self.cache.pin(tokens), self._state_bytes)
            self._pinned.append(tokens[:kept])

    def unpin(self) -> None:
        """And not any more."""
        if self._pinned:
            tokens = self._pinned.pop(self.random.randrange(len(self._pinned)))
            with self.watch.moving():
                self.watch.do("unpin", lambda: self.cache.unpin(tokens), is_live=False)

    def spoil(self) -> None:
        """Something stored loses a layer before it is gone back to: what is suspect is let go."""
        node = self.random.choice([None, *self.cache.trie])
        if node is None or node.active_paths or node.stored.rows is None:
            return
        prompt = [*self._path(node), 0]
        if self.cache.price(prompt).cached != node.end:
            return
        self.cache.trie.set_rows(node, RowsSnapshot(node.stored.rows.layers[:-1]))
        self._begin(prompt, [])
        self._faults += 1

    def _path(self, node: TrieNode) -> list[int]:
        tokens: list[int] = []
        at: TrieNode | None = node
        while at is not None:
            tokens[:0] = at.tokens
            at = at.parent
        return tokens

    # In a session

    @property
    def session(self) -> Session:
        assert self._session is not None
        return self._session

    @property
    def _state_bytes(self) -> int:
        return self.cache.active.layers.state_bytes

    def prefill(self) -> None:
        limit = self.random.choice(CHUNKS)
        number = min(limit, self.session.left)
        self.watch.do("prefill", lambda: self.session.prefill(limit), self.model.call_bytes(number))

    def decode(self) -> None:
        token = self._next()
        self.watch.do("decode", lambda: mx.eval(self.session.decode(token)), self.model.call_bytes(1))

    def launch(self) -> None:
        """The next token's call, whose value is told later. Now and then nobody waits for it."""
        self._launched, self._is_launched = self._next(), True
        logits = self.watch.do(
            "launch", lambda: self.session.launch(mx.array([self._launched])), self.model.call_bytes(1)
        )
        if self.random.random() < 0.7:
            self.watch.do("launch", lambda: mx.eval(logits), self.model.call_bytes(1))

    def confirm(self) -> None:
        self._is_launched = False
        self.watch.do("confirm", lambda: self.session.confirm(self._launched), self.model.call_bytes(1))

    def retract(self) -> None:
        self._is_launched = False
        self.watch.do("retract", self.session.retract, self.model.call_bytes(1))

    def bookmark(self) -> None:
        bookmark = self.session.bookmark()
        if bookmark is not None:
            self.watch.bookmarks.append(bookmark)

    def keep(self) -> None:
        bookmark = self.watch.bookmarks.pop()
        self.watch.do("keep", lambda: self.session.keep(bookmark), self._state_bytes)

    def record(self) -> None:
        self.watch.do("record", self.session.record, is_live=False)

    def end(self) -> None:
        """Leave nothing open."""
        if self._session is not None:
            self.leave()

    def leave(self) -> None:
        """The request ended, or was cancelled."""
        self._end(None)

    def fail(self) -> None:
        """The model breaks off half-way through its layers."""
        self.model.fails = True
        self._faults += 1
        try:
            if self.session.left > 1:
                self.prefill()
            else:
                self.decode()
        except RuntimeError as error:
            self._end(error)

    def _end(self, error: RuntimeError | None) -> None:
        session, tokens = self.session, list(self.session.tokens()[: self.cache.active.offset])
        self.watch.do(
            "leave" if error is None else "fail",
            lambda: session.__exit__(None if error is None else type(error), error, None),
            self.model.call_bytes(1) + self.model.harvest_bytes,
        )
        self._session, self._is_launched = None, False
        self.watch.bookmarks.clear()
        if tokens:
            self._known = [*self._known, tokens][-KNOWN:]

    def _next(self) -> int:
        """The token to feed now: the prompt's last, or any."""
        at, prompt = self.cache.active.offset, self.session.tokens()
        self._fed += 1
        return prompt[at] if at < self.session.report.total else self.random.randrange(VOCABULARY)

    def _words(self, count: int) -> list[int]:
        few = self.random.choice([2, VOCABULARY])
        return [self.random.randrange(few) for _ in range(self.random.randrange(1, count + 1))]


def course(mix: str, seed: int, operations: int) -> Watch:
    """Do so many seeded operations on a cache over a model of these layers. Raises AccountError, and what `check` does.

    Returns the watch, over a cache that is closed.
    """
    model = Ballast(MIXES[mix])
    grid = (256, 60, 0)[seed % 3]
    logging.getLogger(active_path.__name__).setLevel(logging.ERROR)  # broken restores are meant here
    with watching(lambda: PrefixCache(model, model.new_caches, PLENTY, grid)) as watch:
        traffic = Traffic(watch, model, seed)
        while traffic.done < operations:
            traffic.step()
        traffic.end()
    return watch
