"""The model that is open: everything that answering needs, and what the window shows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from app.engine.memory import Memory
from app.engine.step_memory import Sizes
from app.prompting.codec import Codec
from app.prompting.prompt import PromptBuilder
from app.protocol.chat import Sampling


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """An open model, ready to answer.

    forward: tokens [1, n] and cache objects -> logits [1, n, vocabulary]. new_caches: a fresh list of those objects.
    fingerprint, state_fingerprint: names of what shapes token ids, and of what shapes cached state. weight_bytes: of
    the weights as they lie in memory. sizes: what the memory of a call depends on. sampling: as its authors
    recommend it. kv_bits: in how many bits the KV cache is kept, None for all. adapter: folder of
    the one that is added, or "". own_context: how many tokens it can read; context_length: how many it may, which is
    fewer where a person has limited it. note: what a person should know of how it was opened.
    """

    path: str
    name: str
    detail: str
    fingerprint: str
    state_fingerprint: str
    own_context: int
    context_length: int
    weight_bytes: int
    memory: Memory
    sizes: Sizes
    forward: Callable[[mx.array, list[Any]], mx.array]
    new_caches: Callable[[], list[Any]]
    codec: Codec
    prompts: PromptBuilder
    sampling: Sampling
    kv_bits: int | None = None
    adapter: str = ""
    note: str = ""
