"""What is said is kept, whole and in order, and what cannot be right is refused by the schema."""

from __future__ import annotations

import random
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation import message_store
from app.conversation.database import Database
from app.conversation.faults import Fault, StoreError
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Folder
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from tests.conversation.builders import asked, contents, described, fails, grow, raw
from tests.seeds import each_seed

LATE = "e" * 32  # the id of a message that is said below one in the trash


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "conversations.sqlite"


@each_seed(range(6))
def test_a_reopened_store_equals_the_one_that_was_closed_and_the_tree_in_memory(tmp_path: Path, seed: int) -> None:
    path, rng, trees = tmp_path / "conversations.sqlite", random.Random(seed), []
    for _ in range(2):
        store = Store(path)
        conversation = Conversation.new()
        store.conversations.create(conversation)
        trees = [store.messages.load(found.id) for found in store.conversations.all()]
        for tree in trees:
            grow(store, tree, rng, 15)
        before = contents(store)
        store.close()
        store = Store(path)
        assert contents(store) == before
        assert {tree.conversation_id: described(tree) for tree in trees} == {
            key: kept[1] for key, kept in before.items()
        }
        store.close()
    assert len(trees) == 2


def test_a_method_that_returned_has_committed(path: Path) -> None:
    store = Store(path)
    _, question, answer = asked(store)
    store.messages.append_text(answer.id, "Winter pears.")
    with raw(path) as other:
        assert other.execute("SELECT id FROM message ORDER BY number").fetchall() == [(question.id,), (answer.id,)]
        assert other.execute("SELECT text FROM message_text").fetchall() == [("Winter pears.",)]
    store.close()


def test_an_answer_that_was_cut_off_is_shown_as_far_as_it_was_written(path: Path) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    for piece in ("Winter", " pears", "", " keep."):
        store.messages.append_text(answer.id, piece)
    store.close()
    store = Store(path)
    assert store.messages.of(conversation.id) == (question, replace(answer, text="Winter pears keep."))
    assert store.messages.of(conversation.id)[1].is_unfinished
    store.messages.append_text(answer.id, " Long.")
    store.messages.finish(answer.id, stop="stopped", ids=range(3), stats={"rate": 1.5}, model="f2")
    whole = replace(
        answer, text="Winter pears keep. Long.", ids=(0, 1, 2), stop="stopped", stats={"rate": 1.5}, model="f2"
    )
    assert store.messages.of(conversation.id)[1] == whole
    store.close()


@pytest.mark.parametrize("ids", [None, (), (0, 2**32 - 1), tuple(range(4096)), tuple(range(9000))])
def test_token_ids_come_back_as_they_were(ids: tuple[int, ...] | None) -> None:
    store = Store(None)
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished", ids=ids)
    assert store.messages.of(conversation.id)[1].ids == ids
    copied = Message.new(conversation.id, None, "assistant", "Imported")
    copied = replace(copied, ids=ids, stop="finished", stats={"é": [1, None]})
    store.messages.add(copied)
    assert store.messages.of(conversation.id)[2] == copied
    store.close()


def test_token_ids_that_are_not_complete_are_not_shown_as_if_they_were(path: Path) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished", ids=range(9000))
    with raw(path) as other:
        other.execute("DELETE FROM message_ids WHERE number = 2")
    assert store.messages.of(conversation.id)[1].ids is None
    store.close()


@pytest.mark.parametrize("text", ["nul \0 in it", "🌳", "\r\n\t ", "x" * 300_000, "'); DROP TABLE message; --"])
def test_any_text_comes_back_as_it_was(text: str) -> None:
    store = Store(None)
    conversation, _, answer = asked(store, text)
    store.messages.append_text(answer.id, text)
    assert [message.text for message in store.messages.of(conversation.id)] == [text, text]
    store.close()


def test_the_end_can_be_asked_for_again_after_it_failed_halfway() -> None:
    store = Store(None)
    conversation, _, answer = asked(store)
    ids = tuple(range(10_000))
    with pytest.raises(ValueError, match="JSON"):
        store.messages.finish(answer.id, stop="finished", ids=ids, stats={"rate": float("nan")})
    assert store.messages.of(conversation.id)[1] == answer
    store.messages.finish(answer.id, stop="finished", ids=ids)
    assert store.messages.of(conversation.id)[1].ids == ids
    store.close()


