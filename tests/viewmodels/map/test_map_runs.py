"""How long runs are, and which have a label."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.chat import Role
from app.viewmodels.branches.outline_nodes import OutlineChoice, outline_nodes
from app.viewmodels.map.map_runs import MOST_LABELLED, MapItem, map_items
from tests.seeds import each_seed


def say(
    tree: MessageTree, parent: str | None, role: Role, text: str, stats: Mapping[str, Any] | None = None, name: str = ""
) -> str:
    message = Message.new(tree.conversation_id, parent, role, text)
    if stats is not None:
        message = replace(message, stats=stats, stop="finished")
    tree.add(replace(message, name=name or None))
    return message.id


def figures(total: int, tokens: int) -> Mapping[str, Any]:
    return {"request": {"total": total}, "tokens": tokens}


def items_of(tree: MessageTree, counts: Mapping[str, int] | None = None) -> list[MapItem]:
    return [item for some in map_items(tree, (counts or {}).get) for item in some]


def labels(items: list[MapItem]) -> list[str]:
    return [item.label.replace("\xa0", " ") for item in items]


def test_a_run_ends_where_its_answer_ended_or_where_the_next_answer_began_to_be_written() -> None:
    tree = MessageTree(new_id())
    question = say(tree, None, "user", "Which way?")
    for tokens in (30, 50):
        say(tree, question, "assistant", "That way.", figures(100, tokens))
    asked, first, second = items_of(tree)
    assert (asked.end, first.end, second.end) == (100, 130, 150)
    assert (asked.parent, first.parent, second.parent) == (-1, 0, 0)
    assert (asked.is_leaf, first.is_leaf) == (False, True)
    assert asked.detail.replace("\xa0", " ") == "1 message, 100 tokens"


def test_what_the_engine_counts_comes_before_what_was_told_with_an_answer() -> None:
    tree = MessageTree(new_id())
    question = say(tree, None, "user", "Which way?")
    answer = say(tree, question, "assistant", "That way.", figures(100, 30))
    assert items_of(tree, {answer: 140})[0].end == 140


def test_without_figures_a_length_is_guessed_from_the_words() -> None:
    tree = MessageTree(new_id())
    last: str | None = None
    for _ in range(50):
        last = say(tree, last, "user", "words " * 40)
    (item,) = items_of(tree)
    assert 50 * 240 // 4 <= item.end <= 50 * (240 // 4 + 10)


@pytest.mark.parametrize(
    "stats",
    [
        {},
        {"request": 7, "tokens": 3},
        {"request": {"total": "9"}, "tokens": True},
        {"request": {"total": -5}, "tokens": 1},
    ],
)
def test_figures_that_are_none_are_passed_over(stats: Mapping[str, Any]) -> None:
    tree = MessageTree(new_id())
    question = say(tree, None, "user", "Which way?")
    say(tree, question, "assistant", "That way.", stats)
    (item,) = items_of(tree)
    assert 0 < item.end < 40


def test_of_many_runs_those_with_a_name_and_those_that_fork_have_a_label() -> None:
    tree = MessageTree(new_id())
    question = say(tree, None, "user", "Which *way*?")
    for number in range(MOST_LABELLED):
        answer = say(tree, question, "assistant", f"Way {number}", name="home" if number == 3 else "")
        say(tree, answer, "user", "And then?")
    items = items_of(tree)
    assert len(items) == MOST_LABELLED + 1
    assert [item.label for item in items if item.is_labelled] == ["“Which way?”", "home"]
    assert [item.is_named for item in items if item.is_labelled] == [False, True]


def test_many_versions_are_a_group_beside_the_open_one_until_it_is_opened() -> None:
    tree = MessageTree(new_id())
    question = say(tree, None, "user", "Which way?")
    answers = [say(tree, question, "assistant", f"Way {number}") for number in range(50)]
    tree.replace(replace(tree.message(answers[20]), name="home"))
    tree.select(answers[40])
    told = items_of(tree)
    assert labels(told[1:]) == ["20 answers", "home", "29 answers", "“Way 40”"]
    assert [item.versions for item in told] == [0, 20, 0, 29, 0]
    assert all(item.is_leaf and item.is_labelled and item.parent == 0 for item in told[1:])
    group = told[1].id
    opened = [item for some in map_items(tree, {}.get, {group}) for item in some]
    assert labels(opened[1:22]) == ["20 answers", *(f"“Way {number}”" for number in range(20))]
    assert opened[1].is_open
    assert labels(opened[22:]) == labels(told[2:])


def branched(rng: random.Random) -> MessageTree:
    """A tree with forks of few and of many versions, some with names or favourites, some gone on from."""
    tree = MessageTree(new_id())
    waiting: list[str | None] = [None]
    for _ in range(4):
        parent = waiting.pop(rng.randrange(len(waiting)))
        role: Role = "user" if parent is None or tree.message(parent).role == "assistant" else "assistant"
        made = [say(tree, parent, role, f"Text {number}") for number in range(rng.choice((1, 3, 5, 8, 14, 30)))]
        for one in made:
            if rng.random() < 0.1:
                tree.replace(replace(tree.message(one), name="named"))
            elif rng.random() < 0.1:
                tree.replace(replace(tree.message(one), is_favourite=True))
            elif rng.random() < 0.1:
                waiting += [one]
        waiting += made[-1:]
    for one in waiting[1:]:
        if one is not None and rng.random() < 0.5:
            say(tree, one, "assistant" if tree.message(one).role == "user" else "user", "On it goes.")
    tree.select(rng.choice(list(tree.runs().values())).last_id)
    return tree


@each_seed(range(60))
def test_the_map_folds_what_the_outline_folds_and_every_run_stands_somewhere(seed: int) -> None:
    rng = random.Random(seed)
    tree = branched(rng)
    told, rows = items_of(tree), outline_nodes(tree, OutlineChoice())
    assert {item.id: item.versions for item in told} == {node.id: len(node.folded) for node in rows}
    folded = {one for node in rows for one in node.folded}
    assert folded | {item.id for item in told if not item.versions} == set(tree.runs())
    opened = {item.id for item in told if item.versions and rng.random() < 0.5}
    after = [item for some in map_items(tree, {}.get, opened) for item in some]
    assert {item.id for item in after if item.is_open} == opened
    members = {one for node in rows if node.id in opened for one in node.folded}
    assert {item.id for item in after} == {item.id for item in told} | members
    for number, item in enumerate(after):
        assert item.parent < number


@pytest.mark.parametrize("is_wide", [True, False])
def test_no_slice_reads_more_than_some_messages(is_wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = MessageTree(new_id())
    ends = [say(tree, None, "user", "Which way?")]
    for number in range(3000 if is_wide else 1000):
        parent = ends[0] if is_wide else ends[number // 2]
        ends.append(say(tree, parent, "assistant", f"Way {number}"))
    runs, read = tree.runs(), [0]
    message = MessageTree.message

    def counted(self: MessageTree, message_id: str) -> Message:
        read[0] += 1
        return message(self, message_id)

    monkeypatch.setattr(MessageTree, "message", counted)
    most = 0
    for _some in map_items(tree, {}.get):
        most, read[0] = max(most, read[0]), 0
    assert 0 < most < 1000 < len(runs)
