"""The program is closed and started again: what was computed is still there, and the window says where."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.protocol.cache_events import CacheEventKind
from app.protocol.commands import SetBudget
from app.protocol.events import Pinned, RunStarted, TrieChanged
from tests.fakes.model_folder import write_model_folder
from tests.scenarios.sitting import SitDown, Sitting
from tests.scenarios.test_window import look_at_cache

QUESTION = "What is in the garden? " * 12


@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_a_fork_after_a_restart_is_computed_nowhere_twice(
    sit_down: SitDown, tmp_path: Path, data_folder: Path, kind: str
) -> None:
    """With every fork kept, on a model of rows and on one with whole states."""
    sitting = sit_down(keeps_every_fork=True).begin(write_model_folder(tmp_path / "model", kind=kind, ends=False))
    first = sitting.ask(QUESTION)
    assert first.request.cached == 0
    sitting.ask("And in spring?")
    texts = [row.text for row in sitting.app.chat.chat_model.rows]

    sitting = sit_down(keeps_every_fork=True).begin()
    sitting.until(lambda: [row.text for row in sitting.app.chat.chat_model.rows] == texts)
    nodes = sitting.app.cache.view.nodes
    assert nodes
    assert {node.residency for node in nodes} == {"disk"}
    assert all(node.disk_bytes for node in nodes)
    sitting.until(lambda: sitting.app.chat.state.now.is_on_disk)
    now = sitting.app.state.now
    assert now.chat.subtitle.startswith("On disk")
    assert now.cache.line.endswith("on disk")
    assert now.cache.disk_trouble is None
    look_at_cache(sitting.program.window)
    assert "On disk" in sitting.program.window.cache.head.accessibleName()
    assert sitting.app.folders.snapshots == str(data_folder / "caches" / "snapshots")
    assert not sitting.told(RunStarted)

    sitting.app.chat.open_draft.begin_edit()
    fork = sitting.ask("What about autumn?")
    assert fork.request.excess == 0
    assert fork.request.cached > first.request.total
    assert any(row.text.startswith("Read") for row in sitting.app.cache.event_model.rows)
    assert any(node.residency == "live" for node in sitting.app.cache.view.nodes)


def test_pins_and_the_disk_in_the_menu_reach_the_real_engine(
    sit_down: SitDown, tmp_path: Path, data_folder: Path
) -> None:
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", ends=False))
    window, app = sitting.program.window, sitting.app
    files = data_folder / "caches" / "snapshots"
    sitting.ask(QUESTION)
    sitting.until(lambda: window.menus.actions["pin"].isEnabled())
    window.menus.actions["pin"].trigger()
    sitting.until(lambda: window.menus.actions["unpin"].isEnabled())
    assert sitting.told(Pinned)[-1].problem is None
    sitting.until(lambda: not window.menus.actions["pin"].isEnabled())
    assert any(node.is_pinned for node in app.cache.view.nodes)
    window.menus.actions["unpin"].trigger()
    sitting.until(lambda: window.menus.actions["pin"].isEnabled())
    assert not any(node.is_pinned for node in app.cache.view.nodes)

    sitting.until(lambda: app.cache.view.disk_bytes > 0)
    assert list(files.rglob("*.safetensors"))
    app.act("forget_cache")
    sitting.until(lambda: not any(node.disk_bytes for node in app.cache.view.nodes))
    assert [row.role for row in app.chat.chat_model.rows] == ["user", "assistant"]
    app.settings.update(disk_budget="off")
    sitting.until(lambda: app.cache.view.disk_allowed_bytes == 0)
    sitting.until(lambda: not any(names for _, _, names in os.walk(files)))
    assert app.cache.state.now.disk_trouble is None


@pytest.mark.parametrize("kind", ["llama", "gemma3", "lfm2", "mamba2"])
def test_a_pin_holds_through_a_restart_and_whatever_needs_room(sit_down: SitDown, tmp_path: Path, kind: str) -> None:
    """Pinned, crowded out, closed, opened again on the disk alone, and crowded out once more."""
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", kind=kind, ends=False))
    sitting.app.settings.toggle("keeps_alternatives")  # whose states would have no part in this
    sitting.ask(QUESTION)
    home, pinned_id = sitting.app.library.open_id, sitting.app.library.tree.path[-1].id
    sitting.app.act("pin")
    sitting.until(lambda: sitting.app.library.tree.message(pinned_id).is_pinned)
    crowd(sitting)

    sitting = sit_down().begin()
    sitting.until(lambda: any(node.is_pinned for node in sitting.app.cache.view.nodes))
    crowd(sitting)
    sitting.app.library.open(home)
    sitting.until(lambda: sitting.app.library.open_id == home and sitting.app.chat.branch_costs.path is not None)
    again = sitting.ask("And in spring?")
    assert again.request.excess == 0
    assert again.request.cached > 100


def crowd(sitting: Sitting) -> None:
    """Have other conversations answered within a budget in which they do not all have room."""
    view = sitting.app.cache.view
    pinned = sum(node.bytes for node in view.nodes if node.is_pinned)
    assert pinned
    sitting.program.host.submit(SetBudget(view.live_bytes + 2 * pinned))
    for number in range(3):
        sitting.app.library.new_conversation()
        sitting.ask(f"Number {number}. {QUESTION}")
    evicted = [row for row in sitting.app.cache.event_model.rows if row.kind is CacheEventKind.EVICTED]
    assert evicted
    assert any(
        node.is_pinned and node.residency in ("memory", "live") for node in sitting.told(TrieChanged)[-1].view.nodes
    )
