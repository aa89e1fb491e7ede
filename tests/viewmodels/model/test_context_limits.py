"""A model's context limit as it is typed, kept, taken when it is opened, and changed while it is open."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import CONTEXT_LIMIT, LimitContext, LoadModel
from app.protocol.events import ContextLimited
from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.kit.settings import Settings, settings_from
from app.viewmodels.model.context_limits import NO_NUMBER, ReadLimit, read_limit
from tests.fakes.engine import CONTEXT, Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ready

LEAST = int(CONTEXT_LIMIT.least)
MODEL = "/models/one"


def opened(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    app.model.open(MODEL)
    ready(qtbot, app)


def test_a_number_is_read_however_its_thousands_are_parted() -> None:
    for text in ("8192", " 8192 ", "8 192", "8,192", "8.192", "8'192", "8\u202f192"):
        assert read_limit(text, 40_960) == ReadLimit(8192)
    for text in ("", "  ", "40960"):
        assert read_limit(text, 40_960) == ReadLimit(None), "as many as it can"


def test_where_less_is_usual_all_that_a_model_reads_is_a_limit_too() -> None:
    assert read_limit("40960", 40_960, 8192) == ReadLimit(40_960)
    assert read_limit("8192", 40_960, 8192) == ReadLimit(8192)
    assert read_limit("", 40_960, 8192) == ReadLimit(None)
    assert "Leave the field empty for 8\u202f192." in read_limit("50000", 40_960, 8192).problem


def test_what_is_no_limit_gets_a_sentence_and_never_an_error() -> None:
    """At random too: whatever is typed is a limit that the engine takes, or a sentence."""
    for text in ("0", "-1", "12.5", "512.5", "1e6", "many", "8k", "٣٢", str(LEAST - 1), str(10**12), "9" * 9000):
        for own in (0, 40_960):
            read = read_limit(text, own)
            assert read.tokens is None
            assert read.problem.endswith("."), text
    assert read_limit("many", 0).problem == NO_NUMBER
    assert read_limit(str(10**12), 4096).problem.startswith("This model reads at most 4\u202f096\u00a0tokens.")
    for seed in chosen(range(500)):
        rng = random.Random(seed)
        typed = "".join(rng.choices("0123456789 ,.'-+ek\u202f²x", k=rng.randint(1, 14)))
        read = read_limit(typed, rng.choice((0, 64, 4096)))
        assert not read.problem or (read.tokens is None and read.problem.endswith(".")), seed
        assert CONTEXT_LIMIT.allows(read.tokens)


def test_a_limit_is_kept_for_its_model_and_holds_at_once(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    opened(qtbot, app)
    assert app.model.limit_context(MODEL, "200") == ""
    qtbot.waitUntil(lambda: app.model.state.now.context_length == 200)
    assert script.commands.count(LimitContext(200)) == 1
    assert settings.values.context_limits == {MODEL: 200}
    assert app.state.now.activity.text.endswith(", limited to 200\u00a0tokens")
    assert sum(isinstance(command, LoadModel) for command in script.commands) == 2, "it is not opened again"
    assert app.model.limit_context(MODEL, "0") != ""
    assert app.model.limit_context(MODEL, str(CONTEXT + 1)) != ""
    assert settings.values.context_limits == {MODEL: 200}
    app.model.use_guide()
    ready(qtbot, app)
    assert app.model.state.now.context_length == CONTEXT
    app.model.open(MODEL)
    ready(qtbot, app)
    assert script.commands.count(LoadModel(MODEL, context_limit=200)) == 1
    assert app.model.state.now.context_length == 200
    assert app.model.limit_context(MODEL, "") == ""
    qtbot.waitUntil(lambda: app.model.state.now.context_length == CONTEXT)
    assert settings.values.context_limits == {}
    assert "limited" not in app.state.now.activity.text


def test_what_is_chosen_while_the_model_is_being_opened_holds_when_it_is(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    script.load_gate.clear()
    app.model.open(MODEL)
    app.model.limit_context(MODEL, "200")
    assert LimitContext(200) not in script.commands, "another model is open"
    script.load_gate.set()
    qtbot.waitUntil(lambda: app.model.state.now.context_length == 200)


def test_a_limit_that_the_engine_refuses_is_said(qtbot: QtBot, app: App) -> None:
    opened(qtbot, app)
    app.model.take(ContextLimited(MODEL, CONTEXT, Problem("No such context limit", "It must be a number.")))
    assert "It must be a number." in app.notices.now.text
    app.model.take(ContextLimited("/models/other", 128))
    assert app.model.state.now.context_length == CONTEXT


def test_what_is_no_context_limit_is_refused(tmp_path: Path) -> None:
    Settings(tmp_path / "settings.json").update(context_limits={MODEL: 8192})
    assert Settings(tmp_path / "settings.json").values.context_limits == {MODEL: 8192}
    odd: list[object] = [-1, 0, LEAST - 1, 10**12, 8192.0, "8192", None, True, [], {}]
    for limits in [{"/m": one} for one in odd] + [{"\ud800": 8192}, {f"/{number}": 8192 for number in range(101)}]:
        with pytest.raises(ValueError, match=r"limits are|no text|entries"):
            settings_from({"context_limits": limits})
