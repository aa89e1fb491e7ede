"""A hub and a place for models, for every test here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.hub.connection import Connection
from tests.hub.server import Hub, Repo, serving

NAME = "mlx-community/Tiny-1B-4bit"


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub with one model."""
    with serving() as hub:
        hub.repos[NAME] = Repo()
        yield hub


@pytest.fixture
def connection(hub: Hub) -> Iterator[Connection]:
    """A connection to it, without a token."""
    with Connection(hub.address, read=5.0) as connection:
        yield connection


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The Hugging Face cache, empty."""
    return tmp_path / "cache"
