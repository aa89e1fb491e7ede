"""The path a person was on includes what grew there, wherever they look meanwhile."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ready, texts


def stored_paths(data_folder: Path) -> dict[str, list[str]]:
    """The texts of each conversation's open path, as the next start finds them."""
    store = Store(data_folder / "conversations.db")
    found = {
        one.id: [message.text for message in store.messages.load(one.id).path] for one in store.conversations.all()
    }
    store.close()
    return found


def wait_for_rest(qtbot: QtBot, app: App) -> None:
    """Until nothing is being asked, written or saved."""
    qtbot.waitUntil(lambda: not list(app.chat.questions))


@pytest.mark.parametrize("looks_away", ["before a word", "while it is written"])
def test_an_answer_that_nobody_watched_is_on_the_path(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path, looks_away: str
) -> None:
    app = make_app()
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("What is a tree?")
    if looks_away == "while it is written":
        qtbot.waitUntil(lambda: texts(app)[-1:] not in ([], [""]) and len(texts(app)) == 2)
    left = app.library.open_id
    app.library.new_conversation()
    script.go.set()
    wait_for_rest(qtbot, app)
    app.close()
    assert stored_paths(data_folder)[left] == ["What is a tree?", "You said: What is a tree?"]


def test_another_answer_that_nobody_watched_is_the_one_shown(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    app = make_app()
    ask(qtbot, app, "What is a tree?")
    script.answers["What is a tree?"] = "A plant."
    app.chat.requests.regenerate()
    left = app.library.open_id
    app.library.new_conversation()
    wait_for_rest(qtbot, app)
    app.close()
    assert stored_paths(data_folder)[left] == ["What is a tree?", "A plant."]


def test_whoever_went_to_another_branch_meanwhile_stays_there(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    app = make_app()
    ask(qtbot, app, "What is a tree?")
    script.hold = 1
    app.chat.open_draft.begin_edit()
    app.chat.requests.send("What is a bush?")
    qtbot.waitUntil(lambda: texts(app)[-1] == "You")
    app.chat.open_branch.select_version(None, -1)
    left = app.library.open_id
    app.library.new_conversation()
    script.go.set()
    wait_for_rest(qtbot, app)
    app.close()
    assert stored_paths(data_folder)[left] == ["What is a tree?", "You said: What is a tree?"]


def test_whoever_went_back_to_the_first_answer_stays_there(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    app = make_app()
    ask(qtbot, app, "What is a tree?")
    script.answers["What is a tree?"], script.hold = "A plant.", 0
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine))
    app.chat.open_branch.select_version(app.chat.chat_model.rows[-1].id, -1)
    left = app.library.open_id
    script.go.set()
    wait_for_rest(qtbot, app)
    app.close()
    assert stored_paths(data_folder)[left] == ["What is a tree?", "You said: What is a tree?"]


def test_a_path_that_was_left_on_an_answered_question_goes_on_to_the_answer(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    """Versions before this one left such paths behind: the answer was there, and nobody saw it."""
    app = make_app()
    ask(qtbot, app, "What is a tree?")
    left, question = app.library.open_id, app.chat.chat_model.rows[0].id
    app.close()
    store = Store(data_folder / "conversations.db")
    store.messages.select_path(left, question)
    store.close()
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["What is a tree?", "You said: What is a tree?"])


@pytest.mark.parametrize("start", [0, 100])
def test_no_switching_loses_sight_of_what_grew(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path, start: int
) -> None:
    """Several conversations, switched at random while they are answered, then quit or left at a random moment."""
    for seed in chosen(range(start, start + 6)):
        dice = random.Random(seed)
        script.hold = dice.choice([None, 1, 2])
        script.go.clear()
        app = make_app()
        ready(qtbot, app)
        for number in range(dice.randint(8, 24)):
            _act(app, dice, f"question {seed} {number}")
            if dice.random() < 0.4:
                script.go.set()
            for _ in range(dice.choice((0, 0, 1, 5))):
                QApplication.processEvents()
            if dice.random() < 0.3:
                qtbot.wait(dice.choice((1, 10, 30)))
        if dice.random() < 0.5:
            script.go.set()
            wait_for_rest(qtbot, app)
        trees = app.library.library._trees
        app.close()
        # A question that waits to be answered again ends the path only until the program is quit.
        leaves = {one: tree.leaf_below(tree.leaf_id) for one, tree in trees.items()}
        shown = {one: [message.text for message in trees[one].path_to(leaf)] for one, leaf in leaves.items() if leaf}
        stored = stored_paths(data_folder)
        assert {one: stored[one] for one in shown} == shown, f"seed {seed}"


def test_a_path_that_goes_back_to_an_answer_just_being_stored_ends_with_it(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    app = make_app()
    ask(qtbot, app, "What is a tree?")
    left, is_slow = app.library.open_id, threading.Event()
    script.answers["What is a tree?"], script.hold = "A plant.", 1
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: texts(app) == ["What is a tree?", "A"])
    app._store.do(lambda _store: is_slow.wait(5))
    (question,) = app.chat.questions.at_engine
    app.chat.answer_saver.save(question)
    for step in (-1, 1):
        app.chat.open_branch.select_version(app.chat.chat_model.rows[-1].id, step)
    assert not question.progress.is_stored
    is_slow.set()
    app._store.drain()
    found: list[list[str]] = []
    app._store.do(lambda store: [one.text for one in store.messages.load(left).path], found.append)
    app._store.drain()
    assert found == [["What is a tree?", "A"]]
    script.go.set()


@pytest.mark.parametrize("start", [0, 100])
def test_a_kill_at_any_moment_leaves_the_path_as_far_as_it_was_stored(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, start: int
) -> None:
    """What the database would say is compared with what was shown when it was asked."""
    compared = list[int]()

    def look(store: Store) -> dict[str, tuple[list[str], set[str]]]:
        return {
            one.id: (
                [message.id for message in store.messages.load(one.id).path],
                {each.id for each in store.messages.of(one.id)},
            )
            for one in store.conversations.all()
        }

    def compare(seed: int, shown: dict[str, list[str]], stored: dict[str, tuple[list[str], set[str]]]) -> None:
        for conversation_id, (path, known) in stored.items():
            expected = list(takewhile(known.__contains__, shown[conversation_id])) if conversation_id in shown else []
            assert path[: len(expected)] == expected, f"seed {seed}, after {len(compared)} looks"
            compared.append(len(expected))

    for seed in chosen(range(start, start + 4)):
        dice = random.Random(seed)
        script.hold = None
        app = make_app()
        ready(qtbot, app)
        for number in range(120):
            script.hold = dice.choice([None, 1, 2])
            _act(app, dice, f"question {number}")
            if dice.random() < 0.5:
                script.go.set()
            else:
                script.go.clear()
            for _ in range(dice.choice((0, 1, 5))):
                QApplication.processEvents()
            if dice.random() < 0.3:
                qtbot.wait(dice.choice((1, 10, 30)))
            trees = app.library.library._trees
            shown = {one: [message.id for message in tree.path] for one, tree in trees.items()}
            app._store.do(look, partial(compare, seed, shown))
        script.go.set()
        app.close()
    assert max(compared) > 1


def _act(app: App, dice: random.Random, text: str) -> None:
    rows = [row for row in app.library.conversation_model.rows if not row.is_folder]
    match dice.randrange(8):
        case 0 | 1 | 2:
            app.chat.requests.send(text)
        case 3:
            app.chat.requests.regenerate()
        case 4:
            app.library.new_conversation()
        case 5:
            app.chat.open_draft.begin_edit()
            app.chat.requests.send(text)
        case 6:
            app.chat.open_branch.select_version(None, dice.choice((-1, 1)))
        case _:
            app.library.open(dice.choice(rows).id)


def test_a_stop_before_the_first_word_of_another_answer_shows_the_one_there_was(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "What is a tree?")
    script.hold = 0
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine))
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: texts(app) == ["What is a tree?", "You said: What is a tree?"])


def test_a_question_come_back_to_before_it_was_stored_stays_on_the_path(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "What is a tree?")
    script.hold = 0
    app.chat.open_draft.begin_edit()
    app.chat.requests.send("What is a bush?")
    app.chat.open_branch.select_version(None, -1)
    app.chat.open_branch.select_version(None, 1)
    app._store.drain()
    found: list[list[str]] = []
    open_id = app.library.open_id
    app._store.do(lambda store: [one.text for one in store.messages.load(open_id).path], found.append)
    app._store.drain()
    assert found == [["What is a bush?"]]


def test_a_branch_chosen_while_something_is_undone_stays_chosen(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "What is a tree?")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "What is a bush?")
    ask(qtbot, app, "And a shrub?")
    app.chat.open_branch.delete_message()
    app.chat.open_branch.select_version(None, -1)
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    assert texts(app) == ["What is a tree?", "You said: What is a tree?"]
    app._store.drain()
    found: list[list[str]] = []
    open_id = app.library.open_id
    app._store.do(lambda store: [one.text for one in store.messages.load(open_id).path], found.append)
    app._store.drain()
    assert found == [texts(app)]
