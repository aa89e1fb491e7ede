"""Finding one's way at a fork."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.viewmodels.chat.chat_rows import ChatRows
from app.viewmodels.chat.versions import last_fork, last_question, parent_for, question_of, version_beside

HOME = new_id()


def say(tree: MessageTree, parent: Message | None, text: str) -> Message:
    """Add a question and make it the end of the path."""
    message = Message.new(HOME, parent.id if parent else None, "user", text)
    tree.add(message)
    return message


def answer(tree: MessageTree, question: Message, text: str) -> Message:
    message = replace(Message.new(HOME, question.id, "assistant"), text=text, stop="finished")
    tree.add(message)
    return message


def test_questions_answers_and_what_is_said_below_them() -> None:
    tree = MessageTree(HOME)
    assert (last_question(tree), last_fork(tree), parent_for(tree, None)) == (None, None, None)
    first = say(tree, None, "First")
    assert parent_for(tree, None) is None, "a question nobody answered takes another version"
    reply = answer(tree, first, "Reply")
    second = say(tree, reply, "Second")
    last = answer(tree, second, "Last")
    assert question_of(tree, last.id) == question_of(tree, second.id) == second
    assert last_question(tree) == second
    assert parent_for(tree, None) == last.id
    assert parent_for(tree, second.id) == reply.id
    assert parent_for(tree, first.id) is None
    assert parent_for(tree, "gone") == last.id


def test_versions_end_at_both_sides() -> None:
    tree = MessageTree(HOME)
    versions = [say(tree, None, text) for text in ("one", "two", "three")]
    assert last_fork(tree) == versions[2]
    assert version_beside(tree, versions[1], -1) == versions[0]
    assert version_beside(tree, versions[1], 1) == versions[2]
    assert version_beside(tree, versions[0], -1) is None
    assert version_beside(tree, versions[2], 1) is None
    assert version_beside(tree, versions[1], 0) is None


def test_the_fork_nearest_to_the_end_is_meant() -> None:
    tree = MessageTree(HOME)
    say(tree, None, "other")
    first = say(tree, None, "first")
    answer(tree, first, "one")
    second = answer(tree, first, "two")
    assert last_fork(tree) == second


def test_a_question_far_above_is_found() -> None:
    """Imported conversations may hold any number of answers in a row."""
    tree = MessageTree(HOME)
    question = at = say(tree, None, "question")
    for number in range(2_000):
        at = answer(tree, at, str(number))
    assert question_of(tree, at.id) == question


def test_which_version_a_message_is_costs_no_look_into_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation that was imported may begin in as many ways as it has messages."""
    tree = MessageTree(HOME)
    versions = [say(tree, None, str(number)) for number in range(2_000)]
    compared: list[object] = []

    def noted(one: Message, other: object) -> bool:
        compared.append(other)
        return one is other

    monkeypatch.setattr(Message, "__eq__", noted)
    beside = version_beside(tree, versions[-1], -2)
    tree.select(versions[1_500].id)
    row = ChatRows().of(tree, None, {versions[1_500].id: "live"})[0]
    assert (beside is versions[-3], row.version, row.versions, compared) == (True, 1_501, 2_000, [])
    assert [number for number, one in enumerate(row.sibling_residencies) if one != "none"] == [1_500]
