"""The Cache menu's verbs, through the app and a scripted engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.cache_events import CacheEventKind
from app.protocol.commands import SetBudget, Verify
from app.protocol.events import Verified
from app.protocol.reports import Problem
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.cache.branch_checks import finding
from app.viewmodels.cache.budgets import BUDGETS, DEFAULT, budget_of
from app.viewmodels.cache.cache_state import CHECKING
from app.viewmodels.kit.settings import Settings
from tests.fakes.engine import Script

EXACT = Verified(0, 412, True, None, 0.004, 1.0)


def asked(qtbot: QtBot, app: App) -> None:
    app.chat.requests.send("hello")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2 and not app.chat.state.now.can_stop)


def ready(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))


def test_budgets_are_known_by_their_ids() -> None:
    assert [budget_of(budget.id) for budget in BUDGETS] == list(BUDGETS)
    assert budget_of("a lot") is DEFAULT
    assert [budget.bytes for budget in BUDGETS][:2] == [None, 1_000_000_000]
    assert BUDGETS[-1].bytes == 0


def test_a_budget_holds_at_once_and_is_remembered(qtbot: QtBot, app: App, script: Script, settings: Settings) -> None:
    ready(qtbot, app)
    settings.update(budget="2 GB")
    assert script.commands[-1] == SetBudget(2_000_000_000)
    settings.update(budget="default")
    assert script.commands[-1] == SetBudget(None)
    count = len(script.commands)
    settings.update(body_size=17)
    assert len(script.commands) == count, "the engine hears what concerns it"


def test_each_model_that_is_loaded_has_the_budget(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, settings: Settings
) -> None:
    settings.update(budget="none")
    app = make_app()
    ready(qtbot, app)
    qtbot.waitUntil(lambda: script.commands.count(SetBudget(0)) == 1)
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: script.commands.count(SetBudget(0)) == 2)


def test_the_default_budget_needs_no_word(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    assert not [command for command in script.commands if isinstance(command, SetBudget)]


def test_a_branch_is_checked_and_the_finding_told(qtbot: QtBot, app: App, script: Script) -> None:
    script.verified = EXACT
    ready(qtbot, app)
    assert "verify" not in enabled(app.state.now)
    asked(qtbot, app)
    assert "verify" in enabled(app.state.now)
    app.act("verify")
    qtbot.waitUntil(lambda: bool(app.notices.now.text))
    assert app.notices.now.text == finding(EXACT)
    assert app.notices.now.is_good
    (command,) = [command for command in script.commands if isinstance(command, Verify)]
    assert [turn.text for turn in command.turns] == ["hello", "You said: hello"]
    app.notices.error(Problem("Title", "Sentence."))
    assert not app.notices.now.is_good


def test_one_check_at_a_time_and_it_is_shown(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    asked(qtbot, app)
    app.cache.verify(app.chat.open_branch.turns)
    app.cache.verify(app.chat.open_branch.turns)
    assert len([command for command in script.commands if isinstance(command, Verify)]) == 1
    assert app.state.now.activity.text == CHECKING.text
    assert "verify" not in enabled(app.state.now)
    app.model.open("/models/other")
    ready(qtbot, app)
    assert "verify" in enabled(app.state.now)


def test_while_an_answer_is_written_the_engine_says_why_not(qtbot: QtBot, app: App, script: Script) -> None:
    refusal = Problem("Not now", "A check takes the engine for itself: it waits until the answer has ended.")
    script.verified = Verified(0, 0, False, None, 0.0, 0.0, refusal)
    script.hold = 1
    ready(qtbot, app)
    app.chat.requests.send("hello")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2)
    app.cache.verify(app.chat.open_branch.turns)
    qtbot.waitUntil(lambda: bool(app.notices.now.text))
    assert refusal.sentence in app.notices.now.text
    assert app.notices.now.is_refusal
    (command,) = [command for command in script.commands if isinstance(command, Verify)]
    assert [turn.text for turn in command.turns] == ["hello"]


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            EXACT,
            "The cache is exact: 412 tokens computed again gave the same bits. Drift against one pass: 0.004.",
        ),
        (
            Verified(1, 3412, False, 412, 0.0, 1.0),
            "The cache is not exact: 3 412 tokens computed again gave other bits from token 413 on. "
            "Drift against one pass: none.",
        ),
        (
            Verified(1, 1, False, None, 0.00002, 1.0),
            "The cache is not exact: 1 token computed again gave other bits. Drift against one pass: under 0.001.",
        ),
    ],
)
def test_a_finding_in_words(found: Verified, sentence: str) -> None:
    assert finding(found).replace("\u00a0", " ").replace("\u202f", " ") == sentence


def test_what_the_cache_does_is_in_the_log_until_its_model_goes(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    asked(qtbot, app)
    assert [row.kind for row in app.cache.event_model.rows] == [CacheEventKind.REQUEST]
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.model.state.now.name == "other")
    assert not app.cache.event_model.rows
