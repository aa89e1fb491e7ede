"""What Return does at the end of the open path, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.chat.chat_text import CONTEXT_FULL, NOT_ANSWERED, NOTHING_TO_SEND
from app.viewmodels.text.formatting import DOT
from app.viewmodels.warmth.price_text import price_sentence
from tests.fakes.engine import CONTEXT, Script
from tests.viewmodels.test_app import ask, ready, texts


def stop_before_a_word(qtbot: QtBot, app: App, script: Script, text: str) -> None:
    script.hold = 0
    app.chat.requests.send(text)
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine))
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: texts(app)[-1] == text)
    script.hold = None


def test_a_question_without_an_answer_is_answered_with_return(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    stop_before_a_word(qtbot, app, script, "How are you?")
    assert app.chat.state.now.can_answer
    assert app.chat.state.now.send_price.startswith(NOT_ANSWERED)
    assert "send" in enabled(app.state.now)
    app.chat.requests.send("")
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])
    now = app.chat.state.now
    assert not now.can_answer
    app.chat.requests.send("")
    assert app.chat.state.now.send_price == NOTHING_TO_SEND


def test_what_answering_the_last_question_costs_is_told_as_everywhere(qtbot: QtBot, app: App, script: Script) -> None:
    """Where all of it is held, nothing of it is, and when it cannot be read."""
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    stop_before_a_word(qtbot, app, script, "And the weather of the day?")
    home, leaf = app.library.open_id, app.library.tree.path[2].id

    def told() -> str:
        """Return what is told after the first words, where it is what the index of all branches was told too."""
        price = price_sentence(app.chat.warmth.warmth_of(leaf, home))
        before, _, found = app.chat.state.now.send_price.partition(DOT)
        return found if (before, found) == (NOT_ANSWERED, price) else ""

    qtbot.waitUntil(lambda: told() == "opens at once")
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: told().startswith("cold: "))
    script.unreadable = "And the weather of the day?"
    app.model.open("/models/two")
    qtbot.waitUntil(lambda: told().startswith("cannot be read: "))


def test_words_after_a_question_without_an_answer_are_said_to_become_another_version(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    stop_before_a_word(qtbot, app, script, "How are you?")
    app.chat.open_draft.write("How was it?")
    assert app.chat.state.now.send_price.lower().endswith("another version of “how are you?”")
    assert not app.chat.state.now.can_answer
    app.chat.requests.send("How was it?")
    qtbot.waitUntil(lambda: texts(app) == ["How was it?", "You said: How was it?"])
    assert app.chat.chat_model.rows[0].versions == 2


def test_after_a_restart_too(qtbot: QtBot, make_app: Callable[..., App], script: Script) -> None:
    first = make_app()
    ready(qtbot, first)
    stop_before_a_word(qtbot, first, script, "How are you?")
    app = make_app()
    qtbot.waitUntil(lambda: app.chat.state.now.can_answer)
    app.chat.requests.send("")
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])


def test_a_question_on_its_way_is_not_offered_to_be_answered(qtbot: QtBot, app: App, script: Script) -> None:
    script.load_gate.clear()
    app.model.open("/models/one")
    app.chat.requests.send("How are you?")
    for _ in range(20):
        qtbot.wait(2)
        assert not app.chat.state.now.can_answer
    script.load_gate.set()
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])


def test_what_does_not_fit_says_so_and_is_not_sent(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "How are you?")
    long = "word " * (CONTEXT + 50)
    app.chat.open_draft.write(long)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price.startswith("Does not fit: "))
    price = app.chat.state.now.send_price.replace("\u202f", "").replace("\u00a0", " ")
    assert price.endswith(f" of {CONTEXT} tokens")
    assert "send" not in enabled(app.state.now)
    asked = sum(isinstance(command, Generate) for command in script.commands)
    app.chat.requests.send(long)
    qtbot.wait(50)
    assert sum(isinstance(command, Generate) for command in script.commands) == asked
    assert app.chat.drafts.of(app.library.open_id).text == long
    app.chat.open_draft.write("short")
    qtbot.waitUntil(lambda: "send" in enabled(app.state.now))


def test_a_path_that_fills_the_context_says_so(qtbot: QtBot, app: App, script: Script) -> None:
    script.answers["Long?"] = "word " * CONTEXT
    ask(qtbot, app, "Long?")
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == CONTEXT_FULL)


def test_words_of_an_edit_survive_the_next_edit(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "One")
    ask(qtbot, app, "Two")
    app.chat.open_draft.write("a thought")
    app.chat.open_draft.begin_edit()
    app.chat.open_draft.write("Two, better")
    app.chat.open_draft.begin_edit()
    open_id = app.library.open_id
    assert app.chat.drafts.of(open_id).text == "Two, better"
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[0].id)
    assert app.chat.drafts.of(open_id).text == "One"
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[2].id)
    app.chat.open_draft.cancel_edit()
    assert app.chat.drafts.of(open_id).text == "a thought\nTwo, better"


def test_a_new_folder_is_empty(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "How are you?")
    app.act("new_folder")
    qtbot.waitUntil(lambda: len(app.library.state.now.folders) == 1)
