"""Ways of keeping what was computed, all with the same interface: this project's and those it is compared with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import mlx.core as mx
from mlx_lm.models.cache import LRUPromptCache, can_trim_prompt_cache, trim_prompt_cache

from app.kvcache.prefix_cache import PrefixCache
from tests.bench.meter import Meter, used_bytes
from tests.bench.workload import Turn

CHUNK = 512  # tokens of a prompt in one call
ROOMY = 1 << 40  # bytes; nothing is evicted
MODEL = "model"  # mlx-lm's cache is kept by model; there is one


class Policy(Protocol):
    """One sequence of requests. `ask` computes one: `is_read` is called when the prompt's logits are there."""

    def ask(self, turn: Turn, is_read: Callable[[], None]) -> None: ...
    @property
    def stored_bytes(self) -> int:
        """Held between two requests, as used by tokens."""


class NothingKept:
    """Every prompt is computed whole."""

    stored_bytes = 0

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def ask(self, turn: Turn, is_read: Callable[[], None]) -> None:
        _compute(self._meter, self._meter.model.new_caches(), turn.prompt, turn.answer, is_read)


class OneSequence:
    """The last sequence is kept, and rewound to what it shares with the next when all of its layers can be."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._tokens: tuple[int, ...] = ()
        self._caches = meter.model.new_caches()

    @property
    def stored_bytes(self) -> int:
        return used_bytes(self._caches)

    def ask(self, turn: Turn, is_read: Callable[[], None]) -> None:
        kept = self._rewind(turn.prompt)
        self._tokens = turn.whole
        _compute(self._meter, self._caches, turn.prompt[kept:], turn.answer, is_read)

    def _rewind(self, prompt: Sequence[int]) -> int:
        shared = min(_common(self._tokens, prompt), len(prompt) - 1)
        surplus = len(self._tokens) - shared
        if surplus and not can_trim_prompt_cache(self._caches):
            self._caches = self._meter.model.new_caches()
            return 0
        trim_prompt_cache(self._caches, surplus)
        return shared


class MlxLmPromptCache:
    """mlx-lm's LRUPromptCache as its server uses it: the nearest entry is copied, and the whole sequence put in.

    is_chat: the request came as messages, for which the server also enters the system prompt by itself; a request of
    plain text is one run of tokens.
    """

    def __init__(self, meter: Meter, entries: int, is_chat: bool = False) -> None:
        self._meter, self._is_chat = meter, is_chat
        self._store = LRUPromptCache(max_size=entries)

    @property
    def stored_bytes(self) -> int:
        kept = [key for order in self._store._lru._lrus.values() for key in order]
        return sum(used_bytes(self._store._trie.get(*key).prompt_cache) for key in kept)

    def ask(self, turn: Turn, is_read: Callable[[], None]) -> None:
        caches, left = self._store.fetch_nearest_cache(MODEL, list(turn.prompt))
        caches = self._meter.model.new_caches() if caches is None else caches
        done = len(turn.prompt) - len(left)
        if self._is_chat:
            done = self._enter_system(caches, done, turn.prompt[: turn.message_starts[1]])
        _compute(self._meter, caches, turn.prompt[done:], turn.answer, is_read)
        self._store.insert_cache(MODEL, list(turn.whole), caches)

    def _enter_system(self, caches: list[Any], done: int, system: Sequence[int]) -> int:
        """Read up to the end of the system prompt, unless that is done already, and put a copy in. Returns where."""
        if done >= len(system):
            return done
        for start in range(done, len(system), CHUNK):
            self._meter.forward(mx.array([system[start : start + CHUNK]]), caches)
        self._store.insert_cache(MODEL, list(system), copy.deepcopy(caches), cache_type="system")
        return len(system)


class Espalier:
    """This project's cache, with restore points where the engine sets them."""

    def __init__(self, meter: Meter, budget_bytes: int = ROOMY) -> None:
        self.cache = PrefixCache(meter.forward, meter.model.new_caches, budget_bytes)

    @property
    def stored_bytes(self) -> int:
        return self.cache.paged_bytes + self.cache.live_bytes

    def ask(self, turn: Turn, is_read: Callable[[], None]) -> None:
        with self.cache.begin(turn.prompt, turn.restore_points(), owner="bench") as session:
            while session.prefill(CHUNK):
                pass
            mx.eval(session.decode(turn.prompt[-1]))
            is_read()
            for token in turn.answer:
                mx.eval(session.decode(token))


POLICIES: dict[str, Callable[[Meter], Policy]] = {
    "none": NothingKept,
    "single": OneSequence,
    "lru10": lambda meter: MlxLmPromptCache(meter, 10),
    "lru1000": lambda meter: MlxLmPromptCache(meter, 1000),
    "lru1000-chat": lambda meter: MlxLmPromptCache(meter, 1000, is_chat=True),
    "espalier": Espalier,
}


def _compute(
    meter: Meter, caches: list[Any], prompt: Sequence[int], answer: Sequence[int], is_read: Callable[[], None]
) -> None:
    meter.read(caches, prompt, CHUNK)
    is_read()
    for token in answer:
        meter.forward(mx.array([[token]]), caches)


def _common(ours: Sequence[int], theirs: Sequence[int]) -> int:
    pairs = zip(ours, theirs, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
