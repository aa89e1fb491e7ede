"""How long runs are, and which have a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.chat import Role
from app.viewmodels.map.map_runs import MOST_LABELLED, MapItem, map_items
from app.viewmodels.warmth.warmth import Warmth


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


def items_of(tree: MessageTree, warmth: Mapping[str, Warmth] | None = None) -> list[MapItem]:
    return [item for some in map_items(tree, (warmth or {}).get) for item in some]


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
    warmth = Warmth(tokens=140, held=0, is_on_disk=False, total=140, left=140, seconds=None, context=4096)
    assert items_of(tree, {answer: warmth})[0].end == 140


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
        say(tree, question, "assistant", f"Way {number}", name="home" if number == 3 else "")
    items = items_of(tree)
    assert len(items) == MOST_LABELLED + 1
    assert [item.label for item in items if item.is_labelled] == ["“Which way?”", "home"]
    assert [item.is_named for item in items if item.is_labelled] == [False, True]
