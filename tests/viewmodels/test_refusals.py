"""A database that refuses: what is shown is stored later or given back, and nothing waits for ever."""

from __future__ import annotations

import errno
import random
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.conversation_store import ConversationStore
from app.conversation.database import Database
from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.kept_choices import NewChoices
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store_thread import StoreThread
from app.conversation.unsaved import unsaved_files
from app.protocol.commands import Generate
from app.viewmodels.app import App
from app.viewmodels.chat import answer_saver
from app.viewmodels.chat.question import Question
from app.viewmodels.kit import store_link
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.viewmodels.library import changes
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.worker.engine_host import EngineHost
from tests.conftest import close_app
from tests.conversation.builders import raw
from tests.fakes.engine import FakeEngine, Script
from tests.seeds import chosen
from tests.viewmodels.test_app_stress import Restless, all_of

ACTIONS = 60


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("refused by the test")
    error.sqlite_errorcode = code
    return error


ERRORS: tuple[Callable[[], BaseException], ...] = (
    MemoryError,
    lambda: LookupError("nothing there"),
    lambda: RuntimeError("no reason"),
    lambda: OSError(errno.ENOSPC, "full"),
    lambda: sqlite3.InterfaceError("misuse"),
    *(lambda fault=fault: store_error(fault, None) for fault in Fault),
    *(
        lambda code=code: sqlite_error(code)
        for code in (
            *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM),
            *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_READONLY),
        )
    ),
)


