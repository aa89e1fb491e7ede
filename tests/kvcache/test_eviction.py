"""Which state goes first, on a trie of sizes, and on traces of people."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable

import pytest

from app.kvcache import budget
from app.kvcache import trie as trie_module
from app.kvcache.eviction import PIECE, Eviction, Tally, _way_to
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot, TrieNode
from app.kvcache.trie import Trie
from tests.bench.eviction import BUDGETS, MODELS, loss, requests
from tests.bench.paper import PaperCache
from tests.bench.traces import Trace
from tests.kvcache.test_trie import FakeNode, FakeState, FakeTrie, add


def evict(trie: FakeTrie, wanted: int, clock: int = 10, has_states: bool = False, is_desperate: bool = False) -> Tally:
    """Make `wanted` bytes of room."""
    before = trie.paged_bytes
    eviction = Eviction(trie, has_states)
    eviction.run(clock, lambda: wanted - (before - trie.paged_bytes), is_desperate)
    return eviction.tally


def used(node: FakeNode, by: int, times: int = 1) -> FakeNode:
    node.usage.last_use = node.usage.state_used = by
    node.usage.uses, node.usage.state_uses = times, float(times)
    return node


class TestRows:
    def test_the_longest_unused_go_first(self) -> None:
        trie: FakeTrie = Trie()
        old, young = used(add(trie, trie.root, [1]), by=2), used(add(trie, trie.root, [2]), by=9)
        evict(trie, 1)
        assert (old.stored.rows, young.stored.rows is not None) == (None, True)

    def test_what_was_used_often_stays_longer(self) -> None:
        trie: FakeTrie = Trie()
        often, once = used(add(trie, trie.root, [1]), by=5, times=20), used(add(trie, trie.root, [2]), by=7)
        evict(trie, 1)
        assert (once.stored.rows, often.stored.rows is not None) == (None, True)

    def test_they_leave_leaf_first_whatever_their_age(self) -> None:
        trie: FakeTrie = Trie()
        upper = used(add(trie, trie.root, [1, 2]), by=1)
        lower = used(add(trie, upper, [3]), by=9)
        evict(trie, 1)
        assert (lower.stored.rows, upper.stored.rows is not None) == (None, True)
        evict(trie, 1)
        assert upper.stored.rows is None

    def test_a_long_edge_goes_in_pieces_from_its_end(self) -> None:
        trie: FakeTrie = Trie()
        node = used(add(trie, trie.root, list(range(5 * PIECE))), by=1)
        tally = evict(trie, PIECE * 10 + 1)
        assert (tally.tokens, tally.bytes) == (2 * PIECE, 2 * PIECE * 10)
        left = trie.root.children[0]
        assert (left.start, left.end, left.has_rows) == (0, 3 * PIECE, True)
        assert not node.has_rows

    def test_live_paths_stay(self) -> None:
        """Nothing is stored on them that could go, and what leads to them must stay as well."""
        trie: FakeTrie = Trie()
        above = used(add(trie, trie.root, [1]), by=1)
        node = used(add(trie, above, [2]), by=1)
        path = trie.open_path()
        for one in (above, node):
            trie.enter(one, path)
        evict(trie, 1, is_desperate=True)
        assert above.has_rows
        assert node.has_rows

    def test_useless_ones_go_for_nothing(self) -> None:
        """A model with whole states cannot restore rows that no state lies at or below."""
        trie: FakeTrie = Trie()
        point = used(add(trie, trie.root, [1, 2]), by=1)
        trie.set_state(point, FakeState())
        tail = used(add(trie, point, [3]), by=9, times=9)
        evict(trie, 1, has_states=True)
        assert tail.stored.rows is None
        assert point.stored.state is not None


class TestStates:
    def chain(self, *lengths: int) -> tuple[FakeTrie, list[FakeNode]]:
        """Edges one below the other, each with a state at its end."""
        trie: FakeTrie = Trie()
        nodes, parent, token = [], trie.root, 0
        for length in lengths:
            parent = used(add(trie, parent, list(range(token, token + length)), stored=False), by=1)
            trie.set_state(parent, FakeState())
            nodes.append(parent)
            token += length
        return trie, nodes

    def test_the_one_that_saves_least_goes_first(self) -> None:
        trie, (first, near, far) = self.chain(100, 10, 200)
        evict(trie, 1, has_states=True)
        assert [node.stored.state is None for node in (first, near, far)] == [False, True, False]

    def test_those_below_an_evicted_one_are_worth_more(self) -> None:
        """Thinning: of states at equal distances the neighbours of a gap are kept."""
        trie, nodes = self.chain(100, 10, 10, 10, 10)
        evict(trie, 101, has_states=True)
        assert [node.stored.state is None for node in nodes] == [False, True, False, True, False]

    def test_the_first_of_a_branch_stays_until_there_is_nothing_else(self) -> None:
        trie, nodes = self.chain(1, 50, 50)
        evict(trie, 10_000, has_states=True)
        assert [node.stored.state is None for node in nodes] == [False, True, True]
        evict(trie, 10_000, has_states=True, is_desperate=True)
        assert trie.paged_bytes == 0


def test_two_looks_for_a_victim_are_enough() -> None:
    """Counted over a whole trace, at the tightest budget."""
    cache = PaperCache(*MODELS["HYB60"], budget_bytes=2_000_000_000)
    for request in requests(Trace("rewrite", 1)):
        cache.ask(request.prompt, request.answer, request.points)
    tally = cache.budget.eviction.tally
    assert tally.states > 100
    assert tally.looks <= 2 * (tally.states + tally.rows)


class Compared(Eviction[RowsSnapshot, StateSnapshot]):
    """Looks at all candidates before each victim goes: it must be the one that is worth least, of guests' if they hold
    too much."""

    victims = of_guests = 0

    def run(
        self,
        clock: int,
        surplus: Callable[[], int],
        is_desperate: bool = False,
        guests_beyond: Callable[[], int] = lambda: 0,
    ) -> None:
        self.now = clock, is_desperate, guests_beyond
        super().run(clock, surplus, is_desperate, guests_beyond)

    def _drop_state(self, node: TrieNode) -> None:
        assert self.least() == (node.id, True)
        super()._drop_state(node)

    def _drop_rows(self, node: TrieNode, wanted: int) -> None:
        assert self.least() == (node.id, False)
        super()._drop_rows(node, wanted)

    def least(self) -> tuple[int, bool]:
        clock, is_desperate, guests_beyond = self.now
        found, guests = [], []
        for node in self._trie.nodes.values():
            entry = self._rows_entry(node)
            if node.stored.state is not None:
                way = _way_to(node)
                stays = way.is_first and not is_desperate and not node.usage.is_guest
                entry = None if stays else self._state_entry(node, way)
            if entry is not None:
                candidate = entry.worth(clock), node.id, node.stored.state is not None
                found.append(candidate)
                guests += [candidate] if node.usage.is_guest else []
        is_guests = bool(guests) and guests_beyond() > 0
        type(self).victims += 1
        type(self).of_guests += is_guests
        return min(guests if is_guests else found)[1:]


@pytest.mark.parametrize("kind", ["rows", "states", "both"])
def test_each_victim_is_the_least_of_all(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random requests over a small alphabet, budgets that move, pins that come and go."""
    monkeypatch.setattr(budget, "Eviction", Compared)
    monkeypatch.setattr(Compared, "victims", 0)
    monkeypatch.setattr(Compared, "of_guests", 0)
    for seed in range(8):
        rng = random.Random(seed)
        cache = PaperCache(0 if kind == "states" else 7, 0 if kind == "rows" else 400, 6_000, grid=8 * (seed % 2))
        pinned: list[array[int]] = []
        for _ in range(150):
            known = [node for node in cache.trie if rng.random() < 0.2]
            prompt = array("i", rng.choices(range(3), k=rng.randrange(1, 30)))
            if known and rng.random() < 0.7:
                prompt = tokens_of(rng.choice(known)) + prompt[: rng.randrange(1, len(prompt) + 1)]
            points = sorted(rng.sample(range(len(prompt)), rng.randrange(min(5, len(prompt)))))
            answer = array("i", rng.choices(range(3), k=rng.randrange(1, 20)))
            cache.ask(prompt, answer, points, is_guest=rng.random() < 0.4)
            if rng.random() < 0.2:
                cache.set_budget(rng.choice((0, 2_000, 6_000, 12_000)))
            if rng.random() < 0.2 and (kept := cache.pin(prompt)):
                pinned.append(prompt[:kept])
            if pinned and rng.random() < 0.3:
                cache.unpin(pinned.pop(rng.randrange(len(pinned))))
            cache.ghosts.update()
            known = [node for node in cache.trie if not (node.is_held or node.is_on_disk)]
            assert cache.ghosts.tokens == sum(len(node.tokens) for node in known)
            assert cache.trie.pinned_bytes == sum(node.pinned_bytes for node in cache.trie)
            assert cache.trie.guest_bytes == sum(node.stored.nbytes for node in cache.trie if node.usage.is_guest)
    assert Compared.victims > 1_000
    assert Compared.of_guests > 100