def test_the_first_question_gives_the_title_and_a_person_can_change_it() -> None:
    store = Store(None)
    conversation, question, _ = asked(store, "Which pears\nkeep?")
    store.messages.add(Message.new(conversation.id, question.id, "user", "And apples?"))
    assert store.conversations.all()[0].title == "Which pears keep?"
    store.conversations.rename(conversation.id, " Fruit ")
    assert store.conversations.all()[0].title == "Fruit"
    with pytest.raises(ValueError, match="title"):
        store.conversations.rename(conversation.id, "\n")
    store.close()


def test_the_conversation_used_last_comes_first() -> None:
    store = Store(None)
    (old, _, _), (new, _, _) = asked(store), asked(store)
    assert [found.id for found in store.conversations.all()] == [new.id, old.id]
    store.messages.add(Message.new(old.id, None, "user", "Again"))
    assert [found.id for found in store.conversations.all()] == [old.id, new.id]
    store.close()


def test_siblings_keep_their_order_when_the_clock_goes_back() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    earlier = replace(answer, id=new_id(), created_at=answer.created_at - 9e6)
    store.messages.add(earlier)
    assert store.messages.load(conversation.id).children(question.id) == (answer, earlier)
    store.close()


def test_what_was_used_last_comes_first_when_the_clock_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of the list is opened when the program starts."""
    store, now, used = Store(None), time.time(), []
    for day in (0.0, -30.0, -400.0):
        monkeypatch.setattr(time, "time", lambda at=now + day * 86400: at)
        conversation, _, answer = asked(store)
        store.messages.finish(answer.id, stop="finished")
        used.insert(0, conversation.id)
        assert [one.id for one in store.conversations.all()] == used
    store.close()


def test_where_nothing_is_selected_the_last_visited_path_is_shown() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    store.messages.add(Message.new(conversation.id, question.id, "assistant"), select=False)
    store.messages.select_path(conversation.id, None)
    assert store.messages.load(conversation.id).path == (question, answer)
    store.close()


def test_misuse_is_named_and_leaves_everything_as_it_was() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    elsewhere, stranger, _ = asked(store)
    store.messages.finish(answer.id, stop="finished", ids=(1,))
    before = contents(store)
    lost = new_id()
    for error, attempt in [
        (ValueError, lambda: store.messages.append_text(question.id, "more")),
        (ValueError, lambda: store.messages.append_text(answer.id, "more")),
        (ValueError, lambda: store.messages.finish(answer.id, stop="finished")),
        (ValueError, lambda: store.messages.add(question)),
        (ValueError, lambda: store.conversations.create(conversation)),
        (ValueError, lambda: store.messages.add(Message.new(conversation.id, stranger.id, "user", "?"))),
        (ValueError, lambda: store.messages.select_path(conversation.id, stranger.id)),
        (ValueError, lambda: store.messages.of("../../etc")),
        (LookupError, lambda: store.messages.of(lost)),
        (LookupError, lambda: store.messages.load(lost)),
        (LookupError, lambda: store.conversations.rename(lost, "x")),
        (LookupError, lambda: store.messages.append_text(lost, "x")),
        (LookupError, lambda: store.messages.select_path(elsewhere.id, lost)),
        (LookupError, lambda: store.messages.add(Message.new(lost, None, "user", "?"))),
        (LookupError, lambda: store.messages.add(Message.new(conversation.id, lost, "user", "?"))),
        (UnicodeEncodeError, lambda: store.messages.add(Message.new(conversation.id, None, "user", "\ud83d"))),
    ]:
        with pytest.raises(error):
            attempt()
        assert contents(store) == before
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE message SET parent = 4 WHERE number = 2",  # a parent in another conversation
        "UPDATE message SET parent = 2 WHERE number = 1",  # a cycle
        "UPDATE message SET role = 'tool' WHERE number = 1",
        "UPDATE message SET text = '' WHERE number = 1",
        "UPDATE message SET role = 'system' WHERE number = 2",  # below another message
        "UPDATE message SET stop = 'finished' WHERE number = 1",  # a question that ended
        "UPDATE message SET stats = '{}' WHERE number = 2",  # figures without an end
        "UPDATE message SET stop = 'finished', stats = '{' WHERE number = 2",
        "UPDATE message SET created = 'yesterday' WHERE number = 1",
        "UPDATE message SET id = upper(hex(randomblob(16))) WHERE number = 1",
        "UPDATE message SET visited = 1 WHERE number = 3",  # beside another that was
        "UPDATE conversation SET leaf = 4 WHERE number = 1",
        "UPDATE conversation SET title = ''",
        "DELETE FROM message WHERE number = 2",  # the selected leaf
        "INSERT INTO message_text (message, text) VALUES (1, 'more')",
        "INSERT INTO message_text (message, text) VALUES (99, 'more')",
        "INSERT INTO message_ids (message, ids) VALUES (2, x'010203')",
        "UPDATE message SET trash = 1 WHERE number = 1",  # something that can be seen hangs on it
        "UPDATE message SET trash = 1 WHERE number = 2",  # the open path ends there
        "UPDATE message SET trash = 99 WHERE number = 3",  # no such entry
        "UPDATE message SET trash = NULL WHERE number = 7",  # its parent lies in the trash
        f"INSERT INTO message (id, conversation, parent, role, text, created) VALUES ('{LATE}', 3, 6, 'user', 'x', 1)",
        "UPDATE conversation SET leaf = 6 WHERE number = 3",
        "DELETE FROM trash",
        "UPDATE conversation SET folder = 2",  # which lies in the trash
        "UPDATE folder SET trash = 1 WHERE number = 1",  # which is not empty
        "DELETE FROM folder WHERE number = 1",
        "UPDATE folder SET name = ''",
        "UPDATE message SET pinned = 2",
        "UPDATE message SET favourite = NULL",
        "UPDATE message SET name = ''",
        "UPDATE message SET sampling = '{}' WHERE number = 1",  # of a question
        "UPDATE message SET sampling = '{' WHERE number = 2",
        "UPDATE conversation SET favourite = 'yes'",
        "INSERT INTO message_choices (message, choices) VALUES (1, x'01')",  # of a question
        "INSERT INTO message_choices (message, choices) VALUES (2, x'')",
        "INSERT INTO message_choices (message, choices) VALUES (2, x'01'), (2, x'01')",
    ],
)
def test_the_schema_refuses_what_cannot_be(path: Path, statement: str) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    store.messages.add(Message.new(conversation.id, question.id, "assistant"), select=False)
    store.messages.select_path(conversation.id, answer.id)
    asked(store)
    _, deleted, below = asked(store)
    store.messages.finish(below.id, stop="finished")
    store.trash.delete_message(deleted.id)
    shelf, emptied = Folder.new("Garden"), Folder.new("Kitchen")
    for folder in (shelf, emptied):
        store.folders.create(folder)
    store.conversations.move(conversation.id, shelf.id)
    store.trash.delete_folder(emptied.id)
    store.close()
    with raw(path) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(statement)


def test_it_is_written_as_durably_as_sqlite_can_and_for_its_owner_only(path: Path) -> None:
    store = Store(path)
    asked(store)
    found = {
        name: store.database.connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in (
            "journal_mode",
            "synchronous",
            "fullfsync",
            "checkpoint_fullfsync",
            "foreign_keys",
            "secure_delete",
        )
    }
    assert found.pop("journal_mode") == "wal"
    assert found.pop("synchronous") == 2
    assert set(found.values()) == {1}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    store.close()


def test_a_file_that_others_could_read_becomes_private_again(path: Path) -> None:
    Store(path).close()
    path.chmod(0o644)
    Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_costs_only_what_could_not_be_written(path: Path) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    used = store.database.connection.execute("PRAGMA page_count").fetchone()[0]
    store.database.connection.execute(f"PRAGMA max_page_count = {used + 3}")
    store.messages.append_text(answer.id, "leaf " * 1000)
    with pytest.raises(StoreError) as caught:
        store.messages.append_text(answer.id, "branch " * 10_000)
    assert caught.value.fault is Fault.FULL
    assert str(path) in caught.value.problem.sentence
    assert store.messages.of(conversation.id)[1].text == "leaf " * 1000
    store.database.connection.execute("PRAGMA max_page_count = 100000")
    store.messages.append_text(answer.id, "branch " * 10_000)
    store.messages.finish(answer.id, stop="finished")
    assert store.messages.of(conversation.id)[1].text == "leaf " * 1000 + "branch " * 10_000
    store.close()


def test_while_another_program_writes_one_is_told_and_can_try_again(path: Path) -> None:
    store = Store(path, patience=0.01)
    conversation, _, answer = asked(store)
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        assert fails(lambda: store.messages.append_text(answer.id, "Winter")) is Fault.LOCKED
        assert store.messages.of(conversation.id)[1].text == ""  # reading goes on
        other.execute("ROLLBACK")
    store.messages.append_text(answer.id, "Winter")
    assert store.messages.of(conversation.id)[1].text == "Winter"
    store.close()


def test_a_store_in_memory_does_the_same_work_and_says_that_it_is_not_durable(path: Path) -> None:
    memory, durable = Store(None), Store(path)
    conversation = Conversation.new()
    for store in (memory, durable):
        store.conversations.create(conversation)
    tree = MessageTree(conversation.id)
    grow(memory, tree, random.Random(3), 20)
    assert described(memory.messages.load(conversation.id)) == described(tree)
    assert (memory.is_durable, durable.is_durable) == (False, True)
    memory.close()
    durable.close()
    durable.close()


def test_too_little_memory_is_a_refusal_like_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    executing, fuel = Database.execute, 0

    def unlucky(self: Database, query: str, *values: object) -> sqlite3.Cursor:
        nonlocal fuel
        fuel -= 1
        if fuel == 0:
            raise MemoryError
        return executing(self, query, *values)

    monkeypatch.setattr(Database, "execute", unlucky)
    for step in range(1, 9):  # wherever it runs out, nothing of the request is kept
        fuel = step
        late = Message.new(conversation.id, answer.id, "user", "And apples?")
        assert fails(lambda message=late: store.messages.add(message)) is Fault.MEMORY
        fuel = 0
        assert len(store.messages.of(conversation.id)) == 2
    store.messages.append_text(answer.id, "Winter pears.")
    store.close()
    assert Store(path).messages.of(conversation.id)[1].text == "Winter pears."


def test_a_transaction_that_could_not_be_taken_back_is_taken_back_before_the_next(path: Path) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    store.database.connection.execute("BEGIN IMMEDIATE")
    store.database.connection.execute("UPDATE conversation SET title = 'Half done'")
    store.messages.append_text(answer.id, "Winter pears.")
    assert store.conversations.get(conversation.id).title == "Which pears keep?"
    store.close()


def test_a_long_conversation_is_read_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read twice or left out where a page ends."""
    monkeypatch.setattr(message_store, "PAGE", 10)
    for count in (0, 9, 10, 11, 40):
        store = Store(None)
        conversation, last = Conversation.new(), None
        store.conversations.create(conversation)
        for number in range(count):
            message = Message.new(conversation.id, last, "user", f"text {number}")
            store.messages.add(message)
            last = message.id
        assert store.messages.load(conversation.id).path == store.messages.of(conversation.id)
        store.close()


def test_an_answer_that_has_ended_grows_again_where_it_is_opened_again(path: Path) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, text="One", stop="stopped", ids=(1,), stats={"rate": 1.0})
    store.messages.reopen(answer.id)
    (_, now) = store.messages.of(conversation.id)
    assert (now.text, now.stop, now.ids, now.stats) == ("One", None, None, None)
    with pytest.raises(StoreError):
        store.trash.delete_message(question.id)
    store.messages.append_text(answer.id, " two")
    store.messages.finish(answer.id, text=" three", stop="finished", ids=(1, 2, 3))
    (_, now) = store.messages.of(conversation.id)
    assert (now.text, now.stop, now.ids) == ("One two three", "finished", (1, 2, 3))
    for other in (question.id, "0" * 32):
        with pytest.raises((ValueError, LookupError)):
            store.messages.reopen(other)


def test_messages_are_counted_no_further_than_it_matters(path: Path) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    store.messages.add(Message.new(conversation.id, answer.id, "user", "And then?"))
    assert [store.messages.count(conversation.id, most) for most in (0, 2, 3, 9)] == [0, 2, 3, 3]
    with pytest.raises(LookupError):
        store.messages.count(new_id(), 9)
    store.close()
