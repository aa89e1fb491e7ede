"""What may happen to the disk while somebody talks: the talk goes on, or the window says why it cannot."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.database import Database
from app.conversation.faults import Fault, store_error
from app.conversation.store import Store
from app.kvcache.disk import files
from app.main import Program
from app.protocol.trie_view import TrieView

QUESTION = "Tell me a story about a fox"
PATIENCE = 60_000


def is_ready(program: Program) -> bool:
    return program.app.state.now.activity.text.startswith("Ready")


def asked(qtbot: QtBot, program: Program, question: str) -> str:
    """The answer, once it has ended."""
    rows = program.app.chat.chat_model.rows
    wanted = len(rows) + 2
    program.app.chat.requests.send(question)
    qtbot.waitUntil(lambda: len(program.app.chat.chat_model.rows) == wanted, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not program.app.chat.chat_model.rows[-1].is_streaming, timeout=PATIENCE)
    return program.app.chat.chat_model.rows[-1].text


def on_store(program: Program, job: Callable[[Store], object]) -> None:
    """Do this on the store's thread and wait for it."""
    done: list[object] = []
    program.app._store.do(job, done.append)
    program.app._store.drain()
    assert done


def stored(program: Program) -> list[str]:
    """Texts of the open conversation as the database has them."""
    found: list[str] = []
    conversation = program.app.library.tree.conversation_id
    on_store(program, lambda store: found.extend(one.text for one in store.messages.of(conversation)) or True)
    return found


def test_an_answer_goes_on_when_the_disk_is_full_and_is_saved_when_it_is_not(
    qtbot: QtBot, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills up at the first word. The question is stored already; the rest follows when there is room."""
    app = program.app
    is_full = False

    @contextmanager
    def writing(database: Database) -> Iterator[None]:
        if is_full:
            raise store_error(Fault.FULL, database.path)
        with writes(database):
            yield

    def fill(_text: str) -> None:
        nonlocal is_full
        is_full = True

    writes = Database.writing
    monkeypatch.setattr(Database, "writing", writing)
    qtbot.waitUntil(lambda: is_ready(program), timeout=PATIENCE)
    app.chat.chat_model.tailAppended.connect(fill)
    answer = asked(qtbot, program, QUESTION)
    qtbot.waitUntil(lambda: "full" in app.notices.now.text, timeout=PATIENCE)
    assert app.chat.chat_model.rows[-1].text == answer
    assert stored(program) == [QUESTION]
    is_full = False
    qtbot.waitUntil(lambda: stored(program) == [QUESTION, answer], timeout=PATIENCE)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_snapshots_that_cannot_be_written_stand_in_nobodys_way(
    number: int, qtbot: QtBot, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is refused, full or broken: answers come, conversations are saved, the window says what is wrong."""

    def refuse(*_arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "prepare", refuse)
    qtbot.waitUntil(lambda: is_ready(program), timeout=PATIENCE)
    answer = asked(qtbot, program, QUESTION)
    qtbot.waitUntil(lambda: program.app.cache.state.now.disk_trouble is not None, timeout=PATIENCE)
    view = program.app.cache.view
    assert isinstance(view, TrieView)
    assert view.disk_problem == os.strerror(number)
    qtbot.waitUntil(lambda: program.app.cache.view.dropped_files > 0, timeout=PATIENCE)
    assert asked(qtbot, program, "And then?")
    qtbot.waitUntil(lambda: stored(program)[:2] == [QUESTION, answer], timeout=PATIENCE)


def test_a_caches_folder_that_is_taken_away_is_told_and_not_made_again(
    qtbot: QtBot, program: Program, data_folder: Path
) -> None:
    """It was moved, with all that is in it: what is computed from now on does not belong in its old place."""
    qtbot.waitUntil(lambda: is_ready(program), timeout=PATIENCE)
    asked(qtbot, program, QUESTION)
    snapshots = data_folder / "caches" / "snapshots"
    qtbot.waitUntil(lambda: bool(list(snapshots.rglob("*.safetensors"))), timeout=PATIENCE)
    snapshots.rename(data_folder / "elsewhere")
    assert asked(qtbot, program, "And then?")
    assert asked(qtbot, program, "What is a branch?")
    qtbot.waitUntil(lambda: program.app.cache.state.now.disk_trouble is not None, timeout=PATIENCE)
    assert not snapshots.exists()
