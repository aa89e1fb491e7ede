"""The tree against a model so simple that it can be believed: a list of messages and a log of selections."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from tests.seeds import each_seed

HOME = new_id()


class Naive:
    """Looks everything up in the whole history, every time."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.log: list[list[str]] = []

    def path(self, message_id: str | None) -> list[str]:
        by_id = {message.id: message for message in self.messages}
        path: list[str] = []
        while message_id is not None:
            path.insert(0, message_id)
            message_id = by_id[message_id].parent_id
        return path

    def children(self, message_id: str | None) -> list[str]:
        return [message.id for message in self.messages if message.parent_id == message_id]

    def runs(self, message_id: str | None) -> list[list[str]]:
        """What begins below a message: each run before those below it."""
        names = {message.id: message.name for message in self.messages}
        found: list[list[str]] = []
        for child in self.children(message_id):
            run = [child]
            while len(below := self.children(run[-1])) == 1 and names[below[0]] is None:
                run += below
            found += [run, *self.runs(run[-1])]
        return found

    def leaf_below(self, message_id: str | None) -> str | None:
        children = self.children(message_id)
        if not children:
            return message_id
        visits = [entry for path in self.log for entry in path if entry in children]
        return self.leaf_below(visits[-1] if visits else children[-1])

    def marks(self) -> set[str]:
        """The child visited last of each message that has any."""
        parents = {message.parent_id for message in self.messages}
        visits = ([one for path in self.log for one in path if one in self.children(parent)] for parent in parents)
        return {visited[-1] for visited in visits if visited}

    def remove(self, message_id: str, tree: MessageTree) -> None:
        """Take the message out of both; a path that ended with it goes to what else follows above it.

        Where it was the version visited last, none of the others counts as visited any more.
        """
        gone = next(message for message in self.messages if message.id == message_id)
        versions, was_end = self.children(gone.parent_id), tree.leaf_id == message_id
        visits = [entry for path in self.log for entry in path if entry in versions]
        forgotten = versions if visits[-1:] == [message_id] else [message_id]
        tree.remove(message_id)
        self.messages.remove(gone)
        self.log = [[entry for entry in path if entry not in forgotten] for path in self.log]
        if was_end:
            self.log.append(self.path(self.leaf_below(gone.parent_id)))


def check(tree: MessageTree, naive: Naive) -> None:
    assert len(tree) == len(naive.messages)
    assert [message.id for message in tree.path] == (naive.log[-1] if naive.log else [])
    path = naive.log[-1] if naive.log else []
    assert [message.id for message in tree.forks] == [one for one in path if len(tree.siblings(one)) > 1]
    assert {message.id for message in naive.messages if tree.is_on_path(message.id)} == set(path)
    assert tree.leaf_below(None) == naive.leaf_below(None)
    assert [message.id for message in tree.children(None)] == naive.children(None)
    for message in naive.messages:
        assert tree.message(message.id) == message
        assert message.id in tree
        assert [child.id for child in tree.children(message.id)] == naive.children(message.id)
        assert [sibling.id for sibling in tree.siblings(message.id)] == naive.children(message.parent_id)
        assert [step.id for step in tree.path_to(message.id)] == naive.path(message.id)
        assert tree.depth(message.id) == len(naive.path(message.id)) - 1
        below = [one.id for one in naive.messages if message.id in naive.path(one.id)]
        assert [one.id for one in naive.messages if tree.is_below(one.id, message.id)] == below
        assert tree.leaf_below(message.id) == naive.leaf_below(message.id)
    runs = naive.runs(None)
    assert [(run.first_id, run.last_id, run.length) for run in tree.runs().values()] == [
        (run[0], run[-1], len(run)) for run in runs
    ]
    for run in runs:
        assert all(tree.run_of(message_id) is tree.runs()[run[0]] for message_id in run)
        above = naive.path(run[0])[-2:-1]
        parent_id = tree.run_of(above[0]).first_id if above else None
        assert tree.runs()[run[0]].parent_id == parent_id
        assert list(tree.runs()[run[0]].children) == naive.children(run[-1])


