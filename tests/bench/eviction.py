"""Eviction held against generated traces: how many tokens a cache of a given size computes again.

A request's loss is counted against the same cache with room for everything, so that what no cache could have known (the
first fork inside a message, on models with whole states) is nobody's fault.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.kvcache.eviction import Eviction
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot, TrieNode
from tests.bench.paper import PaperCache
from tests.bench.traces import PEOPLE, ROOT, Trace

# name -> bytes of rows for a token, bytes of a whole state
MODELS = {"KV64": (64 << 10, 0), "HYB60": (16 << 10, 60_000_000), "HYB190": (16 << 10, 190_000_000)}
BUDGETS = (0.10, 0.25, 0.50)
# Seeds of traces: those whose reference was made elsewhere; those the rule was chosen on; those kept apart from that.
SEEDS, CHOSEN_ON, HELD_OUT = (1, 2, 3, 4), (21, 22, 23), (11, 12, 13, 14)


@dataclass(frozen=True, slots=True)
class Request:
    prompt: array[int]
    answer: array[int]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """Tokens computed again of those that could have been restored, and requests of 256 such tokens that got none."""

    recomputed: int
    seen: int
    empty_restores: int


def requests(trace: Trace) -> list[Request]:
    """The trace with token ids: each message has its own, so that siblings differ from their first token on.

    Restore points as the engine sets them: where each message begins, before an answer less the token it begins from.
    The place inside a question where it was written again is none, since nobody knows it beforehand; where a request
    leaves what is known, the cache sees for itself.
    """
    starts = [0]
    for message in trace.messages[1:]:
        starts.append(starts[-1] + message.tokens)
    texts = [
        array("i", range(1 + start, 1 + start + m.tokens)) for start, m in zip(starts, trace.messages, strict=True)
    ]
    texts[ROOT] = array("i")
    found = []
    for ask in trace.asks:
        prompt, points = array("i"), []
        for number in trace.path(ask.question):
            message = trace.messages[number]
            if trace.messages[message.parent].kind != "part":
                points.append(len(prompt) - (message.kind == "answer"))
            prompt.extend(texts[number])
        points.append(len(prompt) - 1)
        found.append(Request(prompt, texts[ask.answer], tuple(points)))
    return found


class OldestFirst(Eviction[RowsSnapshot, StateSnapshot]):
    """The order that is compared with: the longest unused node, of these the deepest, of these the largest."""

    def run(
        self,
        clock: int,
        surplus: Callable[[], int],
        is_desperate: bool = False,
        guests_beyond: Callable[[], int] = lambda: 0,
    ) -> None:
        while surplus() > 0:
            free = [node for node in self._trie.nodes.values() if not node.active_paths and _can_go(node)]
            if not free:
                return
            node = min(free, key=lambda one: (one.usage.last_use, -one.end, -one.stored.nbytes, one.id))
            if node.stored.state is not None:
                self._drop_state(node)
            if node.stored.rows is not None and not node.held_children:
                self._drop_rows(node, 1 << 60)


def _can_go(node: TrieNode) -> bool:
    return node.stored.state is not None or (node.stored.rows is not None and not node.held_children)


def play(asked: list[Request], model: str, budget: int, is_reference: bool = False) -> list[int]:
    """Tokens restored for each request. is_reference: with `OldestFirst`."""
    cache = PaperCache(*MODELS[model], budget_bytes=budget)
    if is_reference:
        cache.budget.eviction = OldestFirst(cache.trie, bool(cache.active.layers.states), cache.event_log)
    return [cache.ask(request.prompt, request.answer, request.points)[0] for request in asked]


def everything(asked: list[Request], model: str) -> tuple[int, list[int]]:
    """Bytes that a cache with room for everything ends with, and what it restores for each request."""
    cache = PaperCache(*MODELS[model], budget_bytes=1 << 60)
    restored = [cache.ask(request.prompt, request.answer, request.points)[0] for request in asked]
    return cache.paged_bytes + cache.live_bytes, restored


def losses(
    asked: list[Request], model: str, shares: Sequence[float] = BUDGETS, is_reference: bool = False
) -> list[Loss]:
    """What caches of these shares of the needed bytes lose."""
    needed, best = everything(asked, model)
    return [_lost(best, play(asked, model, int(needed * share), is_reference)) for share in shares]


def loss(asked: list[Request], model: str, share: float) -> Loss:
    """What a cache of this share of the needed bytes loses."""
    [only] = losses(asked, model, (share,))
    return only


def _lost(best: list[int], got: list[int]) -> Loss:
    return Loss(
        recomputed=sum(max(0, wanted - found) for wanted, found in zip(best, got, strict=True)),
        seen=sum(best),
        empty_restores=sum(wanted >= 256 and not found for wanted, found in zip(best, got, strict=True)),
    )


def traces(seeds: Iterable[int] = SEEDS) -> list[tuple[str, list[Request]]]:
    return [(f"{person}.{seed}", requests(Trace(person, seed))) for person in PEOPLE for seed in seeds]
