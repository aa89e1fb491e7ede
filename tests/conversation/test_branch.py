"""Branches as the engine reads them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from unittest.mock import patch

from app.conversation.branch import Branch
from app.conversation.message import Message, new_id
from app.protocol.commands import EstimateCost

HOME = new_id()


def path() -> tuple[Message, ...]:
    question = Message.new(HOME, None, "user", "Which pears keep?")
    own = Message(new_id(), HOME, question.id, "assistant", "Quinces.", 2.0, ids=(1, 2), model="f1", stop="finished")
    other = Message(new_id(), HOME, own.id, "assistant", "Pears.", 3.0, ids=(3,), model="f2", stop="finished")
    return question, own, other


def test_a_branch_is_the_turns_of_its_messages() -> None:
    for fingerprint in ("f1", None):
        question, own, other = path()
        cases = (
            (Branch((), fingerprint), ()),
            (Branch((question, own, other), fingerprint), (question, own, other)),
            (Branch((question, own), fingerprint, 1), (question,)),
            (Branch((question, own), fingerprint, 1, other), (question, other)),
            (Branch((question,), fingerprint, None, own, other), (question, own, other)),
            (Branch((question, own), fingerprint, 0, question), (question,)),
        )
        for branch, messages in cases:
            turns = [message.turn(fingerprint) for message in messages]
            assert list(branch) == turns
            assert len(branch) == len(turns)
            assert [branch[at] for at in range(-len(turns), len(turns))] == turns * 2
            assert list(branch[1:]) == turns[1:]
            assert bool(branch) == bool(turns)
    assert [turn.ids for turn in Branch(path(), "f1")] == [None, (1, 2), None]


def test_no_answer_without_a_word_ends_a_branch() -> None:
    """Stopped in a thought, or after a blank: the engine reads what comes before."""
    question, own, _ = path()
    thought = replace(Message.new(HOME, question.id, "assistant"), thinking="Which ones?")
    blank = Message.new(HOME, question.id, "assistant", " \n")
    after = Message.new(HOME, thought.id, "user", "Well?")
    cases = (
        (Branch((question, thought), "f1"), (question,)),
        (Branch((question, blank, thought), "f1"), (question,)),
        (Branch((thought,), "f1"), ()),
        (Branch((question, own), "f1", 1, blank), (question,)),
        (Branch((question, own), "f1", 2, blank), (question, own)),
        (Branch((question, thought, after), "f1", 2), (question,)),
        (Branch((question, thought, after), "f1"), (question, thought, after)),
        (Branch((question, thought), "f1", None, after), (question, thought, after)),
    )
    for branch, messages in cases:
        assert list(branch) == [message.turn("f1") for message in messages]
        assert bool(branch) == bool(messages)


def test_a_command_with_a_branch_is_pickled_as_plain_values() -> None:
    messages = path()
    sent = pickle.dumps(EstimateCost(7, Branch(messages, "f1")))
    assert b"conversation" not in sent
    assert pickle.loads(sent) == EstimateCost(7, tuple(message.turn("f1") for message in messages))


def test_nothing_is_done_for_a_message_before_it_is_read() -> None:
    with patch.object(Message, "turn", autospec=True) as made:
        branch = Branch(path() * 1000, "f1")
        assert len(branch) == 3000
        made.assert_not_called()
        _ = branch[-1]
        made.assert_called_once()
