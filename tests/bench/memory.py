"""Whether the bytes that the cache reports are the bytes that MLX holds, and what a switch of branches takes beside.

Run as `python -m tests.bench.memory`; writes build/bench/memory.json. The models are shaped so that a few thousand
tokens come to more than 64 MiB of state.
"""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from app.kvcache.prefix_cache import PrefixCache
from tests.bench.models import random_model
from tests.bench.report import machine, say, write

LEAST_BYTES = 64 << 20
TOLERANCE = 0.02  # of the active memory
LENGTH = 512  # tokens of a branch
CHUNK = 256
VOCABULARY = 256
SHARED = 64  # tokens at the beginning of all branches

SMALL = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": VOCABULARY}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 256}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "rows": {"model_type": "llama", **SMALL, **HEADS, "rms_norm_eps": 1e-5},
    "windows and rows": {
        "model_type": "gemma3_text",
        **SMALL,
        **HEADS,
        "num_hidden_layers": 3,
        "sliding_window": 64,
        "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 256,
    },
    "whole states": {
        "model_type": "mamba2",
        **SMALL,
        "num_heads": 16,
        "head_dim": 64,
        "state_size": 128,
        "layer_norm_epsilon": 1e-5,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "tie_word_embeddings": True,
        "time_step_limit": (0.0, float("inf")),
        "time_step_rank": "auto",
    },
    "whole states and rows": {
        "model_type": "qwen3_5",
        "text_config": {
            "model_type": "qwen3_5_text",
            **SMALL,
            **HEADS,
            "full_attention_interval": 2,
            "linear_num_value_heads": 8,
            "linear_num_key_heads": 8,
            "linear_key_head_dim": 128,
            "linear_value_head_dim": 128,
        },
    },
    "compounds": {
        "model_type": "falcon_h1",
        **SMALL,
        **HEADS,
        "mamba_d_head": 64,
        "mamba_d_ssm": 512,
        "mamba_n_heads": 8,
        "mamba_d_state": 64,
    },
}


@dataclass(frozen=True, slots=True)
class Row:
    """Bytes. reported: stored, live as allocated, and MLX's overhead. active: what MLX says it holds beyond the
    weights.

    switch_peak: MLX's peak beyond what it held before a switch. switch_limit: what leaves, what enters, and the
    largest layer's buffers.
    """

    kind: str
    reported: int
    active: int
    switch_peak: int
    switch_limit: int

    @property
    def error(self) -> float:
        return abs(self.reported - self.active) / self.active

    @property
    def is_kept(self) -> bool:
        return self.error <= TOLERANCE and self.switch_peak <= self.switch_limit and self.active >= LEAST_BYTES


class Subject:
    """A cache over one of these models. `branches` share their beginning."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        model = random_model(CONFIGURATIONS[kind])
        model.eval()
        mx.eval(model.parameters())
        self._weights = _active()
        self._words = Random(1)
        self._shared = self._text(SHARED)
        self.cache = PrefixCache(
            lambda tokens, caches: model(tokens, cache=caches), lambda: make_prompt_cache(model), 1 << 40, grid=64
        )
        self.branches: list[array[int]] = []

    @property
    def active(self) -> int:
        return _active() - self._weights

    @property
    def reported(self) -> int:
        return self.cache.paged_bytes + self.cache.budget.overhead_bytes + self.cache.active.layers.allocated_bytes

    def grow(self, least: int) -> None:
        """New branches until so many bytes are held, two at least."""
        while len(self.branches) < 2 or self.reported < least:
            branch = self._shared + self._text(LENGTH)
            self.read(branch)
            self.branches.append(branch)

    def read(self, tokens: Sequence[int]) -> None:
        """A request that ends with the last of the tokens."""
        with self.cache.begin(tokens, (SHARED,)) as session:
            while session.prefill(CHUNK):
                pass
            mx.eval(session.decode(tokens[-1]))

    def switch(self, tokens: Sequence[int]) -> int:
        """Peak bytes, beyond those held before, while another branch is brought in; nothing is computed."""
        before = _active()
        mx.reset_peak_memory()
        with self.cache.begin(tokens):
            pass
        return max(0, mx.get_peak_memory() - before)

    def switch_limit(self) -> int:
        """For branches of one length: their own parts, out and in, and the buffers of the largest layer."""
        active = self.cache.active
        suffix = LENGTH * active.layers.row_bytes + active.layers.state_bytes
        return 2 * suffix + max(
            (layer.allocated_bytes for layer in active.layers.rows), default=active.layers.state_bytes
        )

    def _text(self, count: int) -> array[int]:
        return array("i", (self._words.randrange(VOCABULARY) for _ in range(count)))


def measure(kind: str) -> Row:
    """Fill a cache of this kind, compare, and switch from its last branch to its first."""
    subject = Subject(kind)
    subject.grow(LEAST_BYTES * 5 // 4)
    reported, active = subject.reported, subject.active
    limit = subject.switch_limit()
    return Row(kind, reported, active, subject.switch(subject.branches[0]), limit)


def _active() -> int:
    gc.collect()
    mx.clear_cache()
    return mx.get_active_memory()


def line(row: Row) -> str:
    held = f"{row.reported / 1e6:.1f} MB reported, {row.active / 1e6:.1f} active ({row.error:.2%})"
    switch = f"{row.switch_peak / 1e6:.1f} MB to switch, at most {row.switch_limit / 1e6:.1f}"
    return f"{row.kind}: {held}; {switch}{'' if row.is_kept else '  NOT KEPT'}"


def main() -> int:
    """Measure every kind; 1 when a promise is not kept."""
    rows = []
    for kind in CONFIGURATIONS:
        row = measure(kind)
        rows.append(row)
        say(line(row))
    write("memory.json", {"machine": machine(), "rows": [asdict(row) for row in rows]})
    return 0 if all(row.is_kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
