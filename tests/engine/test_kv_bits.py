"""A KV cache in fewer bits: answers go on as ever, nothing is computed twice, and a replay comes to the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mlx_lm.models.cache import QuantizedKVCache

from app.engine.kv_bits import KV_BITS
from app.engine.model import LoadedModel
from app.kvcache.layers import flatten
from app.protocol.commands import ConfigureDiskCache, LoadModel, Shutdown, Verify
from app.protocol.events import ModelReady, Verified
from tests.engine.bench import Bench, opened_folder, user
from tests.models.tiny_folders import write_tiny_folder

# Heads wide enough for groups of 64 numbers, and of 32.
WIDE: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "llama": ("llama", {"head_dim": 64}, {"QuantizedKVCache"}),
    "llama, narrow": ("llama", {"head_dim": 32}, {"QuantizedKVCache"}),
    "qwen3": ("qwen3", {"head_dim": 64}, {"QuantizedKVCache"}),
    "gemma3": ("gemma3", {"head_dim": 64}, {"QuantizedKVCache", "RotatingKVCache"}),
    "lfm2": ("lfm2", {"num_attention_heads": 1, "num_key_value_heads": 1}, {"QuantizedKVCache", "ArraysCache"}),
    "falcon_h1": ("falcon_h1", {"head_dim": 64}, {"QuantizedKVCache", "ArraysCache"}),
}
# Models whose layers do not allow it: heads too narrow, sinks, attention of their own, nothing but whole states.
WITHOUT = {"llama": {}, "gpt_oss": {"head_dim": 64}, "deepseek_v3": {}, "mamba2": {}}
FIRST, FORK = user("How do I fork a conversation?"), user("Hello there! What is the answer?")


def kinds(bench: Bench) -> set[str]:
    return {type(cache).__name__ for cache in flatten(bench.model.new_caches())}


@pytest.mark.parametrize("bits", KV_BITS)
@pytest.mark.parametrize("way", WIDE)
def test_nothing_is_computed_twice_and_a_replay_is_exact(way: str, bits: int, tmp_path: Path) -> None:
    kind, changes, expected = WIDE[way]
    folder = write_tiny_folder(tmp_path / "m", kind, **changes)
    bench = Bench(chunk=8)
    ready = bench.open(folder, kv_bits=bits)
    assert isinstance(ready, ModelReady)
    assert (ready.info.kv_bits, ready.info.note) == (bits, "")
    assert ready.info.detail.endswith(f", {bits}-bit KV cache (approximate)")
    assert kinds(bench) == expected
    quantized = [cache for cache in flatten(bench.model.new_caches()) if isinstance(cache, QuantizedKVCache)]
    assert {(cache.bits, cache.group_size) for cache in quantized} == {(bits, 32 if "narrow" in way else 64)}
    first = bench.ask(FIRST, max_tokens=20)
    for question in (FORK, FIRST, FORK):
        branch = (FIRST, first.turn, question)
        asked = bench.ask(*branch, max_tokens=20)
        assert asked.started.request.excess == 0
        assert asked.finished.ids
    again = bench.ask(FIRST, max_tokens=20)
    assert again.finished.ids == first.finished.ids
    assert again.started.request.excess == 0
    verified = next(event for event in bench.do(Verify(1, branch)) if isinstance(event, Verified))
    assert verified.is_exact
    assert verified.problem is None


@pytest.mark.parametrize("kind", WITHOUT)
def test_a_model_whose_layers_do_not_allow_it_opens_with_all_bits_and_says_so(kind: str, tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", kind, **WITHOUT[kind])
    bench = Bench()
    ready = bench.open(folder, kv_bits=8)
    assert isinstance(ready, ModelReady)
    assert ready.info.kv_bits is None
    assert "do not allow fewer" in ready.info.note
    with_bits = bench.ask(FIRST).finished.ids
    plain = bench.open(folder)
    assert isinstance(plain, ModelReady)
    assert "fewer" not in plain.info.note
    assert bench.ask(FIRST).finished.ids == with_bits


def test_states_of_other_bits_never_mix_in_memory_or_on_disk(tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", "llama", head_dim=64)
    names, answers = set(), {}
    for bits in (None, 8, 4, None, 8):
        bench = Bench(chunk=8)
        bench.do(ConfigureDiskCache(str(tmp_path / "disk")))
        assert isinstance(bench.open(folder, kv_bits=bits), ModelReady)
        names.add(bench.model.state_fingerprint)
        asked = bench.ask(FIRST, max_tokens=20)
        assert (asked.started.request.cached > 0) == (bits in answers), bits
        assert answers.setdefault(bits, asked.finished.ids) == asked.finished.ids
        bench.do(Shutdown())
    assert len(names) == 3


def test_it_takes_less_memory(tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", "llama", head_dim=64)
    rows = {}
    for bits in (None, 8, 4):
        bench = Bench()
        bench.open(folder, kv_bits=bits)
        bench.ask(FIRST)
        rows[bits] = bench.cache.active.layers.row_bytes
    assert rows[8] <= 0.3 * rows[None]  # of four bytes to a number
    assert rows[4] <= 0.6 * rows[8]


def test_ids_do_not_depend_on_bits_and_odd_bits_are_as_good_as_none(tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", "llama", head_dim=64)
    bench = Bench()
    prints = set()
    for bits in (None, 8, 3, 0, -1):
        ready = bench.open(folder, kv_bits=bits)
        assert isinstance(ready, ModelReady)
        assert ready.info.kv_bits == (bits if bits == 8 else None)
        prints.add(ready.info.fingerprint)
    assert len(prints) == 1
    assert isinstance(opened_folder(folder), LoadedModel)
    assert LoadModel("x").kv_bits is None
