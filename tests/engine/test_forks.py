"""A fork where the model was not sure reads nothing again, as long as the states before such tokens are held."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.engine.forks import MOST_AGAIN, UNSURE, ForkPoints
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
    points = ForkPoints(session, lambda: 16 * most * FakeSession.nbytes)  # type: ignore[arg-type]
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

    nbytes = 100

    def __init__(self, is_full: bool) -> None:
        self.is_full, self.at = is_full, 0
        self.held: set[int] = set()

    def bookmark(self) -> Any:
        return SimpleNamespace(offset=self.at, state=SimpleNamespace(nbytes=self.nbytes))

    def keep_for_fork(self, bookmark: Any) -> bool:
        if not self.is_full:
            self.held.add(bookmark.offset)
        return not self.is_full

    def drop_fork(self, offset: int) -> None:
        self.held.remove(offset)


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
