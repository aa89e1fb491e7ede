"""Context lengths as the configurations of real models state them."""

from __future__ import annotations

from typing import Any

import pytest

from app.models.context import UNSTATED, context_length


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"max_position_embeddings": 2048}, 2048),
        ({"n_positions": 1024}, 1024),
        ({"text_config": {"max_position_embeddings": 262_144}, "max_position_embeddings": 5}, 262_144),
        ({"text_config": {"hidden_size": 4}, "max_position_embeddings": 4096}, 4096),
        ({"max_position_embeddings": 131_072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
          "original_max_position_embeddings": 8192}}, 131_072),
        ({"max_position_embeddings": 32_768, "rope_scaling": {"type": "yarn", "factor": 4.0,
          "original_max_position_embeddings": 32_768}}, 131_072),
        ({"max_position_embeddings": 131_072, "rope_scaling": {"type": "yarn", "factor": 32.0,
          "original_max_position_embeddings": 4096}}, 131_072),
        ({"max_position_embeddings": 4096, "rope_scaling": None}, 4096),
        ({"max_position_embeddings": None}, UNSTATED),
        ({"max_position_embeddings": float("inf")}, 1 << 30),
        ({"max_position_embeddings": float("nan")}, UNSTATED),
        ({"max_position_embeddings": 10**400}, 1 << 30),
        ({"max_position_embeddings": True, "n_ctx": "many", "n_positions": 512}, 512),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "yarn", "factor": float("inf"),
          "original_max_position_embeddings": 4096}}, 4096),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "yarn", "factor": 1e9,
          "original_max_position_embeddings": 4096}}, 1 << 30),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "yarn", "factor": 2.0,
          "original_max_position_embeddings": 10**400}}, 4096),
        ({}, UNSTATED),
    ],
)  # fmt: skip
def test_stated_lengths(config: dict[str, Any], tokens: int) -> None:
    assert context_length(config) == tokens


def test_the_tokenizers_length_counts_where_nothing_is_stated() -> None:
    assert context_length({}, 8192) == 8192
    assert context_length({}, 10**30) == UNSTATED
    assert context_length({"max_position_embeddings": 2048}, 8192) == 2048
