"""Rows of branches, and their words."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import branch_rows

HOME = new_id()


def grown() -> tuple[MessageTree, list[Message]]:
    """A question with an answer, and two ways to go on, of which the second is named and open."""
    first = Message.new(HOME, None, "user", "Three days in Lisbon")
    answer = Message.new(HOME, first.id, "assistant")
    train = Message.new(HOME, answer.id, "user", "By train,\nplease")
    cheap = replace(Message.new(HOME, answer.id, "user", "Make it cheaper"), name="cheaper", is_favourite=True)
    last = replace(Message.new(HOME, cheap.id, "assistant", "It holds."), created_at=cheap.created_at - 3600)
    messages = [first, answer, train, cheap, last]
    return MessageTree(HOME, messages, leaf_id=last.id), messages


def test_a_run_is_told_by_its_name_or_its_first_words() -> None:
    tree, (first, answer, train, cheap, last) = grown()
    root, unnamed, named = branch_rows(tree)
    assert (root.id, root.last_id, root.parent_id, root.count) == (first.id, answer.id, None, 2)
    assert [one.title for one in (root, unnamed, named)] == ["“Three days in Lisbon”", "“By train, please”", "cheaper"]
    assert [one.is_on_path for one in (root, unnamed, named)] == [True, False, True]
    assert [one.is_open for one in (root, unnamed, named)] == [False, False, True]
    assert [one.is_favourite for one in (root, unnamed, named)] == [False, False, True]
    assert [one.has_children for one in (root, unnamed, named)] == [True, False, False]
    assert (named.parent_id, named.last_id) == (first.id, last.id)
    assert unnamed.detail(train.created_at) == "1\N{NO-BREAK SPACE}message, now"
    assert named.detail(cheap.created_at) == "2\N{NO-BREAK SPACE}messages, 1\N{NO-BREAK SPACE}h ago"


def test_a_path_that_ends_in_the_middle_of_a_run_is_open_there() -> None:
    tree, (first, *_) = grown()
    tree.select(first.id)
    assert [row.is_open for row in branch_rows(tree)] == [True, False, False]


def test_an_answer_without_words_is_told_by_who_writes_it() -> None:
    tree, (first, *_) = grown()
    tree.add(replace(Message.new(HOME, first.id, "assistant"), model_name="Pear 8B"))
    assert "Pear 8B" in [row.title for row in branch_rows(tree)]
