"""Answers by turns on every kind of model: what becomes of one of them changes no bit of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.quantized import QuantizedEmbedding

from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Sampling
from app.protocol.commands import MOST_LANES, Lane, SetBudget, Verify
from app.protocol.events import RunFailed, RunFinished, Verified
from app.protocol.reports import Reason, StopReason
from tests.engine.bench import LONG, Bench, opened
from tests.engine.test_turns import SETTINGS, alone, ended, lanes_of, of_lanes, said
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_models import KINDS

END = (("<|end|>", 100.0),)
SPOILT = 1  # the answer that fails
DICED = Sampling(temperature=1.5, max_tokens=30, seed=11)


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / request.param, kind=request.param)


def spoil(token: int, patch: pytest.MonkeyPatch) -> None:
    """Have every model compute nothing but NaN from the place on where this token stands."""
    for kind in (Embedding, QuantizedEmbedding):
        right = kind.__call__

        def call(self: Any, ids: mx.array, right: Any = right) -> mx.array:
            found = right(self, ids)
            return mx.where((ids == token)[..., None], mx.nan, found)

        patch.setattr(kind, "__call__", call)


def is_exact(bench: Bench, event: RunFinished) -> bool:
    """Whether what is kept of an answer is, bit for bit, what its record gives."""
    answer = replace(LONG, role="assistant", text=event.text, ids=event.ids)
    [found] = [one for one in bench.do(Verify(1, (LONG, answer))) if isinstance(one, Verified)]
    return found.is_exact and found.problem is None


def kept(bench: Bench) -> int:
    """Tokens whose rows are kept, each counted once."""
    return sum(node.end - node.start for node in bench.cache.trie)


def test_a_model_that_computes_nan_in_the_midst_of_an_answer_ends_that_one_and_nothing_of_it_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes = lanes_of(SETTINGS[0], DICED, *SETTINGS[1:3])
    expected = alone(folder, lanes, LONG)
    bench = opened(folder)
    command = of_lanes(bench, lanes, LONG)
    own, others = expected[SPOILT], {token for lane, ids in enumerate(expected) if lane != SPOILT for token in ids}
    prompt = bench.model.codec.plain(LONG.text)
    at = next(at for at, token in enumerate(own) if at > 4 and token not in (others | {*prompt, *own[:at]}))
    spoil(own[at], monkeypatch)
    outcomes = ended(bench.do(command), command.run_id)
    monkeypatch.undo()
    failed = outcomes.pop(SPOILT)
    assert isinstance(failed, RunFailed)
    assert failed.problem.title == "The model stopped making sense"
    assert said(bench.events, command.run_id, SPOILT) == bench.model.codec.decode(list(own[: at + 1]))
    for lane, event in outcomes.items():
        assert isinstance(event, RunFinished)
        assert event.ids == expected[lane or 0]
        assert is_exact(bench, event)
    assert len(outcomes) == len(lanes) - 1
    assert not bench.cache.sessions
    again = bench.ask(LONG, forced=own[: at + 1], temperature=0.0).finished
    assert again.ids == opened(folder).ask(LONG, forced=own[: at + 1], temperature=0.0).finished.ids


def test_eight_answers_of_which_two_do_not_fit_into_the_budget_all_say_what_they_would(folder: Path) -> None:
    lanes = lanes_of(*(replace(SETTINGS[seed % 4], seed=seed + 1) for seed in range(MOST_LANES)))
    bench = opened(folder)
    bench.ask(LONG)
    bench.do(SetBudget(int(1.5 * bench.cache.live_bytes)))
    command = of_lanes(bench, lanes, LONG)
    finished = ended(bench.do(command), command.run_id)
    assert [finished[lane].ids for lane in range(MOST_LANES)] == alone(folder, lanes, LONG)
    asked = [event for event in bench.cache.events if event.kind is CacheEventKind.REQUEST]
    assert {event.reason for event in asked} <= {Reason.NEW, Reason.NONE, Reason.EVICTED}
    assert not bench.cache.sessions
    assert not bench.cache.faults


def test_a_stop_text_ends_the_answer_that_has_it(folder: Path) -> None:
    lanes = lanes_of(SETTINGS[0], DICED, *SETTINGS[1:3])
    bench = opened(folder)
    whole = bench.do(command := of_lanes(bench, lanes, LONG))
    text = said(whole, command.run_id, SPOILT)
    stop = text[5:8]
    bench = opened(folder)
    stopping = [
        replace(one, sampling=replace(one.sampling, stop=(stop,) if one is lanes[SPOILT] else ())) for one in lanes
    ]
    command = of_lanes(bench, stopping, LONG)
    finished = ended(bench.do(command), command.run_id)
    stopped = finished.pop(SPOILT)
    assert stopped.stats.stop is StopReason.STOP_TEXT
    assert stopped.text == text[: text.index(stop)]
    expected = alone(folder, lanes, LONG)
    for lane, event in finished.items():
        assert event.ids == expected[lane or 0]
        assert is_exact(bench, event)


@pytest.mark.parametrize("beginnings", [[()] * MOST_LANES, [(65 + at,) * (1 + at % 3) for at in range(MOST_LANES)]])
def test_eight_answers_that_end_with_the_same_token_are_whole(folder: Path, beginnings: list[tuple[int, ...]]) -> None:
    lanes = tuple(Lane(Sampling(seed=3, logit_bias=END), forced) for forced in beginnings)
    bench = opened(folder)
    command = of_lanes(bench, lanes, LONG)
    finished = ended(bench.do(command), command.run_id)
    assert [finished[lane].ids for lane in range(MOST_LANES)] == beginnings
    assert {event.stats.stop for event in finished.values()} == {StopReason.FINISHED}
    assert all(is_exact(bench, event) for event in finished.values() if event.ids)
    assert not bench.cache.sessions
    assert not bench.cache.faults


def test_eight_answers_that_say_the_same_are_computed_each_and_kept_once(folder: Path) -> None:
    lane = Lane(Sampling(temperature=0.0, max_tokens=11, seed=1))
    bench = opened(folder)
    command = of_lanes(bench, (lane,) * MOST_LANES, LONG)
    finished = ended(bench.do(command), command.run_id)
    [expected] = alone(folder, (lane,), LONG)
    assert {event.ids for event in finished.values()} == {expected}
    only = opened(folder)
    only.ask(LONG, temperature=0.0, max_tokens=11)
    assert kept(bench) == kept(only)
    assert is_exact(bench, finished[0])
    assert not bench.cache.sessions
