"""The walk of a message, with a scripted engine and a real database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store import Store
from app.protocol.chat import Sampling
from app.protocol.commands import Cancel, CancelOpening, EstimateCost, Generate, LoadModel
from app.protocol.reports import Problem
from app.viewmodels.actions import checked, enabled
from app.viewmodels.app import App
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model.current_model import GUIDE_SAMPLING, MOST_RECENT
from tests.fakes.engine import Script

LONG = " ".join(f"word{number}" for number in range(60))


def texts(app: App) -> list[str]:
    return [row.text for row in app.chat.chat_model.rows]


def row(app: App, number: int) -> MessageRow:
    return app.chat.chat_model.rows[number]


def ready(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))


def opened(qtbot: QtBot, app: App, name: str) -> None:
    """Wait until a model is open, and none that is still being opened."""
    model = app.model.state
    qtbot.waitUntil(lambda: (model.now.name, model.now.is_open, model.now.is_loading) == (name, True, False))


def ended(qtbot: QtBot, app: App, rows: int) -> None:
    """Wait until so many messages are shown and nothing is being written, asked or saved."""

    def holds() -> bool:
        shown = app.chat.chat_model.rows
        is_at_rest = app.state.now.activity.text.startswith("Ready") and not list(app.chat.questions)
        return len(shown) == rows and not any(one.is_streaming for one in shown) and is_at_rest

    qtbot.waitUntil(holds)


def ask(qtbot: QtBot, app: App, text: str) -> None:
    """Send a question and wait for its answer."""
    ready(qtbot, app)
    app.chat.requests.send(text)
    qtbot.waitUntil(lambda: texts(app)[-2:-1] == [text])
    ended(qtbot, app, len(app.chat.chat_model.rows))


def wait_for_text(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: bool(app.chat.chat_model.rows) and row(app, -1).is_streaming and texts(app)[-1] != "")


def begin_long(qtbot: QtBot, app: App, script: Script) -> None:
    """Ask for an answer that goes on until the script lets it."""
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    wait_for_text(qtbot, app)


def stored(data_folder: Path) -> list[Message]:
    store = Store(data_folder / "conversations.db")
    found = [message for one in store.conversations.all() for message in store.messages.of(one.id)]
    store.close()
    return found


def test_a_question_is_answered_and_kept(qtbot: QtBot, make_app: Callable[[], App], data_folder: Path) -> None:
    app = make_app()
    ask(qtbot, app, "How are you?")
    assert texts(app) == ["How are you?", "You said: How are you?"]
    footer = row(app, 1).footer
    assert footer is not None
    assert (footer.reused, footer.tokens, footer.stop) == (0, 5, "finished")
    question, answer = stored(data_folder)
    assert (question.text, answer.text, answer.stop) == ("How are you?", "You said: How are you?", "finished")
    assert answer.ids is not None
    assert len(answer.ids) == 5
    assert answer.model == "print of /models/guide"


def test_the_question_is_committed_before_the_engine_is_asked(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, app)
    asked_at_commit: list[bool] = []
    commit = MessageStore.begin

    def watched(store: MessageStore, conversation: Conversation, first: Message) -> Edit:
        edit = commit(store, conversation, first)
        asked_at_commit.append(any(isinstance(command, Generate) for command in script.commands))
        return edit

    monkeypatch.setattr(MessageStore, "begin", watched)
    ask(qtbot, app, "First things first")
    assert asked_at_commit == [False]


def test_the_question_is_painted_before_it_is_committed(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    with qtbot.waitSignal(app.chat.open_draft.textReplaced) as emptied:
        app.chat.requests.send("At once")
    assert texts(app) == ["At once"]
    assert emptied.args == [""]
    ended(qtbot, app, 2)


def test_words_come_back_when_they_cannot_be_stored(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, app, "One")

    def full(store: MessageStore, message: Message, select: bool = True) -> None:
        raise store_error(Fault.FULL, None)

    monkeypatch.setattr(MessageStore, "add", full)
    said: list[str] = []
    app.chat.open_draft.textReplaced.connect(said.append)
    app.chat.requests.send("Two")
    app.chat.open_draft.write("typed since")
    qtbot.waitUntil(lambda: app.notices.now.text != "")
    assert "disk is full" in app.notices.now.text
    assert said == ["", "Two\ntyped since"]
    assert texts(app) == ["One", "You said: One"]
    assert sum(isinstance(command, Generate) for command in script.commands) == 1
    monkeypatch.undo()
    app.notices.dismiss()
    ask(qtbot, app, "Two\ntyped since")
    assert len(texts(app)) == 4


def test_text_streams_and_is_saved_while_it_is_written(
    qtbot: QtBot, app: App, script: Script, data_folder: Path
) -> None:
    script.answers["Long?"], script.hold = LONG, 30
    ready(qtbot, app)
    tail: list[str] = []
    app.chat.chat_model.tailAppended.connect(tail.append)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word29"))
    assert row(app, 1).is_streaming
    assert texts(app)[1] == "".join(tail) == LONG[: LONG.index(" word30")]
    assert app.chat.state.now.can_stop
    qtbot.waitUntil(lambda: stored(data_folder)[-1].text.endswith("word29"), timeout=3000)
    assert stored(data_folder)[-1].is_unfinished
    script.go.set()
    ended(qtbot, app, 2)
    assert "".join(tail) == LONG == texts(app)[1] == stored(data_folder)[-1].text


def test_stop_keeps_what_was_written(qtbot: QtBot, app: App, script: Script, data_folder: Path) -> None:
    script.answers["Long?"], script.hold = LONG, 10
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word9"))
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    assert texts(app)[1] == " ".join(f"word{number}" for number in range(10))
    assert row(app, 1).note == "Stopped"
    assert stored(data_folder)[-1].stop == "stopped"
    assert stored(data_folder)[-1].text == texts(app)[1]


def test_stop_before_the_first_word_leaves_the_question(qtbot: QtBot, app: App, script: Script) -> None:
    script.hold = 0
    ready(qtbot, app)
    app.chat.requests.send("Never mind")
    qtbot.waitUntil(lambda: len(texts(app)) == 2 and row(app, 1).prefill is not None)
    app.chat.requests.stop()
    ended(qtbot, app, 1)
    assert texts(app) == ["Never mind"]
    script.hold = None
    app.chat.requests.regenerate()
    ended(qtbot, app, 2)
    assert texts(app)[1] == "You said: Never mind"


def test_an_edit_is_a_fork_and_versions_lead_back(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "First")
    ask(qtbot, app, "Second")
    said: list[str] = []
    app.chat.open_draft.textReplaced.connect(said.append)
    app.chat.open_draft.write("a draft")
    app.chat.open_draft.begin_edit(row(app, 0).id)
    assert said[-1] == "First"
    assert app.chat.state.now.editing == "First"
    ask(qtbot, app, "Another first")
    assert said[-1] == "a draft"
    assert texts(app) == ["Another first", "You said: Another first"]
    assert (row(app, 0).version, row(app, 0).versions) == (2, 2)
    app.chat.open_branch.select_version(row(app, 0).id, -1)
    assert texts(app) == ["First", "You said: First", "Second", "You said: Second"]
    app.chat.open_branch.select_version(None, 1)
    assert texts(app) == ["Another first", "You said: Another first"]
    app.chat.open_branch.select_version(None, 1)
    assert texts(app) == ["Another first", "You said: Another first"]


def test_a_question_too_long_for_the_message_field_is_not_edited(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "x" * 20_001)
    app.chat.open_draft.write("a draft")
    app.chat.open_draft.begin_edit()
    assert app.chat.state.now.editing is None
    assert app.notices.now.text.startswith("Too long to edit. The question was not opened: it makes a line")
    assert app.chat.drafts.of(app.library.open_id).text == "a draft"


def test_an_edit_can_be_given_up(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "First")
    app.chat.open_draft.write("a draft")
    app.chat.open_draft.begin_edit()
    said: list[str] = []
    app.chat.open_draft.textReplaced.connect(said.append)
    app.act("stop")
    assert said == ["a draft"]
    assert app.chat.state.now.editing is None
    ask(qtbot, app, "a draft")
    assert len(texts(app)) == 4


def test_regenerate_makes_a_sibling(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "First")
    script.answers["First"] = "Something else"
    app.chat.requests.regenerate(row(app, 1).id)
    qtbot.waitUntil(lambda: texts(app)[1:] == ["Something else"])
    ended(qtbot, app, 2)
    assert (row(app, 1).version, row(app, 1).versions) == (2, 2)


def test_places_and_prices_follow(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "First")
    qtbot.waitUntil(lambda: app.chat.state.now.subtitle.startswith("Warm"))
    qtbot.waitUntil(lambda: [one.residency for one in app.chat.chat_model.rows] == ["memory", "memory"])
    assert app.chat.state.now.warmth == 1.0
    assert app.chat.state.now.send_price == "Warm: only what you type is computed"
    app.chat.open_draft.write("three more words")
    qtbot.waitUntil(lambda: app.chat.state.now.send_parts is not None and "token" in app.chat.state.now.send_price)
    reused, computed = app.chat.state.now.send_parts or (0, 0)
    prices = [command for command in script.commands if isinstance(command, EstimateCost)]
    assert prices[-1].turns[-1].text == "three more words"
    assert (reused, computed) == (7, 7)


def test_ids_go_only_to_the_model_that_wrote_them(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "First")
    ask(qtbot, app, "Second")
    app.model.open("/models/other")
    ask(qtbot, app, "Third")
    runs = [command for command in script.commands if isinstance(command, Generate)]
    assert [turn.ids is not None for turn in runs[1].turns] == [False, True, False]
    assert [turn.ids is not None for turn in runs[2].turns] == [False, False, False, False, False]


def test_a_prompt_sent_early_is_answered_when_the_model_is_ready(
    qtbot: QtBot, script: Script, make_app: Callable[[], App]
) -> None:
    script.load_gate.clear()
    app = make_app()
    qtbot.waitUntil(lambda: "Loading Espalier Guide" in app.state.now.activity.text)
    app.chat.requests.send("Early")
    qtbot.waitUntil(lambda: "answered when it is ready" in app.state.now.activity.text)
    assert texts(app) == ["Early"]
    assert app.chat.state.now.can_stop
    script.load_gate.set()
    ended(qtbot, app, 2)
    assert texts(app)[1] == "You said: Early"


def test_a_message_sent_while_writing_waits_in_the_composer(qtbot: QtBot, app: App, script: Script) -> None:
    begin_long(qtbot, app, script)
    said: list[str] = []
    app.chat.open_draft.textReplaced.connect(said.append)
    app.chat.open_draft.write("And then?")
    assert app.chat.state.now.send_price == "Return sends it when this answer ends"
    app.chat.requests.send("And")
    assert app.chat.state.now.is_waiting
    app.chat.open_draft.write("And then")
    assert not app.chat.state.now.is_waiting
    app.chat.requests.send("And then?")
    assert app.chat.state.now.is_waiting
    assert app.chat.state.now.send_price == "Sends when this answer ends"
    assert said == []
    script.go.set()
    ended(qtbot, app, 4)
    assert said == [""]
    assert texts(app)[2:] == ["And then?", "You said: And then?"]


def test_stop_leaves_waiting_words_in_the_composer(qtbot: QtBot, app: App, script: Script) -> None:
    begin_long(qtbot, app, script)
    app.chat.requests.send("And then?")
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    assert not app.chat.state.now.is_waiting
    assert len(texts(app)) == 2


def test_an_answer_goes_on_while_another_conversation_is_open(
    qtbot: QtBot, app: App, script: Script, data_folder: Path
) -> None:
    begin_long(qtbot, app, script)
    first = app.library.conversation_model.rows[0].id
    app.library.new_conversation()
    assert texts(app) == []
    app.chat.requests.send("Elsewhere")
    assert texts(app) == ["Elsewhere"]
    script.go.set()
    qtbot.waitUntil(lambda: texts(app)[:1] == ["Elsewhere"])
    ended(qtbot, app, 2)
    app.library.open(first)
    assert texts(app) == ["Long?", LONG]
    assert LONG in [message.text for message in stored(data_folder)]


def test_an_answer_that_its_tree_has_lost_ends_and_is_stored(
    qtbot: QtBot, app: App, script: Script, data_folder: Path
) -> None:
    """Whatever became of the tree meanwhile: nothing waits for it for ever."""
    begin_long(qtbot, app, script)
    (question,) = app.chat.questions.at_engine
    app.library.tree.remove(question.held_id)
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    app.chat.requests.send("And now?")
    qtbot.waitUntil(lambda: not list(app.chat.questions) and texts(app)[-1] == "You said: And now?")
    assert LONG in [message.text for message in stored(data_folder)]


def test_closing_while_writing_loses_no_word(
    qtbot: QtBot, script: Script, make_app: Callable[[], App], data_folder: Path
) -> None:
    script.answers["Long?"], script.hold = LONG, 17
    app = make_app()
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word16"))
    again = make_app()
    answer = stored(data_folder)[-1]
    assert answer.text.endswith("word16")
    assert answer.stop == "stopped"
    qtbot.waitUntil(lambda: len(texts(again)) == 2)
    assert texts(again)[1] == answer.text
    assert row(again, 1).note == "Stopped"


def test_what_a_start_goes_on_in_takes_the_keyboard_from_nobody(qtbot: QtBot, make_app: Callable[[], App]) -> None:
    ask(qtbot, make_app(), "One")
    app, turns = make_app(), list[None]()
    app.chat.open_draft.turnedTo.connect(lambda: turns.append(None))
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
    assert turns == []
    app.library.new_conversation()
    assert turns == [None]


def test_reopening_shows_the_path_that_was_left(qtbot: QtBot, make_app: Callable[[], App]) -> None:
    app = make_app()
    ask(qtbot, app, "First")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "Another first")
    app.chat.open_branch.select_version(None, -1)
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["First", "You said: First"])
    assert row(again, 0).versions == 2
    assert [one.title for one in again.library.conversation_model.rows] == ["First"]


def test_an_empty_prompt_is_not_sent(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.send("  \n ")
    assert "Nothing to send" in app.chat.state.now.send_price
    app.chat.open_draft.write("x")
    assert "Nothing to send" not in app.chat.state.now.send_price
    assert not any(isinstance(command, Generate) for command in script.commands)
    assert texts(app) == []


def test_a_missing_model_is_told_with_two_ways_on(qtbot: QtBot, make_app: Callable[[], App], script: Script) -> None:
    """Where there is no model in use that could go on."""
    script.broken.add("/models/gone")
    script.load_gate.clear()
    app = make_app()
    app.model.open("/models/gone")
    script.load_gate.set()
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert (card.action_id, card.other_id) == ("open_model", "use_guide")
    assert "/models/gone" in card.sentence
    assert app.model.state.now.is_missing
    assert app.cache_rows.trie_model.rowCount() == 0
    assert app.cache.state.now.line == "Cache empty"
    with qtbot.waitSignal(app.modelFolderWanted):
        app.act(card.action_id)
    app.act(card.other_id)
    ask(qtbot, app, "Still there?")
    assert app.chat.state.now.card is None


def test_a_folder_that_is_no_model_changes_nothing_but_the_banner(qtbot: QtBot, app: App, script: Script) -> None:
    """The model in use goes on with its answer, chip and card agree, and what was asked meanwhile is answered by it."""
    app.edges.wake()
    script.broken.add("/models/gone")
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, app)
    before = app.model.state.now
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word4"))
    script.load_gate.clear()
    app.model.open("/models/gone")
    assert app.model.state.now.name == before.name
    assert app.chat.state.now.context_used > 0
    script.load_gate.set()
    qtbot.waitUntil(lambda: "stays in use" in app.notices.now.text)
    assert "Nothing at /models/gone" in app.notices.now.text
    now = app.model.state.now
    assert (now.name, now.detail, now.is_missing) == (before.name, before.detail, False)
    assert app.chat.state.now.card is None
    script.go.set()
    ended(qtbot, app, 2)
    assert texts(app)[-1] == LONG
    assert not any(isinstance(command, Cancel) for command in script.commands)
    assert app.cache_rows.trie_model.rowCount() == 1


def test_a_model_that_is_being_opened_is_stopped_and_the_one_in_use_stays(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    ask(qtbot, app, "First")
    before = app.model.state.now
    assert not app.chat.state.now.can_stop
    script.load_gate.clear()
    app.model.open("/models/other")
    assert app.chat.state.now.can_stop
    app.act("stop")
    app.act("stop")
    assert "Stopping" in app.state.now.activity.text
    ready(qtbot, app)
    assert app.model.state.now == before
    assert app.notices.now.text == "Opening other was stopped. Espalier Guide stays in use."
    assert [command for command in script.commands if isinstance(command, CancelOpening)] == [
        CancelOpening("/models/other")
    ]
    assert settings.values.suspect == ""
    assert settings.values.model == ""
    script.load_gate.set()
    ask(qtbot, app, "Second")
    assert app.library.tree.path[-1].model == "print of /models/guide"


def test_stopping_ends_the_answer_first_and_then_the_opening(qtbot: QtBot, app: App, script: Script) -> None:
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word4"))
    script.load_gate.clear()
    app.model.open("/models/other")
    app.act("stop")
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert app.model.state.now.is_loading
    app.act("stop")
    ready(qtbot, app)
    assert texts(app)[-1].endswith("word4")


def test_a_model_that_is_opened_again_while_it_is_being_stopped_opens(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.load_gate.clear()
    app.model.open("/models/other")
    app.act("stop")
    app.model.open("/models/other")
    script.load_gate.set()
    qtbot.waitUntil(lambda: app.model.current_model.info is not None and not app.model.state.now.is_loading)
    ready(qtbot, app)
    assert app.model.state.now.name == "other"
    assert "stopped" not in app.notices.now.text


def test_a_first_model_that_is_stopped_is_offered_again(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    script.load_gate.clear()
    app = make_app()
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: "Reading" in app.state.now.activity.text)
    app.act("stop")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert card.title == "other was not opened"
    assert app.state.now.activity.text == "No model loaded"
    script.load_gate.set()
    app.act(card.action_id)
    ask(qtbot, app, "There?")
    assert app.library.tree.path[-1].model == "print of /models/other"


def test_the_kv_cache_of_a_model_is_kept_in_fewer_bits_until_it_is_chosen_otherwise(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    def marks() -> list[str]:
        return [one for one in sorted(checked(app.state.now)) if one.startswith("kv_")]

    ready(qtbot, app)
    app.model.open("/models/one")
    ready(qtbot, app)
    assert marks() == ["kv_full"]
    for bits in (8, 4):
        app.act(f"kv_{bits}")
        assert "kv_full" not in enabled(app.state.now)
        ready(qtbot, app)
        assert LoadModel("/models/one", bits) in script.commands
        assert marks() == [f"kv_{bits}"]
        assert app.state.now.activity.text.endswith(f", approximate KV cache in {bits} bits")
    app.model.use_guide()
    ready(qtbot, app)
    assert marks() == ["kv_full"]
    app.model.open("/models/one")
    ready(qtbot, app)
    assert marks() == ["kv_4"]
    opened = script.commands.count(LoadModel("/models/one", 4))
    app.act("kv_4")
    ready(qtbot, app)
    assert script.commands.count(LoadModel("/models/one", 4)) == opened
    app.act("kv_full")
    ready(qtbot, app)
    assert marks() == ["kv_full"]
    assert settings.values.kv_bits == {}
    ask(qtbot, app, "Still there?")


@pytest.mark.parametrize("way", ["stopped", "missing"])
def test_what_is_told_of_an_opening_goes_when_another_model_is_in_use(
    qtbot: QtBot, app: App, script: Script, way: str
) -> None:
    """It says which model stays in use. What else is told stays."""
    script.broken.add("/models/gone")
    for last in ("", "Something else."):
        ready(qtbot, app)
        if way == "stopped":
            script.load_gate.clear()
            app.model.open("/models/other")
            app.act("stop")
        else:
            app.model.open("/models/gone")
        qtbot.waitUntil(lambda: "stays in use" in app.notices.now.text)
        script.load_gate.set()
        ready(qtbot, app)
        if last:
            app.notices.info(last)
        app.model.open("/models/another")
        qtbot.waitUntil(lambda: app.model.state.now.name == "another")
        ready(qtbot, app)
        assert app.notices.now.text == last
        app.model.use_guide()
        ready(qtbot, app)


def test_a_model_is_opened_with_its_adapter_once_both_are_known_to_go_together(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    script.broken.add("/adapters/bad")
    ready(qtbot, app)
    app.model.open("/models/one", "/adapters/bad")
    qtbot.waitUntil(lambda: "stays in use" in app.notices.now.text)
    assert settings.values.adapters == {}
    app.model.open("/models/one", "/adapters/pirate")
    ready(qtbot, app)
    assert settings.values.adapters == {"/models/one": "/adapters/pirate"}
    assert app.state.now.activity.text.endswith(", with pirate")
    app.model.use_guide()
    ready(qtbot, app)
    assert script.commands[-1] != LoadModel("/models/one")
    app.model.open("/models/one")
    ready(qtbot, app)
    assert LoadModel("/models/one", None, "/adapters/pirate") in script.commands
    assert LoadModel("/models/one") not in script.commands
    app.model.open("/models/one", "")
    ready(qtbot, app)
    assert LoadModel("/models/one") in script.commands
    assert settings.values.adapters == {}
    assert app.model.current_model.info is not None
    assert app.model.current_model.info.adapter == ""


def test_a_model_of_ollamas_store_is_opened_by_its_reference(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    ready(qtbot, app)
    script.load_gate.clear()
    app.model.open("ollama:qwen3:8b")
    assert "Loading qwen3:8b" in app.state.now.activity.text
    script.load_gate.set()
    ready(qtbot, app)
    assert LoadModel("ollama:qwen3:8b") in script.commands
    assert settings.values.model == "ollama:qwen3:8b"


@pytest.mark.parametrize("path", ["/models/gone", "/models/other"])
def test_a_question_asked_while_a_model_is_opened_goes_to_the_one_that_is_in_use_then(
    qtbot: QtBot, app: App, script: Script, path: str
) -> None:
    script.broken.add("/models/gone")
    ask(qtbot, app, "First")
    script.load_gate.clear()
    app.model.open(path)
    app.chat.requests.send("Second")
    qtbot.waitUntil(lambda: "answered when it is ready" in app.state.now.activity.text)
    assert texts(app)[-1] == "Second"
    assert "Loading" in app.state.now.activity.text
    script.load_gate.set()
    ended(qtbot, app, 4)
    answer = app.library.tree.path[-1]
    assert answer.text == "You said: Second"
    assert answer.model == f"print of {'/models/guide' if path in script.broken else path}"


def test_models_that_were_opened_are_remembered(qtbot: QtBot, app: App, settings: Settings, script: Script) -> None:
    ready(qtbot, app)
    app.model.open("/models/one")
    ready(qtbot, app)
    script.broken.add("/models/two")
    app.model.open("/models/two")
    qtbot.waitUntil(lambda: "stays in use" in app.notices.now.text)
    assert settings.values.recent_models == ("/models/one",)
    assert settings.values.model == "/models/one"


def test_recent_models_are_a_few_and_the_guide_is_none_of_them(qtbot: QtBot, app: App, settings: Settings) -> None:
    for number in range(MOST_RECENT + 2):
        app.model.open(f"/models/{number}")
        ready(qtbot, app)
    app.model.open("/models/8")
    ready(qtbot, app)
    assert settings.values.recent_models[:3] == ("/models/8", "/models/9", "/models/7")
    assert len(settings.values.recent_models) == MOST_RECENT
    app.model.use_guide()
    ready(qtbot, app)
    assert settings.values.model == ""
    assert len(settings.values.recent_models) == MOST_RECENT


def test_a_model_whose_path_is_no_text_is_opened_and_not_remembered(qtbot: QtBot, app: App, settings: Settings) -> None:
    """Such a path could not be read back, and everything that was chosen would be lost with it."""
    ready(qtbot, app)
    app.model.open("/models/caf\udce9")
    qtbot.waitUntil(lambda: app.model.state.now.name == "caf\udce9")
    assert settings.values.recent_models == ()


def test_a_prompt_that_does_not_fit_is_told(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.send("word " * 500)
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert card.title == "The context is full"
    said: list[str] = []
    app.chat.open_draft.textReplaced.connect(said.append)
    app.act(card.action_id)
    assert app.chat.state.now.card is None
    assert said[-1].startswith("word word")
    ask(qtbot, app, "Shorter")
    assert texts(app) == ["Shorter", "You said: Shorter"]


def test_after_a_crash_everything_is_open_again_and_the_log_can_be_shown(
    qtbot: QtBot, make_app: Callable[..., App]
) -> None:
    ask(qtbot, make_app(), "Before the crash")
    app = make_app()
    app.workspace.tell_ended_badly(has_crashed=True, reopens=True)
    qtbot.waitUntil(lambda: texts(app) == ["Before the crash", "You said: Before the crash"])
    assert app.chat.state.now.card is None
    assert app.notices.now.text.startswith("Espalier crashed last time. Everything you said is saved")
    with qtbot.waitSignal(app.workspace.logWanted):
        app.notices.press()
    app.notices.error(Problem("Another", "Thing."))
    assert app.notices.now.label == ""


def test_after_a_crash_at_the_very_start_nothing_is_opened_by_itself(
    qtbot: QtBot, make_app: Callable[..., App]
) -> None:
    first = make_app()
    ask(qtbot, first, "Before the crash")
    left = first.library.open_id
    app = make_app(reopens=False)
    app.workspace.tell_ended_badly(has_crashed=False, reopens=False)
    ready(qtbot, app)
    qtbot.waitUntil(lambda: app.library.conversation_model.rowCount() == 2)
    assert texts(app) == []
    assert app.chat.state.now.card is None
    assert "choose one" in app.notices.now.text
    app.library.open(left)
    qtbot.waitUntil(lambda: texts(app) == ["Before the crash", "You said: Before the crash"])


def test_an_engine_that_died_is_started_again(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "First")
    script.crash = "Crash"
    app.chat.requests.send("Crash")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert card.action_id == "restart"
    assert "told to crash" in card.sentence
    app.act("restart")
    ask(qtbot, app, "And now?")
    assert texts(app)[-2:] == ["And now?", "You said: And now?"]
    assert sum(isinstance(command, LoadModel) for command in script.commands) == 2


def test_after_the_engine_died_any_model_can_be_opened(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    """And as often as it dies."""
    ready(qtbot, app)
    script.deadly.add("/models/deadly")
    for path, verb in (("/models/other", ""), ("/models/guide", "use_guide"), ("/models/other", "")):
        app.model.open("/models/deadly")
        qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
        card = app.chat.state.now.card
        assert card is not None
        assert (card.action_id, card.other_id) == ("restart", "use_guide")
        assert settings.values.suspect == "/models/deadly"
        app.act(verb) if verb else app.model.open(path)
        ready(qtbot, app)
        assert app.chat.state.now.card is None
        assert app.model.current_model.path == path
        assert settings.values.suspect == ""
        ask(qtbot, app, "Still there?")


def test_a_model_is_under_suspicion_until_it_is_opened_or_refused(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    ready(qtbot, app)
    script.load_gate.clear()
    app.model.open("/models/one")
    assert settings.values.suspect == "/models/one"
    script.load_gate.set()
    ready(qtbot, app)
    assert settings.values.suspect == ""
    script.broken.add("/models/gone")
    app.model.open("/models/gone")
    qtbot.waitUntil(lambda: settings.values.suspect == "")
    script.load_gate.clear()
    app.model.open("/models/guide")
    assert settings.values.suspect == ""
    app.model.open("/models/one")
    app.close()
    assert settings.values.suspect == ""


def test_a_model_in_use_when_the_engine_died_is_under_suspicion(
    qtbot: QtBot, app: App, script: Script, settings: Settings
) -> None:
    app.model.open("/models/one")
    ask(qtbot, app, "First")
    script.crash = "Crash"
    app.chat.requests.send("Crash")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    assert settings.values.suspect == "/models/one"


def test_events_of_unknown_runs_are_dropped(qtbot: QtBot, app: App, script: Script) -> None:
    from app.protocol.events import TextDelta

    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word4"))
    app.workspace._on_event(TextDelta(999, 0, "not mine", ()))
    assert texts(app)[-1].endswith("word4")
    script.go.set()
    ended(qtbot, app, 2)
    assert not any(isinstance(command, Cancel) for command in script.commands)


def test_the_trie_follows_the_engine_while_it_is_looked_at(qtbot: QtBot, app: App) -> None:
    model = app.cache_rows.trie_model
    ask(qtbot, app, "First")
    qtbot.waitUntil(lambda: app.cache.state.now.line == "Cache 1\u00a0KB of 8.0\u00a0GB")
    assert model.rowCount() == 0
    app.edges.wake()
    assert model.rowCount() == 1
    ask(qtbot, app, "Second")
    qtbot.waitUntil(lambda: model.rowCount() == 2)
    app.edges.rest()
    ask(qtbot, app, "Third")
    qtbot.waitUntil(lambda: len(app.cache.view.nodes) == 3)
    assert model.rowCount() == 2
    app.edges.wake()
    assert model.rowCount() == 3


def test_a_screen_reader_hears_beginning_end_error_and_switch(qtbot: QtBot, app: App, script: Script) -> None:
    heard: list[str] = []
    app.notices.announced.connect(heard.append)
    ask(qtbot, app, "First")
    assert heard == ["Reading the question", "Answer finished, 3\u00a0tokens"]
    app.chat.requests.regenerate()
    ended(qtbot, app, 2)
    app.act("previous")
    assert heard[-1] == "Version 1 of 2"
    script.fail = "Too long"
    app.chat.requests.send("Too long")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    assert "do not fit" in heard[-1]


def test_a_model_is_sampled_as_its_authors_recommend_and_the_guide_as_it_was_trained(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    model = app.model.current_model
    assert model.sampling == GUIDE_SAMPLING
    app.model.open("/models/other")
    ready(qtbot, app)
    assert model.info is not None
    assert model.sampling == model.info.sampling == Sampling()
    model.info = replace(model.info, sampling=Sampling(temperature=0.25, top_k=7))
    assert model.sampling == Sampling(temperature=0.25, top_k=7)


def test_who_wants_so_begins_with_a_new_conversation_after_each_start(
    qtbot: QtBot, make_app: Callable[..., App]
) -> None:
    first = make_app()
    ask(qtbot, first, "Before the restart")
    left = first.library.open_id
    first.settings.update(start_with="new")
    app = make_app()
    ready(qtbot, app)
    qtbot.waitUntil(lambda: app.library.conversation_model.rowCount() == 2)
    assert texts(app) == []
    app.library.open(left)
    app.settings.update(start_with="whatever a later version knows")
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["Before the restart", "You said: Before the restart"])
