"""Each conversation is found where it was scrolled to, whatever was looked at and however wide the window was since."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.seeds import each_seed

PIECES = [
    *("word " * 14, "# A heading", "- one\n- two\n- three", "|a|b|\n|-|-|\n|1|2|", "short", "$$x^2$$"),
    "```python\n" + "a=1\n" * 12 + "```",
]
WIDTHS = (900, 1180, 1500)


def ask(qtbot: QtBot, app: App, text: str) -> None:
    app.chat.requests.send(text)
    qtbot.waitUntil(lambda: [row.text for row in app.chat.chat_model.rows[-2:-1]] == [text])
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].footer is not None)


@each_seed(range(2))
def test_whatever_happens_in_between(qtbot: QtBot, window: MainWindow, app: App, script: Script, seed: int) -> None:
    rng, view, bar = random.Random(seed), window.chat.view, window.chat.view.verticalScrollBar()
    conversations: list[str] = []
    for number in range(3):
        app.library.new_conversation()
        qtbot.waitUntil(lambda: not app.chat.chat_model.rows)
        for turn in range(4):
            text = f"{seed}, {number}, {turn}?"
            script.answers[text] = "\n\n".join(rng.choices(PIECES, k=rng.randint(1, 9)))
            ask(qtbot, app, text)
        conversations.append(app.library.open_id)
    left: dict[str, tuple[str, float, int]] = {}
    checked = 0
    for step in range(60):
        what = rng.choice(["scroll"] * 6 + ["resize"] + ["switch"] * 6)
        if what == "scroll":
            bar.setValue(rng.choice([bar.maximum(), *(rng.randint(0, bar.maximum()) for _ in range(3))]))
        elif what == "resize":
            window.resize(rng.choice(WIDTHS), rng.choice([600, 900]))
        QApplication.processEvents()
        if what != "switch":
            continue
        left[app.library.open_id] = (*view.anchor(), view.width())
        wanted = rng.choice([one for one in conversations if one != app.library.open_id])
        app.library.open(wanted)
        qtbot.waitUntil(lambda wanted=wanted: app.library.open_id == wanted)
        QApplication.processEvents()
        if wanted in left:
            anchor, offset, width = left[wanted]
            where = f"step {step}"
            assert view.anchor()[0] == anchor, where
            checked += bool(anchor)
            if width == view.width() and anchor:
                assert view.anchor()[1] == pytest.approx(offset, abs=1.0), where
    assert checked


def test_a_program_that_is_killed_has_stored_it(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, data_folder: Path
) -> None:
    view, bar = window.chat.view, window.chat.view.verticalScrollBar()
    for turn in range(3):
        text = f"{turn}?"
        script.answers[text] = "\n\n".join(PIECES)
        ask(qtbot, app, text)

    store = Store(data_folder / "conversations.db")

    def stored() -> tuple[str, float]:
        anchors = {one.conversation_id: (one.anchor or "", one.offset) for one in store.view_states.all()}
        return anchors.get(app.library.open_id, ("", 0.0))

    for place in (0, bar.maximum() // 3, bar.maximum()):
        bar.setValue(place)
        QApplication.processEvents()
        at = view.anchor()
        assert bool(at[0]) is (place != bar.maximum())
        qtbot.waitUntil(lambda at=at: stored() == (at[0], pytest.approx(at[1], abs=1.0)))
    store.close()
