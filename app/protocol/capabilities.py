"""What an engine can do, as its first event and its models tell."""

from __future__ import annotations

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The abilities of an engine beyond answering. The window hides what its engine cannot do.

    token_ids: answers come with the ids of their tokens. cost_estimates: `EstimateCost` is answered. trie:
    `TrieChanged` and `CacheHappened` are told. pins, evictions, warm_ups, checks: `Pin`, `Evict`, `WarmUp` and `Verify`
    can be done. memory_budget: `SetBudget` has an effect. disk_cache: state is kept in files, as configured. lanes: how
    many answers are written at a time, of one run and of several. going_on: an answer can be gone on with inside it.
    guests: what other programs ask is answered, and `Tokenize`. unused_settings: names of those fields of `Sampling`
    that change no answer. most_settings: those of which less is taken than is allowed, with the most that is; of more,
    that much is used.
    """

    token_ids: bool
    cost_estimates: bool
    trie: bool
    pins: bool
    evictions: bool
    warm_ups: bool
    checks: bool
    memory_budget: bool
    disk_cache: bool
    lanes: int = 1
    going_on: bool = True
    guests: bool = False
    unused_settings: frozenset[str] = frozenset()
    most_settings: tuple[tuple[str, float], ...] = ()
