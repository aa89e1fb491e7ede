"""Edit an answer: a version beside it that begins with what a person wrote, and that goes on or not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.message import Message
from app.conversation.message_store import MessageStore
from app.conversation.records import ViewState
from app.protocol.commands import EstimateCost, Generate
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.chat import chat_text
from tests.fakes.engine import Script
from tests.viewmodels.test_app import LONG, ask, ended, ready, texts, wait_for_text

EDIT = "One two"
WHOLE = "One two three four."


def answer(app: App) -> Message:
    return app.library.tree.path[-1]


def asked(qtbot: QtBot, app: App, script: Script) -> Message:
    """Ask something, and return the answer."""
    ready(qtbot, app)
    script.answers["Count"] = "One three"
    ask(qtbot, app, "Count")
    script.answers["Count"] = WHOLE
    return answer(app)


def test_an_edited_answer_goes_on_beside_the_old_one(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    old = asked(qtbot, app, script)
    app.chat.open_draft.write("Something else")
    assert "edit_answer" in enabled(app.state.now)
    app.act("edit_answer")
    now = app.chat.state.now
    assert (app.chat.open_draft.now.text, now.edits_answer, now.editing_id) == ("One three", True, old.id)
    app.chat.requests.go_on_from(EDIT)
    ended(qtbot, app, 2)
    new = answer(app)
    assert (new.parent_id, new.text, new.stop) == (old.parent_id, WHOLE, "finished")
    assert (new.model, new.model_name) == (old.model, old.model_name)
    assert app.library.tree.message(old.id) == old
    (command,) = [one for one in script.commands if isinstance(one, Generate) and one.begun]
    assert command.begun is not None
    assert (command.begun.text, command.begun.ids, command.edited) == (EDIT, None, old.ids)
    assert app.chat.chat_model.rows[-1].note == "Its beginning was edited by you"
    assert app.chat.open_draft.now.text == "Something else"
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", EDIT])
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", "One three"])
    for said in (EDIT, WHOLE):
        app.act("redo")
        qtbot.waitUntil(lambda said=said: texts(app) == ["Count", said])  # type: ignore[misc]
    app.close()
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["Count", WHOLE])
    assert len(again.library.tree) == 3
    again.close()


def test_an_edited_answer_is_kept_as_it_is(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    runs = sum(isinstance(one, Generate) for one in script.commands)
    app.chat.open_draft.edit_answer(old.id)
    app.chat.requests.send(EDIT)
    qtbot.waitUntil(lambda: texts(app) == ["Count", EDIT])
    assert (answer(app).stop, answer(app).ids, answer(app).model) == ("finished", None, None)
    assert app.chat.chat_model.rows[-1].note == "Edited by you"
    assert not app.chat.state.now.can_continue
    assert sum(isinstance(one, Generate) for one in script.commands) == runs
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Count", "One three"])


def test_a_text_that_is_not_changed_is_no_other_version(qtbot: QtBot, app: App, script: Script) -> None:
    asked(qtbot, app, script)
    app.act("edit_answer")
    app.chat.requests.send("One three")
    assert not app.chat.state.now.is_editing
    assert len(app.library.tree) == 2


def test_an_answer_of_which_nothing_is_left_is_not_kept(qtbot: QtBot, app: App, script: Script) -> None:
    asked(qtbot, app, script)
    app.act("edit_answer")
    for act in (app.chat.requests.send, app.chat.requests.go_on_from):
        act(" ")
        assert app.chat.state.now.send_price == chat_text.NOTHING_LEFT
    assert len(app.library.tree) == 2


def test_the_price_of_going_on_is_that_of_the_edit_inside_the_answer(qtbot: QtBot, app: App, script: Script) -> None:
    old = asked(qtbot, app, script)
    app.act("edit_answer")
    app.chat.open_draft.write(EDIT)
    qtbot.waitUntil(lambda: app.chat.state.now.send_parts == (5, 1))
    queries = [one for one in script.commands if isinstance(one, EstimateCost) and one.begun]
    assert queries[-1].begun is not None
    assert (queries[-1].begun.text, queries[-1].edited) == (EDIT, old.ids)
    assert queries[-1].turns[-1].role == "user"
    app.act("stop")
    assert app.chat.open_draft.now.editing is None


def test_an_answer_that_is_being_written_cannot_be_edited_yet(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.answers["Tell"], script.hold = LONG, 3
    app.chat.requests.send("Tell")
    wait_for_text(qtbot, app)
    app.chat.open_draft.edit_answer(answer(app).id)
    assert app.chat.state.now.send_price == chat_text.EDITED_LATER
    app.chat.requests.stop()
    ended(qtbot, app, 2)


@pytest.mark.parametrize("goes_on", [True, False])
def test_an_edit_that_the_disk_refuses_stands_in_the_composer_again(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    old = asked(qtbot, app, script)
    app.act("edit_answer")

    def refuse(store: MessageStore, message: Message, select: bool = True) -> None:
        raise store_error(Fault.FULL, None)

    monkeypatch.setattr(MessageStore, "add", refuse)
    (app.chat.requests.go_on_from if goes_on else app.chat.requests.send)(EDIT)
    qtbot.waitUntil(lambda: app.chat.open_draft.now.text == EDIT)
    assert app.chat.open_draft.now.editing == old.id
    assert len(app.library.tree) == 2
    assert not list(app.chat.questions)


def test_an_edit_waits_in_the_composer_over_a_restart(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    old = asked(qtbot, app, script)
    app.act("edit_answer")
    app.chat.open_draft.write(EDIT)
    app.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: again.chat.state.now.edits_answer)
    assert (again.chat.open_draft.now.text, again.chat.open_draft.now.editing) == (EDIT, old.id)
    again.chat.requests.go_on_from(EDIT)
    ended(qtbot, again, 2)
    assert texts(again) == ["Count", WHOLE]
    again.close()


def test_an_edited_answer_waits_for_a_model(qtbot: QtBot, app: App, script: Script) -> None:
    """Its words are stored before any model is asked, and a person may leave it at that."""
    asked(qtbot, app, script)
    script.load_gate.clear()
    app.model.open("/models/other")
    app.act("edit_answer")
    app.chat.requests.go_on_from(EDIT)
    qtbot.waitUntil(lambda: bool(app.chat.questions.waiting))
    (waiting,) = app.chat.questions.waiting
    app.library.edits.delete_message(app.library.open_id, waiting.held_id)
    assert waiting.held_id in app.library.tree
    app.chat.requests.stop()
    assert not list(app.chat.questions)
    script.load_gate.set()
    assert texts(app) == ["Count", EDIT]
    assert answer(app).stop == "stopped"


def test_a_kill_after_the_edit_is_stored_leaves_no_draft_of_it(qtbot: QtBot, app: App, script: Script) -> None:
    """What is sent is a draft no longer in the same commit; what stood aside is in the composer again."""
    old = asked(qtbot, app, script)
    app.chat.open_draft.write("Aside")
    app.act("edit_answer")
    app.chat.open_draft.write(EDIT)
    app.chat.view_states.save()
    found: list[tuple[ViewState, ...]] = []
    edit = old.edit(EDIT, None, "finished")
    store = app.chat.answer_saver._store
    store.do(lambda known: known.messages.add(edit))
    store.do(lambda known: known.view_states.all(), found.append)
    qtbot.waitUntil(lambda: bool(found))
    (state,) = [one for one in found[0] if one.conversation_id == app.library.open_id]
    assert (state.draft, state.editing, state.aside) == ("Aside", None, "")
