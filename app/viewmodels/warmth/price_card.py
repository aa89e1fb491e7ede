"""The price of a branch as a card shows it, and how the branches that can be gone to from a message are found."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import branch_title_in
from app.viewmodels.warmth.price_text import (
    price_computed,
    price_reason,
    price_reused,
    price_sentence,
    price_time,
    price_title,
)
from app.viewmodels.warmth.warmth import Warmth

_LONGEST = 60


class PricedBranch(NamedTuple):
    """A branch that something in the window leads to: its name, its place among others, and the message that ends it.

    message_id: "" for the path that its conversation is left on. keys: what the person can press, each with what that
    does.
    """

    title: str
    place: str
    conversation_id: str
    message_id: str = ""
    keys: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PriceCard:
    """The words and figures of a card that tells a price.

    parts: tokens that are held and tokens to compute, None where they are not known; those few that follow a branch
    that is held are not counted. reused, computed: the same in words. reason: a sentence on why that is the price, or
    "". beside: the place and the price of what the other arrow leads to, "" for none.
    """

    title: str
    place: str
    price: str
    time: str = ""
    parts: tuple[int, int] | None = None
    reused: str = ""
    computed: str = ""
    reason: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    spoken: str = ""
    beside: str = ""


def price_beside(branch: PricedBranch, warmth: Warmth | None) -> str:
    """Say in one line where else one can go from here: "1 of 3: 212 tokens to recompute, about 0.6 s"."""
    return f"{branch.place}: {price_sentence(warmth)}"


def price_card(branch: PricedBranch, warmth: Warmth | None) -> PriceCard:
    """Return the card of a branch; without its warmth it says that this is not known yet."""
    price = price_title(warmth)
    card = PriceCard(
        *(branch.title, branch.place, price[:1].upper() + price[1:]),
        keys=branch.keys,
        spoken=", ".join(part for part in (branch.title, branch.place, price_sentence(warmth)) if part),
    )
    if warmth is None:
        return card
    if warmth.is_far_too_long or warmth.refusal is not None:
        return replace(card, reason=price_reason(warmth))
    return PriceCard(
        *(card.title, card.place, card.price),
        time=price_time(warmth),
        parts=(warmth.total, 0) if warmth.is_warm else (warmth.cached, warmth.left),
        reused=price_reused(warmth),
        computed=price_computed(warmth),
        reason=price_reason(warmth),
        keys=card.keys,
        spoken=card.spoken,
    )


def version_branch(tree: MessageTree, message_id: str, number: int) -> PricedBranch | None:
    """Return the branch that one version of a message leads to, counted from 0; None where there is none."""
    versions = tree.siblings(message_id) if message_id in tree else ()
    if not 0 <= number < len(versions):
        return None
    chosen, place = versions[number], f"{number + 1} of {len(versions)}"
    leaf_id = tree.leaf_below(chosen.id) or chosen.id
    return PricedBranch(branch_title_in(tree, chosen.id, _LONGEST), place, tree.conversation_id, leaf_id)


def beginning_branch(conversation_id: str) -> PricedBranch:
    """Return the branch that a first message goes on from: one of no message yet."""
    return PricedBranch("", "at the beginning", conversation_id)


def following_branch(tree: MessageTree, message_id: str) -> PricedBranch | None:
    """Return the branch that a message after another one goes on from; None for one that is gone."""
    if message_id not in tree:
        return None
    place = f"after {formatting.plural(tree.depth(message_id) + 1, 'message')}"
    return PricedBranch(branch_title_in(tree, message_id, _LONGEST), place, tree.conversation_id, message_id)
