"""What a model is called, from where it lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.models.names import hub_repository, model_name, shown


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/models/Qwen3-8B-4bit", "Qwen3-8B-4bit"),
        ("/models/Qwen3-8B-4bit/", "Qwen3-8B-4bit"),
        ("/hub/models--mlx-community--Qwen3-8B-4bit/snapshots/0123abcd", "Qwen3-8B-4bit"),
        ("/hub/models--gpt2/snapshots/0123abcd", "gpt2"),
        ("/hub/models--a--b/elsewhere/0123abcd", "0123abcd"),
        ("ollama:qwen3:8b-mlx", "qwen3:8b-mlx"),
        ("", ""),
    ],
)
def test_a_model_is_called_like_its_folder_its_repository_or_as_ollama_does(path: str, name: str) -> None:
    assert model_name(path) == name


def test_a_repository_has_an_owner_or_none() -> None:
    assert hub_repository(Path("/hub/models--mlx-community--Phi--4/snapshots/1")) == ("mlx-community--Phi", "4")
    assert hub_repository(Path("/hub/models--gpt2/snapshots/1")) == ("", "gpt2")
    assert hub_repository(Path("/models/snapshots/1")) is None


def test_every_letter_of_a_name_can_be_seen() -> None:
    assert shown("a\nb\u202ec\udcff") == "a bc\ufffd"
    assert len(shown("x" * 9000)) == 200
