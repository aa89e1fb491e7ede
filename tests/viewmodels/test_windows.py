"""Two windows over one engine and one database: whatever is done in which order, each shows what is stored."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.viewmodels.app import App
from app.viewmodels.windows import Windows
from tests.fakes.engine import Script
from tests.seeds import chosen

STEPS = 25


def windows_of(app: App) -> Windows:
    """Return the windows that one of them belongs to."""
    found = app.workspace.findChild(Windows)
    assert isinstance(found, Windows)
    return found


def at_rest(app: App) -> bool:
    """Whether nothing is asked, written or read any more."""
    windows = windows_of(app).apps
    return not (
        list(app.chat.questions)
        or app.library.changes.is_pending
        or app.chat.drafts.sent
        or app.chat.open_paths.waiting
        or any(one.library.is_opening for one in windows)
    )


def path_in(database: Path, conversation_id: str) -> list[tuple[str, str]]:
    """Return the ids and texts of the path that a conversation is left on, as the database has it."""
    store = Store(database)
    try:
        is_there = any(one.id == conversation_id for one in store.conversations.all())
        return [(one.id, one.text) for one in store.messages.load(conversation_id).path] if is_there else []
    finally:
        store.close()


class Person:
    """Goes about in two windows by chance."""

    def __init__(self, windows: list[App], rng: random.Random) -> None:
        self.windows, self.rng, self.asked = windows, rng, 0

    def act(self) -> None:
        """Do one thing in one of the windows."""
        app, rng = self.rng.choice(self.windows), self.rng
        library, chat = app.library, app.chat
        rows = [row.id for row in chat.chat_model.rows]
        message = rng.choice([None, *rows])
        known = [one.id for one in library.library.conversations if library.library.is_stored(one.id)]
        verbs: list[Callable[[], object]] = [
            *[self.ask(app)] * 4,
            lambda: chat.requests.regenerate(message),
            lambda: chat.open_branch.select_version(message, rng.choice([-1, 1])),
            lambda: chat.open_draft.begin_edit(message),
            lambda: library.edits.undo(),
            lambda: library.edits.redo(),
            library.new_conversation,
            lambda: library.edits.delete_message(library.open_id, message) if message else None,
        ]
        if known:
            verbs += [lambda: library.open(rng.choice(known))] * 3
            verbs.append(lambda: library.edits.delete_conversation(rng.choice(known)))
        rng.choice(verbs)()

    def ask(self, app: App) -> Callable[[], None]:
        """Return what asks the next question in a window."""
        self.asked += 1
        words = f"Question {self.asked}?"
        return lambda: app.chat.requests.send(words)


def test_two_windows_show_what_is_stored_whatever_is_done_in_them(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    for seed in chosen(range(4)):
        app = make_app()
        qtbot.waitUntil(lambda app=app: app.model.current_model.to_ask is not None)
        windows = [app, windows_of(app).open()]
        person = Person(windows, random.Random(seed))
        for step in range(STEPS):
            person.act()
            qtbot.waitUntil(lambda app=app: at_rest(app))
            opened = [one.library.open_id for one in windows]
            assert len(set(opened)) == 2, f"seed {seed}, step {step}: one conversation in two windows"
            for one in windows:
                stored = path_in(data_folder / "conversations.db", one.library.open_id)
                shown = [(row.id, row.text) for row in one.chat.chat_model.rows]
                assert shown == stored, f"seed {seed}, step {step}"
            listed = [[row.id for row in one.library.conversation_model.rows if row.can_change] for one in windows]
            assert sorted(listed[0]) == sorted(listed[1]), f"seed {seed}, step {step}"


def test_a_conversation_that_another_window_has_brings_that_window_forward(
    qtbot: QtBot, make_app: Callable[[], App]
) -> None:
    first = make_app()
    qtbot.waitUntil(lambda: first.model.current_model.to_ask is not None)
    second = windows_of(first).open()
    first.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: at_rest(first))
    home, blank = first.library.open_id, second.library.open_id
    with qtbot.waitSignal(first.library.cameForward):
        second.library.open(home)
    assert (first.library.open_id, second.library.open_id) == (home, blank)
    first.close()
    second.library.open(home)
    qtbot.waitUntil(lambda: second.library.open_id == home)
    assert second.chat.chat_model.rows[0].text == "Pears?"


def test_an_answer_goes_on_when_its_window_is_closed(qtbot: QtBot, make_app: Callable[[], App], script: Script) -> None:
    first = make_app()
    qtbot.waitUntil(lambda: first.model.current_model.to_ask is not None)
    second = windows_of(first).open()
    script.hold = 1
    first.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: bool(first.chat.questions.at_engine))
    home = first.library.open_id
    first.close()
    script.go.set()
    qtbot.waitUntil(lambda: at_rest(second))
    second.library.open(home)
    qtbot.waitUntil(lambda: len(second.chat.chat_model.rows) == 2)
    assert second.chat.chat_model.rows[-1].text


def test_windows_are_numbered_from_one_and_told_of(app: App) -> None:
    windows, opened, closed = windows_of(app), list[App](), list[App]()
    windows.opened.connect(opened.append)
    windows.closed.connect(closed.append)
    second, fifth = windows.open(), windows.open(5)
    assert opened == [second, fifth]
    assert [one.number for one in windows.apps] == [1, 2, 5]
    for number in (5, 0):
        with pytest.raises(ValueError, match=rf"{number} beside \[1, 2, 5\]"):
            windows.open(number)
    second.close()
    second.close()
    assert closed == [second]
    third = windows.open()
    assert third.number == 2
    assert windows.apps == (app, fifth, third)


def test_the_front_window_is_the_one_that_was_activated_last(app: App) -> None:
    windows = windows_of(app)
    second, third = windows.open(), windows.open()
    assert windows.front is app
    for one in (app, second, third, second):
        one.come_to_front()
        assert windows.front is one
    second.close()
    assert windows.front is third
    second.come_to_front()
    assert windows.front is third


def test_what_is_announced_is_said_in_the_front_window_alone(app: App) -> None:
    second = windows_of(app).open()
    heard: list[tuple[App, str]] = []
    for one in (app, second):
        one.announced.connect(lambda text, one=one: heard.append((one, text)))
    app.notices.announce("Version 2 of 3")
    second.come_to_front()
    app.notices.announce("Answer finished")
    assert heard == [(app, "Version 2 of 3"), (second, "Answer finished")]


def test_undo_of_a_notice_takes_one_step_back_however_many_windows_there_are(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    windows_of(app).open()
    for words in ("Pears?", "Plums?"):
        app.library.new_conversation()
        app.chat.requests.send(words)
        qtbot.waitUntil(lambda: at_rest(app))
        app.library.edits.delete_conversation(app.library.open_id)
        qtbot.waitUntil(lambda: at_rest(app))
    app.notices.press()
    qtbot.waitUntil(lambda: at_rest(app) and bool(app.library.library.conversation(app.library.open_id)))
    assert [one.title for one in app.library.library.conversations if one.title] == ["Plums?"]


def test_a_conversation_is_moved_into_a_window_of_its_own(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    app.open_in_new_window(app.library.open_id)
    assert windows_of(app).apps == (app,), "nothing was said there yet"
    app.chat.requests.send("Pears?")
    app.chat.open_draft.write("And plums")
    qtbot.waitUntil(lambda: at_rest(app))
    home = app.library.open_id
    app.open_in_new_window(home)
    first, second = windows_of(app).apps
    assert (second.library.open_id, second.chat.open_draft.now.text) == (home, "And plums")
    assert not first.chat.chat_model.rows
    with qtbot.waitSignal(second.library.cameForward):
        app.open_in_new_window(home)
    assert windows_of(app).apps == (first, second)
