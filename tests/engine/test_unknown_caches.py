"""A model whose cache objects nobody knows: it answers as ever, nothing is reused, and it is closed like any other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, ConcatenateKVCache, KVCache, make_prompt_cache

from app.engine import loader
from app.protocol.commands import EraseOwner, EstimateCost, LoadModel, Pin, SetBudget, Verify
from app.protocol.events import CostEstimate, ModelClosed, ModelReady, Pinned, Verified
from app.protocol.reports import Reason
from tests.engine.bench import Bench, opened, user
from tests.fakes.model_folder import write_model_folder


class KeptElsewhere(KVCache):
    """A subclass, which may keep its rows in a way of its own."""


class Recurrent(ArraysCache):
    """A subclass of whole states."""


class Bare:
    """No class of mlx-lm's, with nothing but what a layer calls."""

    def __init__(self) -> None:
        self._rows: Any = KVCache()  # type: ignore[no-untyped-call]

    @property
    def offset(self) -> int:
        return int(self._rows.offset)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Any:
        return self._rows.update_and_fetch(keys, values)

    def make_mask(self, *arguments: Any, **named: Any) -> Any:
        return self._rows.make_mask(*arguments, **named)


KINDS: dict[str, tuple[type[Any], Callable[[Any], Any]]] = {
    "a subclass of rows": (KVCache, lambda _: KeptElsewhere()),  # type: ignore[no-untyped-call]
    "another class of mlx-lm": (KVCache, lambda _: ConcatenateKVCache()),  # type: ignore[no-untyped-call]
    "a class of its own": (KVCache, lambda _: Bare()),
    "a subclass of states": (ArraysCache, lambda cache: Recurrent(len(cache.cache))),
}


@pytest.mark.parametrize(
    ("kind", "way"), [*(("lfm2", way) for way in KINDS), *(("llama", way) for way in KINDS if "states" not in way)]
)
def test_it_answers_without_reuse_and_is_closed(
    kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced, made = KINDS[way]
    folder = write_model_folder(tmp_path / "m", kind=kind)
    expected = opened(folder).ask(user("Hello there"), max_tokens=40)

    def caches(model: Any) -> list[Any]:
        return [made(cache) if type(cache) is replaced else cache for cache in make_prompt_cache(model)]

    monkeypatch.setattr(loader, "make_prompt_cache", caches)
    bench = Bench(chunk=8)
    ready = bench.open(folder)
    assert isinstance(ready, ModelReady)
    assert not ready.info.is_reusable
    assert "not supported yet" in ready.info.note
    first = bench.ask(user("Hello there"), max_tokens=40)
    assert first.finished.ids == expected.finished.ids
    following = bench.ask(user("Hello there"), first.turn, user("And then?"))
    assert following.started.request.cached == 0
    assert following.started.request.reason is Reason.UNSUPPORTED
    assert following.finished.ids
    turns = (user("Hello there"),)
    events = bench.do(EstimateCost(1, turns), Pin(2, turns, True), Verify(3, turns), SetBudget(0), EraseOwner("me"))
    assert {CostEstimate, Pinned, Verified} <= {type(event) for event in events}
    monkeypatch.undo()
    events = bench.do(LoadModel(str(folder)))
    assert [type(event) for event in events if isinstance(event, ModelClosed | ModelReady)] == [ModelClosed, ModelReady]
    assert bench.ask(user("Hello there"), max_tokens=40).finished.ids == expected.finished.ids


def test_parts_of_a_compound_that_are_unknown_are_found(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def caches(model: Any) -> list[Any]:
        return [*make_prompt_cache(model), CacheList(KeptElsewhere()), None]  # type: ignore[no-untyped-call]

    monkeypatch.setattr(loader, "make_prompt_cache", caches)
    bench = Bench()
    ready = bench.open(tiny_folder)
    assert isinstance(ready, ModelReady)
    assert "KeptElsewhere" in ready.info.note
