"""What rows of the outline say while answers are written and right after they have ended, however late the figures."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.conversation.message_store import MessageStore
from app.protocol.commands import Command, EstimateCost
from app.viewmodels.app import App
from app.viewmodels.branches.branch_text import spoken_branch
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ready

LATE_MS = 40


def delayed(submit: Callable[[Command], None], draw: random.Random, app: App) -> Callable[[Command], None]:
    """Have prices come late, each by another time."""

    def send(command: Command) -> None:
        if isinstance(command, EstimateCost):
            QTimer.singleShot(draw.randrange(LATE_MS), app, lambda: submit(command))
        else:
            submit(command)

    return send


def said(app: App) -> list[str]:
    """Everything that the outline says of its rows."""
    model, now = app.branches.model, time.time()
    rows = ((node, model.row(node)) for node in model.rows if not node.folded and not node.is_turn)
    return [spoken_branch(row, model.warmth(row), node, now) for node, row in rows]


def watched(
    app: App, draw: random.Random, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[], Sequence[str]]
) -> tuple[QTimer, list[str]]:
    """Have prices come late, and look at the outline each millisecond. Returns what looks, and what it finds wrong."""
    queries, heard = app.chat.warmth._cost_queries, list[str]()
    monkeypatch.setattr(queries, "_submit", delayed(queries._submit, draw, app))
    app.branches.wake()
    watch = QTimer(app, interval=1)
    watch.timeout.connect(lambda: heard.extend(wrong()))
    watch.start()
    return watch, heard


@pytest.mark.parametrize("seed", range(4))
def test_no_row_says_that_it_has_no_tokens(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Four answers to one question, of which each is a row, ended one after the other or all at once."""
    draw = random.Random(seed)
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    save = MessageStore.save_answer

    def save_late(store: MessageStore, *arguments: Any, **named: Any) -> object:
        time.sleep(draw.random() * LATE_MS / 1000)
        return save(store, *arguments, **named)

    monkeypatch.setattr(MessageStore, "save_answer", save_late)
    watch, heard = watched(app, draw, monkeypatch, lambda: [one for one in said(app) if ", 0\xa0tokens" in one])
    script.go.clear()
    script.hold = draw.randrange(1, 4)
    app.chat.requests.choose_count(4)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(app.lanes.rows) == 4)
    qtbot.wait(4 * LATE_MS)
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))

    def is_told() -> bool:
        rows = said(app)
        return len(rows) >= 5 and all("\xa0token" in one for one in rows)

    qtbot.waitUntil(is_told)
    watch.stop()
    assert not heard


def words_of(app: App, messages: Sequence[Message]) -> int:
    """Count the words of messages, each a token at least, with those of answers that are being written."""
    written = {one.held_id: one.text for one in app.chat.questions}
    return sum(len(written.get(one.id, one.text).split()) for one in messages)


def too_few(app: App) -> list[str]:
    """What is said of fewer tokens than there are: of rows, and below them of the path to the one that is chosen."""
    tree, model, found = app.library.tree, app.branches.model, []
    for node in model.rows:
        run = tree.runs().get(node.id)
        if run is None or node.folded or node.is_turn:
            continue
        path, row = tree.path_to(run.last_id), model.row(node)
        said = [(spoken_branch(row, model.warmth(row), node, time.time()), path[-run.length :])]
        if app.branches.state.now.chosen == row:
            said.append((app.branches.state.now.held, path))
        for words, messages in said:
            told = re.search("(\\d+)\xa0tokens?", words)
            if told is not None and int(told[1]) < words_of(app, messages):
                found.append(words)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_no_row_tells_fewer_tokens_than_it_holds(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """At random: answers end by themselves, are stopped and go on, after what was said or beside it."""
    draw = random.Random(seed)
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    watch, heard = watched(app, draw, monkeypatch, lambda: too_few(app))
    for number in range(4):
        script.answers[f"Why {number}?"] = " ".join(["because"] * draw.randrange(12, 20))
        script.go.clear()
        script.hold = draw.randrange(8, 12)
        if draw.random() < 0.3:
            app.chat.open_draft.begin_edit(None)
        app.chat.requests.send(f"Why {number}?")
        qtbot.waitUntil(lambda: any(one.text for one in app.chat.questions))
        qtbot.wait(draw.randrange(3 * LATE_MS))
        if draw.random() < 0.5:
            app.chat.requests.stop()
            qtbot.waitUntil(lambda: not list(app.chat.questions))
            qtbot.wait(draw.randrange(3 * LATE_MS))
            app.chat.requests.go_on()
            qtbot.wait(draw.randrange(3 * LATE_MS))
        script.go.set()
        qtbot.waitUntil(lambda: not list(app.chat.questions))
        if draw.random() < 0.5:
            qtbot.wait(draw.randrange(3 * LATE_MS))
    qtbot.waitUntil(lambda: all("\xa0token" in one for one in said(app)))
    qtbot.waitUntil(lambda: "\xa0token" in app.branches.state.now.held)
    watch.stop()
    assert heard == []
