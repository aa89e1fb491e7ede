"""Sampling one token ahead: the same tokens as one after the other, and a cache that ends with the answer."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from app.engine.pipeline import Pipeline
from app.engine.sampler import Draw, Sampler
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.replay import replay
from app.kvcache.session import Session
from app.protocol.chat import Sampling
from app.protocol.commands import Cancel
from app.protocol.events import RunFinished, TextDelta
from app.protocol.reports import StopReason
from tests.engine.bench import LONG, Bench, opened
from tests.fakes.model_folder import write_model_folder
from tests.seeds import chosen

KINDS = ["llama", "lfm2", "gemma3"]
SETTINGS = [
    Sampling(temperature=0.0, max_tokens=24, seed=1),
    Sampling(temperature=1.1, top_p=0.9, max_tokens=24, seed=2),
    Sampling(temperature=0.9, top_k=40, min_p=0.01, repetition_penalty=1.4, max_tokens=24, seed=3),
]


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / request.param, kind=request.param)


def one_by_one(bench: Bench, sampling: Sampling) -> list[int]:
    """The answer's tokens, each read before the next is fed, from a cache of its own."""
    model = bench.model
    prompt = model.prompts.build([LONG])
    sampler = Sampler(sampling, sampling.seed or 0, prompt.ids)
    cache = PrefixCache(model.forward, model.new_caches, 1 << 30)
    with cache.begin(prompt.ids, prompt.restore_points) as session:
        while session.prefill(64):
            pass
        tokens = [prompt.ids[-1]]
        while len(tokens) <= sampling.max_tokens and tokens[-1] not in model.codec.stop_ids:
            tokens.append(sampler.next(session.decode(tokens[-1])))
    return [token for token in tokens[1:] if token not in model.codec.stop_ids]


@pytest.mark.parametrize("sampling", SETTINGS)
def test_the_tokens_are_those_of_one_after_the_other(folder: Path, sampling: Sampling) -> None:
    bench = opened(folder)
    expected = one_by_one(bench, sampling)
    asked = bench.ask(LONG, **{name: getattr(sampling, name) for name in Sampling.__slots__})
    assert list(asked.finished.ids) == expected


@pytest.mark.parametrize("sampling", SETTINGS)
def test_the_tokens_are_the_same_however_often_it_rests(folder: Path, sampling: Sampling) -> None:
    """And at rest nothing is launched: what was read last is fed with what follows."""
    bench = opened(folder)
    expected, model = one_by_one(bench, sampling), bench.model
    prompt = model.prompts.build([LONG])
    for seed in chosen(range(4)):
        dice = random.Random(seed)
        cache = PrefixCache(model.forward, model.new_caches, 1 << 30)
        with cache.begin(prompt.ids, prompt.restore_points) as session:
            while session.prefill(64):
                pass
            sampler = Sampler(sampling, sampling.seed or 0, prompt.ids)
            pipeline = Pipeline(session, sampler, prompt.ids[-1], lambda: None)
            for token in expected:
                rests = dice.random() < 0.4
                assert pipeline.read(is_last=rests) == token, f"seed {seed}"
                (pipeline.rest if rests else pipeline.keep)(token)
                assert not (rests and session.path.layers.is_launched)
                assert list(session.tokens()[len(prompt.ids) :]) == expected[: session.path.offset - len(prompt.ids)]


def ended(bench: Bench, change: Callable[[Any], None] = lambda model: None, **sampling: Any) -> RunFinished:
    change(bench.model)
    return bench.ask(LONG, **{"temperature": 1.2, "max_tokens": 30, "seed": 5, **sampling}).finished


def fed(bench: Bench) -> list[int]:
    """The tokens of the live path."""
    return [token for node in bench.cache.active.path for token in node.tokens]


def test_at_the_length_limit_the_last_token_is_not_fed(folder: Path) -> None:
    bench = opened(folder)
    finished = ended(bench)
    assert finished.stats.stop is StopReason.LENGTH
    assert_ends_with(bench, finished.ids[:-1])


def test_a_stop_token_takes_the_call_after_it_back(folder: Path) -> None:
    ids = ended(opened(folder)).ids
    stop = next(token for at, token in enumerate(ids) if at > 3 and token not in ids[:at])
    bench = opened(folder)
    finished = ended(bench, lambda model: setattr(model.codec, "stop_ids", frozenset({stop})))
    assert finished.stats.stop is StopReason.FINISHED
    assert finished.ids == ids[: ids.index(stop)]
    assert_ends_with(bench, finished.ids)


def test_a_stop_text_takes_the_call_after_it_back(folder: Path) -> None:
    whole = ended(opened(folder))
    bench = opened(folder)
    stop = whole.text[9:12]
    finished = ended(bench, stop=(stop,))
    assert finished.stats.stop is StopReason.STOP_TEXT
    assert finished.text == whole.text[: whole.text.index(stop)]
    sampled = finished.stats.tokens
    assert_ends_with(bench, whole.ids[: sampled - 1])


@pytest.mark.parametrize("steps", [5, 6, 9, 17])
def test_everything_written_before_a_cancel_is_fed(folder: Path, steps: int) -> None:
    bench = opened(folder, chunk=512)
    command = bench.command(LONG, temperature=1.2, max_tokens=300)
    bench.loop.submit(command)
    for _ in range(steps):
        bench.loop.step()
    bench.loop.submit(Cancel(command.run_id))
    bench.idle()
    finished = next(event for event in bench.events if isinstance(event, RunFinished))
    assert finished.stats.stop is StopReason.CANCELLED
    assert_ends_with(bench, finished.ids)


def test_words_are_told_between_what_python_has_to_do_and_the_wait(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever they wake needs Python while the engine does not: never between a token and the next call's graph."""
    bench, done = opened(folder), list[str]()

    def noting(word: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **named: (done.append(word), function(*given, **named))[1]

    monkeypatch.setattr(Draw, "begin", noting("begun", Draw.begin))
    monkeypatch.setattr(Sampler, "read", noting("read", Sampler.read))
    monkeypatch.setattr(Session, "launch", noting("launched", Session.launch))
    bench.loop._emit = lambda event: done.append("told") if isinstance(event, TextDelta) else None
    bench.loop.submit(bench.command(LONG, temperature=1.2, max_tokens=40))
    bench.idle()
    told = [at for at, word in enumerate(done) if word == "told"]
    before = {done[at - 1] for at in told[:-2]}
    after = {done[at + 1] for at in told[:-2]}
    assert len(told) > 10
    assert (before, after) == ({"launched"}, {"begun"})


def assert_ends_with(bench: Bench, answer: tuple[int, ...]) -> None:
    """The live path is the prompt and these tokens, and what is live is what repeating its calls gives."""
    model, cache = bench.model, bench.cache
    tokens = [*model.prompts.build([LONG]).ids, *answer]
    assert fed(bench) == tokens
    assert cache.active.offset == len(tokens)
    repeated = replay(cache, tokens).layers
    for live, again in zip(
        [*cache.active.layers.rows, *cache.active.layers.states], [*repeated.rows, *repeated.states], strict=True
    ):
        for one, other in zip(live.arrays(), again.arrays(), strict=True):  # type: ignore[attr-defined]
            used = slice(None) if one.shape == other.shape and one.ndim != 4 else slice(0, len(tokens))
            assert mx.array_equal(one[..., used, :], other[..., used, :])
