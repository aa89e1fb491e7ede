"""How conversations are left is how they are found: drafts, the open one, and where it is scrolled to."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.message_store import MessageStore
from app.conversation.records import ViewState
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.conversation.view_state_store import ViewStateStore
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ready, texts

MakeApp = Callable[..., App]


def view_states(data_folder: Path) -> dict[str, ViewState]:
    store = Store(data_folder / "conversations.db")
    found = {state.conversation_id: state for state in store.view_states.all()}
    store.close()
    return found


def full(_store: ViewStateStore, *_states: ViewState) -> None:
    raise store_error(Fault.FULL, None)


def test_words_in_the_composer_are_there_after_a_restart(qtbot: QtBot, make_app: MakeApp, data_folder: Path) -> None:
    first = make_app()
    ask(qtbot, first, "How are you?")
    left = first.library.open_id
    first.chat.open_draft.write("half a thought")
    first.library.new_conversation()
    first.chat.open_draft.write("the beginning of another")
    again = make_app()
    qtbot.waitUntil(lambda: again.chat.drafts.of(again.library.open_id).text == "the beginning of another")
    assert texts(again) == []
    with qtbot.waitSignal(again.chat.open_draft.textReplaced) as shown:
        again.library.open(left)
    assert shown.args == ["half a thought"]


def test_the_answers_that_a_question_gets_are_as_many_after_a_kill(
    qtbot: QtBot, make_app: MakeApp, data_folder: Path
) -> None:
    first = make_app()
    ask(qtbot, first, "How are you?")
    left = first.library.open_id
    first.chat.requests.choose_count(3)
    first.chat.requests.choose_ladder(True)
    first.library.new_conversation()
    # Nothing is left for the end to do.
    qtbot.waitUntil(lambda: left in (found := view_states(data_folder)) and '"answers"' in found[left].settings)
    again = make_app()
    ready(qtbot, again)
    again.library.open(left)
    qtbot.waitUntil(lambda: (again.chat.state.now.answers, again.chat.state.now.has_ladder) == (3, True))


def test_words_are_stored_while_the_program_runs(qtbot: QtBot, make_app: MakeApp, data_folder: Path) -> None:
    app = make_app()
    ready(qtbot, app)
    app.chat.open_draft.write("half a thought")
    left = ViewState(app.library.open_id, "half a thought", is_open=True, window=1, is_blank=True)
    qtbot.waitUntil(lambda: view_states(data_folder) == {left.conversation_id: left})


def test_the_conversation_that_was_open_is_opened_and_not_the_one_used_last(qtbot: QtBot, make_app: MakeApp) -> None:
    first = make_app()
    ask(qtbot, first, "One")
    one = first.library.open_id
    first.library.new_conversation()
    ask(qtbot, first, "Two")
    first.library.open(one)
    first.chat.remember_scroll(first.chat.chat_model.rows[1].id, 17.0)
    answer = first.chat.chat_model.rows[1].id
    again = make_app()
    with qtbot.waitSignal(again.chat.anchorWanted) as wanted:
        pass
    assert wanted.args == [answer, 17.0]
    assert texts(again) == ["One", "You said: One"]


def test_what_is_begun_while_the_conversation_is_read_goes_on(
    qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk takes nobody's words out of sight."""
    is_read, load = threading.Event(), MessageStore.load

    def wait(store: MessageStore, conversation_id: str) -> MessageTree:
        is_read.wait(20)
        return load(store, conversation_id)

    first = make_app()
    ask(qtbot, first, "One")
    left = first.library.open_id
    first.library.new_conversation()
    first.chat.open_draft.write("half")
    first.library.open(left)
    monkeypatch.setattr(MessageStore, "load", wait)
    for begin, said in ((False, ["One", "You said: One"]), (True, []), (True, ["half a thought"])):
        is_read.clear()
        shown = list[str]()
        app = make_app()
        app.chat.open_draft.textReplaced.connect(shown.append)
        qtbot.waitUntil(lambda app=app: app.library.is_opening)
        assert shown == ["half"]
        if begin:
            app.chat.open_draft.write("half a thought")
        if said[:1] == ["half a thought"]:
            app.chat.requests.send("half a thought")
        is_read.set()
        qtbot.waitUntil(lambda app=app: not app.library.is_opening)
        qtbot.waitUntil(lambda app=app, said=said: texts(app)[: len(said)] == said)
        assert (app.library.open_id == left) is not begin
        if begin and not said:
            assert app.chat.open_draft.now.text == "half a thought"
            app.chat.open_draft.write("half")
            app.library.open(left)
            qtbot.waitUntil(lambda app=app: app.library.open_id == left)


