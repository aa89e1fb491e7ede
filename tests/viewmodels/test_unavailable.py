"""Whatever holds in the window, a command that would do nothing has a reason, and one that would has none."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from typing import Any

from app.protocol.capabilities import Capabilities
from app.viewmodels.actions import ACTIONS, checked, enabled, offered
from app.viewmodels.app_state import AppState
from app.viewmodels.chat.versions import Ending
from app.viewmodels.kit.activity import Activity
from app.viewmodels.unavailable import CASES, tips, unavailable


def any_state(rng: random.Random) -> AppState:
    """Make a state in which every claim holds or does not by chance, whether they go together or not."""

    def by_chance(part: Any) -> Any:
        flags = {one.name: rng.random() < 0.5 for one in fields(part) if isinstance(getattr(part, one.name), bool)}
        return replace(part, **flags)

    state = by_chance(AppState())
    chosen_row = replace(by_chance(state.edges), chosen=rng.choice([0, 3]))
    cache = replace(by_chance(state.cache), folder=rng.choice(["", "/files"]))
    library = replace(by_chance(state.library), undo=rng.choice(["", "Delete"]), redo=rng.choice(["", "Delete"]))
    chat = replace(by_chance(state.chat), attaching=rng.choice(["", "notes.md"]), ending=rng.choice([None, *Ending]))
    abilities = Capabilities(*(rng.random() < 0.8 for _ in fields(Capabilities)))
    model = replace(by_chance(state.model), capabilities=rng.choice([None, abilities]))
    return replace(state, chat=chat, edges=chosen_row, cache=cache, library=library, model=model)


def test_a_command_has_a_reason_exactly_when_it_would_do_nothing() -> None:
    never = {one.id for one in ACTIONS}
    for seed in range(400):
        state = any_state(random.Random(seed))
        can, reasons = enabled(state), unavailable(state)
        assert offered(state) & {one.id for one in ACTIONS} == can | reasons.keys(), f"seed {seed}"
        assert not can & reasons.keys(), f"seed {seed}"
        assert all(why.endswith(".") and why[0].isupper() for why in reasons.values()), f"seed {seed}"
        never -= reasons.keys()
    assert not never & CASES.keys(), "no state gives these a reason"


def test_a_tip_says_what_a_command_does_and_costs_or_why_it_would_do_nothing() -> None:
    never = {one.id for one in ACTIONS if one.price is not None}
    for seed in range(200):
        rng = random.Random(seed)
        state = any_state(rng)
        price = rng.choice(["", "opens at once", "212 tokens to read, about 0.6 s"])
        edges = replace(state.edges, price=price, warming=rng.choice(["", "Warming up"]))
        state = replace(state, chat=replace(state.chat, branch_price=price), edges=edges)
        told, reasons = tips(state), unavailable(state)
        for one in ACTIONS:
            is_priced = one.price is not None and bool(one.price(state)) and one.id not in reasons
            before = f"{price[0].upper()}{price[1:]}. " if is_priced else ""
            assert told[one.id] == (reasons.get(one.id) or before + one.tip), f"seed {seed}"
            never -= {one.id} if is_priced else set()
    assert not never, "their prices were never told"


def test_no_command_depends_on_the_figures_of_an_answer() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        state = any_state(rng)
        figures = {"subtitle": "4 of 7", "context_used": 9, "warmth": rng.random(), "activity": Activity("Writing")}
        told = replace(state, chat=replace(state.chat, **figures), cache=replace(state.cache, line="Cache 1 MB"))
        assert told.without_figures == state.without_figures, f"seed {seed}"
        for ask in (enabled, checked, offered, tips):
            assert ask(told) == ask(told.without_figures), f"seed {seed}"
