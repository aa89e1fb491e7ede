"""A whole conversation as a value: out of one store, into another, or beside itself."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.kept_choices import NewChoices
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document, Folder
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.choices import Candidate, Choice, pack
from tests.conversation.builders import asked, contents, described, filled, grow
from tests.conversation.operations import Hand, dump
from tests.seeds import each_seed


@each_seed(range(6))
def test_what_goes_from_one_store_to_another_is_the_same_there(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "conversations.sqlite"
    filled(path, seed)
    first, second = Store(path), Store(None)
    hand = Hand(first, seed)
    for _ in range(30):
        hand.act()
    documents = [first.exports.export(conversation.id) for conversation in first.conversations.all()]
    for document in reversed(documents):
        edit = second.imports.add(document)
        assert edit.conversation_id == document.conversation.id
        assert second.exports.export(document.conversation.id) == replace(
            document, conversation=replace(document.conversation, folder_id=None)
        )
        assert described(second.messages.load(document.conversation.id)) == described(
            first.messages.load(document.conversation.id)
        )
    assert {one.id for one in second.conversations.all()} == {one.id for one in first.conversations.all()}
    first.close()
    second.close()


def test_a_duplicate_has_everything_but_the_ids_and_one_step_takes_it_back() -> None:
    store = Store(None)
    folder = Folder.new("Garden")
    store.folders.create(folder)
    conversation, question, answer = asked(store)
    store.messages.append_text(answer.id, "Winter pears.")
    choices = pack([Choice(5_000, (Candidate(7, 900, "Summer"),), length=13), Choice(None), Choice(9_999)])
    store.messages.finish(answer.id, stop="finished", ids=(1, 2, 3), choices=NewChoices(choices))
    store.conversations.move(conversation.id, folder.id)
    store.messages.name_branch(answer.id, "Winter")
    store.messages.pin(question.id, True)
    grow(store, store.messages.load(conversation.id), random.Random(4), 20)
    before = dump(store)
    edit = store.imports.add(store.exports.export(conversation.id))
    copy_id = edit.conversation_id
    assert copy_id not in (None, conversation.id)
    assert len(edit.changes) == 1
    original, copy = store.exports.export(conversation.id), store.exports.export(str(copy_id))
    assert copy.conversation == replace(original.conversation, id=copy_id)
    assert [message.text for message in copy.messages] == [message.text for message in original.messages]
    ids = {old.id: new.id for old, new in zip(original.messages, copy.messages, strict=True)}
    assert not set(ids) & set(ids.values())
    for old, new in zip(original.messages, copy.messages, strict=True):
        assert new == replace(
            old, id=ids[old.id], conversation_id=copy_id, parent_id=old.parent_id and ids[old.parent_id]
        )
    assert copy.visited == tuple(ids[one] for one in original.visited)
    assert copy.leaf_id == ids[str(original.leaf_id)]
    assert copy.choices == {ids[answer.id]: choices}
    assert len(store.search.find("winter pears")) == 2
    store.trash.revert(edit)
    assert [one.id for one in store.conversations.all()] == [conversation.id]
    assert dump(store)["folder"] == before["folder"]
    store.close()


def test_what_contradicts_itself_is_named_by_its_place_and_changes_nothing() -> None:
    store = Store(None)
    asked(store)
    before = dump(store)
    conversation = Conversation.new("Fruit")
    first = Message.new(conversation.id, None, "user", "Which pears keep?")
    second = Message.new(conversation.id, first.id, "assistant", "Winter pears.")
    lost = new_id()
    for document, reason in [
        (Document(conversation, (second, first)), "message 1 follows"),
        (Document(conversation, (first, first)), "message 2 has the id"),
        (Document(conversation, (first, second), leaf_id=lost), lost),
        (Document(conversation, (first,), visited=(lost,)), lost),
        (Document(conversation, (first,), choices={lost: b"x"}), lost),
        (
            Document(conversation, (first,), choices={first.id: b"x"}),
            "only an answer",
        ),
        (Document(replace(conversation, title=""), (first,)), "title"),
        (Document(replace(conversation, id="x"), (first,)), "not an id"),
        (Document(conversation, (first, replace(second, text="\ud83d"))), "surrogates"),
    ]:
        with pytest.raises(ValueError, match=reason):
            store.imports.add(document)
        assert dump(store) == before
    assert store.imports.add(Document(conversation)).conversation_id == conversation.id
    store.close()


def test_a_thousand_messages_come_in_at_once() -> None:
    store = Store(None)
    conversation = Conversation.new("Long")
    tree = MessageTree(conversation.id)
    parent = None
    for number in range(1000):
        message = Message.new(conversation.id, parent, "user" if number % 2 else "assistant", f"Number {number}")
        tree.add(message)
        parent = message.id
    store.imports.add(Document(conversation, tree.path, leaf_id=parent))
    assert store.messages.load(conversation.id).path == tree.path
    assert store.search.state.left == 1000
    while store.idle_step():
        pass
    assert len(store.search.find("number 999")) == 1
    store.close()


def test_all_branches_are_told_those_in_the_trash_too() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished", ids=(1, 2))
    other = Message.new(conversation.id, None, "user", "And apples?")
    store.messages.add(other)
    late = Message.new(conversation.id, answer.id, "user", "Really?")
    store.messages.add(late)
    store.trash.delete_message(answer.id)
    assert contents(store)[conversation.id][1]["path"] == (question,)
    paths = [tuple(message.id for message in path) for path in store.messages.branches(conversation.id)]
    assert sorted(paths) == sorted([(other.id,), (question.id, answer.id, late.id)])
    assert next(path for path in store.messages.branches(conversation.id) if len(path) == 3)[1].ids == (1, 2)
    store.trash.delete_conversation(conversation.id)
    assert len(store.messages.branches(conversation.id)) == 2
    assert store.conversations.get(conversation.id).id == conversation.id
    store.close()
