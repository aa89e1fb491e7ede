"""A system that is short of memory, whatever goes on meanwhile: what is told of it is so, and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import SetBudget
from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.cache import cache_region
from app.viewmodels.cache.cache_state import short_of_memory
from tests.fakes.engine import Script
from tests.seeds import some
from tests.viewmodels.cache.test_cache_region import of_kind, ready

STEPS = 14
_SLOW = Problem("The disk does not answer", "What you say is kept in memory until it does.")


class Day:
    """Things that a person does and that happen to the computer, by chance."""

    def __init__(self, qtbot: QtBot, app: App, script: Script, rng: random.Random) -> None:
        self.qtbot, self.app, self.script, self.rng = qtbot, app, script, rng
        self.level = 1
        self.most: int | None = None
        self.told: list[Problem] = []
        self.asked: list[str] = []

    def press(self) -> None:
        """Have the system tell another level."""
        self.level = self.rng.choice([level for level in (1, 2, 4) if level != self.level])
        view = self.app.cache.view
        self.most = (view.live_bytes + view.paged_bytes) // self.level if self.level > 1 else None
        self.app.cache.take_memory_pressure(self.level)
        self.told = [one for one in self.told if one is _SLOW]
        self.told += [] if self.most is None else [short_of_memory(self.most)]

    def ask(self) -> None:
        """Ask, and have the answer go on or not."""
        if not self.app.chat.open_branch.is_busy:
            self.script.hold = self.rng.choice([1, None])
            self.script.go.clear()
            self.asked.append(f"question {len(self.asked)}")
            self.app.chat.requests.send(self.asked[-1])

    def let_go(self) -> None:
        """Let an answer that is held go on."""
        self.script.go.set()

    def warm_up(self) -> None:
        """Begin a warm up, which may go on and on, or stop one."""
        if self.rng.random() < 0.5:
            self.script.warm_up_gate.clear()
        else:
            self.script.warm_up_gate.set()
        self.app.edges.warm_up(self.app.chat.open_branch.path)

    def switch(self) -> None:
        """Open another model."""
        if not self.app.chat.open_branch.is_busy:
            self.app.model.open(self.rng.choice(["/models/one", "/models/two"]))

    def tell_slow(self) -> None:
        """Have another thing told beside what is shown."""
        self.app.notices.keep_telling(_SLOW)
        self.told = [*(one for one in self.told if one is not _SLOW), _SLOW]

    def tell_fast(self) -> None:
        """Have the other thing be over."""
        self.app.notices.withdraw(_SLOW)
        self.told = [one for one in self.told if one is not _SLOW]

    def dismiss(self) -> None:
        """Close the banner."""
        self.app.notices.dismiss()
        self.told = []

    def is_told(self) -> bool:
        """Whether what is told is what is so. That a branch is warm already is told over it."""
        if self.app.notices.now.is_refusal:
            self.app.notices.dismiss()
        return self.app.notices.now.text == " ".join(f"{one.title}. {one.sentence}" for one in self.told)

    def act(self) -> None:
        """Have something happen."""
        usual = [self.press, self.press, self.ask, self.warm_up, self.let_go]
        self.rng.choice([*usual, self.switch, self.tell_slow, self.tell_fast, self.dismiss])()

    def rest(self) -> None:
        """Wait until nothing goes on but what is held."""
        app = self.app
        self.qtbot.waitUntil(lambda: not app.model.state.now.is_loading and app.model.current_model.info is not None)
        if self.script.hold is None or self.script.go.is_set():
            self.qtbot.waitUntil(lambda: not app.chat.questions.at_engine and not app._store._pending)


@pytest.mark.parametrize("seed", some(range(30), 3))
def test_what_is_told_of_too_little_memory_is_so_whatever_goes_on(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(cache_region, "_LEAST", 0)
    app = make_app()
    ready(qtbot, app)
    day = Day(qtbot, app, script, random.Random(seed))
    for _ in range(STEPS):
        day.act()
        day.rest()
        qtbot.waitUntil(day.is_told)
        budgets = of_kind(script, SetBudget)
        assert (budgets[-1] if budgets else SetBudget(None)) == SetBudget(day.most)
    day.let_go()
    app.cache.take_memory_pressure(1)
    script.warm_up_gate.set()
    script.hold = None
    day.rest()
    if not day.asked:
        return
    if app.edges.warm_ups.now is not None:  # one that never ends: another takes its place
        app.workspace.cached_branches.warm_up(app.chat.open_branch.path)
    qtbot.waitUntil(lambda: app.edges.warm_ups.now is None)
    path = app.library.tree.path
    assert [one.text for one in path if one.role == "user"] == day.asked
    assert [one.text for one in path if one.role == "assistant"] == [f"You said: {one}" for one in day.asked]
    app.cache.take_memory_pressure(4)
    held = app.cache.view.paged_bytes

    def is_followed() -> bool:
        """Whether the prices and marks are of what is held now."""
        priced = app.chat.branch_costs.path
        rows = {one.id for one in path}
        marks = {app.chat.branch_costs.residencies.get(one) for one in rows}
        is_held = bool(app.cache.view.nodes)
        return priced is not None and bool(priced.request.cached) == is_held and ("memory" in marks) <= is_held

    qtbot.waitUntil(lambda: app.cache.view.paged_bytes <= held // 4)
    qtbot.waitUntil(is_followed)
