"""What is cached of a conversation is erased while a branch of it is pinned, with a real engine."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model_folder import write_model_folder
from tests.scenarios.sitting import SitDown, Sitting


def is_kept(sitting: Sitting) -> bool:
    """Whether the engine has something pinned."""
    return any(node.is_pinned for node in sitting.app.cache.view.nodes)


def test_a_pin_holds_again_from_the_next_answer_on_where_its_cache_was_erased(
    sit_down: SitDown, tmp_path: Path
) -> None:
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", ends=False))
    app = sitting.app
    sitting.ask("What is in the garden, and which of it keeps until spring?")
    sitting.until(lambda: sitting.program.window.menus.actions["pin"].isEnabled())
    app.act("pin")
    sitting.until(lambda: is_kept(sitting) and app.library.tree.path[-1].is_pinned)
    pinned = app.library.tree.path[-1].id
    app.act("forget_cache")
    sitting.until(lambda: not is_kept(sitting))
    assert app.library.tree.message(pinned).is_pinned
    sitting.ask("And in spring?")
    sitting.until(lambda: is_kept(sitting))
    app.library.trash_list.erased.emit(app.library.open_id)  # as when what was deleted of it is gone for ever
    sitting.until(lambda: not is_kept(sitting))
    sitting.ask("And then?")
    sitting.until(lambda: is_kept(sitting))
    app.edges.pin(app.library.tree.path_to(pinned), False)
    sitting.until(lambda: not is_kept(sitting) and not app.library.tree.message(pinned).is_pinned)
