"""The clock of these tests stands after the dates in their files, whatever the machine's says."""

from __future__ import annotations

import pytest

from app.exchange import dates
from tests.exchange.samples import AT

LATEST = AT + 1e8


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "latest", lambda: LATEST)
