"""Damaged files: all that can be read is there again, the file itself is kept, and the person is told."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from app.conversation.faults import Fault
from app.conversation.kept_choices import NewChoices
from app.conversation.message import Conversation, Message
from app.conversation.records import Folder
from app.conversation.rescue import MOST_LOST, Damaged, finish_rescue
from app.conversation.schema import PAGE_SIZE, VERSION_1, migrate
from app.conversation.store import Store
from app.protocol.choices import Candidate, Choice, pack
from tests.conversation.builders import asked, contents, fails, filled, raw
from tests.conversation.operations import Hand, dump
from tests.seeds import each_seed

Damage = Callable[[bytearray], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """A healthy file, and what is in it."""
    path = tmp_path_factory.mktemp("original") / "conversations.sqlite"
    kept = filled(path, conversations=4, steps=40)
    return path.read_bytes(), kept


@pytest.fixture
def kept(path: Path, original: tuple[bytes, dict[str, Any]]) -> dict[str, Any]:
    """What is in the healthy file that lies at `path` now."""
    path.write_bytes(original[0])
    return original[1]


def damage(path: Path, how: Damage) -> bytes:
    data = bytearray(path.read_bytes())
    how(data)
    path.write_bytes(data)
    return bytes(data)


def page(number: int, content: Callable[[int], bytes]) -> Damage:
    """Replaces one page, counted from 1 or from the end."""

    def replace(data: bytearray) -> None:
        start = (number - 1 if number > 0 else len(data) // PAGE_SIZE + number) * PAGE_SIZE
        data[start : start + PAGE_SIZE] = content(PAGE_SIZE)

    return replace


def garbage(size: int) -> bytes:
    return random.Random(9).randbytes(size)


def texts(found: dict[str, Any]) -> set[str]:
    return {message.text for _, tree in found.values() for message in tree["messages"].values()}


def count(found: dict[str, Any]) -> int:
    return sum(len(tree["messages"]) for _, tree in found.values())


def kept_beside(path: Path) -> Path:
    (kept,) = path.parent.glob("*.damaged-????????-??????.sqlite")
    return kept


def first_bytes(data: bytearray) -> None:
    data[:100] = garbage(100)


def head_of_schema(data: bytearray) -> None:
    data[100:200] = garbage(100)


@pytest.mark.parametrize(
    "how",
    [first_bytes, head_of_schema, page(1, bytes), page(1, garbage)],
    ids=["header", "schema", "zeroed", "garbage"],
)
def test_without_its_first_page_everything_is_read(path: Path, kept: dict[str, Any], how: Damage) -> None:
    damaged = damage(path, how)
    store = Store(path)
    assert contents(store) == kept
    assert store.notice is not None
    assert str(kept_beside(path)) in store.notice.sentence
    assert (
        f"{sum(len(tree['messages']) for _, tree in kept.values())}\u00a0messages in 4\u00a0conversations"
        in store.notice.sentence
    )
    assert not store.is_read_only
    store.close()
    assert kept_beside(path).read_bytes() == damaged
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    again = Store(path)
    assert (contents(again), again.notice) == (kept, None)
    again.close()


def zero_everything(data: bytearray) -> None:
    data[:] = bytes(len(data))


def empty(data: bytearray) -> None:
    data.clear()


def text_file(data: bytearray) -> None:
    data[:] = b"Dear diary,\n" * 1000


@pytest.mark.parametrize("how", [zero_everything, empty, text_file])
@pytest.mark.usefixtures("kept")
def test_where_nothing_can_be_read_one_starts_anew_and_the_file_is_kept(path: Path, how: Damage) -> None:
    damaged = damage(path, how)
    store = Store(path)
    assert store.conversations.all() == ()
    assert store.notice is not None
    assert "No message" in store.notice.sentence
    asked(store)
    store.close()
    assert kept_beside(path).read_bytes() == damaged


def test_a_database_of_another_program_is_kept_untouched_beside_a_new_one(path: Path) -> None:
    with raw(path) as other:
        other.execute("CREATE TABLE message (number INTEGER PRIMARY KEY, recipe TEXT)")
        other.execute("INSERT INTO message VALUES (1, 'Quince jelly')")
    store = Store(path)
    assert store.conversations.all() == ()
    store.close()
    with raw(kept_beside(path)) as other:
        assert other.execute("SELECT recipe FROM message").fetchone() == ("Quince jelly",)


@each_seed(range(24))
def test_after_any_single_damage_one_can_go_on_and_the_file_is_kept(
    tmp_path: Path, original: tuple[bytes, dict[str, Any]], seed: int
) -> None:
    path, (healthy, kept) = tmp_path / "conversations.sqlite", original
    path.write_bytes(healthy)
    rng, size = random.Random(seed), len(healthy)
    start = rng.randrange(size // PAGE_SIZE) * PAGE_SIZE
    hole = rng.choice([bytes(PAGE_SIZE), rng.randbytes(PAGE_SIZE), rng.randbytes(20)])

    def how(data: bytearray) -> None:
        if seed % 4 == 0:
            del data[rng.randrange(size) :]
        else:
            data[start : start + len(hole)] = hole

    damaged = damage(path, how)
    store = Store(path)
    after = contents(store)
    if store.notice is None:  # only where no rule of the database could tell
        assert [conversation.id for conversation, _ in after.values()] == list(kept)
    else:
        assert kept_beside(path).read_bytes() == damaged
    assert count(after) <= count(kept)
    asked(store, "And now?")
    store.close()
    again = Store(path)
    assert "And now?" in texts(contents(again))
    assert again.notice is None
    again.close()


def test_messages_whose_page_is_lost_leave_their_children_and_pieces_readable(path: Path, kept: dict[str, Any]) -> None:
    """The leaf pages of the table of messages are found by what is written on them, and lost one after another."""
    whole = path.read_bytes()
    total = count(kept)
    leaves = []
    for number in range(2, len(whole) // PAGE_SIZE + 1):
        content = whole[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        if (
            b"CREATE " not in content
            and content[0] == 13
            and (content.count(b"assistant") + content.count(b"user")) > 3
        ):  # a table's leaf
            leaves.append(number)
    assert len(leaves) > 3
    for number in leaves:
        folder = path.parent / str(number)
        folder.mkdir()
        copy = folder / path.name
        copy.write_bytes(whole)
        damage(copy, page(number, bytes))
        store = Store(copy)
        after = contents(store)
        found = count(after)
        assert total * 0.5 < found < total
        assert texts(after) <= texts(kept)
        store.close()


@pytest.mark.parametrize("is_removed", [False, True])
def test_what_only_the_journal_holds_is_rescued_too(path: Path, is_removed: bool) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    store.messages.append_text(answer.id, "Winter pears.")
    crashed = path.parent / "crashed" / path.name
    crashed.parent.mkdir()
    for suffix in ("", "-wal"):  # as a power cut leaves it, before the journal was merged
        shutil.copy(f"{path}{suffix}", f"{crashed}{suffix}")
    store.close()
    journal = Path(f"{crashed}-wal").read_bytes()
    if is_removed:
        crashed.unlink()
    else:
        crashed.write_bytes(b"")
    rescued = Store(crashed)
    assert [message.text for message in rescued.messages.of(conversation.id)] == [question.text, "Winter pears."]
    rescued.close()
    assert Path(f"{kept_beside(crashed)}-wal").read_bytes() == journal


def test_a_message_without_its_conversation_gets_a_new_one(path: Path) -> None:
    store = Store(path)
    _, question, answer = asked(store, "Which pears keep?")
    store.close()
    with raw(path) as other:
        other.execute("PRAGMA foreign_keys = 0")
        other.execute("DELETE FROM conversation")
    store = Store(path)
    (found,) = store.conversations.all()
    assert found.title == "Recovered conversation"
    assert [message.id for message in store.messages.load(found.id).path] == [question.id, answer.id]
    store.close()


def test_a_message_without_its_parent_becomes_a_first_message(path: Path) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    follow_up = Message.new(conversation.id, answer.id, "user", "And apples?")
    store.messages.add(follow_up)
    store.close()
    with raw(path) as other:
        other.execute("PRAGMA foreign_keys = 0")
        other.execute("DELETE FROM message WHERE id = ?", (answer.id,))
    store = Store(path)
    tree = store.messages.load(conversation.id)
    assert [message.text for message in tree.children(None)] == [question.text, "And apples?"]
    assert tree.leaf_id == follow_up.id
    store.close()


def test_a_rescue_that_was_cut_off_between_its_moves_is_finished(path: Path, kept: dict[str, Any]) -> None:
    healthy = path.read_bytes()
    path.with_name(path.name + ".rescued").write_bytes(healthy)
    path.unlink()
    Path(f"{path}-wal").write_bytes(b"of the damaged one")
    store = Store(path)
    assert contents(store) == kept
    store.close()
    assert finish_rescue(path) is None


def test_damage_that_shows_while_running_is_told_and_rescued_at_the_next_start(
    path: Path, kept: dict[str, Any]
) -> None:
    store = Store(path)
    total = path.stat().st_size // PAGE_SIZE
    for number in range(2, total + 1):
        damage(path, page(number, garbage))
    store.database.connection.execute("PRAGMA shrink_memory")
    assert fails(store.conversations.all) is Fault.DAMAGED
    store.close()
    store = Store(path)
    assert store.notice is not None
    assert set(contents(store)) <= set(kept)
    store.conversations.create(Conversation.new())
    store.close()


@pytest.mark.usefixtures("kept")
def test_a_disk_too_full_to_rescue_leaves_the_damaged_file_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = damage(path, first_bytes)

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", no_space)
    assert fails(lambda: Store(path)) is Fault.FULL
    assert path.read_bytes() == damaged
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]


def test_a_large_file_of_which_nothing_can_be_read_is_given_up_in_time(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**30)

    class Unreadable:
        asked = 0

        def execute(self, *_: object) -> sqlite3.Cursor:
            self.asked += 1
            raise sqlite3.DatabaseError("malformed")

    connection = Unreadable()
    assert list(Damaged(cast(sqlite3.Connection, connection), path).rows("message")) == []
    assert MOST_LOST < connection.asked < 3 * MOST_LOST


def test_sqlite_is_recent_enough_for_what_the_schema_uses() -> None:
    assert sqlite3.sqlite_version_info >= (3, 37)


def shelved(path: Path, is_upgraded: bool) -> tuple[dict[str, Any], tuple[object, ...]]:
    """A closed database with folders, a trash, names and choices, begun by this version or by the first."""
    if is_upgraded:
        with raw(path) as other:
            other.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            migrate(other, None, (VERSION_1,))
            for number in range(300):  # so that the tables of the second version begin far behind
                other.execute(
                    "INSERT INTO conversation (id, title, created, updated) VALUES (?, ?, 1.0, 1.0)",
                    (f"{number:032x}", "Old " * 20),
                )
    store = Store(path)
    assert path.with_name("conversations.version-1.sqlite").exists() == is_upgraded
    hand = Hand(store, 5)
    for _ in range(120):
        hand.act()
    folder = Folder.new("Garden")
    store.folders.create(folder)
    conversation, question, answer = asked(store)
    choices = NewChoices(pack([Choice(9_999), Choice(5_000, (Candidate(5, 900, "Summer"),))]))
    store.messages.finish(answer.id, stop="finished", ids=(1, 2), choices=choices)
    store.conversations.move(conversation.id, folder.id)
    store.messages.name_branch(answer.id, "Winter")
    store.messages.pin(question.id, True)
    store.conversations.mark_favourite(conversation.id, True)
    other_one, _, other_answer = asked(store)
    store.messages.finish(other_answer.id, stop="finished")
    store.trash.delete_message(other_answer.id)
    assert store.conversations.get(other_one.id)
    kept = (
        contents(store),
        (dump(store), store.trash.entries(), store.folders.all(), store.messages.choices(answer.id)),
    )
    store.close()
    assert kept[1][1]
    return kept


def state(store: Store) -> tuple[object, ...]:
    (answer,) = (number for (number,) in store.database.rows("SELECT DISTINCT message FROM message_choices"))
    ((answer_id,),) = store.database.rows("SELECT id FROM message WHERE number = ?", answer)
    return dump(store), store.trash.entries(), store.folders.all(), store.messages.choices(answer_id)


@pytest.mark.parametrize("is_headless", [False, True])
def test_a_file_that_ends_before_some_tables_begin_still_has_the_others_read(path: Path, is_headless: bool) -> None:
    """And nobody asks row by row for what lies behind the end: a start that does takes seconds."""
    shelved(path, is_upgraded=True)
    with raw(path) as other:
        query = "SELECT min(rootpage) FROM sqlite_schema WHERE name IN ('trash', 'folder', 'message_choices')"
        (late,) = other.execute(query).fetchone()
    with path.open("r+b") as file:
        file.truncate((late - 1) * PAGE_SIZE)
    if is_headless:
        damage(path, first_bytes)
    store = Store(path)
    assert [one.title for one in store.conversations.all()].count("Old " * 20) > 100
    store.close()


@pytest.mark.parametrize("is_upgraded", [False, True])
@pytest.mark.parametrize("how", [page(1, bytes), page(1, garbage), head_of_schema])
def test_folders_trash_and_names_are_rescued_wherever_their_tables_begin(
    path: Path, how: Damage, is_upgraded: bool
) -> None:
    before, everything = shelved(path, is_upgraded)
    damage(path, how)
    store = Store(path)
    assert store.notice is not None
    assert contents(store) == before
    assert state(store) == everything
    assert store.search.find("pears")
    store.close()


def test_what_lay_in_the_trash_stays_there_when_the_trash_itself_is_lost(path: Path) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    store.trash.delete_message(answer.id)
    store.close()
    with raw(path) as other:
        other.execute("PRAGMA foreign_keys = 0")
        other.execute("DELETE FROM trash")
    store = Store(path)
    assert store.notice is not None
    assert store.messages.of(conversation.id) == (question,)
    (entry,) = store.trash.entries()
    store.trash.restore(entry.number)
    assert len(store.messages.of(conversation.id)) == 2
    store.close()


def test_a_database_of_the_first_version_is_rescued_too(path: Path) -> None:
    with raw(path) as other:
        other.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        migrate(other, None, (VERSION_1,))
        other.execute("DELETE FROM sqlite_sequence")  # the first version did not note where tables begin
        other.execute("INSERT INTO conversation (id, created, updated) VALUES (?, 1.0, 1.0)", ("a" * 32,))
        other.execute(
            "INSERT INTO message (id, conversation, role, text, created) VALUES (?, 1, 'user', 'Pears?', 1.0)",
            ("b" * 32,),
        )
    damage(path, page(1, bytes))
    store = Store(path)
    assert [message.text for message in store.messages.of("a" * 32)] == ["Pears?"]
    assert (store.folders.all(), store.trash.entries()) == ((), ())
    store.close()


def test_the_index_of_a_damaged_database_is_made_again(path: Path) -> None:
    store = Store(path)
    asked(store, "Which pears keep?")
    assert store.search.find("pears")
    store.close()
    with raw(path) as other:
        other.execute("PRAGMA foreign_keys = 0")
        other.execute("UPDATE message SET text = 'Which quinces keep?' WHERE number = 1")
        other.execute("DELETE FROM conversation")
    store = Store(path)
    assert store.notice is not None
    assert (len(store.search.find("pears")), len(store.search.find("quinces"))) == (0, 1)
    store.close()
