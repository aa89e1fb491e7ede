"""What else could have stood in an answer: asked of the engine, and kept with the answer's end."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.protocol.choices import Choice, unpack
from app.protocol.commands import Generate
from app.viewmodels.app import App
from tests.fakes.engine import OTHER, STOP, Script
from tests.viewmodels.chat.test_continue import LONG, answer, cut
from tests.viewmodels.test_app import ask, ended, ready


def choices_of(qtbot: QtBot, app: App, message_id: str) -> tuple[Choice, ...]:
    """What the database has of an answer's choices."""
    found: list[bytes] = []
    app.workspace.store.do(lambda store: store.messages.choices(message_id), found.append)
    qtbot.waitUntil(lambda: bool(found))
    return unpack(found[0]) if found[0] else ()


def test_an_answer_is_kept_with_what_each_of_its_tokens_was_chosen_from(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "How are you?")
    found = choices_of(qtbot, app, answer(app).id)
    assert [one.length for one in found] == [len(word) for word in ("You", " said:", " How", " are", " you?")]
    assert all([one.id for one in choice.candidates] == [OTHER, STOP] for choice in found)


def test_they_are_asked_for_while_the_setting_is_on(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    for number, is_on in enumerate((True, False, True)):
        app.settings.update(keeps_alternatives=is_on)
        ask(qtbot, app, f"Question {number}")
        assert bool(choices_of(qtbot, app, answer(app).id)) is is_on
    assert [one.alternatives for one in script.commands if isinstance(one, Generate)] == [True, False, True]


def test_an_answer_that_goes_on_has_those_of_its_beginning(qtbot: QtBot, app: App, script: Script) -> None:
    cut(qtbot, app, script)
    before = choices_of(qtbot, app, answer(app).id)
    app.chat.requests.go_on()
    ended(qtbot, app, 2)
    after = choices_of(qtbot, app, answer(app).id)
    assert after[:3] == before
    assert len(after) == len(answer(app).ids or ()) == len(LONG.split())
    assert all(one.share is not None for one in after)
    app.act("undo")
    qtbot.waitUntil(lambda: len(answer(app).ids or ()) == 3)
    assert choices_of(qtbot, app, answer(app).id)[:3] == before


def test_an_edit_has_those_of_the_answer_that_it_is_an_edit_of(qtbot: QtBot, app: App, script: Script) -> None:
    cut(qtbot, app, script, 4)
    old = answer(app)
    before = choices_of(qtbot, app, old.id)
    app.chat.open_draft.edit_answer(old.id)
    app.chat.requests.go_on_from("One two")
    ended(qtbot, app, 2)
    assert answer(app).id != old.id
    after = choices_of(qtbot, app, answer(app).id)
    assert after[:2] == before[:2]
    assert len(after) == len(answer(app).ids or ())