@each_seed(range(20))
def test_random_work_gives_what_the_naive_model_says(seed: int) -> None:
    rng, tree, naive = random.Random(seed), MessageTree(HOME), Naive()
    for step in range(40):
        known = [message.id for message in naive.messages]
        actions = ["ask", "answer", "go on", "go on", "select", "switch", "replace", "remove", "load"]
        action = rng.choice(actions) if known else "ask"
        if action in ("ask", "answer", "go on"):
            parent = tree.leaf_id if action == "go on" else rng.choice([None, *known])
            message = Message.new(HOME, parent, "user" if action == "ask" else "assistant", f"text {step}")
            is_selected = rng.random() < 0.7
            tree.add(message, is_selected)
            naive.messages.append(message)
            naive.log += [naive.path(message.id)] if is_selected else []
        elif action == "select":
            chosen = rng.choice([None, *known])
            tree.select(chosen)
            naive.log.append(naive.path(chosen))
        elif action == "switch":
            chosen = rng.choice(known)
            naive.log.append(naive.path(naive.leaf_below(chosen)))
            tree.select(tree.leaf_below(chosen))
        elif action == "remove":
            ends = [one for one in known if not naive.children(one)]
            naive.remove(rng.choice(ends), tree)
        elif action == "load":
            tree = MessageTree(HOME, naive.messages, naive.marks(), tree.leaf_id)
        else:
            place = rng.randrange(len(known))
            name = rng.choice([None, None, f"name {step}"])
            naive.messages[place] = replace(naive.messages[place], text=f"later {step}", name=name)
            tree.replace(naive.messages[place])
        check(tree, naive)


def test_switching_back_to_a_version_returns_to_where_one_was_below_it() -> None:
    tree = MessageTree(HOME)
    first, second = (Message.new(HOME, None, "user", text) for text in ("one", "two"))
    below = [Message.new(HOME, first.id, "assistant", text) for text in ("a", "b", "c")]
    for message in (first, *below, second):
        tree.add(message)
    tree.select(below[1].id)
    tree.select(tree.leaf_below(second.id))
    assert tree.path == (second,)
    tree.select(tree.leaf_below(first.id))
    assert tree.path == (first, below[1])


def test_a_path_of_five_thousand_messages_is_walked_without_recursion() -> None:
    tree = MessageTree(HOME)
    last = None
    for _ in range(5000):
        message = Message.new(HOME, last, "assistant")
        tree.add(message, select=False)
        last = message.id
    assert tree.leaf_below(None) == last
    tree.select(last)
    assert len(tree.path) == 5000


def test_what_does_not_belong_is_refused_and_changes_nothing() -> None:
    tree, root = MessageTree(HOME), Message.new(HOME, None, "user", "root")
    tree.add(root)
    for message, error in [
        (root, ValueError),  # twice
        (Message.new(new_id(), None, "user", "elsewhere"), ValueError),
        (Message.new(HOME, new_id(), "user", "no parent"), LookupError),
    ]:
        with pytest.raises(error):
            tree.add(message)
    with pytest.raises(ValueError, match="cannot change"):
        tree.replace(replace(root, role="assistant"))
    for ask in (tree.message, tree.children, tree.siblings, tree.path_to, tree.depth, tree.leaf_below, tree.select):
        with pytest.raises(LookupError):
            ask("f" * 32)
    assert (len(tree), tree.path) == (1, (root,))


def test_a_message_is_taken_back_with_its_mark_and_the_path_goes_to_what_is_left_beside_it() -> None:
    tree = MessageTree(HOME)
    question = Message.new(HOME, None, "user", "one")
    first, second = (Message.new(HOME, question.id, "assistant") for _ in range(2))
    for message in (question, first, second):
        tree.add(message)
    with pytest.raises(ValueError, match="2 children"):
        tree.remove(question.id)
    tree.remove(second.id)
    assert second.id not in tree
    assert tree.leaf_id == first.id
    assert tree.children(question.id) == (first,)
    assert (tree.path, tree.forks, tree.is_on_path(second.id)) == ((question, first), (), False)
    tree.remove(first.id)
    assert tree.leaf_id == question.id
    assert tree.path == (question,)
    tree.remove(question.id)
    assert (len(tree), tree.leaf_id, tree.leaf_below(None)) == (0, None, None)