class Trouble:
    """Statements fail by chance while it is on, and commits after they were made."""

    def __init__(self, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_on = False
        self.rng = rng
        executing, writing = Database.execute, Database.writing

        def execute(database: Database, query: str, *values: object) -> sqlite3.Cursor:
            self.strike(0.1)
            return executing(database, query, *values)

        @contextmanager
        def write(database: Database) -> Iterator[None]:
            with writing(database):
                yield
                self.strike(0.1)
            self.strike(0.1)

        monkeypatch.setattr(Database, "execute", execute)
        monkeypatch.setattr(Database, "writing", write)

    def strike(self, chance: float) -> None:
        if self.is_on and self.rng.random() < chance:
            raise self.rng.choice(ERRORS)()


class Stubborn(Restless):
    """Somebody who does everything at once, deletes and takes back too."""

    def act(self) -> None:
        app = self.app
        verbs = ["undo", "undo", "redo", "delete_message", "prune", "delete_conversation", "favourite", "dismiss"]
        if self.rng.random() < 0.25:
            verb = self.rng.choice(verbs)
            if verb == "prune":
                app.library.edits.prune(app.library.open_id)
            else:
                app.act(verb)
        else:
            super().act()

    def other_conversation(self) -> None:
        if self.app.library.conversation_model.rows:  # all may have been deleted
            super().other_conversation()

    def crash(self) -> None:
        """Not here: the engine does not come back by itself."""


def is_at_rest(app: App) -> bool:
    return not (
        list(app.chat.questions)
        or not app.library.changes.is_told
        or app.chat.answer_saver._waiting
        or app._store._pending
        or app.chat.drafts.sent
    )


def all_stored(database: Path, has_undone: bool = False) -> dict[str, str]:
    """Texts of all messages by their ids, from the trash too. has_undone: what came to answers and was taken back."""
    query = """SELECT id, message.text || ifnull((SELECT group_concat(piece.text, '') FROM
        (SELECT text FROM message_text WHERE message = message.number AND is_undone <= ? ORDER BY number) AS piece), '')
        FROM message"""
    with raw(database) as connection:
        return dict(connection.execute(query, (has_undone,)))


@pytest.mark.parametrize("seed", chosen(range(10)))
def test_whatever_the_database_refuses_no_word_is_lost_and_nothing_sticks(
    qtbot: QtBot,
    make_app: Callable[[], App],
    script: Script,
    data_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(answer_saver, "SAVE_EVERY_MS", 15)
    monkeypatch.setattr(changes, "AGAIN_MS", 15)
    trouble = Trouble(rng, monkeypatch)
    app = make_app()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    app._store.drain()  # what cannot be opened is kept in memory, which is told
    person = Stubborn(app, script, rng)
    shown: dict[str, str] = {}
    given_back: set[str] = set()

    def note(_id: str) -> None:
        shown.update((row.id, row.text) for row in app.chat.chat_model.rows)

    def take_back(question: Question) -> None:
        message = question.begun if question.begun is not None and question.edited is not None else question.message
        draft = app.chat.drafts.of(message.conversation_id)
        assert message.text in draft.text, f"seed {seed}: words were not given back"
        given_back.add(message.id)

    app.chat.question_queue.moved.connect(note)
    app.chat.question_queue.refused.connect(take_back)
    for _ in range(ACTIONS):
        if rng.random() < 0.15:
            trouble.is_on = not trouble.is_on
        person.act()
        qtbot.wait(rng.choice([0, 1, 5, 30]))
    trouble.is_on = False
    qtbot.waitUntil(lambda: is_at_rest(app))
    kept = all_stored(data_folder / "conversations.db", has_undone=True)
    missing = {one: text for one, text in shown.items() if text and not kept.get(one, "").startswith(text)}
    assert missing.keys() <= given_back, f"seed {seed}: {missing}"
    kept = all_stored(data_folder / "conversations.db")
    trees = dict(app.library.library._trees)
    for message in (message for tree in trees.values() for message in all_of(tree)):
        assert kept[message.id] == message.text, f"seed {seed}"
    app.library.new_conversation()
    app.chat.requests.send("Does it still go on?")
    qtbot.waitUntil(lambda: [row.role for row in app.chat.chat_model.rows] == ["user", "assistant"])
    qtbot.waitUntil(lambda: is_at_rest(app))


def test_a_conversation_that_was_stored_although_it_was_refused_makes_room_for_a_blank_one(
    qtbot: QtBot, make_app: Callable[[], App], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is blank, and in the database it goes: it must not be shown for the blank one that takes its place."""
    app = make_app()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    kept = ConversationStore.get

    def fail(_store: ConversationStore, _id: str) -> Conversation:
        monkeypatch.setattr(ConversationStore, "get", kept)
        raise OSError(errno.EIO, "after the commit")

    monkeypatch.setattr(ConversationStore, "get", fail)
    app.chat.requests.send("One")
    qtbot.waitUntil(lambda: is_at_rest(app))
    refused = app.library.open_id
    assert texts_of(app) == []
    app.act("undo")
    qtbot.waitUntil(lambda: is_at_rest(app))
    assert app.library.open_id != refused
    assert texts_of(app) == []
    app.chat.requests.send("Two")
    qtbot.waitUntil(lambda: texts_of(app) == ["Two", "You said: Two"])
    qtbot.waitUntil(lambda: is_at_rest(app))


def started(database: Path, script: Script, settings: Settings, folders: Folders) -> App:
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    workspace = Workspace(host, StoreThread(database), settings, folders)
    app = Windows(workspace).open()
    host.setParent(workspace)
    workspace.start(folders.guide)
    host.start()
    return app


def all_of_one(qtbot: QtBot, app: App, script: Script, when_full: Callable[[], None]) -> str:
    """A long answer during which the disk is full; it has ended, and is not stored."""
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    script.answers["One"] = f"{'pear' * 30} " * 100
    script.hold = 1
    app.chat.requests.send("One")
    qtbot.waitUntil(lambda: len(texts_of(app)) == 2)
    when_full()
    script.go.set()
    qtbot.waitUntil(lambda: "disk is full" in app.notices.now.text)
    qtbot.waitUntil(lambda: not app.chat.questions.held)
    return script.answers["One"]


@pytest.mark.parametrize("is_answered", [False, True])
@pytest.mark.parametrize("where", ["beside", "temporary", "nowhere"])
def test_who_quits_while_nothing_can_be_saved_finds_the_words_at_the_next_start(
    qtbot: QtBot,
    script: Script,
    settings: Settings,
    folders: Folders,
    data_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    is_answered: bool,
) -> None:
    """Those of an answer and those that were not sent."""
    draft = "Half an hour's words"
    database, is_full = data_folder / "conversations.db", False
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    writing = Database.writing

    @contextmanager
    def refuse(opened: Database) -> Iterator[None]:
        if is_full:
            raise store_error(Fault.FULL, database)
        with writing(opened):
            yield

    def fill_up() -> None:
        nonlocal is_full
        is_full = True

    monkeypatch.setattr(Database, "writing", refuse)
    app = started(database, script, settings, folders)
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    answer = all_of_one(qtbot, app, script, fill_up) if is_answered else ""
    fill_up()
    app.chat.open_draft.write(draft)
    places = unsaved_files(database)
    for refused in places[: ("beside", "temporary", "nowhere").index(where)]:
        refused.mkdir(parents=True)  # nothing can be put there
    app.close()
    lost = app.workspace.lost
    app.workspace.deleteLater()
    assert (lost is not None) is (where == "nowhere")
    is_full = False
    if where == "nowhere":
        assert f"{len(answer) + len(draft):,} characters" in lost.sentence
        return
    kept = next(place for place in places if place.is_file())
    assert kept.stat().st_mode & 0o777 == 0o600
    again = started(database, script, settings, folders)
    qtbot.waitUntil(lambda: "saved now" in again.notices.now.text)
    said = ["One", answer] if is_answered else []
    qtbot.waitUntil(lambda: texts_of(again) == said)
    qtbot.waitUntil(lambda: again.chat.open_draft.now.text == draft)
    assert list(all_stored(database).values()) == said
    assert not any(place.is_file() for place in places)
    close_app(again)


def test_who_quits_on_a_full_disk_has_the_room_of_the_search_index(
    qtbot: QtBot, tiny_disk: Path, script: Script, settings: Settings, folders: Folders
) -> None:
    with StoreThread(tiny_disk / "conversations.db") as thread:
        home = Conversation.new("Much was said before")
        thread.submit(lambda store: store.conversations.create(home))
        for number in range(4):
            words = " ".join(f"word{number}x{count}" for count in range(1000))
            message = Message.new(home.id, None, "user", words)
            thread.submit(lambda store, message=message: store.messages.add(message))
        thread.submit(lambda store: store.search.find("word1x1")).result()
    app = started(tiny_disk / "conversations.db", script, settings, folders)
    qtbot.waitUntil(lambda: bool(texts_of(app)))
    app.library.new_conversation()
    answer = all_of_one(qtbot, app, script, lambda: fill(tiny_disk))
    close_app(app)
    assert list(all_stored(tiny_disk / "conversations.db").values())[-2:] == ["One", answer]


@pytest.fixture
def on_tiny_disk(qtbot: QtBot, tiny_disk: Path, script: Script, settings: Settings, folders: Folders) -> Iterator[App]:
    """A app whose database lies on a disk that is soon full."""
    app = started(tiny_disk / "conversations.db", script, settings, folders)
    yield app
    close_app(app)


def fill(place: Path) -> None:
    with (place / "filler").open("wb", buffering=0) as filler:
        for size in (65536, 4096, 512, 1):
            try:
                while filler.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


def texts_of(app: App) -> list[str]:
    return [row.text for row in app.chat.chat_model.rows]


def test_who_asks_on_while_the_disk_is_full_gets_the_words_back_and_can_go_on_when_it_is_not(
    qtbot: QtBot, on_tiny_disk: App, tiny_disk: Path, script: Script
) -> None:
    app = on_tiny_disk
    given_back: list[str] = []
    app.chat.open_draft.textReplaced.connect(given_back.append)
    answer = all_of_one(qtbot, app, script, lambda: fill(tiny_disk))
    for _ in range(2):  # here, and in another conversation
        app.notices.dismiss()
        app.chat.requests.send("Two")
        qtbot.waitUntil(lambda: given_back[-1] == "Two")
        assert "disk is full" in app.notices.now.text
        assert not app.chat.questions.held
        app.library.new_conversation()
    (tiny_disk / "filler").unlink()
    qtbot.waitUntil(lambda: app.notices.now.text == "")  # what was told is over
    first = next(row for row in app.library.conversation_model.rows if row.title.startswith("One"))
    app.library.open(first.id)
    app.chat.requests.send("Two")
    qtbot.waitUntil(lambda: len(texts_of(app)) == 4)
    qtbot.waitUntil(lambda: is_at_rest(app))
    kept = list(all_stored(tiny_disk / "conversations.db").values())
    assert kept == ["One", answer, "Two", "You said: Two"]


def test_the_model_waits_for_one_commit_and_for_no_other(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Return to the engine, with the first question of a conversation and with a later one."""
    commits: list[int] = []
    writing = Database.writing

    @contextmanager
    def count(database: Database) -> Iterator[None]:
        with writing(database):
            yield
        commits.append(sum(isinstance(command, Generate) for command in script.commands))

    monkeypatch.setattr(Database, "writing", count)
    app = make_app()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    for number in range(4):
        qtbot.waitUntil(lambda: is_at_rest(app))
        commits.clear()
        app.chat.requests.send(f"Question {number}")
        qtbot.waitUntil(lambda: not app.chat.questions.at_engine and is_at_rest(app))
        assert commits.count(number) == 1, f"question {number} waited for {commits.count(number)} commits"
        assert len(commits) <= 3  # and its answer takes one or two more


def test_while_the_disk_is_slow_an_answer_goes_on_and_the_window_says_why_it_is_not_saved(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_link, "SLOW", 0.2)
    monkeypatch.setattr(store_link, "WATCH_MS", 10)
    monkeypatch.setattr(answer_saver, "SAVE_EVERY_MS", 20)
    disk, under_way = threading.Event(), threading.Semaphore(1)
    appending = MessageStore.add

    def slowly(store: MessageStore, message: Message, select: bool = True, choices: NewChoices | None = None) -> Edit:
        if message.role == "assistant":
            assert under_way.acquire(blocking=False), "one request is under way at a time"
            disk.wait(30)
            under_way.release()
        return appending(store, message, select, choices)

    monkeypatch.setattr(MessageStore, "add", slowly)
    app = make_app()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    script.answers["One"], script.hold = "pear " * 200, 30
    app.chat.requests.send("One")
    qtbot.waitUntil(lambda: "The disk is slow" in app.notices.now.text)
    script.go.set()
    written = ["One", script.answers["One"]]
    qtbot.waitUntil(lambda: texts_of(app) == written and not app.chat.questions.at_engine)
    assert "The disk is slow" in app.notices.now.text
    disk.set()
    qtbot.waitUntil(lambda: is_at_rest(app))
    qtbot.waitUntil(lambda: app.notices.now.text == "")