class CountedNode(FakeNode):
    """Counts how often a node is asked for its state."""

    asked = 0

    @property
    def state(self) -> FakeState | None:  # type: ignore[override]
        CountedNode.asked += 1
        return FakeNode.state.__get__(self)  # type: ignore[attr-defined, no-any-return]

    @state.setter
    def state(self, state: FakeState | None) -> None:
        FakeNode.state.__set__(self, state)  # type: ignore[attr-defined]


@pytest.mark.parametrize("nodes", [1_000, 10_000, 50_000])
def test_a_capture_above_a_long_stretch_without_states_costs_by_what_it_changes(
    nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many side branches, each with a state, along edges that have none; every third capture lies further down."""
    monkeypatch.setattr(trie_module, "Node", CountedNode)
    trie: FakeTrie = Trie()
    trunk = [add(trie, trie.root, [0, 1])]
    tips = []
    for number in range(nodes // 2):
        used(add(trie, trunk[-1], [2 + number, 1]), by=1)
        tips.append(trunk[-1].children[2 + number])
        trunk.append(add(trie, trunk[-1], [0, 1]))
    for tip in tips:
        trie.set_state(tip, FakeState())
    eviction = Eviction(trie, has_states=True)
    eviction._changed.clear()
    trie.set_state(trunk[nodes // 4], FakeState())  # the states above it need not be known for what is counted
    eviction.update(2)
    CountedNode.asked = 0
    trie.set_state(trunk[nodes // 3], FakeState())
    eviction.update(2)
    below = len(trunk) - nodes // 3
    assert CountedNode.asked < 20 * 2 * below + 10 * (nodes // 3 - nodes // 4)
    for tip in random.Random(1).sample(tips[nodes // 4 :], 5):
        assert eviction._usual.get(2 * tip.id + 1) == eviction._state_entry(tip, _way_to(tip))


def tokens_of(node: TrieNode) -> array[int]:
    """All tokens from the root to a node's end."""
    found = array("i")
    above: TrieNode | None = node
    while above is not None:
        found, above = above.tokens + found, above.parent
    return found


# Tokens recomputed by "oldest, then deepest, then largest" on the same traces.
REFERENCE = {
    ("explore", "KV64"): (406990, 129413, 36520),
    ("explore", "HYB60"): (236177, 85915, 11392),
    ("rewrite", "KV64"): (21718, 12977, 2354),
    ("rewrite", "HYB60"): (21384, 14021, 2742),
}


@pytest.mark.parametrize(("person", "model"), list(REFERENCE))
def test_less_is_computed_again_than_by_age_alone(person: str, model: str) -> None:
    asked = requests(Trace(person, 1))
    for share, reference in zip(BUDGETS, REFERENCE[person, model], strict=True):
        found = loss(asked, model, share)
        assert found.recomputed < reference * 0.9
        assert found.empty_restores == 0


@pytest.mark.parametrize("is_live", [True, False])
def test_a_request_that_leaves_an_edge_counts_as_a_use_of_what_it_shares_and_of_no_more(is_live: bool) -> None:
    """Wherever branches fork, an edge was used by as many requests as went over it."""
    for seed in range(20):
        rng = random.Random(seed)
        cache = PaperCache(7, 0, 1 << 40)
        asked = [list(range(1_000, 1_050))]
        for number in range(25):
            if number:
                known = asked[-1] if is_live else rng.choice(asked)
                cut = rng.randrange(1, len(known) - 1)
                asked.append([*known[:cut], *(2_000 + 100 * number + at for at in range(rng.randrange(2, 9)))])
            with cache.begin(array("i", asked[-1])) as session:
                while session.prefill(16):
                    pass
            for node in cache.trie:
                over = tokens_of(node).tolist()
                passed = sum(one[: len(over)] == over for one in asked)
                assert node.usage.uses == passed, f"seed {seed}, request {number}: [{node.start}, {node.end})"
