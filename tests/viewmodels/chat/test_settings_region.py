"""Settings of the open conversation: each holds from the next answer on, and none gets lost or mixed up."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.message import Message
from app.conversation.message_store import MessageStore
from app.protocol.chat import PromptOptions
from app.protocol.commands import EstimateCost, Generate, Pin, Verify
from app.protocol.events import TrieChanged
from app.protocol.reports import ThinkingSwitch
from app.protocol.trie_view import TrieView
from app.viewmodels.app import App
from app.viewmodels.chat.presets import DEFAULTS
from app.viewmodels.chat.settings_state import FieldState, SettingsState
from app.viewmodels.model.current_model import GUIDE_SAMPLING
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ended, ready, row

RULE, OTHER = "Answer in one word.", "Be kind."


def now(app: App) -> SettingsState:
    return app.chat.settings.state.now


def field(app: App, name: str) -> FieldState:
    return next(one for one in now(app).fields if one.field.name == name)


def asked(script: Script) -> list[Generate]:
    return [command for command in script.commands if isinstance(command, Generate)]


def last_question(app: App) -> Message:
    return [one for one in app.library.tree.path if one.role == "user"][-1]


def test_instructions_hold_from_the_first_question_on(qtbot: QtBot, app: App, script: Script) -> None:
    app.chat.settings.instruct(RULE)
    assert now(app).is_pending
    ask(qtbot, app, "Which?")
    ask(qtbot, app, "And why?")
    assert [one.options for one in asked(script)] == [PromptOptions(RULE)] * 2
    assert [one.instructions for one in app.library.tree.path] == [RULE, None, None, None]
    assert not now(app).is_pending
    assert (now(app).instructions, now(app).held) == (RULE, RULE)


def test_changed_later_they_hold_on_that_branch_from_the_next_question_on(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "Which?")
    first = app.library.tree.leaf_id
    app.chat.settings.instruct(RULE)
    ask(qtbot, app, "And why?")
    app.chat.settings.instruct("")
    ask(qtbot, app, "And when?")
    assert [one.options.instructions for one in asked(script)] == [None, RULE, ""]
    app.chat.open_draft.begin_edit(app.library.tree.path[2].id)
    assert now(app).held == RULE
    app.chat.requests.send("And how?")
    ended(qtbot, app, 4)
    assert asked(script)[-1].options.instructions == RULE  # another version says what its question said
    assert len(app.library.tree.siblings(app.library.tree.path[2].id)) == 2
    app.chat.open_draft.begin_edit(app.library.tree.path[0].id)
    assert now(app).held == ""
    app.chat.open_draft.cancel_edit()
    assert first in app.library.tree


def test_the_price_of_a_change_is_shown_before_it_is_sent(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Which pears keep until March in a cold cellar?")
    app.chat.settings.instruct(RULE)
    qtbot.waitUntil(lambda: "Cold: " in now(app).price)
    priced = [one for one in script.commands if isinstance(one, EstimateCost)][-1]
    assert priced.options == PromptOptions(RULE)
    tokens = (1 + 4 + 1) + (1 + 9 + 1) + (1 + 11 + 1)
    assert now(app).price.startswith(f"Cold: {tokens}\u00a0tokens")
    app.chat.settings.instruct("")
    assert now(app).price == ""
    assert not now(app).is_pending


def test_while_a_question_is_edited_what_stands_before_it_is_priced(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Which?")
    ask(qtbot, app, "And why?")
    app.chat.settings.instruct(RULE)
    qtbot.waitUntil(lambda: "Cold: " in now(app).price)
    whole = now(app).price
    path = app.library.tree.path
    app.chat.open_draft.begin_edit(path[2].id)
    assert now(app).price == "", "that was the price of the whole branch"
    qtbot.waitUntil(lambda: "Cold: " in now(app).price)
    priced = [one for one in script.commands if isinstance(one, EstimateCost) and one.options == PromptOptions(RULE)]
    assert any([turn.text for turn in one.turns] == [path[0].text, path[1].text] for one in priced)
    assert now(app).price != whole
    app.chat.open_draft.cancel_edit()
    qtbot.waitUntil(lambda: now(app).price == whole)
    app.chat.open_draft.begin_edit(path[0].id)
    assert now(app).price == ""
    assert now(app).is_pending


def test_what_is_typed_is_priced_with_them(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Which?")
    app.chat.settings.instruct(RULE)
    app.chat.open_draft.write("And why?")
    qtbot.waitUntil(lambda: app.chat.branch_costs.sending is not None)
    found = [one for one in script.commands if isinstance(one, EstimateCost) and one.turns[-1].text == "And why?"]
    assert found[-1].options == PromptOptions(RULE)


def test_the_last_question_is_asked_again_with_them_beside_itself(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Which?")
    ask(qtbot, app, "And why?")
    assert not now(app).can_ask_again
    app.chat.settings.instruct(RULE)
    assert now(app).can_ask_again
    app.chat.requests.ask_again_with_settings()
    ended(qtbot, app, 4)
    question = last_question(app)
    assert (question.text, question.instructions) == ("And why?", RULE)
    assert len(app.library.tree.siblings(question.id)) == 2
    assert asked(script)[-1].options == PromptOptions(RULE)
    assert not now(app).is_pending
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    app.library.edits.undo()
    qtbot.waitUntil(lambda: question.id not in app.library.tree)


def test_a_system_message_of_an_import_holds_and_can_be_changed(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    tree = app.library.tree
    system = Message.new(tree.conversation_id, None, "system", OTHER)
    first = Message.new(tree.conversation_id, system.id, "user", "Which?")
    for message in (system, first):
        done: list[int] = []
        app.library.library.add(message, lambda done=done: done.append(1), lambda _problem: None)
        qtbot.waitUntil(lambda done=done: bool(done))
    app.chat.settings.follow()
    assert (now(app).instructions, now(app).held) == (OTHER, OTHER)
    app.chat.requests.send("")
    ended(qtbot, app, 3)
    assert asked(script)[-1].options == PromptOptions()
    app.chat.settings.instruct("")
    ask(qtbot, app, "And why?")
    assert asked(script)[-1].options == PromptOptions("")
    assert now(app).held == ""


def test_a_question_that_could_not_be_stored_gives_them_back(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, app)
    app.chat.settings.instruct(RULE)

    def refuse(*_arguments: object) -> None:
        raise store_error(Fault.FULL, "")

    with monkeypatch.context() as patch:
        patch.setattr(MessageStore, "begin", refuse)
        app.chat.requests.send("Which?")
        qtbot.waitUntil(lambda: app.chat.drafts.of(app.library.open_id).text == "Which?")
    assert now(app).is_pending
    assert now(app).instructions == RULE


def test_too_long_instructions_stay_in_their_field_and_are_not_sent(qtbot: QtBot, app: App, script: Script) -> None:
    app.chat.settings.instruct("word " * 50_000)
    assert "Too long" in now(app).problem
    ask(qtbot, app, "Which?")
    assert asked(script)[-1].options == PromptOptions()
    assert "Too long" in now(app).problem
    assert not now(app).can_ask_again


def test_sampling_is_the_models_until_something_is_chosen(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    assert now(app).preset == DEFAULTS
    assert not any(one.is_changed for one in now(app).fields)
    settings = app.chat.settings
    settings.type("temperature", "0.9")
    settings.type("top_k", "40")
    settings.type("stop", "a\nb")
    assert now(app).preset == ""
    ask(qtbot, app, "Which?")
    expected = replace(GUIDE_SAMPLING, temperature=0.9, top_k=40, stop=("a", "b"))
    assert asked(script)[-1].sampling == expected
    answer = app.library.tree.path[-1]
    assert answer.sampling is not None
    assert answer.sampling["temperature"] == 0.9
    settings.reset("temperature")
    assert field(app, "temperature") == replace(field(app, "temperature"), text="0.3", is_changed=False)
    assert field(app, "top_k").is_changed


def test_a_value_that_is_none_stays_in_its_field_with_its_sentence(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.settings.type("temperature", "0.9")
    app.chat.settings.type("temperature", "hot")
    shown = field(app, "temperature")
    assert (shown.text, shown.problem) == ("hot", "Not used: it must be a number between 0 and 1000.")
    ask(qtbot, app, "Which?")
    assert asked(script)[-1].sampling.temperature == 0.3, "the model's own"


def test_presets_are_applied_saved_renamed_and_deleted(qtbot: QtBot, make_app: Callable[[], App]) -> None:
    app = make_app()
    ready(qtbot, app)
    settings = app.chat.settings
    settings.apply("Precise")
    assert now(app).preset == "Precise"
    assert settings.chosen.sampling(app.library.open_id).temperature == 0.2
    settings.type("seed", "7")
    settings.save_preset("  Mine  ")
    assert (now(app).preset, now(app).own) == ("Mine", ("Mine",))
    assert settings.presets.problem_of("Precise")
    assert settings.presets.problem_of(" ")
    name = settings.presets.all[-1].name
    assert settings.presets.problem_of(name) == ""  # it is put in the place of that one
    assert settings.presets.problem_of(name.swapcase()) == "Another preset has this name."
    assert settings.presets.problem_of(name.swapcase(), name) == ""
    app.library.new_conversation()
    assert now(app).preset == "Mine"  # a new conversation begins with the one used last
    settings.rename_preset("Mine", "Ours")
    app = make_app()
    qtbot.waitUntil(lambda: now(app).own == ("Ours",))
    assert now(app).preset == "Ours"
    app.chat.settings.presets.delete("Ours")
    assert now(app).preset == DEFAULTS
    app = make_app()
    ready(qtbot, app)
    assert now(app).own == ()


def test_a_conversation_that_has_begun_keeps_the_preset_it_began_with(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.settings.apply("Creative")
    app.library.new_conversation()
    ask(qtbot, app, "Which?")
    first = app.library.open_id
    app.library.new_conversation()
    app.chat.settings.apply("Precise")
    app.library.open(first)
    qtbot.waitUntil(lambda: app.library.open_id == first)
    assert now(app).preset == "Creative"
    ask(qtbot, app, "And why?")
    assert [one.sampling.temperature for one in asked(script)] == [1.1, 1.1]


def test_an_answers_settings_are_shown_and_taken_over(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    assert now(app).answer is None
    app.chat.settings.apply("Precise")
    app.chat.settings.type("max_tokens", "90")
    ask(qtbot, app, "Which?")
    app.chat.settings.apply(DEFAULTS)
    shown = now(app).answer
    assert shown is not None
    assert {("Temperature", "0.2"), ("Maximum tokens", "90")} <= set(shown.lines)
    app.chat.settings.use_answer()
    assert field(app, "max_tokens").text == "90"
    assert field(app, "seed").text == ""
    assert app.chat.settings.chosen.sampling(app.library.open_id).temperature == 0.2


def test_an_answer_is_repeated_with_its_settings_and_its_seed(qtbot: QtBot, app: App, script: Script) -> None:
    app.chat.settings.apply("Precise")
    ask(qtbot, app, "Which?")
    first = asked(script)[-1]
    stats = app.library.tree.path[-1].stats
    assert stats is not None
    app.chat.settings.apply("Creative")
    app.chat.settings.instruct(RULE)
    app.chat.requests.repeat_answer()
    ended(qtbot, app, 2)
    again = asked(script)[-1]
    assert again.sampling == replace(first.sampling, seed=stats["seed"])
    assert again.options == first.options
    assert row(app, 1).versions == 2


def test_another_models_answer_is_not_repeated(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Which?")
    answer = app.library.tree.path[-1]
    app.library.tree.replace(replace(answer, model="another"))
    app.chat.settings.follow()
    shown = now(app).answer
    assert shown is not None
    assert not shown.can_repeat
    assert "Another model" in shown.note
    count = len(asked(script))
    app.chat.requests.repeat_answer()
    assert len(asked(script)) == count


def test_pins_and_checks_are_of_the_prompt_with_instructions(qtbot: QtBot, app: App, script: Script) -> None:
    app.chat.settings.instruct(RULE)
    ask(qtbot, app, "Which?")
    app.act("pin")
    app.act("verify")
    qtbot.waitUntil(lambda: any(isinstance(one, Verify) for one in script.commands))
    found = [one.options for one in script.commands if isinstance(one, Pin | Verify)]
    assert found == [PromptOptions(RULE)] * 2


@pytest.mark.parametrize("thinks", [True, False])
def test_thinking_is_switched_from_the_next_question_on_where_it_can_be(
    qtbot: QtBot, app: App, script: Script, thinks: bool
) -> None:
    ready(qtbot, app)
    assert now(app).thinks is None
    model = app.model.current_model
    assert model.info is not None
    model.info = replace(model.info, thinking=ThinkingSwitch.SWITCHABLE, thinks=thinks)
    model.changed.emit()
    assert now(app).thinks is thinks  # as the model does by itself
    app.chat.settings.think(not thinks)
    assert now(app).is_pending
    ask(qtbot, app, "Which?")
    ask(qtbot, app, "And why?")
    app.chat.settings.think(thinks)
    app.chat.settings.think(not thinks)
    assert not now(app).is_pending
    app.chat.settings.think(thinks)
    ask(qtbot, app, "And when?")
    assert [one.options.thinking for one in asked(script)] == [not thinks, not thinks, thinks]
    assert [one.thinks for one in app.library.tree.path[::2]] == [not thinks, None, thinks]


def shown(app: App) -> tuple[str, str, str]:
    return now(app).instructions, field(app, "temperature").text, field(app, "stop").text


def go(qtbot: QtBot, app: App, home: str) -> None:
    app.library.open(home)
    qtbot.waitUntil(lambda: app.library.open_id == home)


def undo(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    app.library.edits.undo()
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)


def test_conversations_do_not_mix_and_nothing_typed_is_lost(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    """Whatever is typed, sent, undone, opened and begun again: each conversation is as it was left."""
    app = make_app()
    done = set()
    for seed in chosen(range(4)):
        rng = random.Random(seed)
        homes = []
        for text in ("one", "two"):
            ready(qtbot, app)
            app.library.new_conversation()
            ask(qtbot, app, f"{text} {seed}")
            homes.append(app.library.open_id)
        expected = dict.fromkeys(homes, shown(app))
        for _ in range(25):
            home = rng.choice(homes)
            go(qtbot, app, home)
            assert shown(app) == expected[home], seed
            action = rng.choice(["instruct", "type", "type", "send", "undo", "restart"])
            done.add(action)
            if action == "instruct":
                app.chat.settings.instruct(rng.choice([RULE, OTHER, "", "🌳 \n"]))
            elif action == "type":
                name, text = rng.choice([("temperature", "hot"), ("temperature", "0.5"), ("stop", "a\nb")])
                app.chat.settings.type(name, text)
            elif action == "send":
                ask(qtbot, app, f"question {rng.random()}")
                assert (asked(script)[-1].options.instructions or "") == expected[home][0], seed
            elif action == "undo" and len(app.library.tree) > 2:
                ask(qtbot, app, "to be taken back")
                undo(qtbot, app)
                go(qtbot, app, home)
                assert shown(app)[1:] == expected[home][1:], seed
            elif action == "restart":
                app = make_app()
                ready(qtbot, app)
                go(qtbot, app, home)
                assert shown(app) == expected[home], seed
            expected[home] = shown(app)
    assert len(done) == 5


def test_new_conversations_begin_with_the_preset_that_was_chosen_for_them(qtbot: QtBot, app: App) -> None:
    """Whatever is used in others; one that has begun keeps its own."""
    app.settings.update(start_preset="Precise")
    assert now(app).preset == "Precise"
    app.chat.settings.apply("Creative")
    assert now(app).preset == "Creative"
    ask(qtbot, app, "Which?")
    assert now(app).preset == "Creative"
    app.library.new_conversation()
    assert now(app).preset == "Precise"
    app.settings.update(start_preset="A preset that is gone")
    assert now(app).preset == DEFAULTS


def test_a_change_of_the_trie_has_the_price_asked_again_and_computes_no_settings(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "Which?")
    app.chat.settings.instruct(RULE)
    qtbot.waitUntil(lambda: now(app).price != "")
    computed: list[None] = []
    app.chat.settings.state.staled.connect(lambda: computed.append(None))
    before = sum(isinstance(command, EstimateCost) for command in script.commands)
    app.chat.take(TrieChanged(TrieView(10_000)))
    assert not computed
    qtbot.waitUntil(lambda: sum(isinstance(command, EstimateCost) for command in script.commands) > before)
    assert now(app).price
