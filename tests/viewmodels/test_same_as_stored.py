"""Whatever somebody does at once: at rest the window holds of each message what the database holds of it."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.conversation.store import Store
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import some
from tests.viewmodels.test_app_stress import all_of
from tests.viewmodels.test_refusals import Stubborn, is_at_rest

ACTIONS = 70


class Marking(Stubborn):
    """Somebody who gives names, stars and pins besides, whatever is being written."""

    def act(self) -> None:
        message_id = self.some_message()
        if message_id is None or self.rng.random() < 0.75:
            super().act()
            return
        library, tree = self.app.library, self.app.library.tree
        verb = self.rng.choice(("name", "star", "pin"))
        if verb == "name":
            library.edits.name_branch(message_id, self.rng.choice(("cheaper", "longer", "")))
        elif verb == "star":
            library.edits.mark_branch(message_id, self.rng.random() < 0.5)
        else:
            self.app.edges.pin(tree.path_to(message_id), self.rng.random() < 0.6)


def told(message: Message) -> Any:
    """All that a message holds, as JSON has it."""
    return json.loads(json.dumps(asdict(message), default=str))


@pytest.mark.parametrize("seed", some(range(30), 6))
def test_the_window_and_the_database_hold_the_same(
    qtbot: QtBot, app: App, script: Script, data_folder: Path, seed: int
) -> None:
    app.chat.answer_saver._timer.setInterval(15)
    rng = random.Random(seed)
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    person = Marking(app, script, rng)
    for _ in range(ACTIONS):
        person.act()
        qtbot.wait(rng.choice((0, 1, 5, 30)))
    script.hold = None
    asked = app.workspace.cached_branches._asked_pins
    qtbot.waitUntil(lambda: not asked and is_at_rest(app))
    trees = dict(app.library.library._trees)
    held = {home: {message.id: told(message) for message in all_of(tree)} for home, tree in trees.items()}
    app.close()
    store = Store(data_folder / "conversations.db")
    for conversation in store.conversations.all():
        stored = {message.id: told(message) for message in store.messages.of(conversation.id)}
        assert held.get(conversation.id, stored) == stored
    store.close()
