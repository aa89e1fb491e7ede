from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import Api, Script, serving


@pytest.fixture
def script() -> Script:
    """What the engine of the local API does."""
    return Script()


@pytest.fixture
def api(script: Script) -> Iterator[Api]:
    """A server that listens, and a client of it."""
    with serving(script) as api:
        yield api


@pytest.fixture(scope="module")
def shared() -> Iterator[Api]:
    """A server for tests that leave it as it was."""
    with serving() as api:
        yield api
