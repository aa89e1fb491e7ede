"""Every verb in every state: what can be chosen does something to be seen, and what cannot says why."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.conversation.database import Database
from app.conversation.faults import Fault, store_error
from app.launch.paths import paths_in
from app.main import Program
from app.protocol.commands import EstimateCost
from app.viewmodels.actions import ACTIONS, BY_ID, enabled
from app.viewmodels.app import App
from app.viewmodels.kit.action import Menu
from app.viewmodels.unavailable import READ_ONLY, unavailable
from app.widgets.cache import cache_pane
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.window.main_window import MainWindow
from app.widgets.window.text_commands import Field
from tests.fakes.engine import ALL, NONE, Script
from tests.seeds import each_seed, some
from tests.viewmodels.test_app import ask, ready

STEPS = 60
_OTHERS = ("rename", "favourite", "delete_conversation", "find", "find_next", "find_previous", "undo", "redo")
_COPIES = ("copy_markdown", "copy_branch", "copy_branch_markdown", "copy_cache")
_DELETES = ("delete_message", "delete_conversation")  # whose keys edit the text of a field
_OF_ROWS = {"show_row": Qt.Key.Key_Return, "evict_row": Qt.Key.Key_Delete}  # keys of the Cache pane's own
_OUTSIDE = {"show_files", "delete_files", "keep_every_fork", "kv_full", "kv_8", "kv_4"}
VERBS = tuple(one.id for one in ACTIONS if one.menu in (Menu.BRANCH, Menu.CACHE) and one.id not in _OUTSIDE)


_writing = Database.writing


def window_shows_settings(window: MainWindow) -> bool:
    """Whether the pane of the answers' settings is shown already."""
    return window.settings.isVisible()


def window_shows_rows(window: MainWindow) -> bool:
    """Whether the keyboard can be on a row of the Cache pane."""
    return window.cache.tree.isVisible() and window.cache.tree.currentIndex().isValid()


