"""Which state goes first, on a trie of sizes, and on traces of people."""

from __future__ import annotations

import pytest

from app.kvcache.eviction import PIECE, Eviction, Tally
from app.kvcache.trie import Trie
from tests.bench.eviction import BUDGETS, MODELS, loss, requests
from tests.bench.paper import PaperCache
from tests.bench.traces import Trace
from tests.kvcache.test_trie import FakeNode, FakeState, FakeTrie, add


def evict(trie: FakeTrie, wanted: int, clock: int = 10, has_states: bool = False, is_desperate: bool = False) -> Tally:
    """Make `wanted` bytes of room."""
    before = trie.paged_bytes
    eviction = Eviction(trie, clock, has_states, is_desperate)
    eviction.run(lambda: wanted - (before - trie.paged_bytes))
    return eviction.tally


def used(node: FakeNode, by: int, times: int = 1) -> FakeNode:
    node.last_use = node.state_used = by
    node.uses, node.state_uses = times, float(times)
    return node


class TestRows:
    def test_the_longest_unused_go_first(self) -> None:
        trie: FakeTrie = Trie()
        old, young = used(add(trie, trie.root, [1]), by=2), used(add(trie, trie.root, [2]), by=9)
        evict(trie, 1)
        assert (old.rows, young.rows is not None) == (None, True)

    def test_what_was_used_often_stays_longer(self) -> None:
        trie: FakeTrie = Trie()
        often, once = used(add(trie, trie.root, [1]), by=5, times=20), used(add(trie, trie.root, [2]), by=7)
        evict(trie, 1)
        assert (once.rows, often.rows is not None) == (None, True)

    def test_they_leave_leaf_first_whatever_their_age(self) -> None:
        trie: FakeTrie = Trie()
        upper = used(add(trie, trie.root, [1, 2]), by=1)
        lower = used(add(trie, upper, [3]), by=9)
        evict(trie, 1)
        assert (lower.rows, upper.rows is not None) == (None, True)
        evict(trie, 1)
        assert upper.rows is None

    def test_a_long_edge_goes_in_pieces_from_its_end(self) -> None:
        trie: FakeTrie = Trie()
        node = used(add(trie, trie.root, list(range(5 * PIECE))), by=1)
        tally = evict(trie, PIECE * 10 + 1)
        assert (tally.tokens, tally.bytes) == (2 * PIECE, 2 * PIECE * 10)
        left = trie.root.children[0]
        assert (left.start, left.end, left.has_rows) == (0, 3 * PIECE, True)
        assert not node.has_rows

    def test_locked_paths_stay(self) -> None:
        trie: FakeTrie = Trie()
        node = used(add(trie, trie.root, [1]), by=1)
        trie.lock(node)
        evict(trie, 1, is_desperate=True)
        assert node.rows is not None

    def test_useless_ones_go_for_nothing(self) -> None:
        """A model with whole states cannot restore rows that no state lies at or below."""
        trie: FakeTrie = Trie()
        point = used(add(trie, trie.root, [1, 2]), by=1)
        trie.set_state(point, FakeState())
        tail = used(add(trie, point, [3]), by=9, times=9)
        evict(trie, 1, has_states=True)
        assert tail.rows is None
        assert point.state is not None


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
        assert [node.state is None for node in (first, near, far)] == [False, True, False]

    def test_those_below_an_evicted_one_are_worth_more(self) -> None:
        """Thinning: of states at equal distances the neighbours of a gap are kept."""
        trie, nodes = self.chain(100, 10, 10, 10, 10)
        evict(trie, 101, has_states=True)
        assert [node.state is None for node in nodes] == [False, True, False, True, False]

    def test_the_first_of_a_branch_stays_until_there_is_nothing_else(self) -> None:
        trie, nodes = self.chain(1, 50, 50)
        evict(trie, 10_000, has_states=True)
        assert [node.state is None for node in nodes] == [False, True, True]
        evict(trie, 10_000, has_states=True, is_desperate=True)
        assert trie.paged_bytes == 0


def test_two_pops_and_two_pushes_for_a_victim_are_enough() -> None:
    """Counted over a whole trace, at the tightest budget."""
    asked = requests(Trace("rewrite", 1))
    tallies: list[Tally] = []
    run = Eviction.run

    def counted(self: Eviction, surplus: object) -> None:  # type: ignore[type-arg]
        run(self, surplus)  # type: ignore[arg-type]
        tallies.append(self.tally)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Eviction, "run", counted)
        cache = PaperCache(*MODELS["HYB60"], budget_bytes=2_000_000_000)
        for request in asked:
            cache.ask(request.prompt, request.answer, request.points)
    victims = sum(tally.states + (tally.tokens > 0) for tally in tallies)
    assert victims > 100
    assert sum(tally.pops for tally in tallies) <= 2 * victims
    assert sum(tally.pushes for tally in tallies) <= 2 * victims


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
