"""A disk that hangs: the program ends all the same, and what it did not take is there at the next start."""

from __future__ import annotations

import random
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.conversation.database import Database
from app.conversation.faults import Fault, store_error
from app.conversation.store_thread import StoreThread
from app.conversation.unsaved import unsaved_files
from app.viewmodels.app import App
from app.viewmodels.kit import store_link
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library import import_export as exchange_desk
from app.viewmodels.library.form import Form
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_refusals import all_stored, started, texts_of

LONG = 60.0


class HangingDisk:
    """Whoever writes waits, once `hangs` is set, until `release`; nothing that waited is written then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hangs = threading.Event()
        self._is_over = threading.Event()
        self._watched: list[App] = []
        writing = Database.writing

        @contextmanager
        def hang(database: Database) -> Iterator[None]:
            if self.hangs.is_set():
                self._is_over.wait(LONG)
                raise store_error(Fault.IO, None)
            with writing(database):
                yield

        monkeypatch.setattr(Database, "writing", hang)

    def watch(self, app: App) -> None:
        """Make the end of this app impatient."""
        app._store._patience = 0.2
        app.library.import_export._patience = 0.2
        self._watched.append(app)

    def release(self) -> None:
        """As when the process is gone."""
        self._is_over.set()
        for app in self._watched:
            if not app.chat.view_states._is_closed:
                app._store._patience = LONG
                app.close()
            app._store._thread._executor.shutdown(wait=True)
            app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._watched.clear()
        self.hangs.clear()
        self._is_over.clear()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HangingDisk]:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    disk = HangingDisk(monkeypatch)
    yield disk
    disk.release()


@pytest.fixture
def start(
    data_folder: Path, script: Script, settings: Settings, folders: Folders, disk: HangingDisk
) -> Callable[[], App]:
    def start() -> App:
        app = started(data_folder / "conversations.db", script, settings, folders)
        disk.watch(app)
        return app

    return start


def drafts_of(app: App) -> str:
    return "\n".join(draft.text for draft in app.chat.drafts._drafts.values())


def wait_until_ready(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    qtbot.waitUntil(lambda: not app._store._pending)


def say_and_hang(
    qtbot: QtBot, app: App, disk: HangingDisk, script: Script, dice: random.Random, seed: int
) -> list[str]:
    """Ask something new or go on, with the disk hanging before the question or during the answer. Returns all words."""
    question, answer, draft = f"During {seed}", f"answer{seed} " * 50, f"Typed {seed}"
    app.library.new_conversation()
    if dice.random() < 0.6:
        app.chat.requests.send(f"Before {seed}")
        qtbot.waitUntil(lambda: len(texts_of(app)) == 2)
        wait_until_ready(qtbot, app)
    hangs_late = dice.random() < 0.5
    if hangs_late:
        script.answers[question] = answer
        script.hold = 1
        app.chat.requests.send(question)
        qtbot.waitUntil(lambda: texts_of(app)[-1:] == [answer[: len(texts_of(app)[-1])]])
        qtbot.waitUntil(lambda: texts_of(app)[-1] != "" and not app._store._pending)
        disk.hangs.set()
        script.go.set()
        qtbot.waitUntil(lambda: texts_of(app)[-1] == answer)
    else:
        disk.hangs.set()
        app.chat.requests.send(question)
    app.chat.open_draft.write(draft)
    return [question, draft, *([answer] if hangs_late else [])]


def test_every_word_that_a_hanging_disk_did_not_take_is_there_at_the_next_start(
    qtbot: QtBot, start: Callable[[], App], disk: HangingDisk, data_folder: Path, script: Script
) -> None:
    """Whatever was asked, answered or typed when it began to hang."""
    database = data_folder / "conversations.db"
    for seed in chosen(range(8)):
        app = start()
        wait_until_ready(qtbot, app)
        words = say_and_hang(qtbot, app, disk, script, random.Random(seed), seed)
        app.close()
        assert app.workspace.is_stuck
        assert app.workspace.lost is None
        disk.release()
        script.hold = None
        script.go.clear()
        again = start()
        wait_until_ready(qtbot, again)
        assert "saved now" in again.notices.now.text, f"seed {seed}"
        found = "\n".join([drafts_of(again), *all_stored(database).values()])
        assert [word for word in words if word not in found] == [], f"seed {seed}"
        again._store._patience = LONG
        again.close()
        assert not again.workspace.is_stuck
        disk.release()
        assert not [place for place in unsaved_files(database) if place.exists()]


def test_what_can_be_kept_nowhere_is_told(
    qtbot: QtBot, start: Callable[[], App], disk: HangingDisk, data_folder: Path
) -> None:
    app = start()
    wait_until_ready(qtbot, app)
    for place in unsaved_files(data_folder / "conversations.db")[1:]:
        place.mkdir()
    disk.hangs.set()
    app.chat.open_draft.write("1234567")
    app.close()
    assert app.workspace.is_stuck
    assert app.workspace.lost is not None
    assert "does not answer" in app.workspace.lost.sentence
    assert "7 characters" in app.workspace.lost.sentence


def test_a_start_whose_database_hangs_says_so_and_goes_on_when_it_answers(
    qtbot: QtBot, start: Callable[[], App], disk: HangingDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start()
    wait_until_ready(qtbot, first)
    first.chat.requests.send("One")
    qtbot.waitUntil(lambda: texts_of(first) == ["One", "You said: One"])
    disk.release()
    over, opening = threading.Event(), Database.__init__
    monkeypatch.setattr(store_link, "SLOW", 0.1)
    monkeypatch.setattr(Database, "__init__", lambda *asked: over.wait(LONG) and opening(*asked))
    again = start()
    qtbot.waitUntil(lambda: "disk is slow" in again.notices.now.text)
    again.chat.open_draft.write("typed meanwhile")
    over.set()
    qtbot.waitUntil(lambda: again.notices.now.text == "")
    wait_until_ready(qtbot, again)
    assert "typed meanwhile" in drafts_of(again)
    titles = [row.title for row in again.library.conversation_model.rows]
    assert "One" in titles


def test_a_database_that_hangs_while_it_is_opened_or_closed_keeps_nobody_from_quitting(
    qtbot: QtBot, start: Callable[[], App], disk: HangingDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("__init__", "close"):
        over = threading.Event()
        with monkeypatch.context() as patch:
            patch.setattr(Database, name, lambda *_asked, over=over: over.wait(LONG) and None)
            app = start()
            app.chat.open_draft.write("words")
            app.close()
            assert app.workspace.is_stuck, name
        over.set()


def test_a_file_that_is_being_written_to_a_disk_that_hangs_is_given_up(
    qtbot: QtBot, start: Callable[[], App], disk: HangingDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_desk, "GIVING_UP", 0.1)
    over, is_saving = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        is_saving.set()
        over.wait(LONG)

    monkeypatch.setattr(exchange_desk, "save", hang)
    app = start()
    wait_until_ready(qtbot, app)
    app.chat.requests.send("One")
    qtbot.waitUntil(lambda: len(texts_of(app)) == 2)
    wait_until_ready(qtbot, app)
    app.library.import_export.export(app.library.open_id, Form.BRANCH, str(tmp_path / "out.md"))
    assert is_saving.wait(LONG)
    app._store._patience = LONG
    app.close()
    assert app.workspace.is_stuck
    assert not app._store.is_stuck
    assert app.workspace.lost is not None
    assert "not written" in app.workspace.lost.title
    over.set()
    app.library.import_export._thread.shutdown(wait=True)


def test_requests_that_hang_are_refused_in_their_order_and_later_ones_too(qtbot: QtBot) -> None:
    over = threading.Event()
    thread = StoreThread(None)
    link = StoreLink(thread, patience=0.1)
    told: list[tuple[int, bool]] = []
    link.do(lambda _store: None, lambda _none: told.append((0, True)))
    for number in (1, 2, 3):
        link.do(
            lambda _store, number=number: number == 2 and over.wait(LONG),
            lambda _none, number=number: told.append((number, True)),
            lambda problem, number=number: told.append((number, "not answer" not in problem.title)),
        )
    link.drain()
    link.do(lambda _store: None, None, lambda _problem: told.append((4, False)))
    link.close()
    assert told == [(0, True), (1, True), (2, False), (3, False), (4, False)]
    assert link.is_stuck
    over.set()
    thread._executor.shutdown(wait=True)