class Person:
    """Goes from state to state by chance, and tries verbs in each."""

    def __init__(self, qtbot: QtBot, window: MainWindow, app: App, script: Script, seed: int) -> None:
        self.qtbot, self.window, self.app, self.script = qtbot, window, app, script
        self.rng = random.Random(seed)
        self.heard: list[str] = []
        self.asked = 0
        self.is_read_only = False
        self.disk = threading.Event()  # which hangs while it is cleared
        self.disk.set()
        app.announced.connect(self.heard.append)

    # States

    def rest(self) -> None:
        """Wait for what is asked and stored, unless an answer is held."""
        app, script = self.app, self.script
        model = app.model
        if self.disk.is_set():
            self.qtbot.waitUntil(lambda: not app._store._pending and not app.library.is_opening)
            is_ready = model.current_model.to_ask is not None and not model.state.now.is_loading
            if script.hold is None and is_ready:
                self.qtbot.waitUntil(lambda: not app.chat.questions.at_engine and app.edges.warm_ups.now is None)
        for _ in range(3):
            QApplication.processEvents()
        app.catch_up()

    def ask(self) -> None:
        self.asked += 1
        words = f"Question {self.asked}"
        self.script.thoughts[words] = self.rng.choice(["", "Hm."])
        self.script.answers[words] = self.rng.choice(["", "Yes.", "It is so, and not otherwise."])
        self.app.chat.requests.send(words)

    def fork(self) -> None:
        self.app.chat.open_draft.begin_edit(None)
        self.ask()

    def write(self) -> None:
        """Have an answer begun that does not end."""
        self.let_go()
        self.script.go.clear()
        self.script.hold = self.rng.choice([0, 1])
        self.ask()
        self.rest()

    def let_go(self) -> None:
        self.script.hold = None
        self.script.go.set()
        self.rest()

    def elsewhere(self) -> None:
        self.app.library.new_conversation()

    def another(self) -> None:
        self.app.library.open(self.rng.choice(self.app.library.library.conversations).id)

    def stop(self) -> None:
        self.app.chat.requests.stop()

    def opening(self) -> None:
        self.script.load_gate.clear()
        self.app.model.open(self.rng.choice(["/models/other", "/models/broken", "/models/deadly"]))

    def opened(self) -> None:
        self.script.load_gate.set()
        self.qtbot.waitUntil(lambda: not self.app.model.state.now.is_loading)

    def edit(self) -> None:
        verb = self.rng.choice(["fork", "edit_answer", "branch_here"])
        if verb in enabled(self.app.state.now):
            self.window.do(verb)

    def type(self) -> None:
        self.app.chat.open_draft.write(self.rng.choice(["", "words", "word " * 500]))
        self.app.chat.open_draft.show()

    def compare(self) -> None:
        if "compare" in enabled(self.app.state.now):
            self.window.do("compare")

    def look(self) -> None:
        """Have the keyboard on a message, in the cache pane, or in the message field."""
        window, view = self.window, self.window.chat.view
        where = self.rng.choice(["message", "message", "row", "field"])
        if where == "message" and self.app.chat.chat_model.rows and view.isVisible():
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            for _ in range(self.rng.randrange(3)):
                view.step(-1)
        elif where == "row":
            window.inspector.show_pane("cache")
            nodes = self.app.cache_rows.trie_model.shown.nodes
            if nodes:
                window.cache.tree.come_to(self.rng.choice(nodes).id, is_chosen=True)
        else:
            window.chat.composer_area.take_focus()

    def lock(self) -> None:
        """Have the database refuse to be written to from now on, or take it again."""
        self.is_read_only = not self.is_read_only

    def hang(self) -> None:
        self.disk.clear()

    def go_on(self) -> None:
        self.disk.set()
        self.rest()

    def restart(self) -> None:
        """Have an engine that can do nothing but answer, or one that can do all."""
        self.script.capabilities = self.rng.choice([ALL, NONE])
        self.app.model.restart_engine()

    @contextmanager
    def writing(self, database: Database) -> Iterator[None]:
        """Write as the disk is now."""
        self.disk.wait()
        if self.is_read_only:
            raise store_error(Fault.READ_ONLY, None)
        with _writing(database):
            yield

    def repair(self) -> None:
        """Have all that hangs or is held go on."""
        self.is_read_only = False
        self.disk.set()
        self.opened()
        self.let_go()

    @property
    def states(self) -> list[Callable[[], None]]:
        """Return the ways from one state to another."""
        calm = [self.ask, self.ask, self.fork, self.look, self.look, self.type, self.edit, self.compare]
        troubles = [self.lock, self.hang, self.go_on, self.go_on, self.restart]
        seldom = [self.elsewhere, self.another, self.stop, self.opening, self.opened]
        return [*calm, self.write, self.let_go, *seldom, *troubles]

    # What is to be seen

    def seen(self) -> tuple[object, ...]:
        """Return all that a person can tell to be another, and hear."""
        app, window = self.app, self.window
        app.catch_up()
        view, focus = window.chat.view, QApplication.focusWidget()
        boxes = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
        done = sum(not isinstance(command, EstimateCost) for command in self.script.commands)
        return (
            app.state.now,
            app.chat.chat_model.rows,
            app.library.tree.leaf_id,
            app.chat.open_draft.now,
            app.notices.now.text,
            app.comparison.state.now,
            window.chat.comparison and window.chat.comparison.list.currentIndex().row(),
            app.find.is_open,
            app.chat.settings.state.now,
            window.inspector.current,
            len(self.heard),
            QGuiApplication.clipboard().text(),
            (view.keyboard_row, view.verticalScrollBar().value(), len(boxes), done),
            (type(focus), "" if focus is None else focus.accessibleName()),
        )

    @property
    def waits_for_disk(self) -> bool:
        """Whether something is about to be stored on a disk that hangs, which is told after a while."""
        return not self.disk.is_set() and bool(self.app._store._pending)

    def said(self) -> list[tuple[str, str]]:
        """The messages that are shown, but for an answer that is being written."""
        app = self.app
        written = {question.held_id for question in app.chat.questions.at_engine}
        return [(row.id, row.text) for row in app.chat.chat_model.rows if row.id not in written]

    def is_for_field(self, verb: str) -> bool:
        """Whether the keys of a verb edit the text of the field with the focus, or are answered in its foot."""
        field = QApplication.focusWidget()
        return verb in ("send", *_DELETES) and isinstance(field, Field | ComposerEdit)

    def press_row_key(self, key: Qt.Key, where: str, why: str) -> list[str]:
        """Press a key of the Cache pane's own; return what is wrong with what is said."""
        tree, notices = self.window.cache.tree, self.app.notices
        notices.dismiss()
        tree.setFocus(Qt.FocusReason.OtherFocusReason)
        QTest.keyClick(tree, key)
        said = notices.now.text
        notices.dismiss()
        return [] if said == why else [f"{where}: said {said!r} for {why!r} in the pane"]

    def shut(self) -> None:
        """Close what a verb has opened over the window."""
        for one in QApplication.topLevelWidgets():
            if one.isVisible() and one is not self.window:
                one.close()
        self.window.activateWindow()
        self.qtbot.waitUntil(self.window.isActiveWindow)

    def act(self) -> list[str]:
        """Try a verb; return what is wrong with it."""
        if isinstance(QApplication.focusWidget(), QLineEdit):
            self.window.setFocus(Qt.FocusReason.OtherFocusReason)  # which ends the writing of a title or a name
        self.rest()
        app, state = self.app, self.app.state.now
        verb = self.rng.choice([*VERBS, *VERBS, *_OTHERS, *_COPIES])
        entry = self.window.menus.actions[verb]
        before, heard = self.seen(), len(self.heard)
        QGuiApplication.clipboard().setText("before")
        before = self.seen()
        told = (state.chat.is_writing, state.chat.is_answering, state.model.is_open, state.model.is_loading)
        where = f"{verb} {told} comparing={state.is_comparing} empty={state.chat.is_empty} edit={state.chat.is_editing}"
        if verb in ("undo", "redo") and isinstance(QApplication.focusWidget(), Field):
            return []  # of that field alone
        if verb == "answer_settings" and window_shows_settings(self.window):
            return []
        if verb in enabled(state):
            self.window.do(verb)
            try:
                self.qtbot.waitUntil(lambda: self.seen() != before or self.waits_for_disk)
            except Exception:
                return [f"{where}: nothing is to be seen"]
            finally:
                self.shut()
            return []
        if not app.model.state.now.has(BY_ID[verb].needs):
            return []
        why = unavailable(state).get(verb, "")
        wrong = [] if why else [f"{where}: no reason"]
        wrong += [] if why == entry.toolTip() or verb in ("undo", "redo") else [f"{where}: {entry.toolTip()}"]
        keys = [one for one in entry.shortcuts() if one != QKeySequence("Esc")]
        if verb in _OF_ROWS and window_shows_rows(self.window) and why:
            wrong += self.press_row_key(_OF_ROWS[verb], where, why)
        if keys and why and verb not in ("undo", "redo") and not self.is_for_field(verb):
            app.notices.dismiss()
            rows = self.said()
            draft, combination = app.chat.open_draft.now, keys[0][0]
            QTest.keyClick(self.window.windowHandle(), combination.key(), combination.keyboardModifiers())
            after = self.said()
            said = self.heard[heard:]  # in which a row may be told to be pinned that was asked for before
            if said.count(why) != 1 or (said[-1] == why and app.notices.now.text != why):
                wrong.append(f"{where}: said {app.notices.now.text!r} {said} for {why!r}")
            if after != rows or app.chat.open_draft.now != draft:
                wrong.append(f"{where}: something was done")
            app.notices.dismiss()
        return wrong


