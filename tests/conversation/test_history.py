"""What the store takes back and does again, and what it then says is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conversation.edit import Edit, Operation
from app.conversation.edit_result import EditResult
from app.conversation.faults import Fault
from app.conversation.history import HistoryState
from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from tests.conversation.builders import asked, fails
from tests.conversation.operations import Hand, check_same, dump
from tests.seeds import chosen


def check_result(store: Store, result: EditResult, where: str) -> None:
    """What came back is what is stored: the lists, and the whole tree of every conversation that was edited."""
    assert result.conversations == store.conversations.all(), where
    assert result.folders == store.folders.all(), where
    for tree in result.trees:
        stored = store.messages.load(tree.conversation_id)
        assert tree.path == stored.path, where
        assert len(tree) == len(stored), where
    is_about_messages = any(change.table == "message" for change in result.edit.changes)
    standing = result.ids.intersection(result.edit.conversation_ids)
    assert not is_about_messages or {tree.conversation_id for tree in result.trees} == standing, where


def test_undo_gives_what_was_there_redo_what_came_of_it_and_the_result_says_so() -> None:
    for seed in chosen(range(8)):
        store = Store(None)
        hand = Hand(store, seed)
        states, at = [dump(store)], 0
        for number in range(60):
            where, dice, step = f"seed {seed}, action {number}", hand.rng.random(), store.history.step
            if dice < 0.3 and store.history.undoable:
                result, at = store.undo(), at - 1
            elif dice < 0.5 and store.history.redoable:
                result, at = store.redo(), at + 1
            else:
                result = store.change(lambda _store, hand=hand: hand.act())  # type: ignore[misc]
                if result is not None:
                    at += 1
                    states[at:] = [dump(store)]
            check_same(dump(store), states[at])
            assert store.history.step == step + (result is not None), where
            assert (store.history.undoable is not None) == (at > 0), where
            assert (store.history.redoable is not None) == (at < len(states) - 1), where
            if result is not None:
                check_result(store, result, where)
        store.close()


def test_what_changes_nothing_is_no_step() -> None:
    store = Store(None)
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    assert store.change(lambda it: it.conversations.mark_favourite(conversation.id, False)) is None
    store.record(Edit(Operation.PIN))
    assert store.history == HistoryState()
    assert (store.undo(), store.redo()) == (None, None)
    store.close()


def test_an_undo_that_names_a_step_takes_back_no_other() -> None:
    store = Store(None)
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    store.change(lambda it: it.conversations.rename(conversation.id, "Fruit"))
    step = store.history.step
    store.change(lambda it: it.conversations.mark_favourite(conversation.id, True))
    assert store.undo(step=step) is None
    assert store.conversations.all()[0].is_favourite
    undone = store.undo(step=store.history.step)
    assert undone is not None
    assert undone.edit.operation is Operation.FAVOURITE
    assert store.undo(step=step) is None, "the same depth, but another moment"
    store.close()


def test_nothing_is_taken_from_a_conversation_that_is_held_and_the_step_waits() -> None:
    store = Store(None)
    conversation = Conversation.new()
    question = Message.new(conversation.id, None, "user", "Which pears keep?")
    store.change(lambda it: it.messages.begin(conversation, question))
    before = store.history
    assert fails(lambda: store.undo({conversation.id})) is Fault.WRITING
    assert (store.history, len(store.messages.of(conversation.id))) == (before, 1)
    store.change(lambda it: it.trash.delete_message(question.id))
    assert store.undo({conversation.id}) is not None, "what comes back takes nothing away"
    assert fails(lambda: store.undo({conversation.id})) is Fault.WRITING
    assert store.undo() is not None
    assert store.conversations.all() == ()
    store.close()


def test_an_emptied_trash_leaves_nothing_to_undo(tmp_path: Path) -> None:
    store = Store(tmp_path / "conversations.sqlite")
    _, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    store.change(lambda it: it.messages.pin(question.id, True))
    store.change(lambda it: it.trash.delete_message(answer.id))
    step = store.history.step
    store.empty_trash()
    assert store.history == HistoryState(step + 1)
    assert store.undo() is None
    store.close()


def test_a_step_about_what_is_gone_for_ever_is_forgotten() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    edit = store.trash.delete_message(answer.id)
    store.empty_trash()
    store.change(lambda it: it.conversations.rename(conversation.id, "Fruit"))
    store.record(edit)
    step = store.history.step
    with pytest.raises(LookupError, match="gone for ever"):
        store.undo()
    assert store.history == HistoryState(step + 1, Operation.RENAME)
    assert store.undo() is not None
    assert store.messages.of(conversation.id) == (question,)
    store.close()
