"""Whatever is done is taken back exactly, and no word is lost on the way."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.edit import Change, Edit, Operation, condensed, joined
from app.conversation.faults import Fault
from app.conversation.history import History
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Folder
from app.conversation.store import Store
from tests.conversation.builders import asked, contents, fails, tree_messages
from tests.conversation.operations import Hand, check_same, dump
from tests.seeds import each_seed


def shown(store: Store) -> list[str]:
    (conversation,) = store.conversations()
    return [message.text for message in store.load(conversation.id).path]


def check(store: Store) -> None:
    """What always holds: every tree can be walked, and its paths are the messages that were said, one after another."""
    assert store._connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert store._connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for conversation in store.conversations():
        tree = store.load(conversation.id)
        messages = {message.id: message for message in store.messages(conversation.id)}
        assert {message.id for message in tree_messages(tree)} == set(messages)
        for message in messages.values():
            path = tree.path_to(message.id)
            above = "".join(messages[step.id].text for step in path)
            assert above == "".join(_stored(store, step.id) for step in path)
        leaf, visited = store._leaf(conversation.id), store._visited(conversation.id)
        if leaf:
            assert {message.id for message in tree.path_to(leaf)} <= set(visited)
        assert max(Counter(messages[one].parent_id for one in visited).values(), default=1) == 1


def _stored(store: Store, message_id: str) -> str:
    query = """SELECT text || ifnull((SELECT group_concat(text, '') FROM message_text
        WHERE message = message.number), '') FROM message WHERE id = ?"""
    return str(store._connection.execute(query, (message_id,)).fetchone()[0])


@each_seed(range(25))
def test_undo_returns_exactly_what_was_there_and_redo_what_came_of_it(seed: int) -> None:
    store, history = Store(None), History()
    hand = Hand(store, seed)
    states, place = [dump(store)], 0
    operations: Counter[Operation] = Counter()
    for _ in range(80):
        dice = hand.rng.random()
        if dice < 0.25 and history.state.undoable:
            history.undo(store.revert)
            place -= 1
        elif dice < 0.4 and history.state.redoable:
            history.redo(store.revert)
            place += 1
        else:
            edit = hand.act()
            history.record(edit)
            if not edit.is_empty:
                operations[edit.operation] += 1
                place += 1
                states[place:] = [dump(store)]
        check_same(dump(store), states[place])
    while history.undo(store.revert) is not None:
        place -= 1
        check_same(dump(store), states[place])
    assert place == 0
    assert store.conversations() == ()
    assert len(operations) > 5
    check(store)
    store.close()


@each_seed(range(12))
def test_whatever_comes_between_nothing_is_lost_and_everything_still_fits(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "conversations.sqlite"
    store, history = Store(path), History(30)
    hand = Hand(store, 1000 + seed)
    words: dict[str, str] = {}
    for step in range(120):
        dice = hand.rng.random()
        if dice < 0.3:
            hand.wander()
        elif dice < 0.5:
            history.undo(store.revert)
        elif dice < 0.65:
            history.redo(store.revert)
        else:
            history.record(hand.act())
        found = {row[0]: _stored(store, row[0]) for row in dump(store)["message"]}
        assert {key: found[key] for key in words} == words  # what was said once is there, shown or in the trash
        words = found
        if step % 10 == 0:
            check(store)
    before = (dump(store), contents(store), store.trash(), store.folders())
    store.close()
    store = Store(path)
    assert (dump(store), contents(store), store.trash(), store.folders()) == before
    check(store)
    store.close()


def test_a_fork_that_is_taken_back_leaves_the_path_as_it_was_and_comes_again_with_its_answer() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    before = contents(store)
    fork = Message.new(conversation.id, None, "user", "Which apples keep?")
    history.record(store.add_message(fork))
    reply = Message.new(conversation.id, fork.id, "assistant")
    store.add_message(reply)
    store.append_text(reply.id, "Russets.")
    store.finish_message(reply.id, stop="finished", ids=(1,))
    after = contents(store)
    assert history.state.undoable is Operation.ADD
    undone = history.undo(store.revert)
    assert undone is not None
    assert undone.conversation_ids == (conversation.id,)
    assert contents(store) == before
    assert [entry.messages for entry in store.trash()] == [2]
    history.redo(store.revert)
    assert contents(store) == after
    assert store.trash() == ()
    assert question in store.messages(conversation.id)
    store.close()


def test_deleting_shows_the_neighbour_or_what_was_above() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    store.append_text(answer.id, "Winter pears.")
    store.finish_message(answer.id, stop="finished")
    other = replace(Message.new(conversation.id, question.id, "assistant", "Quinces."), stop="finished")
    store.add_message(other)
    store.delete_message(other.id)
    assert shown(store) == [question.text, "Winter pears."]
    store.delete_message(answer.id)
    assert shown(store) == [question.text]
    store.delete_message(question.id)
    assert shown(store) == []
    assert [entry.excerpt for entry in store.trash()] == [question.text, "Winter pears.", "Quinces."]
    store.restore(store.trash()[-1].number)
    assert shown(store) == [question.text, "Quinces."]
    assert [entry.excerpt for entry in store.trash()] == ["Winter pears."]
    store.restore(store.trash()[0].number)
    assert len(store.messages(conversation.id)) == 3
    assert store.trash() == ()
    store.close()


def test_pruning_keeps_the_path_that_is_shown_also_when_none_was_chosen() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    other = Message.new(conversation.id, None, "user", "And apples?")
    store.add_message(other, select=False)
    for leaf, kept in ((answer.id, ["Which pears keep?", ""]), (other.id, ["And apples?"]), (None, ["And apples?"])):
        store.select_path(conversation.id, leaf)
        before = contents(store)
        history.record(store.prune(conversation.id))
        assert [message.text for message in store.messages(conversation.id)] == kept
        assert shown(store) == kept
        history.undo(store.revert)
        assert contents(store) == before
    assert store.prune(conversation.id).operation is Operation.PRUNE
    assert store.prune(conversation.id).is_empty
    assert question.id in {message.id for path in store.branches(conversation.id) for message in path}
    store.close()


def test_an_answer_that_is_being_written_is_not_taken_away() -> None:
    store, history = Store(None), History()
    conversation = Conversation.new()
    history.record(store.create_conversation(conversation))
    question = Message.new(conversation.id, None, "user", "Which pears keep?")
    history.record(store.add_message(question))
    answer = Message.new(conversation.id, question.id, "assistant")
    store.add_message(answer)
    before = dump(store)
    for attempt in (
        lambda: history.undo(store.revert),
        lambda: store.delete_message(question.id),
        lambda: store.delete_message(answer.id),
        lambda: store.delete_conversation(conversation.id),
    ):
        assert fails(attempt) is Fault.WRITING
        assert dump(store) == before
    store.append_text(answer.id, "Winter pears.")
    store.finish_message(answer.id, stop="finished")
    assert history.undo(store.revert) is not None
    assert store.messages(conversation.id) == ()
    store.close()


def test_an_answer_whose_first_word_comes_too_late_is_kept_with_its_question(tmp_path: Path) -> None:
    store, history = Store(tmp_path / "conversations.sqlite"), History()
    conversation, question, _ = asked(store)
    store.finish_message(store.messages(conversation.id)[1].id, stop="finished")
    again = Message.new(conversation.id, question.id, "user", "And apples?")
    store.add_message(again)
    history.record(store.delete_message(again.id))
    late = Message.new(conversation.id, again.id, "assistant", "Rus")
    assert store.add_message(late).changes == ()
    store.append_text(late.id, "sets.")
    assert fails(lambda: store.empty_trash()) is Fault.WRITING
    store.finish_message(late.id, stop="finished", ids=(1, 2))
    assert [message.text for message in store.messages(conversation.id)] == [question.text, ""]
    history.undo(store.revert)
    assert [message.text for message in store.messages(conversation.id)][2:] == ["And apples?", "Russets."]
    history.redo(store.revert)
    assert len(store.messages(conversation.id)) == 2
    store.close()


def test_what_is_gone_for_ever_cannot_be_taken_back_and_the_step_is_forgotten() -> None:
    store, history = Store(None), History()
    _, question, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    history.record(store.pin(question.id, True))
    history.record(store.delete_message(answer.id))
    store.empty_trash()
    with pytest.raises(LookupError, match="gone for ever"):
        history.undo(store.revert)
    assert history.state.undoable is Operation.PIN
    assert history.undo(store.revert) is not None
    history.clear()
    assert (history.undo(store.revert), history.redo(store.revert)) == (None, None)
    assert (history.state.undoable, history.state.redoable) == (None, None)
    store.close()


def test_a_step_that_is_refused_for_now_can_be_tried_again(tmp_path: Path) -> None:
    store, history = Store(tmp_path / "conversations.sqlite"), History()
    conversation, _, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    history.record(store.rename(conversation.id, "Fruit"))
    used = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute("PRAGMA query_only = 1")
    assert fails(lambda: history.undo(store.revert)) is Fault.UNWRITABLE
    store._connection.execute("PRAGMA query_only = 0")
    assert used > 0
    assert history.undo(store.revert) is not None
    assert store.conversations()[0].title == "Which pears keep?"
    store.close()


def test_a_folder_that_is_deleted_leaves_its_conversations_and_undo_puts_them_back() -> None:
    store, history = Store(None), History()
    conversation, _, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    first, second = Folder.new("Garden"), Folder.new("Kitchen")
    for folder in (first, second):
        history.record(store.create_folder(folder))
    history.record(store.move_conversation(conversation.id, first.id))
    history.record(store.delete_folder(first.id))
    assert (store.folders(), store.conversations()[0].folder_id) == ((second,), None)
    assert store.trash()[0].title == "Garden"
    history.undo(store.revert)
    assert (store.folders(), store.conversations()[0].folder_id) == ((first, second), first.id)
    store.close()


def test_an_edit_is_small_and_is_a_value() -> None:
    store = Store(None)
    conversation = Conversation.new()
    store.create_conversation(conversation)
    parent = None
    for _ in range(300):
        message = Message.new(conversation.id, parent, "user", "pear " * 1000)
        edit = store.add_message(message)
        parent = message.id
        assert len(edit.changes) <= 6
        assert len(pickle.dumps(edit)) < 2000
    deleted = store.delete_message(store.messages(conversation.id)[0].id)
    assert len(pickle.dumps(deleted)) < 300 * 150
    assert pickle.loads(pickle.dumps(deleted)) == deleted
    store.close()


def test_two_edits_are_one_step_when_they_are_joined() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    before = dump(store)
    both = joined(store.rename(conversation.id, "Fruit"), store.pin(question.id, True))
    history.record(both)
    history.undo(store.revert)
    assert dump(store) == before
    assert both.operation is Operation.RENAME
    history.record(Edit(Operation.PIN))
    assert history.state.redoable is Operation.RENAME  # what changed nothing is no step
    store.close()


def test_changes_of_one_field_are_one_and_those_that_come_to_nothing_are_none() -> None:
    first = Change("message", 1, "visited", 0, 1)
    assert condensed((first, replace(first, old=1, new=0))) == ()
    assert condensed((first, replace(first, number=2), replace(first, old=1, new=None))) == (
        replace(first, new=None),
        replace(first, number=2),
    )


def test_the_history_is_bounded_and_forgets_the_oldest() -> None:
    store, history = Store(None), History(3)
    conversation, _, answer = asked(store)
    store.finish_message(answer.id, stop="finished")
    for title in "abcde":
        history.record(store.rename(conversation.id, title))
    for title in "dcb":
        history.undo(store.revert)
        assert store.conversations()[0].title == title
    assert history.undo(store.revert) is None
    store.close()


def test_unknown_ids_are_named() -> None:
    store = Store(None)
    lost = new_id()
    for attempt in (
        lambda: store.delete_message(lost),
        lambda: store.prune(lost),
        lambda: store.delete_conversation(lost),
        lambda: store.mark_conversation(lost, True),
        lambda: store.mark_message(lost, True),
        lambda: store.pin(lost, True),
        lambda: store.name_branch(lost, "x"),
        lambda: store.rename_folder(lost, "x"),
        lambda: store.delete_folder(lost),
        lambda: store.move_conversation(lost, None),
        lambda: store.restore(7),
        lambda: store.conversation(lost),
        lambda: store.export(lost),
        lambda: store.branches(lost),
        lambda: store.alternatives(lost),
    ):
        with pytest.raises(LookupError):
            attempt()
    store.close()
