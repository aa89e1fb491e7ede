"""The walk of a message, with a scripted engine and a real database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store import Store
from app.protocol.commands import Cancel, EstimateCost, Generate, LoadModel
from app.protocol.reports import Problem
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.controller import Controller
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model.current_model import MOST_RECENT
from tests.fakes.engine import Script

LONG = " ".join(f"word{number}" for number in range(60))


def texts(controller: Controller) -> list[str]:
    return [row.text for row in controller.chat.rows]


def row(controller: Controller, number: int) -> MessageRow:
    return controller.chat.rows[number]


def ready(qtbot: QtBot, controller: Controller) -> None:
    qtbot.waitUntil(lambda: controller.state.now.activity.text.startswith("Ready"))


def ended(qtbot: QtBot, controller: Controller, rows: int) -> None:
    """Wait until so many messages are shown and nothing is being written, asked or saved."""

    def holds() -> bool:
        shown = controller.chat.rows
        is_at_rest = controller.state.now.activity.text.startswith("Ready") and not list(controller._questions)
        return len(shown) == rows and not any(one.is_streaming for one in shown) and is_at_rest

    qtbot.waitUntil(holds)


def ask(qtbot: QtBot, controller: Controller, text: str) -> None:
    """Send a question and wait for its answer."""
    ready(qtbot, controller)
    controller.send(text)
    qtbot.waitUntil(lambda: texts(controller)[-2:-1] == [text])
    ended(qtbot, controller, len(controller.chat.rows))


def wait_for_text(qtbot: QtBot, controller: Controller) -> None:
    qtbot.waitUntil(
        lambda: bool(controller.chat.rows) and row(controller, -1).is_streaming and texts(controller)[-1] != ""
    )


def stored(data_folder: Path) -> list[Message]:
    store = Store(data_folder / "conversations.db")
    found = [message for one in store.conversations.all() for message in store.messages.of(one.id)]
    store.close()
    return found


def test_a_question_is_answered_and_kept(
    qtbot: QtBot, make_controller: Callable[[], Controller], data_folder: Path
) -> None:
    controller = make_controller()
    ask(qtbot, controller, "How are you?")
    assert texts(controller) == ["How are you?", "You said: How are you?"]
    footer = row(controller, 1).footer
    assert footer is not None
    assert (footer.reused, footer.tokens, footer.stop) == (0, 5, "finished")
    question, answer = stored(data_folder)
    assert (question.text, answer.text, answer.stop) == ("How are you?", "You said: How are you?", "finished")
    assert answer.ids is not None
    assert len(answer.ids) == 5
    assert answer.model == "print of /models/guide"


def test_the_question_is_committed_before_the_engine_is_asked(
    qtbot: QtBot, controller: Controller, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, controller)
    asked_at_commit: list[bool] = []
    commit = MessageStore.begin

    def watched(store: MessageStore, conversation: Conversation, first: Message) -> Edit:
        edit = commit(store, conversation, first)
        asked_at_commit.append(any(isinstance(command, Generate) for command in script.commands))
        return edit

    monkeypatch.setattr(MessageStore, "begin", watched)
    ask(qtbot, controller, "First things first")
    assert asked_at_commit == [False]


def test_the_question_is_painted_before_it_is_committed(qtbot: QtBot, controller: Controller) -> None:
    ready(qtbot, controller)
    with qtbot.waitSignal(controller.composerText) as emptied:
        controller.send("At once")
    assert texts(controller) == ["At once"]
    assert emptied.args == [""]
    ended(qtbot, controller, 2)


def test_words_come_back_when_they_cannot_be_stored(
    qtbot: QtBot, controller: Controller, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, controller, "One")

    def full(store: MessageStore, message: Message, select: bool = True) -> None:
        raise store_error(Fault.FULL, None)

    monkeypatch.setattr(MessageStore, "add", full)
    said: list[str] = []
    controller.composerText.connect(said.append)
    controller.send("Two")
    controller.composer_changed("typed since")
    qtbot.waitUntil(lambda: controller.notices.now.text != "")
    assert "disk is full" in controller.notices.now.text
    assert said == ["", "Two\ntyped since"]
    assert texts(controller) == ["One", "You said: One"]
    assert sum(isinstance(command, Generate) for command in script.commands) == 1
    monkeypatch.undo()
    controller.notices.dismiss()
    ask(qtbot, controller, "Two\ntyped since")
    assert len(texts(controller)) == 4


def test_text_streams_and_is_saved_while_it_is_written(
    qtbot: QtBot, controller: Controller, script: Script, data_folder: Path
) -> None:
    script.answers["Long?"], script.hold = LONG, 30
    ready(qtbot, controller)
    tail: list[str] = []
    controller.chat.tailAppended.connect(tail.append)
    controller.send("Long?")
    qtbot.waitUntil(lambda: texts(controller)[-1].endswith("word29"))
    assert row(controller, 1).is_streaming
    assert texts(controller)[1] == "".join(tail) == LONG[: LONG.index(" word30")]
    assert controller.chat_state.now.can_stop
    qtbot.waitUntil(lambda: stored(data_folder)[-1].text.endswith("word29"), timeout=3000)
    assert stored(data_folder)[-1].is_unfinished
    script.go.set()
    ended(qtbot, controller, 2)
    assert "".join(tail) == LONG == texts(controller)[1] == stored(data_folder)[-1].text


def test_stop_keeps_what_was_written(qtbot: QtBot, controller: Controller, script: Script, data_folder: Path) -> None:
    script.answers["Long?"], script.hold = LONG, 10
    ready(qtbot, controller)
    controller.send("Long?")
    qtbot.waitUntil(lambda: texts(controller)[-1].endswith("word9"))
    controller.stop()
    ended(qtbot, controller, 2)
    assert texts(controller)[1] == " ".join(f"word{number}" for number in range(10))
    assert row(controller, 1).note == "Stopped"
    assert stored(data_folder)[-1].stop == "stopped"
    assert stored(data_folder)[-1].text == texts(controller)[1]


def test_stop_before_the_first_word_leaves_the_question(qtbot: QtBot, controller: Controller, script: Script) -> None:
    script.hold = 0
    ready(qtbot, controller)
    controller.send("Never mind")
    qtbot.waitUntil(lambda: len(texts(controller)) == 2 and row(controller, 1).prefill is not None)
    controller.stop()
    ended(qtbot, controller, 1)
    assert texts(controller) == ["Never mind"]
    script.hold = None
    controller.regenerate()
    ended(qtbot, controller, 2)
    assert texts(controller)[1] == "You said: Never mind"


def test_an_edit_is_a_fork_and_versions_lead_back(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "First")
    ask(qtbot, controller, "Second")
    said: list[str] = []
    controller.composerText.connect(said.append)
    controller.composer_changed("a draft")
    controller.begin_edit(row(controller, 0).id)
    assert said[-1] == "First"
    assert controller.chat_state.now.editing == "First"
    ask(qtbot, controller, "Another first")
    assert said[-1] == "a draft"
    assert texts(controller) == ["Another first", "You said: Another first"]
    assert (row(controller, 0).version, row(controller, 0).versions) == (2, 2)
    controller.select_version(row(controller, 0).id, -1)
    assert texts(controller) == ["First", "You said: First", "Second", "You said: Second"]
    controller.select_version(None, 1)
    assert texts(controller) == ["Another first", "You said: Another first"]
    controller.select_version(None, 1)
    assert texts(controller) == ["Another first", "You said: Another first"]


def test_a_question_too_long_for_the_message_field_is_not_edited(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "x" * 20_001)
    controller.composer_changed("a draft")
    controller.begin_edit()
    assert controller.chat_state.now.editing is None
    assert controller.notices.now.text.startswith("Too long to edit. The question was not opened: it makes a line")
    assert controller._drafts.of(controller._open_id).text == "a draft"


def test_an_edit_can_be_given_up(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "First")
    controller.composer_changed("a draft")
    controller.begin_edit()
    said: list[str] = []
    controller.composerText.connect(said.append)
    controller.act("stop")
    assert said == ["a draft"]
    assert controller.chat_state.now.editing is None
    ask(qtbot, controller, "a draft")
    assert len(texts(controller)) == 4


def test_regenerate_makes_a_sibling(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "First")
    script.answers["First"] = "Something else"
    controller.regenerate(row(controller, 1).id)
    qtbot.waitUntil(lambda: texts(controller)[1:] == ["Something else"])
    ended(qtbot, controller, 2)
    assert (row(controller, 1).version, row(controller, 1).versions) == (2, 2)


def test_places_and_prices_follow(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "First")
    qtbot.waitUntil(lambda: controller.chat_state.now.subtitle.startswith("Warm"))
    qtbot.waitUntil(lambda: [one.residency for one in controller.chat.rows] == ["memory", "memory"])
    assert controller.chat_state.now.warmth == 1.0
    assert controller.chat_state.now.send_price == "Warm: only what you type is computed"
    controller.composer_changed("three more words")
    qtbot.waitUntil(
        lambda: controller.chat_state.now.send_parts is not None and "compute" in controller.chat_state.now.send_price
    )
    reused, computed = controller.chat_state.now.send_parts or (0, 0)
    prices = [command for command in script.commands if isinstance(command, EstimateCost)]
    assert prices[-1].turns[-1].text == "three more words"
    assert (reused, computed) == (7, 7)


def test_ids_go_only_to_the_model_that_wrote_them(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "First")
    ask(qtbot, controller, "Second")
    controller.model.open("/models/other")
    ask(qtbot, controller, "Third")
    runs = [command for command in script.commands if isinstance(command, Generate)]
    assert [turn.ids is not None for turn in runs[1].turns] == [False, True, False]
    assert [turn.ids is not None for turn in runs[2].turns] == [False, False, False, False, False]


def test_a_prompt_sent_early_is_answered_when_the_model_is_ready(
    qtbot: QtBot, script: Script, make_controller: Callable[[], Controller]
) -> None:
    script.load_gate.clear()
    controller = make_controller()
    qtbot.waitUntil(lambda: "Loading Espalier Guide" in controller.state.now.activity.text)
    controller.send("Early")
    qtbot.waitUntil(lambda: "answered when it is ready" in controller.state.now.activity.text)
    assert texts(controller) == ["Early"]
    assert controller.chat_state.now.can_stop
    script.load_gate.set()
    ended(qtbot, controller, 2)
    assert texts(controller)[1] == "You said: Early"


def test_a_message_sent_while_writing_waits_in_the_composer(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, controller)
    controller.send("Long?")
    wait_for_text(qtbot, controller)
    said: list[str] = []
    controller.composerText.connect(said.append)
    controller.composer_changed("And then?")
    assert controller.chat_state.now.send_price == "Return sends it when this answer ends"
    controller.send("And")
    assert controller.chat_state.now.is_waiting
    controller.composer_changed("And then")
    assert not controller.chat_state.now.is_waiting
    controller.send("And then?")
    assert controller.chat_state.now.is_waiting
    assert controller.chat_state.now.send_price == "Sends when this answer ends"
    assert said == []
    script.go.set()
    ended(qtbot, controller, 4)
    assert said == [""]
    assert texts(controller)[2:] == ["And then?", "You said: And then?"]


def test_stop_leaves_waiting_words_in_the_composer(qtbot: QtBot, controller: Controller, script: Script) -> None:
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, controller)
    controller.send("Long?")
    wait_for_text(qtbot, controller)
    controller.send("And then?")
    controller.stop()
    ended(qtbot, controller, 2)
    assert not controller.chat_state.now.is_waiting
    assert len(texts(controller)) == 2


def test_an_answer_goes_on_while_another_conversation_is_open(
    qtbot: QtBot, controller: Controller, script: Script, data_folder: Path
) -> None:
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, controller)
    controller.send("Long?")
    wait_for_text(qtbot, controller)
    first = controller.conversations.rows[0].id
    controller.new_conversation()
    assert texts(controller) == []
    controller.send("Elsewhere")
    assert texts(controller) == ["Elsewhere"]
    script.go.set()
    qtbot.waitUntil(lambda: texts(controller)[:1] == ["Elsewhere"])
    ended(qtbot, controller, 2)
    controller.open_conversation(first)
    assert texts(controller) == ["Long?", LONG]
    assert LONG in [message.text for message in stored(data_folder)]


def test_closing_while_writing_loses_no_word(
    qtbot: QtBot, script: Script, make_controller: Callable[[], Controller], data_folder: Path
) -> None:
    script.answers["Long?"], script.hold = LONG, 17
    controller = make_controller()
    ready(qtbot, controller)
    controller.send("Long?")
    qtbot.waitUntil(lambda: texts(controller)[-1].endswith("word16"))
    again = make_controller()
    answer = stored(data_folder)[-1]
    assert answer.text.endswith("word16")
    assert answer.stop == "stopped"
    qtbot.waitUntil(lambda: len(texts(again)) == 2)
    assert texts(again)[1] == answer.text
    assert row(again, 1).note == "Stopped"


def test_reopening_shows_the_path_that_was_left(qtbot: QtBot, make_controller: Callable[[], Controller]) -> None:
    controller = make_controller()
    ask(qtbot, controller, "First")
    controller.begin_edit()
    ask(qtbot, controller, "Another first")
    controller.select_version(None, -1)
    again = make_controller()
    qtbot.waitUntil(lambda: texts(again) == ["First", "You said: First"])
    assert row(again, 0).versions == 2
    assert [one.title for one in again.conversations.rows] == ["First"]


def test_an_empty_prompt_is_not_sent(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ready(qtbot, controller)
    controller.send("  \n ")
    assert "Nothing to send" in controller.chat_state.now.send_price
    controller.composer_changed("x")
    assert "Nothing to send" not in controller.chat_state.now.send_price
    assert not any(isinstance(command, Generate) for command in script.commands)
    assert texts(controller) == []


def test_a_missing_model_is_told_with_two_ways_on(
    qtbot: QtBot, make_controller: Callable[[], Controller], script: Script
) -> None:
    """Where there is no model in use that could go on."""
    script.broken.add("/models/gone")
    script.load_gate.clear()
    controller = make_controller()
    controller.model.open("/models/gone")
    script.load_gate.set()
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    card = controller.chat_state.now.card
    assert card is not None
    assert (card.action_id, card.other_id) == ("open_model", "use_guide")
    assert "/models/gone" in card.sentence
    assert controller.model.state.now.is_missing
    assert controller.cache.trie_model.rowCount() == 0
    assert controller.cache.state.now.line == "Cache empty"
    with qtbot.waitSignal(controller.model.folderWanted):
        controller.act(card.action_id)
    controller.act(card.other_id)
    ask(qtbot, controller, "Still there?")
    assert controller.chat_state.now.card is None


def test_a_folder_that_is_no_model_changes_nothing_but_the_banner(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    """The model in use goes on with its answer, chip and card agree, and what was asked meanwhile is answered by it."""
    script.broken.add("/models/gone")
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, controller)
    before = controller.model.state.now
    controller.send("Long?")
    qtbot.waitUntil(lambda: texts(controller)[-1].endswith("word4"))
    script.load_gate.clear()
    controller.model.open("/models/gone")
    assert controller.model.state.now.name == before.name
    assert controller.chat_state.now.context_used > 0
    script.load_gate.set()
    qtbot.waitUntil(lambda: "stays in use" in controller.notices.now.text)
    assert "Nothing at /models/gone" in controller.notices.now.text
    now = controller.model.state.now
    assert (now.name, now.detail, now.is_missing) == (before.name, before.detail, False)
    assert controller.chat_state.now.card is None
    script.go.set()
    ended(qtbot, controller, 2)
    assert texts(controller)[-1] == LONG
    assert not any(isinstance(command, Cancel) for command in script.commands)
    assert controller.cache.trie_model.rowCount() == 1


@pytest.mark.parametrize("path", ["/models/gone", "/models/other"])
def test_a_question_asked_while_a_model_is_opened_goes_to_the_one_that_is_in_use_then(
    qtbot: QtBot, controller: Controller, script: Script, path: str
) -> None:
    script.broken.add("/models/gone")
    ask(qtbot, controller, "First")
    script.load_gate.clear()
    controller.model.open(path)
    controller.send("Second")
    qtbot.waitUntil(lambda: "answered when it is ready" in controller.state.now.activity.text)
    assert texts(controller)[-1] == "Second"
    assert "Loading" in controller.state.now.activity.text
    script.load_gate.set()
    ended(qtbot, controller, 4)
    answer = controller.tree.path[-1]
    assert answer.text == "You said: Second"
    assert answer.model == f"print of {'/models/guide' if path in script.broken else path}"


def test_models_that_were_opened_are_remembered(
    qtbot: QtBot, controller: Controller, settings: Settings, script: Script
) -> None:
    ready(qtbot, controller)
    controller.model.open("/models/one")
    ready(qtbot, controller)
    script.broken.add("/models/two")
    controller.model.open("/models/two")
    qtbot.waitUntil(lambda: "stays in use" in controller.notices.now.text)
    assert settings.values.recent_models == ("/models/one",)
    assert settings.values.model == "/models/one"


def test_recent_models_are_a_few_and_the_guide_is_none_of_them(
    qtbot: QtBot, controller: Controller, settings: Settings
) -> None:
    for number in range(MOST_RECENT + 2):
        controller.model.open(f"/models/{number}")
        ready(qtbot, controller)
    controller.model.open("/models/8")
    ready(qtbot, controller)
    assert settings.values.recent_models[:3] == ("/models/8", "/models/9", "/models/7")
    assert len(settings.values.recent_models) == MOST_RECENT
    controller.model.use_guide()
    ready(qtbot, controller)
    assert settings.values.model == ""
    assert len(settings.values.recent_models) == MOST_RECENT


def test_a_model_whose_path_is_no_text_is_opened_and_not_remembered(
    qtbot: QtBot, controller: Controller, settings: Settings
) -> None:
    """Such a path could not be read back, and everything that was chosen would be lost with it."""
    ready(qtbot, controller)
    controller.model.open("/models/caf\udce9")
    qtbot.waitUntil(lambda: controller.model.state.now.name == "caf\udce9")
    assert settings.values.recent_models == ()


def test_a_prompt_that_does_not_fit_is_told(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ready(qtbot, controller)
    controller.send("word " * 500)
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    card = controller.chat_state.now.card
    assert card is not None
    assert card.title == "The context is full"
    said: list[str] = []
    controller.composerText.connect(said.append)
    controller.act(card.action_id)
    assert controller.chat_state.now.card is None
    assert said[-1].startswith("word word")
    ask(qtbot, controller, "Shorter")
    assert texts(controller) == ["Shorter", "You said: Shorter"]


def test_after_a_crash_everything_is_open_again_and_the_log_can_be_shown(
    qtbot: QtBot, make_controller: Callable[..., Controller]
) -> None:
    ask(qtbot, make_controller(), "Before the crash")
    controller = make_controller()
    controller.tell_ended_badly(has_crashed=True, reopens=True)
    qtbot.waitUntil(lambda: texts(controller) == ["Before the crash", "You said: Before the crash"])
    assert controller.chat_state.now.card is None
    assert controller.notices.now.text.startswith("Espalier crashed last time. Everything you said is saved")
    with qtbot.waitSignal(controller.logWanted):
        controller.notices.press()
    controller.notices.error(Problem("Another", "Thing."))
    assert controller.notices.now.label == ""


def test_after_a_crash_at_the_very_start_nothing_is_opened_by_itself(
    qtbot: QtBot, make_controller: Callable[..., Controller]
) -> None:
    first = make_controller()
    ask(qtbot, first, "Before the crash")
    left = first.archive.open_id
    controller = make_controller(reopens=False)
    controller.tell_ended_badly(has_crashed=False, reopens=False)
    ready(qtbot, controller)
    qtbot.waitUntil(lambda: controller.conversations.rowCount() == 2)
    assert texts(controller) == []
    assert controller.chat_state.now.card is None
    assert "choose one" in controller.notices.now.text
    controller.open_conversation(left)
    qtbot.waitUntil(lambda: texts(controller) == ["Before the crash", "You said: Before the crash"])


def test_an_engine_that_died_is_started_again(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "First")
    script.crash = "Crash"
    controller.send("Crash")
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    card = controller.chat_state.now.card
    assert card is not None
    assert card.action_id == "restart"
    assert "told to crash" in card.sentence
    controller.act("restart")
    ask(qtbot, controller, "And now?")
    assert texts(controller)[-2:] == ["And now?", "You said: And now?"]
    assert sum(isinstance(command, LoadModel) for command in script.commands) == 2


def test_after_the_engine_died_any_model_can_be_opened(
    qtbot: QtBot, controller: Controller, script: Script, settings: Settings
) -> None:
    """And as often as it dies."""
    ready(qtbot, controller)
    script.deadly.add("/models/deadly")
    for path, verb in (("/models/other", ""), ("/models/guide", "use_guide"), ("/models/other", "")):
        controller.model.open("/models/deadly")
        qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
        card = controller.chat_state.now.card
        assert card is not None
        assert (card.action_id, card.other_id) == ("restart", "use_guide")
        assert settings.values.suspect == "/models/deadly"
        controller.act(verb) if verb else controller.model.open(path)
        ready(qtbot, controller)
        assert controller.chat_state.now.card is None
        assert controller.model.current_model.path == path
        assert settings.values.suspect == ""
        ask(qtbot, controller, "Still there?")


def test_a_model_is_under_suspicion_until_it_is_opened_or_refused(
    qtbot: QtBot, controller: Controller, script: Script, settings: Settings
) -> None:
    ready(qtbot, controller)
    script.load_gate.clear()
    controller.model.open("/models/one")
    assert settings.values.suspect == "/models/one"
    script.load_gate.set()
    ready(qtbot, controller)
    assert settings.values.suspect == ""
    script.broken.add("/models/gone")
    controller.model.open("/models/gone")
    qtbot.waitUntil(lambda: settings.values.suspect == "")
    script.load_gate.clear()
    controller.model.open("/models/guide")
    assert settings.values.suspect == ""
    controller.model.open("/models/one")
    controller.close()
    assert settings.values.suspect == ""


def test_a_model_in_use_when_the_engine_died_is_under_suspicion(
    qtbot: QtBot, controller: Controller, script: Script, settings: Settings
) -> None:
    controller.model.open("/models/one")
    ask(qtbot, controller, "First")
    script.crash = "Crash"
    controller.send("Crash")
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    assert settings.values.suspect == "/models/one"


def test_events_of_unknown_runs_are_dropped(qtbot: QtBot, controller: Controller, script: Script) -> None:
    from app.protocol.events import TextDelta

    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, controller)
    controller.send("Long?")
    qtbot.waitUntil(lambda: texts(controller)[-1].endswith("word4"))
    controller._on_event(TextDelta(999, 0, "not mine", ()))
    assert texts(controller)[-1].endswith("word4")
    script.go.set()
    ended(qtbot, controller, 2)
    assert not any(isinstance(command, Cancel) for command in script.commands)


def test_the_trie_follows_the_engine(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "First")
    qtbot.waitUntil(lambda: controller.cache.trie_model.rowCount() == 1)
    assert controller.cache.state.now.line == "Cache 1\u00a0KB of 8.0\u00a0GB"
    ask(qtbot, controller, "Second")
    qtbot.waitUntil(lambda: controller.cache.trie_model.rowCount() == 2)


def test_a_screen_reader_hears_beginning_end_error_and_switch(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    heard: list[str] = []
    controller.notices.announced.connect(heard.append)
    ask(qtbot, controller, "First")
    assert heard == ["Reading the question", "Answer finished, 3\u00a0tokens"]
    controller.regenerate()
    ended(qtbot, controller, 2)
    controller.act("previous")
    assert heard[-1] == "Version 1 of 2"
    script.fail = "Too long"
    controller.send("Too long")
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    assert "do not fit" in heard[-1]
