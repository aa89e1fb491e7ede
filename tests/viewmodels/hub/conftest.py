"""A hub on loopback, and the region that asks it through a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.capabilities import Capabilities
from app.protocol.events import EngineStarted
from app.protocol.memory import Memory, ModelSupport
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from tests.hub.conftest import NAME
from tests.hub.server import Hub, Repo, serving

STARTERS = Path(__file__).parents[3] / "resources" / "models" / "starters.json"
MEMORY = Memory(total=16 << 30, working_set=12 << 30)


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub with one model, which a search finds."""
    with serving() as hub:
        hub.repos[NAME] = Repo()
        hub.found = [{"id": NAME, "tags": ["mlx", "safetensors"], "downloads": 7}]
        yield hub


@pytest.fixture
def opened() -> list[str]:
    """The folders of models that were opened."""
    return []


@pytest.fixture
def make_region(qtbot: QtBot, tmp_path: Path, hub: Hub, opened: list[str]) -> Iterator[Callable[[], HubRegion]]:
    """Make regions over one data folder, one after the other, as a person starts the program."""
    made: list[HubRegion] = []

    def make() -> HubRegion:
        while made:
            made.pop().close()
        settings = Settings(tmp_path / "settings.json")
        settings.update(hub=hub.address)
        folders = Folders("", "", str(tmp_path / "downloads.json"), str(STARTERS), str(tmp_path / "cache"))
        region = HubRegion(settings, folders, Notices(lambda: 0), opened.append)
        region.take(EngineStarted(Capabilities(*[True] * 9), ModelSupport(frozenset({"llama", "qwen3"}), MEMORY)))
        region.start()
        region.show()
        made.append(region)
        return region

    yield make
    while made:
        made.pop().close()


@pytest.fixture
def region(make_region: Callable[[], HubRegion]) -> HubRegion:
    """A region, just started."""
    return make_region()
