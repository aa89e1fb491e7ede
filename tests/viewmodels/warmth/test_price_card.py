"""What a card says of a branch, and where the branches begin that a message leads to."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.viewmodels.text.formatting import HARD, THIN
from app.viewmodels.warmth.price_card import (
    PricedBranch,
    following_branch,
    price_card,
    version_branch,
)
from app.viewmodels.warmth.warmth import Warmth

HOME = new_id()
BRANCH = PricedBranch("With the children", "3 of 3", HOME, "m", (("W", "warm up first"),))
PART = Warmth(459, 247, True, 4083, 212, 0.6, 32768, is_from_disk=True, is_recomputed=True)


def test_a_card_tells_the_price_in_words_and_as_a_bar() -> None:
    card = price_card(BRANCH, PART)
    assert (card.title, card.place, card.keys) == BRANCH[:2] + BRANCH[4:]
    assert (card.parts, card.price) == ((3871, 212), f"212{HARD}tokens to recompute")
    assert (card.reused.replace(THIN, " "), card.computed) == ("3 871 from disk and memory", "212 to recompute")
    assert card.spoken.replace(HARD, " ") == "With the children, 3 of 3, 212 tokens to recompute, about 0.6 s"


def test_a_card_without_figures_has_no_bar() -> None:
    assert price_card(BRANCH, None).parts is None
    assert price_card(BRANCH, None).price == "Not known yet"
    assert price_card(BRANCH, replace(PART, is_far_too_long=True)).parts is None


def grown(tree: MessageTree, parent_id: str | None, text: str, name: str | None = None) -> Message:
    role = "user" if parent_id is None or tree.message(parent_id).role == "assistant" else "assistant"
    message = replace(Message.new(HOME, parent_id, role, text), name=name)
    tree.add(message)
    return message


def test_a_version_leads_to_where_it_was_left() -> None:
    tree = MessageTree(HOME)
    first = grown(tree, None, "Plan it")
    answer = grown(tree, first.id, "Done")
    again = grown(tree, first.id, "Done otherwise", "cheaper")
    end = grown(tree, again.id, "And then?")
    assert version_branch(tree, answer.id, 1) == PricedBranch("cheaper", "2 of 2", HOME, end.id)
    assert version_branch(tree, end.id, 0) == PricedBranch("“And then?”", "1 of 1", HOME, end.id)
    assert version_branch(tree, answer.id, 2) is None
    assert version_branch(tree, "gone", 0) is None


def test_a_message_after_another_goes_on_from_that_one() -> None:
    tree = MessageTree(HOME)
    first = grown(tree, None, "Plan it")
    answer = grown(tree, first.id, "Done")
    following = following_branch(tree, answer.id)
    assert following is not None
    assert (following.message_id, following.place.replace(HARD, " ")) == (answer.id, "after 2 messages")
    assert following_branch(tree, "gone") is None
