"""A fork where the model was not sure reads nothing again, as long as the states before such tokens are held."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.engine.forks import MOST_AGAIN, UNSURE, ForkPoints
from app.kvcache.session import Session
from app.protocol.choices import WHOLE, unpack
from app.protocol.commands import SetBudget, Verify
from app.protocol.events import RunFinished, Verified
from tests import seeds
from tests.engine.bench import LONG, Asked, Bench, opened, user
from tests.engine.test_answer_choices import asked
from tests.engine.test_forced import price
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_models import KINDS
from tests.fakes.tiny_tokenizer import TEMPLATES

NBYTES = 100  # of a state of a fake session


def written(bench: Bench, **sampling: Any) -> RunFinished:
    """An answer with alternatives."""
    command = bench.command(LONG, **{"temperature": 1.0, "max_tokens": 40, **sampling})
    return asked(bench, replace(command, alternatives=True))[0]


def unsure(answer: RunFinished) -> list[int]:
    """Where in an answer the model was not sure, by numbers of tokens."""
    shares = [choice.share for choice in unpack(answer.choices)]
    return [at for at, share in enumerate(shares) if share is not None and share < UNSURE * WHOLE]


@pytest.mark.parametrize("kind", KINDS)
def test_a_fork_where_the_model_was_not_sure_reads_nothing_again(tmp_path: Path, kind: str) -> None:
    """At every such token, the first and the last too; what is told before is what comes; and all of it is exact."""
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    answer = written(bench)
    places = unsure(answer)
    assert len(places) > 20
    assert {0, len(answer.ids) - 1} & set(places)
    rng = random.Random(kind)
    for at in places:
        assert price(bench, bench.command(LONG, forced=(*answer.ids[:at], 5))).excess == 0, at
    for at in (places[0], places[-1], rng.choice(places)):
        command = bench.command(LONG, forced=(*answer.ids[:at], rng.randrange(5, 60)), max_tokens=3)
        told, fork = price(bench, command), Asked(bench.do(command))
        assert fork.started.request == told
        assert told.excess == 0
        [verified] = [one for one in bench.do(Verify(1, (LONG, fork.turn))) if isinstance(one, Verified)]
        assert verified.is_exact


@pytest.mark.parametrize("kind", ["lfm2", "mamba2", "qwen3_5"])
def test_a_fork_in_a_thought_and_after_other_answers_reads_nothing_again(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind, template=TEMPLATES["thinking opened"]))
    first = written(bench)
    bench.ask(user("Something else"), max_tokens=5)
    assert any(choice.is_thinking for choice in unpack(first.choices))
    for at in unsure(first)[::5]:
        assert price(bench, bench.command(LONG, forced=(*first.ids[:at], 7))).excess == 0


@pytest.mark.parametrize("kind", ["lfm2", "falcon_h1", "mamba2", "qwen3_5"])
def test_where_the_states_are_thinned_out_what_is_read_again_is_what_was_told(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every unsure token: a few are read again at most, as many as the price says, and all of it is exact."""
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    written(bench, max_tokens=1, seed=9)
    state = max(node.stored.state.nbytes for node in bench.cache.trie if node.stored.state is not None)
    bench.do(SetBudget(16 * 6 * state))
    answer = written(bench, max_tokens=60)
    places, total = unsure(answer), answer.stats.request.total
    held = {node.end - total for node in bench.cache.trie if node.stored.state is not None}
    assert 3 < len(held & set(places)) <= 7 < len(places)
    read: list[int] = []
    prefill = Session.prefill

    def counted(session: Session, limit: int) -> int:
        read.append(prefill(session, limit))
        return read[-1]

    monkeypatch.setattr(Session, "prefill", counted)
    prices = {at: price(bench, bench.command(LONG, forced=(*answer.ids[:at], 5))) for at in places}
    assert all(told.excess <= MOST_AGAIN for told in prices.values())
    assert any(told.excess for told in prices.values())
    for at in random.Random(kind).sample(places, 6):
        command = bench.command(LONG, forced=(*answer.ids[:at], 7), max_tokens=1)
        told = price(bench, command)
        read.clear()
        fork = Asked(bench.do(command))
        assert fork.started.request == told
        assert sum(read) == told.left - 1
        assert told.excess <= MOST_AGAIN
    [verified] = [one for one in bench.do(Verify(1, (LONG, fork.turn))) if isinstance(one, Verified)]
    assert verified.is_exact