def test_what_happens_to_a_tree_takes_as_many_steps_in_a_long_conversation_as_in_a_short_one() -> None:
    short, long = ([_steps(action) for action in _actions(length)] for length in (60, 6000))
    assert short == long


def _actions(length: int) -> list[Callable[[], object]]:
    """What can happen, one after the other, to a tree of three branches of so many messages."""
    messages = _in_a_row(None, length)
    lower, other = _in_a_row(messages[length // 3].id, length), _in_a_row(None, length)
    tree = MessageTree(HOME, (*messages, *lower, *other), leaf_id=messages[-1].id)
    version = Message.new(HOME, messages[length // 2].id, "assistant")
    return [
        lambda: tree.add(Message.new(HOME, messages[-1].id, "user", "next")),
        lambda: tree.add(version, select=False),
        lambda: tree.replace(replace(messages[length // 2], text="more")),
        lambda: (tree.forks, tree.path),
        lambda: (tree.runs(), tree.run_of(messages[-1].id)),
        lambda: tree.path_to(lower[-1].id),
        lambda: tree.is_below(lower[-1].id, messages[0].id),
        lambda: tree.select(tree.leaf_below(lower[0].id)),
        lambda: tree.select(tree.leaf_below(other[0].id)),
        lambda: tree.select(version.id),
        lambda: tree.remove(version.id),
        lambda: tree.select(tree.leaf_below(messages[0].id)),
        lambda: tree.select(None),
    ]


def _in_a_row(above: str | None, count: int) -> list[Message]:
    """Messages of which each follows the one before it."""
    messages: list[Message] = []
    for _ in range(count):
        messages.append(Message.new(HOME, messages[-1].id if messages else above, "assistant"))
    return messages


def _steps(action: Callable[[], object]) -> int:
    """How many lines of Python an action runs through."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        action()
    finally:
        sys.settrace(before)
    return lines


def test_forks_at_every_message_are_made_in_steps_that_grow_little_faster_than_their_number() -> None:
    """A chain is cut at each of them; were the rest of it told of that each time, it would grow with the square."""
    messages = _in_a_row(None, 4000)
    tree = MessageTree(HOME, messages)
    told = Told()
    told.update(tree._chains)
    told.count = 0
    tree._chains = told
    for message in messages[:-1]:
        tree.add(Message.new(HOME, message.id, "assistant"), select=False)
    assert told.count < 4 * len(messages)


class Told(dict[str, Any]):
    """Counts how many messages are told what chain they lie in."""

    count = 0

    def update(self, pairs: Any) -> None:  # type: ignore[override]
        before = list(pairs.items() if isinstance(pairs, dict) else pairs)
        self.count += len(before)
        super().update(before)

    def __setitem__(self, key: str, value: Any) -> None:
        self.count += 1
        super().__setitem__(key, value)


def test_trees_exchange_all_they_hold_and_one_is_taken_apart() -> None:
    question = Message.new(HOME, None, "user", "one")
    first, second = (Message.new(HOME, question.id, "assistant") for _ in range(2))
    shown = MessageTree(HOME, (question, first), leaf_id=first.id)
    stored = MessageTree(HOME, (question, first, second), (first.id,), second.id)
    before = shown.version, stored.version
    assert shown.path == (question, first)
    shown.exchange(stored)
    assert (shown.path, shown.forks, len(shown)) == ((question, second), (second,), 3)
    assert (stored.path, stored.forks, len(stored)) == ((question, first), (), 2)
    assert min(shown.version, stored.version) > max(before)
    stored.take_apart()
    assert (stored.path, stored.forks, len(stored)) == ((), (), 0)
    assert shown.path == (question, second)
    with pytest.raises(ValueError, match="is not one of"):
        shown.exchange(MessageTree(new_id()))
