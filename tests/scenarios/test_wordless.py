"""An answer that was stopped in its thought ends a branch: all that is done to a branch goes on as before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.message import Message
from app.protocol.events import Pinned, Verified, WarmedUp
from tests.fakes.model_folder import write_model_folder
from tests.scenarios.sitting import SitDown, Sitting
from tests.scenarios.test_restart import QUESTION


@pytest.fixture(params=[("", "Which garden?"), (" \n", "")], ids=["thought", "blank"])
def sitting(sit_down: SitDown, tmp_path: Path, request: pytest.FixtureRequest) -> Sitting:
    """A conversation whose last answer was asked for again, and stopped before its first word."""
    now = sit_down().begin(write_model_folder(tmp_path / "model", ends=False))
    now.ask(QUESTION)
    now.ask("And in spring?")
    text, thinking = request.param
    library = now.app.library
    question = library.tree.path[-2]
    answer = Message.new(question.conversation_id, question.id, "assistant", text)
    stopped = replace(answer, thinking=thinking, stop="cancelled")
    library.changes.make(lambda store: store.messages.add(stopped))
    now.until(lambda: now.app.chat.chat_model.rows[-1].id == stopped.id)
    return now


def test_all_verbs_of_the_cache_take_a_branch_that_ends_without_a_word(sitting: Sitting, sit_down: SitDown) -> None:
    app, menus = sitting.app, sitting.program.window.menus
    sitting.until(lambda: menus.actions["warm_up"].isEnabled())
    app.act("warm_up")
    sitting.until(lambda: bool(sitting.told(WarmedUp)))
    assert sitting.told(WarmedUp)[-1].problem is None
    sitting.until(lambda: menus.actions["verify"].isEnabled())
    app.act("verify")
    sitting.until(lambda: bool(sitting.told(Verified)))
    assert sitting.told(Verified)[-1].problem is None

    sitting.until(lambda: menus.actions["pin"].isEnabled())
    app.act("pin")
    sitting.until(lambda: bool(sitting.told(Pinned)))
    assert sitting.told(Pinned)[-1].problem is None
    sitting.until(lambda: menus.actions["unpin"].isEnabled() and not menus.actions["pin"].isEnabled())
    sitting.until(lambda: [one.is_pinned for one in app.library.tree.path] == [False, False, True, False])

    sitting = sit_down().begin()
    app, menus = sitting.app, sitting.program.window.menus
    sitting.until(lambda: menus.actions["unpin"].isEnabled())
    app.act("unpin")
    sitting.until(lambda: menus.actions["pin"].isEnabled())
    sitting.until(lambda: not any(one.is_pinned for one in app.library.tree.path))
    assert not any(node.is_pinned for node in app.cache.view.nodes)