def test_an_edit_that_was_begun_goes_on(qtbot: QtBot, make_app: MakeApp) -> None:
    first = make_app()
    ask(qtbot, first, "How are you?")
    first.chat.open_draft.write("something else")
    first.chat.open_draft.begin_edit()
    first.chat.open_draft.write("How was it?")
    again = make_app()
    qtbot.waitUntil(lambda: again.chat.state.now.editing == "How are you?")
    assert again.chat.drafts.of(again.library.open_id).text == "How was it?"
    again.chat.open_draft.cancel_edit()
    assert again.chat.drafts.of(again.library.open_id).text == "something else"


def test_words_that_were_sent_are_no_draft_any_more(qtbot: QtBot, make_app: MakeApp, data_folder: Path) -> None:
    """Not even for the moment between the question's commit and the next time that drafts are stored."""
    app = make_app()
    ready(qtbot, app)
    app.chat.open_draft.write("How are you?")
    app.chat.view_states.save()
    app.chat.requests.send("How are you?")
    app.chat.view_states._timer.stop()
    app.chat.view_states._dirty.clear()
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])
    assert all(not state.draft for state in view_states(data_folder).values())


def test_a_draft_goes_with_its_conversation(qtbot: QtBot, make_app: MakeApp, data_folder: Path) -> None:
    app = make_app()
    ask(qtbot, app, "How are you?")
    app.chat.open_draft.write("a secret")
    app.chat.view_states.save()
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    app.library.trash_list.empty()
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    app.close()
    assert not [file for file in data_folder.rglob("*") if file.is_file() and b"a secret" in file.read_bytes()]


@pytest.mark.parametrize("is_killed", [False, True])
def test_words_of_a_deleted_conversation_come_back_with_it_after_a_restart(
    qtbot: QtBot, make_app: MakeApp, data_folder: Path, is_killed: bool
) -> None:
    first = make_app()
    ask(qtbot, first, "One")
    home = first.library.open_id
    first.chat.requests.choose_count(3)
    first.chat.open_draft.write("something else")
    first.chat.open_draft.begin_edit()
    first.chat.open_draft.write("One and a half")
    first.chat.attachments.attach_text("a long text")
    draft = first.chat.open_draft.now
    first.chat.view_states.save()
    first.act("delete_conversation")
    qtbot.waitUntil(lambda: not first.library.changes.is_pending)
    if not is_killed:
        first.close()
    again = make_app()
    ready(qtbot, again)
    assert again.library.open_id != home
    again.library.trash_list.read()
    qtbot.waitUntil(lambda: bool(again.library.trash_list.rows.rows))
    again.library.trash_list.restore(again.library.trash_list.rows.rows[0].id)
    qtbot.waitUntil(lambda: again.library.open_id == home)
    assert again.chat.open_draft.now == draft
    assert again.chat.state.now.answers == 3
    again.close()
    assert view_states(data_folder)[home].draft == "One and a half"


