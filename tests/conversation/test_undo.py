"""Whatever is done is taken back exactly, and no word is lost on the way."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.edit import Change, Edit, Operation, join_edits, merge_changes
from app.conversation.faults import Fault
from app.conversation.history import History
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Folder
from app.conversation.store import Store
from tests.conversation.builders import asked, contents, fails, tree_messages
from tests.conversation.operations import Hand, check_same, dump
from tests.seeds import each_seed


def shown(store: Store) -> list[str]:
    (conversation,) = store.conversations.all()
    return [message.text for message in store.messages.load(conversation.id).path]


def check(store: Store) -> None:
    """What always holds: every tree can be walked, and its paths are the messages that were said, one after another."""
    assert store.database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert store.database.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for conversation in store.conversations.all():
        tree = store.messages.load(conversation.id)
        messages = {message.id: message for message in store.messages.of(conversation.id)}
        assert {message.id for message in tree_messages(tree)} == set(messages)
        for message in messages.values():
            path = tree.path_to(message.id)
            above = "".join(messages[step.id].text for step in path)
            assert above == "".join(_stored(store, step.id) for step in path)
        leaf, visited = store.messages.leaf_of(conversation.id), store.messages._visited(conversation.id)
        if leaf:
            assert {message.id for message in tree.path_to(leaf)} <= set(visited)
        assert max(Counter(messages[one].parent_id for one in visited).values(), default=1) == 1


def _stored(store: Store, message_id: str) -> str:
    query = """SELECT text || ifnull((SELECT group_concat(text, '') FROM message_text
        WHERE message = message.number), '') FROM message WHERE id = ?"""
    return str(store.database.connection.execute(query, (message_id,)).fetchone()[0])


@each_seed(range(25))
def test_undo_returns_exactly_what_was_there_and_redo_what_came_of_it(seed: int) -> None:
    store, history = Store(None), History()
    hand = Hand(store, seed)
    states, place = [dump(store)], 0
    operations: Counter[Operation] = Counter()
    for _ in range(80):
        dice = hand.rng.random()
        if dice < 0.25 and history.state.undoable:
            history.undo(store.trash.revert)
            place -= 1
        elif dice < 0.4 and history.state.redoable:
            history.redo(store.trash.revert)
            place += 1
        else:
            edit = hand.act()
            history.record(edit)
            if not edit.is_empty:
                operations[edit.operation] += 1
                place += 1
                states[place:] = [dump(store)]
        check_same(dump(store), states[place])
    while history.undo(store.trash.revert) is not None:
        place -= 1
        check_same(dump(store), states[place])
    assert place == 0
    assert store.conversations.all() == ()
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
            history.undo(store.trash.revert)
        elif dice < 0.65:
            history.redo(store.trash.revert)
        else:
            history.record(hand.act())
        found = {row[0]: _stored(store, row[0]) for row in dump(store)["message"]}
        assert {key: found[key] for key in words} == words  # what was said once is there, shown or in the trash
        words = found
        if step % 10 == 0:
            check(store)
    before = (dump(store), contents(store), store.trash.entries(), store.folders.all())
    store.close()
    store = Store(path)
    assert (dump(store), contents(store), store.trash.entries(), store.folders.all()) == before
    check(store)
    store.close()


def test_a_fork_that_is_taken_back_leaves_the_path_as_it_was_and_comes_again_with_its_answer() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    before = contents(store)
    fork = Message.new(conversation.id, None, "user", "Which apples keep?")
    history.record(store.messages.add(fork))
    reply = Message.new(conversation.id, fork.id, "assistant")
    store.messages.add(reply)
    store.messages.append_text(reply.id, "Russets.")
    store.messages.finish(reply.id, stop="finished", ids=(1,))
    after = contents(store)
    assert history.state.undoable is Operation.ADD
    undone = history.undo(store.trash.revert)
    assert undone is not None
    assert undone.conversation_ids == (conversation.id,)
    assert contents(store) == before
    assert [entry.messages for entry in store.trash.entries()] == [2]
    history.redo(store.trash.revert)
    assert contents(store) == after
    assert store.trash.entries() == ()
    assert question in store.messages.of(conversation.id)
    store.close()


def test_deleting_shows_the_neighbour_or_what_was_above() -> None:
    store = Store(None)
    conversation, question, answer = asked(store)
    store.messages.append_text(answer.id, "Winter pears.")
    store.messages.finish(answer.id, stop="finished")
    other = replace(Message.new(conversation.id, question.id, "assistant", "Quinces."), stop="finished")
    store.messages.add(other)
    store.trash.delete_message(other.id)
    assert shown(store) == [question.text, "Winter pears."]
    store.trash.delete_message(answer.id)
    assert shown(store) == [question.text]
    store.trash.delete_message(question.id)
    assert shown(store) == []
    assert [entry.excerpt for entry in store.trash.entries()] == [question.text, "Winter pears.", "Quinces."]
    store.trash.restore(store.trash.entries()[-1].number)
    assert shown(store) == [question.text, "Quinces."]
    assert [entry.excerpt for entry in store.trash.entries()] == ["Winter pears."]
    store.trash.restore(store.trash.entries()[0].number)
    assert len(store.messages.of(conversation.id)) == 3
    assert store.trash.entries() == ()
    store.close()


def test_pruning_keeps_the_path_that_is_shown_also_when_none_was_chosen() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    other = Message.new(conversation.id, None, "user", "And apples?")
    store.messages.add(other, select=False)
    for leaf, kept in ((answer.id, ["Which pears keep?", ""]), (other.id, ["And apples?"]), (None, ["And apples?"])):
        store.messages.select_path(conversation.id, leaf)
        before = contents(store)
        history.record(store.trash.prune(conversation.id))
        assert [message.text for message in store.messages.of(conversation.id)] == kept
        assert shown(store) == kept
        history.undo(store.trash.revert)
        assert contents(store) == before
    assert store.trash.prune(conversation.id).operation is Operation.PRUNE
    assert store.trash.prune(conversation.id).is_empty
    assert question.id in {message.id for path in store.messages.branches(conversation.id) for message in path}
    store.close()


def test_an_answer_that_is_being_written_is_not_taken_away() -> None:
    store, history = Store(None), History()
    conversation = Conversation.new()
    history.record(store.conversations.create(conversation))
    question = Message.new(conversation.id, None, "user", "Which pears keep?")
    history.record(store.messages.add(question))
    answer = Message.new(conversation.id, question.id, "assistant")
    store.messages.add(answer)
    before = dump(store)
    for attempt in (
        lambda: history.undo(store.trash.revert),
        lambda: store.trash.delete_message(question.id),
        lambda: store.trash.delete_message(answer.id),
        lambda: store.trash.delete_conversation(conversation.id),
    ):
        assert fails(attempt) is Fault.WRITING
        assert dump(store) == before
    store.messages.append_text(answer.id, "Winter pears.")
    store.messages.finish(answer.id, stop="finished")
    assert history.undo(store.trash.revert) is not None
    assert store.messages.of(conversation.id) == ()
    store.close()


def test_an_answer_whose_first_word_comes_too_late_is_kept_with_its_question(tmp_path: Path) -> None:
    store, history = Store(tmp_path / "conversations.sqlite"), History()
    conversation, question, _ = asked(store)
    store.messages.finish(store.messages.of(conversation.id)[1].id, stop="finished")
    again = Message.new(conversation.id, question.id, "user", "And apples?")
    store.messages.add(again)
    history.record(store.trash.delete_message(again.id))
    late = Message.new(conversation.id, again.id, "assistant", "Rus")
    assert store.messages.add(late).changes == ()
    store.messages.append_text(late.id, "sets.")
    assert fails(lambda: store.empty_trash()) is Fault.WRITING
    store.messages.finish(late.id, stop="finished", ids=(1, 2))
    assert [message.text for message in store.messages.of(conversation.id)] == [question.text, ""]
    history.undo(store.trash.revert)
    assert [message.text for message in store.messages.of(conversation.id)][2:] == ["And apples?", "Russets."]
    history.redo(store.trash.revert)
    assert len(store.messages.of(conversation.id)) == 2
    store.close()


def test_what_is_gone_for_ever_cannot_be_taken_back_and_the_step_is_forgotten() -> None:
    store, history = Store(None), History()
    _, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    history.record(store.messages.pin(question.id, True))
    history.record(store.trash.delete_message(answer.id))
    store.empty_trash()
    with pytest.raises(LookupError, match="gone for ever"):
        history.undo(store.trash.revert)
    assert history.state.undoable is Operation.PIN
    assert history.undo(store.trash.revert) is not None
    history.clear()
    assert (history.undo(store.trash.revert), history.redo(store.trash.revert)) == (None, None)
    assert (history.state.undoable, history.state.redoable) == (None, None)
    store.close()


def test_a_step_that_is_refused_for_now_can_be_tried_again(tmp_path: Path) -> None:
    store, history = Store(tmp_path / "conversations.sqlite"), History()
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    history.record(store.conversations.rename(conversation.id, "Fruit"))
    used = store.database.connection.execute("PRAGMA page_count").fetchone()[0]
    store.database.connection.execute("PRAGMA query_only = 1")
    assert fails(lambda: history.undo(store.trash.revert)) is Fault.UNWRITABLE
    store.database.connection.execute("PRAGMA query_only = 0")
    assert used > 0
    assert history.undo(store.trash.revert) is not None
    assert store.conversations.all()[0].title == "Which pears keep?"
    store.close()


def test_a_folder_that_is_deleted_leaves_its_conversations_and_undo_puts_them_back() -> None:
    store, history = Store(None), History()
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    first, second = Folder.new("Garden"), Folder.new("Kitchen")
    for folder in (first, second):
        history.record(store.folders.create(folder))
    history.record(store.conversations.move(conversation.id, first.id))
    history.record(store.trash.delete_folder(first.id))
    assert (store.folders.all(), store.conversations.all()[0].folder_id) == ((second,), None)
    assert store.trash.entries()[0].title == "Garden"
    history.undo(store.trash.revert)
    assert (store.folders.all(), store.conversations.all()[0].folder_id) == ((first, second), first.id)
    store.close()


def test_an_edit_is_small_and_is_a_value() -> None:
    store = Store(None)
    conversation = Conversation.new()
    store.conversations.create(conversation)
    parent = None
    for _ in range(300):
        message = Message.new(conversation.id, parent, "user", "pear " * 1000)
        edit = store.messages.add(message)
        parent = message.id
        assert len(edit.changes) <= 6
        assert len(pickle.dumps(edit)) < 2000
    deleted = store.trash.delete_message(store.messages.of(conversation.id)[0].id)
    assert len(pickle.dumps(deleted)) < 300 * 150
    assert pickle.loads(pickle.dumps(deleted)) == deleted
    store.close()


def test_two_edits_are_one_step_when_they_are_joined() -> None:
    store, history = Store(None), History()
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    before = dump(store)
    both = join_edits(store.conversations.rename(conversation.id, "Fruit"), store.messages.pin(question.id, True))
    history.record(both)
    history.undo(store.trash.revert)
    assert dump(store) == before
    assert both.operation is Operation.RENAME
    history.record(Edit(Operation.PIN))
    assert history.state.redoable is Operation.RENAME  # what changed nothing is no step
    store.close()


def test_changes_of_one_field_are_one_and_those_that_come_to_nothing_are_none() -> None:
    first = Change("message", 1, "visited", 0, 1)
    assert merge_changes((first, replace(first, old=1, new=0))) == ()
    assert merge_changes((first, replace(first, number=2), replace(first, old=1, new=None))) == (
        replace(first, new=None),
        replace(first, number=2),
    )


def test_the_history_is_bounded_and_forgets_the_oldest() -> None:
    store, history = Store(None), History(3)
    conversation, _, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    for title in "abcde":
        history.record(store.conversations.rename(conversation.id, title))
    for title in "dcb":
        history.undo(store.trash.revert)
        assert store.conversations.all()[0].title == title
    assert history.undo(store.trash.revert) is None
    store.close()


@each_seed(range(12))
def test_a_step_of_several_edits_is_made_whole_or_not_at_all(seed: int) -> None:
    """Wherever one of them fails, also where whoever makes the step goes on without it; the next step is made."""
    store = Store(None)
    hand = Hand(store, seed)

    def make(count: int, fails_at: int | None, lost: bool) -> Callable[[Store], Edit]:
        def request(_store: Store) -> Edit:
            edits = []
            for number in range(count):
                try:
                    with store.database.writing():
                        edits.append(hand.act())
                        if number == fails_at:
                            raise LookupError("gone since")
                except LookupError:
                    if not lost:
                        raise
                    edits[number:] = [Edit(Operation.RENAME)]
            return join_edits(*edits)

        return request

    for _ in range(30):
        before, offered = dump(store), store.history
        count = hand.rng.randint(2, 4)
        with pytest.raises(LookupError):
            store.change(make(count, hand.rng.randrange(count), lost=False))
        assert (dump(store), store.history) == (before, offered)
        result = store.change(make(count, hand.rng.choice([None, *range(count)]), lost=True))
        if result is not None:
            made = dump(store)
            store.undo()
            check_same(dump(store), before)
            store.redo()
            check_same(dump(store), made)
    check(store)
    store.close()


def test_unknown_ids_are_named() -> None:
    store = Store(None)
    lost = new_id()
    for attempt in (
        lambda: store.trash.delete_message(lost),
        lambda: store.trash.prune(lost),
        lambda: store.trash.delete_conversation(lost),
        lambda: store.conversations.mark_favourite(lost, True),
        lambda: store.messages.mark_favourite(lost, True),
        lambda: store.messages.pin(lost, True),
        lambda: store.messages.name_branch(lost, "x"),
        lambda: store.folders.rename(lost, "x"),
        lambda: store.trash.delete_folder(lost),
        lambda: store.conversations.move(lost, None),
        lambda: store.trash.restore(7),
        lambda: store.conversations.get(lost),
        lambda: store.exports.export(lost),
        lambda: store.messages.branches(lost),
        lambda: store.messages.choices(lost),
    ):
        with pytest.raises(LookupError):
            attempt()
    store.close()