@each_seed(some(range(40), 2))
def test_what_can_be_chosen_does_something_and_what_cannot_says_why(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    script.tells_edges = True
    script.broken.add("/models/broken")
    script.deadly.add("/models/deadly")
    person = Person(qtbot, window, app, script, seed)
    monkeypatch.setattr(cache_pane, "choose_home", lambda *_: person.heard.append("a menu"))  # waits for a choice
    monkeypatch.setattr(Database, "writing", lambda database: person.writing(database))
    wrong: list[str] = []
    for _ in range(STEPS):
        if person.rng.random() < 0.45:
            person.rng.choice(person.states)()
        else:
            wrong += person.act()
    person.repair()
    assert wrong == [], "\n".join(wrong)


def test_what_conversations_refuse_that_can_only_be_read_is_grey_and_says_so(
    qtbot: QtBot, make_program: Callable[[], Program], data_folder: Path
) -> None:
    """No command that can be chosen then is refused."""
    program = make_program()
    ask(qtbot, program.window._app, "How are you?")
    program.window._app.chat.open_draft.begin_edit(None)
    ask(qtbot, program.window._app, "And the weather?")
    program.close()
    with closing(sqlite3.connect(paths_in(data_folder).database)) as newer:
        newer.execute("PRAGMA user_version = 99")
    window = make_program().window
    app = window._app
    ready(qtbot, app)
    qtbot.waitUntil(lambda: app.state.now.chat.can_prune)
    app.chat.open_draft.write("Which pear keeps longest?")
    app.catch_up()
    state = app.state.now
    writing = {one.id for one in ACTIONS if one.writes}
    assert not writing & enabled(state)
    for verb in writing:
        entry = window.menus.actions[verb]
        assert not entry.isEnabled()
        assert entry.toolTip() == READ_ONLY.sentence
    refused = store_error(Fault.READ_ONLY, None).problem.title
    for verb in (one for one in (*VERBS, *_OTHERS, "new", "open_in_new_window") if one in enabled(app.state.now)):
        app.notices.dismiss()
        window.do(verb)
        app._store.drain()
        app.catch_up()
        assert refused not in app.notices.now.text, verb
