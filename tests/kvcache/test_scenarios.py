"""The cache's scenarios with their numbers, over every mix of layer kinds: (total, matched, cached, left)."""

from __future__ import annotations

import mlx.core as mx
import pytest

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.reports import Reason
from tests.kvcache.ledger import MIXES, ROWS, VOCABULARY, ask, digest, ledger_cache

STATEFUL = [mix for mix in MIXES if mix not in ROWS]
ANY = list(MIXES)


def edges(cache: PrefixCache) -> list[tuple[int, int]]:
    return sorted((node.start, node.end) for node in cache.trie)


def run(cache: PrefixCache, *args: object, **options: object) -> tuple[int, int, int, int]:
    """`ask`, with every promise checked afterwards."""
    figures = ask(cache, *args, **options)  # type: ignore[arg-type]
    check(cache)
    return figures


A = [1, 2, 3, 4, 5, 6, 7, 8]


class TestBranch:
    @pytest.mark.parametrize("mix", ROWS)
    def test_rows_are_cut_anywhere(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        assert run(cache, A, [20, 21]) == (8, 0, 0, 8)
        assert run(cache, [1, 2, 3, 4, 5, 10, 11, 12], [30, 31]) == (8, 5, 5, 3)
        assert run(cache, [*A, 40, 41]) == (10, 8, 8, 2)
        assert edges(cache) == [(0, 5), (5, 8), (5, 9), (8, 9), (8, 10)]

    @pytest.mark.parametrize("mix", STATEFUL)
    def test_states_are_captured_where_a_request_diverges(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, A, [20, 21])
        assert run(cache, [1, 2, 3, 4, 5, 10, 11, 12], [30, 31]) == (8, 5, 0, 8)
        assert run(cache, [*A, 40, 41]) == (10, 8, 5, 5)
        assert run(cache, [1, 2, 3, 4, 5, 13]) == (6, 5, 5, 1)

    @pytest.mark.parametrize("mix", ANY)
    def test_old_branches_still_match(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, A, [20, 21])
        run(cache, [1, 2, 3, 4, 5, 10, 11, 12], [30, 31])
        assert cache.price([*A, 20]).matched == 9
        assert cache.price([1, 2, 3, 4, 5, 10, 11, 12, 30]).matched == 9


@pytest.mark.parametrize("mix", ANY)
def test_resumption(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    assert run(cache, [1, 2, 3, 4, 5], [10, 11, 12]) == (5, 0, 0, 5)
    prompt = [1, 2, 3, 4, 5, 10, 11, 12, 13, 14]
    assert run(cache, prompt, [20, 21]) == (10, 7, 7, 3)
    assert run(cache, [*prompt, 20, 21, 22]) == (13, 11, 11, 2)


class TestSamePromptAgain:
    @pytest.mark.parametrize("mix", ROWS)
    def test_rows_go_back_one_token(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, [1, 2, 3, 4, 5], [20])
        assert run(cache, [1, 2, 3, 4, 5], [20]) == (5, 5, 4, 1)

    @pytest.mark.parametrize("mix", STATEFUL)
    def test_states_need_a_capture(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, [1, 2, 3, 4, 5], [20])
        assert run(cache, [1, 2, 3, 4, 5], [20]) == (5, 5, 0, 5)

    @pytest.mark.parametrize("mix", STATEFUL)
    def test_a_capture_before_the_seed_makes_it_free(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, [1, 2, 3, 4, 5], [20], points=[4])
        assert run(cache, [1, 2, 3, 4, 5], [20]) == (5, 5, 4, 1)


@pytest.mark.parametrize("mix", ANY)
def test_a_restore_point_survives(mix: str) -> None:
    cache, model = ledger_cache(mix)
    assert run(cache, [1, 2, 3, 4, 5], [10, 11], points=[4]) == (5, 0, 0, 5)
    assert run(cache, [1, 2, 3, 4, 5, 10, 20, 21, 22]) == (9, 6, 6, 3)
    before = model.computed
    assert run(cache, [1, 2, 3, 4, 30, 31]) == (6, 4, 4, 2)
    assert model.computed - before == 2
    figures = run(cache, [1, 2, 3, 4, 5, 10, 20, 21, 22, 23])
    assert figures == (10, 9, 9, 1)


@pytest.mark.parametrize("mix", STATEFUL)
def test_a_restore_point_is_not_merged_away_when_a_child_is_evicted(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    run(cache, [1, 2, 3, 4, 5], [9], points=[3])
    run(cache, [1, 2, 3, 7, 8], [9], points=[3])
    ask(cache, [60, 61])
    other = next(node for node in cache.trie if list(node.tokens[:2]) == [4, 5])
    cache.trie.forget(other, Reason.EVICTED)
    check(cache)
    point = next(node for node in cache.trie if node.end == 3)
    assert point.stored.state is not None
    assert cache.price([1, 2, 3, 30]).cached == 3


@pytest.mark.parametrize("mix", STATEFUL)
def test_the_end_of_an_answer_that_became_a_restore_point_stays(mix: str) -> None:
    """In templates without role headers a question begins exactly where the answer before it ended."""
    cache, _ = ledger_cache(mix)
    run(cache, [1, 2, 3, 4], [5, 6, 7], points=[3])
    run(cache, [40, 41], [42])
    run(cache, [1, 2, 3, 4, 5, 6, 8, 9], [10, 11], points=[3, 6, 7])
    assert run(cache, [1, 2, 3, 4, 5, 6, 20, 21], [22], points=[3, 6, 7]) == (8, 6, 6, 2)


@pytest.mark.parametrize("mix", STATEFUL)
def test_captures_beyond_what_is_written_make_no_node(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    run(cache, [1, 2, 3, 4, 5], [9], points=[3, 5, 6, 50])
    assert edges(cache) == [(0, 3), (3, 5)]


@pytest.mark.parametrize("mix", ANY)
def test_cancel_keeps_what_was_computed_and_nothing_more(mix: str) -> None:
    cache, model = ledger_cache(mix)
    run(cache, [1, 2, 3, 4, 5, 6, 7], points=[3], stop_after=3)
    assert edges(cache) == [(0, 3)]
    assert run(cache, [1, 2, 3, 4, 5, 6, 7]) == (7, 3, 3, 4)
    assert model.computed == 7


class TestBackToTheFirstBranch:
    @pytest.mark.parametrize("mix", ROWS)
    def test_rows(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, [1, 2, 3, 4, 5], [10, 11])
        assert run(cache, [1, 2, 3, 6, 7], [12, 13]) == (5, 3, 3, 2)
        assert run(cache, [1, 2, 3, 4, 5, 10, 20, 21]) == (8, 6, 6, 2)

    @pytest.mark.parametrize("mix", STATEFUL)
    def test_states(self, mix: str) -> None:
        cache, _ = ledger_cache(mix)
        run(cache, [1, 2, 3, 4, 5], [10, 11])
        assert run(cache, [1, 2, 3, 6, 7], [12, 13]) == (5, 3, 0, 5)
        assert run(cache, [1, 2, 3, 4, 5, 10, 20, 21]) == (8, 6, 6, 2)


@pytest.mark.parametrize("mix", ANY)
def test_use_refreshes_the_path_and_not_its_siblings(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    run(cache, [1, 2, 3, 4], [9], points=[2])
    run(cache, [1, 2, 5, 6], [9], points=[2])
    age = {tuple(node.tokens): node.usage.last_use for node in cache.trie}
    assert age[3, 4] == 1
    assert age[5, 6] == age[1, 2] == 2


@pytest.mark.parametrize("mix", ANY)
def test_an_answer_regenerated_costs_only_the_seed(mix: str) -> None:
    cache, model = ledger_cache(mix)
    prompt = [1, 2, 3, 4, 5, 6]
    run(cache, prompt, [10, 11, 12, 13], points=[1, 5])
    run(cache, [2, 2, 2], [3])
    for answer in ([10, 11, 30, 31], [10, 40], [10, 11, 12, 13]):
        before = model.computed
        total, matched, cached, left = run(cache, prompt, answer, points=[1, 5])
        assert (total, matched, cached, left) == (6, 6, 5, 1)
        assert model.computed - before == len(answer)


@pytest.mark.parametrize("mix", ANY)
def test_a_failed_call_leaves_no_mixture_of_offsets(mix: str) -> None:
    cache, model = ledger_cache(mix)
    run(cache, [1, 2, 3, 4, 5, 6], [9], points=[2])
    model.fail_after = model.computed + 1
    with pytest.raises(RuntimeError, match="half-way"):
        ask(cache, [1, 2, 3, 4, 5, 6, 7, 8], [9])
    model.fail_after = None
    check(cache)
    assert cache.faults == 1
    assert cache.active.offset == 0
    cached = run(cache, [1, 2, 3, 4, 5, 6, 7, 8], [9])[2]
    assert cached == (6 if mix in ROWS else 2)


def test_an_empty_request_is_refused() -> None:
    cache, _ = ledger_cache("T")
    with pytest.raises(ValueError, match="0 tokens"):
        cache.begin([])
    check(cache)


def test_decode_before_the_prompt_is_read_is_refused() -> None:
    cache, _ = ledger_cache("T")
    with cache.begin([1, 2, 3]) as session:
        with pytest.raises(ValueError, match="before the prompt"):
            session.decode(3)
        session.prefill(8)
        with pytest.raises(ValueError, match="prompt's last"):
            session.decode(9)
    check(cache)


@pytest.mark.parametrize("mix", ANY)
def test_a_call_that_was_launched_can_be_taken_back(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    with cache.begin([1, 2, 3, 4]) as session:
        session.prefill(8)
        first = session.launch(mx.array([4]))
        session.confirm(4)
        session.launch(mx.array([9]))
        session.retract()
        again = session.decode(7)
        check(cache)
        session.launch(mx.array([9]))
    check(cache)
    assert cache.active.offset == 5
    assert run(cache, [1, 2, 3, 4, 7, 8])[2] == 5
    assert int(mx.argmax(first)) == digest([1, 2, 3, 4]) % VOCABULARY
    assert int(mx.argmax(again)) == digest([1, 2, 3, 4, 7]) % VOCABULARY
    assert list(session.tokens()) == [1, 2, 3, 4, 7]


@pytest.mark.parametrize("mix", ANY)
def test_nothing_is_left_when_a_launched_call_fails(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    session = cache.begin([1, 2, 3, 4])
    session.prefill(8)
    session.launch(mx.array([4]))
    session.__exit__(KeyError, KeyError(), None)
    check(cache)
    assert cache.active.offset == 0
    assert run(cache, [1, 2, 3, 4], [5, 6])[0] == 4


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_stands_on_a_live_branch_goes_when_that_is_let_go_of(mix: str) -> None:
    """Rows that were computed on others must not meet those that are computed again in their place."""
    cache, _ = ledger_cache(mix)
    trunk = list(range(1, 20))
    ask(cache, [*trunk, 30, 31, 32])
    ask(cache, [*trunk, 40, 41, 42])
    cache.abandon([63])
    check(cache)
    assert cache.active.offset == 0
    cached = run(cache, [*trunk, 30, 31, 32])[2]
    assert cached == (0 if "r" in MIXES[mix] else len(trunk))
