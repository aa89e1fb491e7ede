"""Imports come in whole or not at all, between other requests, and leave nothing when they are given up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.conversation import staging
from app.conversation.edit import Operation
from app.conversation.faults import Fault, StoreError, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_rows import MessageRows
from app.conversation.records import Document
from app.conversation.staging import Stage, StagedDocument
from app.conversation.store import Store
from tests.conversation.builders import asked, contents, filled
from tests.seeds import chosen, each_seed


@pytest.fixture(autouse=True)
def _one_message_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "STEP", 0.0)
    monkeypatch.setattr(staging, "AT_ONCE", 3)


def documents(path: Path, seed: int) -> list[Document]:
    filled(path, seed)
    store = Store(path)
    found = [store.exports.export(one.id) for one in store.conversations.all()]
    store.close()
    return found


def stage_all(store: Store, found: list[Document]) -> Stage:
    stage = Stage()
    for document in found:
        coming = StagedDocument(document)
        while store.imports.stage(stage, coming):
            pass
        assert coming.share == 1.0
    return stage


def settle(store: Store) -> None:
    while store.idle_step():
        pass


def rows(store: Store) -> list[int]:
    tables = ("conversation", "message", "message_text", "message_ids", "message_choices", "trash")
    return [store.database.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables]


@each_seed(range(5))
def test_what_is_published_is_what_came_in_and_can_be_taken_back(tmp_path: Path, seed: int) -> None:
    found = documents(tmp_path / "source.db", seed)
    store = Store(tmp_path / "store.db")
    conversation, question, _ = asked(store)
    stage = stage_all(store, found)
    assert [one.id for one in store.conversations.all()] == [conversation.id]
    assert (store.trash.entries(), store.empty_trash()) == ((), 0)
    assert {hit.conversation_id for hit in store.search.find("pear")} == {conversation.id}
    edit = store.imports.publish(stage)
    assert (edit.operation, edit.conversation_ids) == (Operation.IMPORT, tuple(one.conversation.id for one in found))
    assert [store.exports.export(one.conversation.id) for one in found] == found
    settle(store)
    assert store.search.state.left == 0
    assert {hit.conversation_id for hit in store.search.find("pear", 500)} >= {
        one.conversation.id for one in found if any("pear" in message.text for message in one.messages)
    }
    again = store.trash.revert(edit)
    assert [one.id for one in store.conversations.all()] == [conversation.id]
    store.trash.revert(again)
    assert [store.exports.export(one.conversation.id) for one in found] == found
    assert store.messages.of(conversation.id)[0] == question
    store.close()


@pytest.mark.parametrize("ending", ["given up", "restarted"])
def test_an_import_that_is_not_finished_leaves_nothing(tmp_path: Path, ending: str) -> None:
    found = documents(tmp_path / "source.db", 2)
    path = tmp_path / "store.db"
    store = Store(path)
    asked(store)
    settle(store)
    before, kept = rows(store), contents(store)
    stage = stage_all(store, found[:2])
    coming = StagedDocument(found[2])
    assert store.imports.stage(stage, coming)
    if ending == "given up":
        store.imports.unstage(stage)
    else:
        store.close()
        store = Store(path)
    assert contents(store) == kept
    steps = 0
    while store.idle_step():
        steps += 1
    assert steps > 10
    assert rows(store) == before
    assert store.search.index.held() <= {row[0] for row in store.database.rows("SELECT number FROM message")}
    if ending == "given up":
        with pytest.raises(LookupError):
            store.imports.stage(stage, coming)
        with pytest.raises(LookupError):
            store.imports.publish(stage)
    assert contents(store) == kept
    store.close()


def test_whatever_fails_in_between_all_or_nothing_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit is refused at every place in turn."""
    document = documents(tmp_path / "source.db", 3)[0]
    store = Store(None)
    asked(store)
    settle(store)
    before = rows(store)
    insert, left = MessageRows.insert, [0]

    def unlucky(*values: object) -> int:
        left[0] -= 1
        if left[0] == 0:
            raise store_error(Fault.FULL, None)
        return insert(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(MessageRows, "insert", unlucky)
    for place in range(1, len(document.messages) + 1):
        left[0] = place
        with pytest.raises(StoreError):
            store.imports.add(document)
        _, question, answer = asked(store)
        store.messages.finish(answer.id, stop="finished")
        store.trash.delete_message(question.id)  # takes the next number in the trash, as a person would
        settle(store)
        assert len(store.trash.entries()) == place
    store.empty_trash()
    assert rows(store)[1:] == before[1:]
    left[0] = 0
    store.imports.add(document)
    assert store.exports.export(document.conversation.id) == document
    store.close()


def test_ids_that_are_taken_are_exchanged_and_hang_together() -> None:
    store = Store(None)
    conversation = Conversation.new("Pears")
    messages = [Message.new(conversation.id, None, "user", "0")]
    for number in range(1, 30):
        messages.append(Message.new(conversation.id, messages[number // 2 - 1].id, "user", str(number)))
    document = Document(conversation, tuple(messages), (), messages[-1].id)
    first, second = store.imports.add(document), store.imports.add(document)
    assert first.conversation_id == conversation.id != second.conversation_id
    copy = store.exports.export(str(second.conversation_id))
    assert not {message.id for message in copy.messages} & {message.id for message in messages}
    texts = {message.id: message.text for message in (*copy.messages, *messages)}
    assert [(one.text, texts.get(one.parent_id or "")) for one in copy.messages] == [
        (one.text, texts.get(one.parent_id or "")) for one in messages
    ]
    assert texts[str(copy.leaf_id)] == "29"
    store.close()


def test_nothing_is_staged_any_more_when_the_import_was_given_up(tmp_path: Path) -> None:
    found = documents(tmp_path / "source.db", 4)
    store = Store(tmp_path / "store.db")
    stage = stage_all(store, found[:1])
    coming = StagedDocument(found[1])
    store.imports.stage(stage, coming)
    store.imports.unstage(stage)
    settle(store)
    other = store.imports.add(found[2])
    store.trash.delete_conversation(str(other.conversation_id))
    for request in (lambda: store.imports.stage(stage, coming), lambda: store.imports.publish(stage)):
        with pytest.raises(LookupError):
            request()
    store.imports.unstage(stage)
    settle(store)
    assert len(store.trash.entries()) == 1
    store.close()


def test_random_requests_between_the_steps_and_an_import_do_not_disturb_each_other(tmp_path: Path) -> None:
    found = documents(tmp_path / "source.db", 6)
    for seed in chosen(range(6)):
        rng = random.Random(seed)
        store = Store(None)
        stage, done = Stage(), []
        for document in found:
            coming = StagedDocument(document)
            while store.imports.stage(stage, coming):
                if rng.random() < 0.2:
                    _, question, answer = asked(store, f"Question {len(done)}")
                    store.messages.finish(answer.id, stop="finished")
                    edit = store.trash.delete_message(question.id)
                    if rng.random() < 0.5:
                        store.trash.revert(edit)
                    elif rng.random() < 0.5:
                        store.empty_trash()
                    done.append(question)
        store.imports.publish(stage)
        assert [store.exports.export(one.conversation.id) for one in found] == found, f"seed {seed}"
        assert len(store.conversations.all()) == len(done) + len(found), f"seed {seed}"
        store.close()
