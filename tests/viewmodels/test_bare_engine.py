"""An engine that answers, and can do nothing else, is enough to have a conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from pytestqt.qtbot import QtBot

from app.protocol.capabilities import Capabilities
from app.protocol.commands import Generate
from app.protocol.events import ModelReady
from app.viewmodels.actions import ACTIONS, TABLE, enabled
from app.viewmodels.app import App
from app.viewmodels.chat.chat_text import ONLY_KEPT
from app.viewmodels.chat.rows import spoken_message
from tests.fakes.engine import ALL, NONE, Script
from tests.viewmodels.test_app import ask, row, texts, wait_for_text


def test_a_conversation_grows_forks_and_is_gone_on_with(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    script.capabilities = NONE
    app = make_app()
    ask(qtbot, app, "How are you?")
    ask(qtbot, app, "And now?")
    app.chat.open_branch.select_version(row(app, 0).id, 1)
    app.chat.open_draft.begin_edit(row(app, 2).id)
    ask(qtbot, app, "And then?")
    assert texts(app) == ["How are you?", "You said: How are you?", "And then?", "You said: And then?"]
    last = [command for command in script.commands if isinstance(command, Generate)][-1]
    assert [turn.text for turn in last.turns] == texts(app)[:3]
    assert {turn.ids for turn in last.turns} == {None}
    app.cache.verify(app.chat.open_branch.turns)
    qtbot.waitUntil(lambda: "cannot" in str(app.chat.state.now.card) + app.notices.now.text)


def test_an_edited_answer_is_kept_where_the_model_cannot_go_on_inside_it(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    """By both keys, and it costs nothing."""
    app = make_app()
    ask(qtbot, app, "How are you?")
    info = app.model.current_model.info
    assert info is not None
    app.workspace._on_event(ModelReady(replace(info, capabilities=NONE)))
    runs = sum(isinstance(one, Generate) for one in script.commands)
    for words, keep in (("Well.", app.chat.requests.send), ("Very well.", app.chat.requests.go_on_from)):
        assert "edit_answer" in enabled(app.state.now)
        assert "edit_answer" in app.chat.state.now.message_actions
        assert app.chat.prices.branch("edit_answer") is None
        app.act("edit_answer")
        app.chat.open_draft.write(words)
        qtbot.waitUntil(lambda: app.chat.state.now.send_price == ONLY_KEPT)
        keep(words)
        qtbot.waitUntil(lambda words=words: texts(app) == ["How are you?", words])  # type: ignore[misc]
        assert app.chat.chat_model.rows[-1].note == "Edited by you"
    assert sum(isinstance(one, Generate) for one in script.commands) == runs


def test_what_the_engine_cannot_do_is_not_offered(qtbot: QtBot, make_app: Callable[[], App], script: Script) -> None:
    wanting = {"pin", "unpin", "verify", "copy_cache", "keep_every_fork", "show_files", "delete_files"}
    wanting |= {"forget_cache", "kv_full", "kv_8", "kv_4", "continue"}
    wanting |= {"cache", "warm_up", "show_row", "pin_row", "unpin_row", "evict_row", "warm_up_row"}
    assert {action.id for action in ACTIONS if action.needs} == wanting
    app = make_app()
    ask(qtbot, app, "How are you?")
    qtbot.waitUntil(lambda: {"pin", "verify", "copy_cache"} <= enabled(app.state.now))
    script.capabilities = NONE
    app.model.restart_engine()
    qtbot.waitUntil(lambda: not wanting & enabled(app.state.now))
    ask(qtbot, app, "And now?")
    assert not wanting & enabled(app.state.now)
    assert not app.cache.state.now.disk_trouble


def test_a_model_with_which_less_can_be_done_than_with_its_engine_says_so(
    qtbot: QtBot, make_app: Callable[[], App]
) -> None:
    app = make_app()
    ask(qtbot, app, "How are you?")
    qtbot.waitUntil(lambda: "pin" in enabled(app.state.now))
    info = app.model.current_model.info
    assert info is not None
    app.workspace._on_event(ModelReady(replace(info, capabilities=NONE)))
    qtbot.waitUntil(lambda: "pin" not in enabled(app.state.now))
    app.workspace._on_event(ModelReady(info))
    qtbot.waitUntil(lambda: "pin" in enabled(app.state.now))


def test_every_need_is_an_ability_of_engines() -> None:
    assert {row.needs for row in TABLE} - {""} <= {field.name for field in fields(Capabilities)}


def test_an_answer_without_ids_is_being_written_from_its_first_word_on(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    script.capabilities, script.hold = NONE, 2
    app = make_app()
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    app.chat.requests.send("one two three four")
    wait_for_text(qtbot, app)
    assert [question.is_reading for question in app.chat.questions.at_engine] == [False]
    assert not app.chat.state.now.subtitle
    assert residencies(app) == [(None, ()), (None, ())]
    script.go.set()


def test_where_the_state_of_a_message_is_is_told_by_engines_that_know_it(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    app = make_app()
    ask(qtbot, app, "How are you?")
    qtbot.waitUntil(lambda: all("warm" in spoken_message(one, 1, 1) for one in app.chat.chat_model.rows))
    script.capabilities = NONE
    app.model.restart_engine()
    qtbot.waitUntil(lambda: residencies(app) == [(None, ())] * 2)
    ask(qtbot, app, "And now?")
    assert residencies(app) == [(None, ())] * 4
    said = " ".join(spoken_message(one, 1, 1) for one in app.chat.chat_model.rows)
    assert not {"warm", "cold"} & set(said.replace(",", "").split())
    script.capabilities = ALL
    app.model.restart_engine()
    qtbot.waitUntil(lambda: all(residency for residency, _ in residencies(app)))


def residencies(app: App) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(one.residency, one.sibling_residencies) for one in app.chat.chat_model.rows]