@pytest.mark.parametrize("kind", ["lfm2", "mamba2"])
def test_a_full_cache_lets_them_go_and_the_price_says_so(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    answer = written(bench)
    bench.do(SetBudget(bench.cache.live_bytes + 1))
    assert bench.cache.paged_bytes <= 1
    command = bench.command(LONG, forced=(*answer.ids[:20], 7), max_tokens=2)
    told = price(bench, command)
    assert told.excess > 0
    assert Asked(bench.do(command)).started.request == told


@seeds.each_seed(range(40))
def test_where_the_states_take_too_much_a_fork_reads_a_few_tokens_again(seed: int) -> None:
    """At random: every unsure token is at most so many behind a state, and those before unsure ones stay longest."""
    rng = random.Random(seed)
    session = FakeSession(rng.random() < 0.2)
    most = rng.choice([0, 1, 3, 10, 1000])
    points = ForkPoints(session, lambda: 16 * most * NBYTES)  # type: ignore[arg-type]
    places = []
    for session.at in range(rng.randrange(1, 200)):
        share = rng.choice([0.1, 0.3, 0.6, 0.9])
        points.passed(share)
        if share < UNSURE:
            places.append(session.at)
    if session.is_full:
        return
    for at in places:
        assert any(at - MOST_AGAIN <= one <= at for one in session.held), at
    spread = [at for at, before in zip(sorted(session.held)[1:], sorted(session.held), strict=False) if at - before > 7]
    assert len(session.held) <= max(most, 2 * len(spread) + 2)
    if len(places) <= most:
        assert session.held == set(places)


class FakeSession:
    """A session of a model with whole states. is_full: the cache has room for none."""

    def __init__(self, is_full: bool) -> None:
        self.is_full, self.at, self.nbytes = is_full, 0, NBYTES
        self.held: set[int] = set()

    def bookmark(self) -> Any:
        return SimpleNamespace(offset=self.at, state=SimpleNamespace(nbytes=self.nbytes))

    def keep_for_fork(self, bookmark: Any) -> bool:
        if not self.is_full:
            self.held.add(bookmark.offset)
        return not self.is_full

    def drop_fork(self, offset: int) -> None:
        self.held.remove(offset)


class Thinning:
    """The rule by which states are thinned out, said in the simplest way: each step looks at all points."""

    def __init__(self, budget_bytes: Callable[[], int]) -> None:
        self.budget_bytes = budget_bytes
        self.points: list[list[Any]] = []  # offset, share, bytes: 0 where no state is held

    @property
    def held(self) -> set[int]:
        return {offset for offset, _, nbytes in self.points if nbytes}

    def passed(self, offset: int, share: float, nbytes: int, *, is_full: bool) -> None:
        self.points.append([offset, share, 0])
        if self.makes_way(nbytes) and not is_full:
            self.points[-1][2] = nbytes

    def makes_way(self, nbytes: int) -> bool:
        while 16 * (sum(one[2] for one in self.points) + nbytes) > self.budget_bytes():
            spare = [one for one in self.points if one[2] and self.is_spare(one[0])]
            if not spare:
                return not self.is_reached(self.points[-1][0], self.held)
            max(spare, key=lambda one: one[1])[2] = 0
        return True

    def is_spare(self, offset: int) -> bool:
        following = min((one for one in self.held if one > offset), default=self.points[-1][0] + 1)
        places = [one for one, _, _ in self.points if offset <= one < following]
        return all(self.is_reached(one, self.held - {offset}) for one in places)

    def is_reached(self, at: int, held: set[int]) -> bool:
        return any(at - MOST_AGAIN <= one <= at for one in held)


@seeds.each_seed(range(60))
def test_what_is_kept_follows_the_simple_rule(seed: int) -> None:
    """At random: states of other sizes, a budget that changes, a cache that has no room at times."""
    rng = random.Random(seed)
    session, budget = FakeSession(False), 16 * NBYTES * rng.choice([0, 2, 6, 20, 1000])
    points, simple = ForkPoints(session, lambda: budget), Thinning(lambda: budget)  # type: ignore[arg-type]
    shares = [0.1, 0.3, 0.6] if rng.random() < 0.5 else [rng.random() for _ in range(50)]
    likely = rng.choice([0.05, 0.3, 0.9])
    for _ in range(rng.randrange(1, 160)):
        session.at += rng.choice([1, 1, 1, 2, 40]) if rng.random() < 0.1 else 1
        session.is_full = rng.random() < 0.05
        session.nbytes = NBYTES if rng.random() < 0.8 else rng.randrange(1, 3 * NBYTES)
        budget = 16 * NBYTES * rng.randrange(30) if rng.random() < 0.02 else budget
        share = rng.choice(shares) if rng.random() < likely else 0.9
        points.passed(share)
        if share < UNSURE:
            simple.passed(session.at, share, session.nbytes, is_full=session.is_full)
        assert session.held == simple.held, session.at


@pytest.mark.parametrize("most", [0, 20, 500, 5000])
def test_a_token_costs_no_more_late_in_a_long_answer(most: int) -> None:
    """The model thread computes nothing meanwhile: the lines of Python per token must not grow with the answer."""
    rng, session, lines = random.Random(most), FakeSession(False), 0
    points = ForkPoints(session, lambda: 16 * most * NBYTES)  # type: ignore[arg-type]

    def count(_frame: object, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        if lines > 60 * (session.at + 100):
            raise AssertionError(f"{lines} lines by token {session.at}")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        for session.at in range(30_000):
            points.passed(rng.random())
    finally:
        sys.settrace(before)
    assert len(session.held) > 30_000 // (MOST_AGAIN + 5)


def test_without_alternatives_no_state_is_stored_for_a_fork(mixed: Bench) -> None:
    mixed.ask(LONG, temperature=1.0, max_tokens=40)
    without = sum(1 for _ in mixed.cache.trie)
    written(mixed, seed=2)
    assert sum(1 for _ in mixed.cache.trie) > without + 20


def test_a_state_that_somebody_comes_back_to_is_not_thinned_out(mixed: Bench) -> None:
    answer = written(mixed)
    free, wanted = (answer.stats.request.total + at for at in unsure(answer)[3:5])
    nodes = {node.end: node for node in mixed.cache.trie}
    nodes[wanted].usage.anchors.add("somebody")
    for offset in (free, wanted, 1 << 20):
        mixed.cache.active.drop_fork(offset)
    assert nodes[free].stored.state is None
    assert nodes[wanted].stored.state is not None
