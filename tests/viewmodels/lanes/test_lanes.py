"""Several answers beside each other: when they come into sight, what they say, and what becomes of each."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.message import Message
from app.conversation.message_store import MessageStore
from app.protocol.commands import Cancel, Generate
from app.viewmodels.app import App
from app.viewmodels.lanes.lane_state import LanesState
from tests.fakes.engine import Script
from tests.seeds import each_seed
from tests.viewmodels.test_app import ask, ready, texts


def now(app: App) -> LanesState:
    return app.lanes.state.now


def shown(app: App) -> list[list[str]]:
    """Texts of each column."""
    return [[row.text for row in rows.chat_model.rows] for rows in app.lanes.rows]


def idle(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    app.catch_up()


def versions(app: App) -> list[str]:
    tree = app.library.tree
    question = next(one for one in tree.path if one.role == "user")
    return [one.text for one in tree.children(question.id)]


@pytest.fixture
def three(qtbot: QtBot, app: App, script: Script) -> None:
    """Three answers that are being written, with two words each."""
    ready(qtbot, app)
    app.chat.requests.choose_count(3)
    script.hold = 2
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: shown(app) == [["You said:"]] * 3)


THREE = [f"You said: Why? ({letter})" for letter in "ABC"]


def test_they_come_into_sight_when_several_are_asked_for(qtbot: QtBot, app: App, script: Script, three: None) -> None:
    assert [one.letter for one in now(app).lanes] == ["A", "B", "C"]
    assert [one.seed for one in now(app).lanes] == ["seed 7", "seed 8", "seed 9"]
    assert {(one.status, one.residency) for one in now(app).lanes} == {("writing", "live")}
    assert now(app).lanes[1].spoken(3).startswith("Answer B of 3, writing")
    assert now(app).question == "Why?"
    assert now(app).placeholder == "Ask all 3 at once, or press 1 to 3 to ask one"
    script.go.set()
    idle(qtbot, app)
    assert shown(app) == [[text] for text in THREE]
    assert {one.status for one in now(app).lanes} == {"finished"}
    qtbot.waitUntil(lambda: {one.residency for one in now(app).lanes} == {"memory"})
    total = (app.library.tree.path[-1].stats or {})["request"]["total"]
    assert now(app).prefix == f"Prefix {total}\xa0tokens, computed once"
    assert now(app).saved == f"3 answers share it; alone they would read {3 * total}"


def test_a_ladder_gives_each_its_temperature_and_says_it(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(3)
    app.chat.requests.choose_ladder(True)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 3)
    idle(qtbot, app)
    asked = next(command for command in script.commands if isinstance(command, Generate))
    temperatures = [lane.sampling.temperature for lane in asked.lanes]
    assert temperatures == sorted(set(temperatures))
    assert [one.settings for one in now(app).lanes] == [f"temperature {one:g}" for one in temperatures]
    assert [
        (one.sampling or {})["temperature"] for one in app.library.tree.siblings(app.library.tree.leaf_id or "")
    ] == (temperatures)


def test_each_can_have_a_preset_of_its_own_and_says_it(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(2)
    app.chat.requests.choose_ladder(True)
    app.chat.requests.choose_preset(0, "Precise")
    app.chat.requests.choose_preset(1, "Creative")
    app.catch_up()
    assert (app.chat.state.now.answer_presets, app.chat.state.now.has_ladder) == (("Precise", "Creative"), False)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    idle(qtbot, app)
    asked = next(command for command in script.commands if isinstance(command, Generate))
    assert [(lane.sampling.temperature, lane.sampling.top_p) for lane in asked.lanes] == [(0.2, 0.9), (1.1, 1.0)]
    assert [one.settings for one in now(app).lanes] == ["Precise", "Creative"]
    assert now(app).lanes[1].spoken(2).startswith("Answer B of 2, Creative, finished")
    assert now(app).lanes[0].made_with == "Precise  ·  seed 7"
    app.chat.requests.choose_ladder(True)
    app.catch_up()
    assert app.chat.state.now.answer_presets == ()


def test_what_follows_is_answered_with_the_settings_of_its_column(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(2)
    app.chat.requests.choose_preset(0, "Precise")
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    idle(qtbot, app)
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [len(one) for one in shown(app)] == [3, 3])
    idle(qtbot, app)
    asked = [command.sampling for command in script.commands if isinstance(command, Generate)]
    assert [one.temperature for one in asked] == [0.2, 0.2, app.model.current_model.sampling.temperature]
    assert {one.seed for one in asked} == {None}


def test_a_preset_that_is_gone_is_what_is_chosen(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.settings.type("temperature", "0.5")
    app.chat.settings.save_preset("Mine")
    app.chat.requests.choose_count(2)
    app.chat.requests.choose_preset(1, "Mine")
    app.chat.settings.presets.delete("Mine")
    app.chat.settings.type("temperature", "0.9")
    app.catch_up()
    assert app.chat.state.now.answer_presets == ("", "")
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    idle(qtbot, app)
    asked = next(command for command in script.commands if isinstance(command, Generate))
    assert [lane.sampling.temperature for lane in asked.lanes] == [0.9, 0.9]
    assert [one.settings for one in now(app).lanes] == ["", ""]


def test_one_answer_alone_stays_in_the_chat(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "Why?")
    app.lanes.open()
    assert not now(app).is_open


def test_the_one_that_is_kept_goes_on_and_the_others_stop_as_its_versions(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    app.lanes.keep(now(app).lanes[1].answer_id)
    qtbot.waitUntil(lambda: len(app.chat.questions.at_engine) == 1)
    assert not now(app).is_open
    script.go.set()
    idle(qtbot, app)
    assert texts(app) == ["Why?", THREE[1]]
    assert versions(app) == ["You said:", THREE[1], "You said:"]
    assert not now(app).is_open


def test_to_continue_with_one_leaves_the_others_writing(qtbot: QtBot, app: App, script: Script, three: None) -> None:
    app.lanes.go_on(now(app).lanes[2].answer_id)
    assert not now(app).is_open
    script.go.set()
    idle(qtbot, app)
    assert texts(app) == ["Why?", THREE[2]]
    assert versions(app) == THREE
    assert not [command for command in script.commands if isinstance(command, Cancel)]


def test_one_that_is_discarded_while_it_is_written_stops_and_can_be_brought_back(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    app.lanes.discard(now(app).lanes[0].answer_id)
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    script.go.set()
    idle(qtbot, app)
    qtbot.waitUntil(lambda: versions(app) == THREE[1:])
    assert shown(app) == [[text] for text in THREE[1:]]
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == ["You said:", *THREE[1:]])


def test_one_whose_next_answer_is_being_written_goes_with_all_of_its_branch(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    script.go.set()
    idle(qtbot, app)
    script.go.clear()
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [one[-1:] for one in shown(app)] == [["You said:"]] * 3)
    app.lanes.discard(now(app).lanes[1].answer_id)
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    script.go.set()
    idle(qtbot, app)
    assert shown(app) == [[text, "And how?", "You said: And how?"] for text in (THREE[0], THREE[2])]


def test_those_that_were_put_away_stay_away_and_others_that_are_asked_for_come(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    app.lanes.close()
    app.chat.open_branch.select_version(None, 1)
    app.catch_up()
    assert not now(app).is_open
    script.go.set()
    idle(qtbot, app)
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: len(now(app).lanes) == 6)


def test_of_two_the_other_one_goes_on_in_the_chat(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(2)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2)
    idle(qtbot, app)
    app.lanes.discard(now(app).lanes[0].answer_id)
    qtbot.waitUntil(lambda: not now(app).is_open)
    assert texts(app) == ["Why?", "You said: Why? (B)"]


def test_a_question_goes_to_all_of_them_each_on_its_own_branch(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    script.go.set()
    idle(qtbot, app)
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [len(one) for one in shown(app)] == [3, 3, 3])
    idle(qtbot, app)
    assert shown(app) == [[text, "And how?", "You said: And how?"] for text in THREE]
    asked = [command for command in script.commands if isinstance(command, Generate)][1:]
    assert [command.turns[1].text for command in asked] == THREE
    assert not app.chat.open_draft.now.text


def test_the_status_line_tells_of_all_columns_whether_they_answer_one_question_or_each_its_own(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Writing 3 answers  ·  6"))
    script.go.set()
    idle(qtbot, app)
    script.go.clear()
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [one[-1:] for one in shown(app)] == [["You said:"]] * 3)
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Writing 3 answers  ·  6"))
    app.library.new_conversation()
    app.catch_up()
    assert app.state.now.activity.text.startswith("Writing 3 answers in “Why?”")


def test_what_they_share_and_the_seed_of_each_stay_whatever_follows(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    """Not of a question after it, or with the words of an answer that goes on."""
    told, seeds = now(app).prefix, [one.seed for one in now(app).lanes]
    assert told
    assert all(seeds)
    app.act("stop")
    idle(qtbot, app)
    app.lanes.focus(0)
    script.hold, script.seed = 3, 40
    app.act("continue")
    qtbot.waitUntil(lambda: shown(app)[0] == ["You said: Why?"])
    assert (now(app).prefix, [one.seed for one in now(app).lanes]) == (told, seeds)
    app.act("stop")
    idle(qtbot, app)
    assert (now(app).prefix, [one.seed for one in now(app).lanes]) == (told, seeds)
    app.lanes.focus(1)
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: bool(shown(app)[1][2:]) and app.chat.questions.at_engine[0].request is not None)
    assert (now(app).prefix, [one.seed for one in now(app).lanes]) == (told, seeds)


def test_stopping_ends_what_is_written_in_every_column(qtbot: QtBot, app: App, script: Script, three: None) -> None:
    script.go.set()
    idle(qtbot, app)
    script.go.clear()
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [one[-1:] for one in shown(app)] == [["You said:"]] * 3)
    app.act("stop")
    idle(qtbot, app)
    assert [one[-1] for one in shown(app)] == ["You said:"] * 3
    assert {one.status for one in now(app).lanes} == {"stopped"}


def test_what_was_stopped_goes_on_in_every_column_or_in_the_one_that_is_chosen(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    app.act("stop")
    idle(qtbot, app)
    script.hold = 3
    app.lanes.focus(1)
    app.catch_up()
    assert app.chat.state.now.can_continue
    app.act("continue")
    qtbot.waitUntil(lambda: shown(app)[1] == ["You said: Why?"])
    app.act("stop")
    idle(qtbot, app)
    assert shown(app) == [["You said:"], ["You said: Why?"], ["You said:"]]
    app.lanes.focus(1)
    script.hold = None
    app.act("continue")
    idle(qtbot, app)
    assert shown(app) == [["You said: Why?"]] * 3
    assert {one.status for one in now(app).lanes} == {"finished"}
    commands = len(script.commands)
    app.act("continue")
    assert not [one for one in script.commands[commands:] if isinstance(one, Generate)]


def test_or_to_the_one_that_is_chosen(qtbot: QtBot, app: App, script: Script, three: None) -> None:
    script.go.set()
    idle(qtbot, app)
    app.lanes.focus(1)
    assert now(app).focused == 1
    assert now(app).placeholder == "Ask answer B, or press 2 to ask all"
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: len(shown(app)[1]) == 3)
    idle(qtbot, app)
    assert [len(one) for one in shown(app)] == [1, 3, 1]
    app.lanes.focus(1)
    assert now(app).focused == -1


def test_what_is_written_while_they_grow_waits_in_the_field(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    app.chat.open_draft.write("And how?")
    app.lanes.send("And how?")
    assert app.notices.now.text.startswith("Possible as soon as")
    assert app.chat.open_draft.now.text == "And how?"
    assert [len(one) for one in shown(app)] == [1, 1, 1]


def test_nothing_is_asked_below_an_answer_that_is_about_to_be_deleted(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    script.go.set()
    idle(qtbot, app)
    app.lanes.discard(now(app).lanes[1].answer_id)
    app.lanes.send("And how?")
    assert app.notices.now.text.startswith("Possible as soon as the last change")
    assert app.chat.open_draft.now.text == ""
    qtbot.waitUntil(lambda: len(now(app).lanes) == 2 and not app.library.changes.is_pending)
    app.lanes.send("And how?")
    qtbot.waitUntil(lambda: [len(one) for one in shown(app)] == [3, 3])
    idle(qtbot, app)


def test_what_is_attached_is_read_before_they_are_asked(
    qtbot: QtBot, app: App, script: Script, three: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.go.set()
    idle(qtbot, app)
    monkeypatch.setattr(app.answering.attachment_reader, "_reading", [(app.library.open_id, "notes.txt")])
    app.lanes.send("And how?")
    assert app.notices.now.text.startswith("Sends when the file is read")
    assert shown(app) == [[text] for text in THREE]


def test_they_are_put_away_and_come_back_when_asked_for(qtbot: QtBot, app: App, script: Script, three: None) -> None:
    app.lanes.close()
    script.go.set()
    idle(qtbot, app)
    assert not now(app).is_open
    app.lanes.toggle()
    assert shown(app) == [[text] for text in THREE]
    app.lanes.toggle()
    assert not now(app).is_open


def test_another_conversation_has_none_and_a_restart_finds_them(
    qtbot: QtBot, app: App, script: Script, three: None
) -> None:
    script.go.set()
    idle(qtbot, app)
    here = app.library.open_id
    app.library.new_conversation()
    assert not now(app).is_open
    app.library.open(here)
    assert not now(app).is_open
    app.lanes.open()
    assert shown(app) == [[text] for text in THREE]


def test_more_than_eight_show_the_last_eight(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(8)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(now(app).lanes) == 8)
    idle(qtbot, app)
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: len(versions(app)) == 16)
    idle(qtbot, app)
    assert len(now(app).lanes) == 8
    assert [one[0][-2] for one in shown(app)] == list("ABCDEFGH")


@each_seed(range(20))
def test_at_random_every_column_says_what_its_branch_says(qtbot: QtBot, app: App, script: Script, seed: int) -> None:
    dice = random.Random(seed)
    if app.model.state.now.name == "":
        ready(qtbot, app)
    app.library.new_conversation()
    app.chat.requests.choose_count(dice.randint(2, 4))
    script.hold = dice.choice([1, 2, None])
    app.chat.requests.send(f"Why {seed}?")
    for _ in range(12):
        lanes = now(app).lanes
        one = dice.choice(lanes).answer_id if lanes else ""
        match dice.randrange(12):
            case 0 if one:
                app.lanes.focus(dice.randrange(len(lanes)))
            case 1 if one and dice.random() < 0.4:
                app.lanes.keep(one)
            case 2 if one and dice.random() < 0.4:
                app.lanes.go_on(one)
            case 3 if one:
                app.lanes.discard(one)
            case 4 if one:
                app.lanes.send(f"And {dice.random()}?")
            case 5:
                app.lanes.toggle()
            case 6:
                app.chat.open_branch.select_version(None, dice.choice([-1, 1]))
            case 7:
                script.go.set()
            case 8:
                app.act("continue")
            case 9:
                app.chat.requests.regenerate(one or None)
            case 10:
                app.act(dice.choice(["undo", "redo"]))
            case _:
                app.act("stop")
        qtbot.wait(dice.choice([0, 5]))
        check(app)
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions) and not app.library.changes.is_pending)
    app.catch_up()
    check(app)
    script.go.clear()


def check(app: App) -> None:
    app.catch_up()
    tree, questions = app.library.tree, {one.held_id: one for one in app.chat.questions.at_engine}
    assert len(app.lanes.rows) != 1
    assert len(now(app).lanes) == len(app.lanes.rows)
    for rows in app.lanes.rows:
        said = []
        for message in tree.path_to(tree.leaf_below(rows.answer_id) or "")[tree.depth(rows.answer_id) :]:
            said.append(questions[message.id].text if message.id in questions else message.text)
        assert [row.text for row in rows.chat_model.rows] == said


@pytest.mark.parametrize("refused", ["all", "the last two"])
def test_words_that_no_branch_or_not_each_could_take_come_back_once(
    qtbot: QtBot, app: App, script: Script, three: None, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """With what was attached to them."""
    script.go.set()
    idle(qtbot, app)
    add, taken = MessageStore.add, iter([refused != "all", False, False])

    def refuse(store: MessageStore, message: Message, *more: Any) -> Edit:
        if message.role == "user" and not next(taken):
            raise store_error(Fault.FULL, None)
        return add(store, message, *more)

    monkeypatch.setattr(MessageStore, "add", refuse)
    app.chat.attachments.attach_text("A long text")
    app.lanes.send("And how?")
    idle(qtbot, app)
    assert app.chat.open_draft.now.text == "And how?"
    assert [one.text for one in app.chat.open_draft.now.attachments] == ["A long text"]
