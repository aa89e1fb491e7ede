"""A model folder whose tokenizer is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.model_folder import write_model_folder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama's."""
    return write_model_folder(tmp_path_factory.mktemp("models") / "tiny")