def test_whatever_was_typed_is_found_after_any_number_of_restarts(
    qtbot: QtBot, make_app: MakeApp, script: Script
) -> None:
    dice = random.Random(7)
    typed: dict[str, str] = {}
    for start in range(6):
        app = make_app()
        ready(qtbot, app)
        left = {one: text for one, text in typed.items() if text}
        qtbot.waitUntil(
            lambda app=app, left=left: left.items() <= {one: app.chat.drafts.of(one).text for one in left}.items()
        )
        qtbot.waitUntil(lambda app=app: not app.library.is_opening)
        found = {one: app.chat.drafts.of(one).text for one in typed if app.library.library.conversation(one)}
        assert found == typed, f"start {start}"
        for step in range(dice.randint(3, 10)):
            here = app.library.open_id
            match dice.randrange(4):
                case 0:
                    typed[here] = f"draft {start} {step}"
                    app.chat.open_draft.write(typed[here])
                case 1:
                    ask(qtbot, app, f"question {start} {step}")
                    typed[here] = ""
                case 2:
                    if app.library.library.is_stored(here):
                        app.library.new_conversation()
                case _:
                    rows = [row for row in app.library.conversation_model.rows if not row.is_folder]
                    app.library.open(dice.choice(rows).id)
                    qtbot.waitUntil(lambda app=app: not app.library.is_opening)
        blank = [one for one in typed if not app.library.library.is_stored(one)]
        for one in blank:  # it has another id in the next run
            text = typed.pop(one)
            if text:
                app.library.open(one)
                ask(qtbot, app, text)
                typed[one] = ""


def test_a_conversation_that_has_just_begun_is_the_open_one_at_once(
    qtbot: QtBot, make_app: MakeApp, data_folder: Path
) -> None:
    """Also where nothing more could be stored after its first question."""
    app = make_app()
    ready(qtbot, app)
    app.chat.view_states.save()
    app.chat.requests.send("How are you?")
    app.chat.view_states._timer.stop()
    app.chat.view_states._dirty.clear()
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])
    opened = [state.conversation_id for state in view_states(data_folder).values() if state.is_open]
    assert opened == [app.library.open_id]


def test_what_a_full_disk_refused_is_stored_by_the_next_change_or_the_end(
    qtbot: QtBot, make_app: MakeApp, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However changes and refusals follow one another, the database ends with every draft as it was last."""
    dice = random.Random(11)
    save, is_full = ViewStateStore.save, [False]

    def refuse_when_full(store: ViewStateStore, *states: ViewState) -> None:
        (full if is_full[0] else save)(store, *states)

    monkeypatch.setattr(ViewStateStore, "save", refuse_when_full)
    for seed in chosen(range(5)):
        is_full[0] = False
        app = make_app()
        ready(qtbot, app)
        typed: dict[str, str] = {}
        for step in range(10):
            is_full[0] = dice.random() < 0.7
            match dice.randrange(3):
                case 0:
                    here = app.library.open_id
                    typed[here] = f"draft {seed} {step}"
                    app.chat.open_draft.write(typed[here])
                case 1:
                    typed[app.library.open_id] = ""
                    ask(qtbot, app, f"question {seed} {step}")
                case _:
                    app.library.new_conversation()
            app.chat.view_states.save()
            app._store.drain()
        is_full[0] = False
        app.close()
        found = view_states(data_folder)
        drafts = {one: found.get(one, ViewState(one)).draft for one in typed}
        assert drafts == typed, f"seed {seed}"
        assert {one for one, state in found.items() if state.is_blank and state.draft} <= typed.keys(), f"seed {seed}"


def test_the_blank_conversation_is_stored_no_more_once_the_disk_takes_it(
    qtbot: QtBot, make_app: MakeApp, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words were added to its draft and sent before the disk refused to forget it."""
    app = make_app()
    ready(qtbot, app)
    app.chat.open_draft.write("half a thought")
    app.chat.view_states.save()
    app._store.drain()
    with monkeypatch.context() as disk:
        disk.setattr(ViewStateStore, "save", full)
        ask(qtbot, app, "half a thought, and the rest")
        app.chat.view_states.save()
        app._store.drain()
    app.close()
    assert not any(state.draft for state in view_states(data_folder).values())
