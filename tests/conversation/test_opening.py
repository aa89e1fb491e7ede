"""Files that cannot be used as they are: each gets a sentence, and none is changed behind the person's back."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.conversation import opening
from app.conversation.faults import Fault, StoreError, store_error
from app.conversation.message import Conversation, Message
from app.conversation.records import Folder
from app.conversation.schema import MIGRATIONS, PAGE_SIZE, VERSION_1, migrate, pragma
from app.conversation.store import Store
from app.conversation.trash import Trash
from tests.conversation.builders import contents, fails, filled, raw

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


@contextmanager
def forbidden(folder: Path, mode: int) -> Iterator[None]:
    """Inside, the folder has this mode, and whoever runs the test has no more rights than that gives."""
    is_root = os.geteuid() == 0
    if is_root:
        for entry in (folder, *folder.iterdir()):
            os.chown(entry, NOBODY, -1)
    folder.chmod(mode)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others can reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        inner = Path(name, "data")
        inner.mkdir()
        yield inner


def test_a_newer_database_is_shown_and_not_changed(path: Path) -> None:
    kept = filled(path)
    with raw(path) as other:
        other.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    store = Store(path)
    assert contents(store) == kept
    assert store.is_read_only
    assert store.notice is not None
    assert "newer" in store.notice.sentence
    assert str(path) in store.notice.sentence
    assert fails(lambda: store.conversations.create(Conversation.new())) is Fault.READ_ONLY
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.database.connection.execute("DELETE FROM message")
    store.close()
    assert path.read_bytes() == before


def test_a_newer_database_that_has_not_what_this_version_reads_is_left_alone(path: Path) -> None:
    filled(path)
    with raw(path) as other:
        other.execute("PRAGMA user_version = 99")
        other.execute("ALTER TABLE message RENAME COLUMN visited TO seen")
    before = path.read_bytes()
    assert fails(lambda: Store(path)) is Fault.NEWER
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_named(path: Path) -> None:
    path.write_text("a file where a folder should be")
    below = path / "conversations.sqlite"
    with pytest.raises(StoreError) as caught:
        Store(below)
    assert caught.value.fault is Fault.UNWRITABLE
    assert str(below) in caught.value.problem.sentence
    assert path.read_text() == "a file where a folder should be"


def test_a_folder_in_place_of_the_file_is_left_alone(path: Path) -> None:
    path.mkdir(mode=0o755)
    assert fails(lambda: Store(path)) is Fault.UNWRITABLE
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_folder_that_may_not_be_written_to_is_named(folder: Path) -> None:
    with forbidden(folder, 0o500):
        assert fails(lambda: Store(folder / "conversations.sqlite")) is Fault.UNWRITABLE
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_conversations_in_a_folder_that_may_not_be_written_to_are_shown(folder: Path, mode: int) -> None:
    path = folder / "conversations.sqlite"
    kept = filled(path)
    path.chmod(mode)
    with forbidden(folder, 0o500):
        store = Store(path)
        assert contents(store) == kept
        assert store.is_read_only
        assert store.notice is not None
        assert "may not write" in store.notice.sentence
        assert fails(lambda: store.conversations.create(Conversation.new())) is Fault.READ_ONLY
        store.close()


def test_a_new_file_that_another_program_holds_is_left_for_later(path: Path) -> None:
    with raw(path) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        assert fails(lambda: Store(path, patience=0.01)) is Fault.LOCKED
        other.execute("ROLLBACK")
    store = Store(path)
    assert (store.notice, store.conversations.all()) == (None, ())
    store.close()


def test_a_copy_is_kept_before_an_old_database_is_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = filled(path)
    newer = (*MIGRATIONS, ("ALTER TABLE message ADD COLUMN mood TEXT", "CREATE TABLE drawer (name TEXT) STRICT"))
    monkeypatch.setattr(opening, "MIGRATIONS", newer)
    monkeypatch.setattr(opening, "migrate", lambda connection, place: migrate(connection, place, newer))
    store = Store(path)
    assert contents(store) == kept
    assert pragma(store.database.connection, "user_version") == len(MIGRATIONS) + 1
    store.close()
    monkeypatch.undo()
    copy = path.with_name(f"conversations.version-{len(MIGRATIONS)}.sqlite")
    assert copy.stat().st_mode & 0o777 == 0o600
    old = Store(copy)
    assert contents(old) == kept
    assert not old.is_read_only
    old.close()


def test_a_migration_that_fails_changes_nothing_and_is_not_taken_for_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = filled(path)
    broken = (*MIGRATIONS, ("CREATE TABLE drawer (name TEXT) STRICT", "ALTER TABLE nothing ADD COLUMN mood TEXT"))
    monkeypatch.setattr(opening, "migrate", lambda connection, place: migrate(connection, place, broken))
    with pytest.raises(sqlite3.OperationalError, match="nothing"):
        Store(path)
    monkeypatch.undo()
    store = Store(path)
    assert contents(store) == kept
    assert store.notice is None
    assert store.database.connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'drawer'").fetchone() == (
        0,
    )
    store.close()


def first_version(path: Path) -> None:
    """A database as the first version has left it, with a question, its answer and another question."""
    path.touch()
    with raw(path) as other:
        other.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        migrate(other, None, (VERSION_1,))
        other.execute("DELETE FROM sqlite_sequence WHERE name LIKE '@%'")
        other.execute("INSERT INTO conversation VALUES (1, ?, 'Fruit', 1.0, 2.0, NULL)", ("a" * 32,))
        for number, (parent, role) in enumerate([(None, "user"), (1, "assistant"), (2, "user")], 1):
            text = "" if role == "assistant" else f"Pears {number}?"
            other.execute(
                "INSERT INTO message (id, conversation, parent, role, text, created, visited)"
                " VALUES (?, 1, ?, ?, ?, 1.0, 1)",
                (f"{number:032x}", parent, role, text),
            )
        other.execute("INSERT INTO message_text (message, text) VALUES (2, 'Winter '), (2, 'pears.')")
        other.execute("INSERT INTO message_ids (message, ids) VALUES (2, ?)", (struct.pack("<2I", 1, 2),))
        other.execute("UPDATE message SET stop = 'finished', tokens = 2, stats = '{}', model = 'f1' WHERE number = 2")
        other.execute("UPDATE conversation SET leaf = 3")


def check_first_version(store: Store) -> None:
    (conversation,) = store.conversations.all()
    assert conversation == Conversation("a" * 32, "Fruit", 1.0, 2.0)
    path = store.messages.load(conversation.id).path
    assert [message.text for message in path] == ["Pears 1?", "Winter pears.", "Pears 3?"]
    assert (path[1].ids, path[1].stop, path[1].model, path[1].sampling) == ((1, 2), "finished", "f1", None)
    assert len(store.search.find("pears")) == 3
    assert (store.folders.all(), store.trash.entries()) == ((), ())


def test_a_database_of_the_first_version_is_brought_up_to_date_and_its_copy_is_kept(path: Path) -> None:
    first_version(path)
    store = Store(path)
    assert store.notice is None
    check_first_version(store)
    folder = Folder.new("Garden")
    store.folders.create(folder)
    store.conversations.move("a" * 32, folder.id)
    edit = store.trash.delete_message(f"{1:032x}")
    store.trash.revert(edit)
    store.close()
    copy = path.with_name("conversations.version-1.sqlite")
    assert copy.stat().st_mode & 0o777 == 0o600
    with raw(copy) as other:
        assert pragma(other, "user_version") == 1
        assert other.execute("SELECT count(*) FROM message").fetchone() == (3,)
    store = Store(path)
    assert store.conversations.all()[0].folder_id == folder.id
    assert store.kept_copies() == (copy,)
    store.close()


def test_an_old_database_that_may_only_be_read_is_shown_as_it_is(folder: Path) -> None:
    path = folder / "conversations.sqlite"
    first_version(path)
    path.chmod(0o400)
    before = path.read_bytes()
    with forbidden(folder, 0o500):
        store = Store(path)
        assert store.is_read_only
        check_first_version(store)
        assert fails(lambda: store.conversations.create(Conversation.new())) is Fault.READ_ONLY
        store.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("was_killed", [False, True])
def test_what_is_stored_on_a_full_disk_is_shown(tiny_disk: Path, tmp_path: Path, was_killed: bool) -> None:
    """Also what still lies in the journal, after a crash."""
    store = Store(tmp_path / "c.db")
    conversation = Conversation.new("Pears")
    store.conversations.create(conversation)
    store.messages.add(Message.new(conversation.id, None, "user", "Which pear keeps longest?"))
    if not was_killed:
        store.close()
    for file in tmp_path.glob("c.db*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, tiny_disk)
    (tiny_disk / "rest").write_bytes(bytes(1 << 14))
    with contextlib.suppress(OSError), (tiny_disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(1 << 12))
            filler.flush()
    opened = Store(tiny_disk / "c.db")
    assert [one.title for one in opened.conversations.all()] == ["Pears"]
    assert [message.text for message in opened.messages.of(conversation.id)] == ["Which pear keeps longest?"]
    assert opened.is_read_only
    assert opened.notice is not None
    assert "no room left" in opened.notice.sentence
    opened.close()
    store.close()


def test_a_trash_that_cannot_be_looked_through_keeps_nobody_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = filled(path)
    for error in (MemoryError(), LookupError("x"), sqlite3.OperationalError("x"), store_error(Fault.FULL, path)):

        def fail(_store: Store, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(Trash, "entries", fail)
        store = Store(path)
        assert contents(store) == kept
        assert store.notice is None
        store.close()
