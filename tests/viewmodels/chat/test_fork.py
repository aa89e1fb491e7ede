"""Answers that go on another way from a token of another one."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.message import EDITED, Message, new_id
from app.conversation.message_store import MessageStore
from app.protocol.chat import Sampling
from app.protocol.choices import Candidate, Choice, pack
from app.protocol.commands import Generate
from app.viewmodels.app import App
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.answer_settings import NO_RESUMPTIONS, resumptions_of
from app.viewmodels.chat.fork import Fork, place_in, with_own_words
from tests.fakes.engine import OTHER, STOP, Script
from tests.viewmodels.chat.test_kept_choices import choices_of
from tests.viewmodels.test_app import ask, ended, ready, texts

WHOLE = "One two three four."
FORKED = "One two instead four."


def answer(app: App) -> Message:
    return app.library.tree.path[-1]


def asked(qtbot: QtBot, app: App, script: Script) -> Message:
    """Ask something, and return the answer."""
    ready(qtbot, app)
    script.answers["Count"] = WHOLE
    ask(qtbot, app, "Count")
    return answer(app)


def versions(app: App) -> list[str]:
    """What each answer to the question says, in their order."""
    return [one.text for one in app.library.tree.siblings(answer(app).id)]


def asked_last(script: Script) -> Generate:
    return [one for one in script.commands if isinstance(one, Generate)][-1]


def test_a_fork_has_the_same_tokens_before_and_its_own_at_the_place(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    old = asked(qtbot, app, script)
    assert old.ids is not None
    known = choices_of(qtbot, app, old.id)
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    qtbot.waitUntil(lambda: texts(app) == ["Count", FORKED])
    ended(qtbot, app, 2)
    new = answer(app)
    assert new.ids == (*old.ids[:2], OTHER, old.ids[3])
    assert (new.parent_id, new.model, new.stop) == (old.parent_id, old.model, "finished")
    assert asked_last(script).lanes[0].forced == (*old.ids[:2], OTHER)
    found = choices_of(qtbot, app, new.id)
    assert found[:2] == known[:2]
    assert (found[2].share, {one.id for one in found[2].candidates}) == (None, {old.ids[2], STOP})
    assert found[3].share is not None
    assert (new.stats or {})["tokens"] == 1
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", WHOLE])
    assert versions(app) == [WHOLE]
    app.act("redo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", FORKED])
    app.close()
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["Count", FORKED])
    assert choices_of(qtbot, again, new.id) == found
    again.close()


@pytest.mark.parametrize("position", [0, 3])
def test_the_first_and_the_last_token_can_be_another(qtbot: QtBot, app: App, script: Script, position: int) -> None:
    old = asked(qtbot, app, script)
    app.chat.requests.fork_at(old.id, position, [OTHER])
    qtbot.waitUntil(lambda: len(versions(app)) == 2)
    ended(qtbot, app, 2)
    assert answer(app).ids is not None
    assert old.ids is not None
    wanted = list(old.ids)
    wanted[position] = OTHER
    assert answer(app).ids == tuple(wanted)


def test_a_fork_in_a_thought_goes_on_thinking(qtbot: QtBot, app: App, script: Script) -> None:
    script.thoughts["Count"] = "Hmm let me see"
    old = asked(qtbot, app, script)
    app.chat.requests.fork_at(old.id, 1, [OTHER])
    qtbot.waitUntil(lambda: answer(app).thinking == "Hmm instead me see")
    ended(qtbot, app, 2)
    assert answer(app).text == WHOLE
    app.chat.requests.fork_at(old.id, 5, [OTHER])
    qtbot.waitUntil(lambda: answer(app).text == "One instead three four.")
    ended(qtbot, app, 2)
    assert answer(app).thinking == "Hmm let me see"
    assert old.id != answer(app).id


def test_several_ways_are_written_beside_each_other_in_one_step(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    assert old.ids is not None
    app.chat.requests.fork_at(old.id, 1, [OTHER, old.ids[3], OTHER])
    qtbot.waitUntil(lambda: len(versions(app)) == 3)
    ended(qtbot, app, 2)
    assert [lane.forced for lane in asked_last(script).lanes] == [(old.ids[0], OTHER), (old.ids[0], old.ids[3])]
    assert [one.split()[1] for one in versions(app)] == ["two", "instead", "four."]
    assert texts(app)[-1] == versions(app)[1]
    for one in app.library.tree.siblings(old.id)[1:]:
        assert choices_of(qtbot, app, one.id)[0] == choices_of(qtbot, app, old.id)[0]
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", WHOLE])
    assert versions(app) == [WHOLE]


def test_a_token_that_ends_the_answer_ends_it_there_without_the_engine(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    old = asked(qtbot, app, script)
    assert old.ids is not None
    runs = sum(isinstance(one, Generate) for one in script.commands)
    app.chat.requests.fork_at(old.id, 2, [STOP])
    qtbot.waitUntil(lambda: texts(app) == ["Count", "One two"])
    new = answer(app)
    assert (new.ids, new.stop, new.model) == (old.ids[:2], "finished", old.model)
    assert (new.sampling or {}).keys() == (old.sampling or {}).keys()
    assert choices_of(qtbot, app, new.id) == choices_of(qtbot, app, old.id)[:2]
    assert not app.chat.state.now.can_continue
    app.chat.requests.fork_at(old.id, 0, [STOP])
    qtbot.waitUntil(lambda: texts(app) == ["Count", ""])
    assert choices_of(qtbot, app, answer(app).id) == ()
    assert sum(isinstance(one, Generate) for one in script.commands) == runs
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE, "One two"])
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])
    app.close()


@pytest.mark.parametrize("others", [1, 2])
def test_one_of_several_ways_may_end_the_answer_in_the_same_step(
    qtbot: QtBot, app: App, script: Script, others: int
) -> None:
    old = asked(qtbot, app, script)
    assert old.ids is not None
    app.chat.requests.fork_at(old.id, 2, [STOP, OTHER, old.ids[0]][: others + 1])
    qtbot.waitUntil(lambda: len(versions(app)) == others + 2)
    ended(qtbot, app, 2)
    said = versions(app)
    assert said[:2] == [WHOLE, "One two"]
    assert said[2].startswith(FORKED)
    assert texts(app) == ["Count", said[2]]
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])
    app.act("redo")
    qtbot.waitUntil(lambda: versions(app) == said)


def test_another_model_goes_on_from_what_the_tokens_say(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.model.current_model.fingerprint == "print of /models/other")
    ready(qtbot, app)
    script.answers["Count"] = "One two instead of that."
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    qtbot.waitUntil(lambda: texts(app) == ["Count", "One two instead of that."])
    ended(qtbot, app, 2)
    command = asked_last(script)
    assert command.begun is not None
    assert (command.begun.text, command.begun.ids, command.lanes[0].forced) == ("One two instead", None, ())
    new = answer(app)
    assert new.model == "print of /models/other"
    assert {one.id for choice in choices_of(qtbot, app, new.id) for one in choice.candidates} <= {OTHER, STOP}
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])


def test_several_ways_on_another_model_are_one_step_too(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    assert old.ids is not None
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.model.current_model.fingerprint == "print of /models/other")
    ready(qtbot, app)
    app.chat.requests.fork_at(old.id, 2, [OTHER, old.ids[2]])
    qtbot.waitUntil(lambda: len(versions(app)) == 3)
    ended(qtbot, app, 2)
    begun = [one.begun.text for one in script.commands if isinstance(one, Generate) and one.begun]
    assert begun == ["One two instead", "One two three"]
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])


@pytest.mark.parametrize("thinks", [False, True])
def test_own_words_in_the_place_of_a_token_go_on(qtbot: QtBot, app: App, script: Script, thinks: bool) -> None:
    script.thoughts["Count"] = "Hmm let me see" if thinks else ""
    old = asked(qtbot, app, script)
    app.chat.requests.write_at(old.id, 2, " and a half")
    qtbot.waitUntil(lambda: len(versions(app)) == 2)
    ended(qtbot, app, 2)
    command = asked_last(script)
    assert command.begun is not None
    said = ("Hmm let and a half", "") if thinks else ("", "One two and a half")
    assert (command.begun.thinking, command.begun.text, command.edited) == (*said, old.ids)
    assert app.library.tree.message(old.id) == old
    assert app.chat.chat_model.rows[-1].note == "Its beginning was edited by you"
    app.chat.requests.write_at(old.id, 2, "  ")
    assert len(versions(app)) == 2


def test_nothing_is_forked_while_an_answer_is_written_there(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    script.hold = 2
    app.chat.requests.send("And?")
    qtbot.waitUntil(lambda: texts(app)[-1].startswith("You said"))
    for act in (
        lambda: app.chat.requests.fork_at(old.id, 2, [OTHER]),
        lambda: app.chat.requests.write_at(old.id, 2, " x"),
    ):
        app.chat.open_draft.write("")
        act()
        qtbot.waitUntil(lambda: app.chat.state.now.send_price == chat_text.STILL_WRITING)
    script.go.set()
    ended(qtbot, app, 4)
    assert len(app.library.tree.siblings(old.id)) == 1


def test_an_answer_that_is_being_written_is_not_forked_yet(qtbot: QtBot, app: App, script: Script) -> None:
    """Neither where it is seen, nor from the branch beside it."""
    old = asked(qtbot, app, script)
    script.hold = 2
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine) and texts(app)[-1] == "One two")
    growing = answer(app).id
    for seen in (growing, old.id):
        app.chat.open_branch.show(seen)
        app.chat.open_draft.write("")
        app.chat.requests.fork_at(growing, 0, [OTHER])
        qtbot.waitUntil(lambda: app.chat.state.now.send_price == chat_text.STILL_WRITING)
    app.chat.requests.fork_at(old.id, 0, [])
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert len(app.library.tree.siblings(old.id)) == 2


def test_a_question_that_waits_for_its_next_answer_is_not_asked_twice(qtbot: QtBot, app: App, script: Script) -> None:
    """Whoever goes to the answer that it has meanwhile is told so, and nothing breaks."""
    old = asked(qtbot, app, script)
    script.load_gate.clear()
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is None)
    app.chat.requests.regenerate()
    app.chat.open_branch.show(old.id)
    for act in (
        lambda: app.chat.requests.fork_at(old.id, 2, [OTHER]),
        lambda: app.chat.requests.regenerate(old.id),
    ):
        app.chat.open_draft.write("")
        act()
        qtbot.waitUntil(lambda: app.chat.state.now.send_price == chat_text.STILL_WRITING)
    script.load_gate.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert len(app.library.tree.siblings(old.id)) == 2


def test_an_answer_without_alternatives_says_so(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.settings.update(keeps_alternatives=False)
    old = asked(qtbot, app, script)
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == chat_text.NO_ALTERNATIVES)
    for message_id in (old.parent_id or "", new_id()):
        app.chat.requests.fork_at(message_id, 0, [OTHER])
    assert len(app.library.tree) == 2


def test_nothing_is_forked_where_conversations_can_only_be_read(
    qtbot: QtBot, make_app: Callable[..., App], script: Script, data_folder: Path
) -> None:
    old = asked(qtbot, make_app(), script)
    make_app().workspace.close()
    with closing(sqlite3.connect(data_folder / "conversations.db")) as newer:
        newer.execute("PRAGMA user_version = 99")
    app = make_app()
    ready(qtbot, app)
    qtbot.waitUntil(lambda: old.id in app.library.tree and bool(app.chat.state.now.refusal))
    runs = sum(isinstance(one, Generate) for one in script.commands)
    said: list[str] = []
    app.chat.open_draft.hinted.connect(lambda: said.append(app.chat.state.now.send_price))
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    app.chat.requests.fork_at(old.id, 2, [STOP])
    app.chat.requests.write_at(old.id, 2, " x")
    app.workspace.store.drain()
    qtbot.waitUntil(lambda: len(said) == 3)
    assert set(said) == {app.chat.state.now.refusal}
    assert len(app.library.tree) == 2
    assert sum(isinstance(one, Generate) for one in script.commands) == runs


def test_an_ending_that_the_disk_refuses_is_told_and_nothing_is_written(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = asked(qtbot, app, script)
    runs = sum(isinstance(one, Generate) for one in script.commands)

    def refuse(*_arguments: object) -> None:
        raise store_error(Fault.FULL, None)

    monkeypatch.setattr(MessageStore, "add", refuse)
    app.chat.requests.fork_at(old.id, 2, [STOP])
    qtbot.waitUntil(lambda: "disk is full" in app.notices.now.text)
    assert versions(app) == [WHOLE]
    assert sum(isinstance(one, Generate) for one in script.commands) == runs


@pytest.mark.parametrize("refusals", [0, 1])
@pytest.mark.parametrize("others", [1, 2])
def test_the_way_that_ends_the_answer_is_stored_with_the_others_in_one_commit(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, others: int, refusals: int
) -> None:
    """All of it, and what it was chosen from, also where the disk refuses it at first; there is never one alone."""
    old = asked(qtbot, app, script)
    assert old.ids is not None
    kept: list[list[tuple[str, str | None]]] = []
    left, add_answers = [Fault.FULL] * refusals, MessageStore.add_answers

    def counted(store: MessageStore, *arguments: Any) -> Edit:
        if left:
            raise store_error(left.pop(), None)
        edit = add_answers(store, *arguments)
        kept.append([(one.text, one.stop) for one in store.of(old.conversation_id) if one.parent_id == old.parent_id])
        return edit

    monkeypatch.setattr(MessageStore, "add", None)
    monkeypatch.setattr(MessageStore, "add_answers", counted)
    app.chat.requests.fork_at(old.id, 2, [OTHER, STOP, old.ids[0]][: others + 1])
    qtbot.waitUntil(lambda: len(versions(app)) == others + 2)
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert kept == [[(WHOLE, "finished"), ("One two", "finished"), *[("", None)] * others]]
    end = app.library.tree.siblings(old.id)[1]
    assert (end.text, end.ids) == ("One two", old.ids[:2])
    assert choices_of(qtbot, app, end.id) == choices_of(qtbot, app, old.id)[:2]
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])


def test_where_the_other_ways_say_nothing_the_one_that_ends_stays(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    script.hold = 0
    app.chat.requests.fork_at(old.id, 2, [STOP, OTHER])
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine))
    app.chat.requests.stop()
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert versions(app)[:2] == [WHOLE, "One two"]
    app.act("undo")
    qtbot.waitUntil(lambda: versions(app) == [WHOLE])


@pytest.mark.parametrize("thinks", [False, True])
def test_own_words_that_the_disk_refuses_stand_in_the_composer(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, thinks: bool
) -> None:
    script.thoughts["Count"] = "Hmm let me see" if thinks else ""
    old = asked(qtbot, app, script)

    def refuse(*_arguments: object) -> None:
        raise store_error(Fault.FULL, None)

    monkeypatch.setattr(MessageStore, "add", refuse)
    app.chat.requests.write_at(old.id, 2, " and a half")
    qtbot.waitUntil(lambda: bool(app.chat.open_draft.now.text))
    assert app.chat.open_draft.now.text == ("and a half" if thinks else "One two and a half")
    assert app.chat.open_draft.now.editing == (None if thinks else old.id)
    assert versions(app) == [WHOLE]


def test_an_answer_that_goes_meanwhile_is_not_forked(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    app.library.new_conversation()
    app.workspace.store.drain()
    assert not list(app.chat.questions)


def test_a_fork_cannot_be_written_once_more(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    app.chat.requests.fork_at(old.id, 2, [OTHER])
    qtbot.waitUntil(lambda: texts(app) == ["Count", FORKED])
    ended(qtbot, app, 2)
    assert resumptions_of(old) == ()
    assert resumptions_of(answer(app)) is None
    app.chat.requests.repeat_answer()
    assert app.chat.state.now.send_price == NO_RESUMPTIONS


def test_a_fork_of_an_edited_answer_says_which_words_are_a_persons(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    app.chat.open_draft.edit_answer(old.id)
    app.chat.requests.go_on_from("One two")
    qtbot.waitUntil(lambda: len(versions(app)) == 2)
    ended(qtbot, app, 2)
    edit = answer(app)
    for position, edited in ((3, 7), (1, 3)):
        app.chat.requests.fork_at(edit.id, position, [OTHER])
        qtbot.waitUntil(lambda: answer(app).id != edit.id and bool(answer(app).stop))
        ended(qtbot, app, 2)
        assert (answer(app).stats or {})[EDITED] == edited
        assert app.chat.chat_model.rows[-1].note == "Its beginning was edited by you"
        app.chat.open_branch.show(edit.id)


def test_the_place_is_where_the_lengths_say_at_random() -> None:
    rng = random.Random(5)
    for _ in range(200):
        pieces = [
            (kind, "".join(rng.choices("aé🜁 ", k=rng.choice([0, 0, 1, 3]))))
            for kind, count in ((True, rng.randrange(4)), (False, rng.randrange(1, 8)))
            for _ in range(count)
        ]
        choices = [
            Choice(
                5000, (Candidate(900, 4000, "x\ufffd"), Candidate(901, 900, "", is_end=True)), False, len(text), kind
            )
            for kind, text in pieces
        ]
        told = {kind: "".join(text for one, text in pieces if one is kind) for kind in (True, False)}
        ids = tuple(range(len(pieces)))
        one = replace(
            Message.new(new_id(), None, "assistant"),
            text=told[False],
            thinking=told[True],
            ids=ids,
            stop="finished",
            model="m",
        )
        at = rng.randrange(len(pieces))
        place = place_in(one, pack(choices), at)
        assert place is not None
        before = {kind: "".join(text for other, text in pieces[:at] if other is kind) for kind in (True, False)}
        assert place.is_thinking is pieces[at][0]
        assert place.words == before[False]
        assert place.thinking == (before[True] if place.is_thinking else told[True])
        assert place.said == {at: pieces[at][1], 900: "x\ufffd", 901: ""}
        fork = Fork(one, at, (900, at), place)
        assert fork.forced(0) == (*ids[:at], 900)
        said = [fork.begun(number) for number in range(2)]
        assert [turn.thinking + turn.text for turn in said] == [
            place.thinking + place.words + added for added in ("x", pieces[at][1])
        ]
        end = fork.ended()
        assert (end.text, end.thinking, end.ids) == (place.words, place.thinking, ids[:at])
        assert fork.choices_of_ended.packed == (pack(choices[:at]) if at else b"")
        edit = with_own_words(one, place, "own", Sampling())
        assert edit.thinking + edit.text == place.thinking + place.words + "own"
    assert place_in(one, pack(choices[:1]), 1) is None
    assert place_in(one, b"", 0) is place_in(one, b"\xff", 0) is place_in(one, pack(choices), -1) is None


@pytest.mark.parametrize("is_own", [True, False])
def test_several_ways_are_seen_in_columns_and_stopped_together(
    qtbot: QtBot, app: App, script: Script, is_own: bool
) -> None:
    old = asked(qtbot, app, script)
    if not is_own:
        app.model.open("/models/other")
        qtbot.waitUntil(lambda: app.model.current_model.fingerprint == "print of /models/other")
        ready(qtbot, app)
    assert old.ids is not None
    script.hold = 3
    app.chat.requests.fork_at(old.id, 1, [OTHER, old.ids[0]])
    qtbot.waitUntil(lambda: len(app.lanes.rows) == 3 and len(app.chat.questions.at_engine) == 2)
    qtbot.waitUntil(lambda: all(question.text for question in app.chat.questions.at_engine))
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    new = app.library.tree.siblings(old.id)[1:]
    assert [one.stop for one in new] == ["stopped"] * 2
    assert all(one.text for one in new)
