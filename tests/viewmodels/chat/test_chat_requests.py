"""What can be asked: nothing while an answer is under way in the conversation, which is said or waits in line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.protocol.events import TrieChanged
from app.protocol.trie_view import TrieView
from app.viewmodels.app import App
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.chat_region import NEARLY_MS
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ended, ready, wait_for_text


def send_and_wait(app: App) -> None:
    """Put words in line, and have what is in line looked at before its time."""
    app.chat.requests.send("More")
    app.answering.outbox.send_waiting()


VERBS: dict[str, tuple[Callable[[App], object], str]] = {
    "send": (lambda app: app.chat.requests.send("More"), "Sends when this answer ends"),
    "send nothing": (lambda app: app.chat.requests.send(" "), chat_text.NOTHING_TO_SEND),
    "regenerate": (lambda app: app.chat.requests.regenerate(), chat_text.STILL_WRITING),
    "repeat": (lambda app: app.chat.requests.repeat_answer(), chat_text.STILL_WRITING),
    "go on": (lambda app: app.chat.requests.go_on(), ""),
    "ask again": (lambda app: app.chat.requests.ask_again_with_settings(), ""),
    "send what waits": (send_and_wait, "Sends when this answer ends"),
}


def runs(script: Script) -> int:
    return sum(isinstance(command, Generate) for command in script.commands)


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_asked_while_an_answer_is_written(qtbot: QtBot, app: App, script: Script, verb: str) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    script.hold = 2
    app.chat.requests.send("Twice")
    wait_for_text(qtbot, app)
    act, said = VERBS[verb]
    before = [one.id for one in app.library.tree.path]
    act(app)
    assert app.chat.state.now.send_price == said
    assert [one.id for one in app.library.tree.path] == before
    assert runs(script) == 2
    script.go.set()
    is_in_line = verb in ("send", "send what waits")
    ended(qtbot, app, 6 if is_in_line else 4)
    assert runs(script) == (3 if is_in_line else 2)


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_asked_while_the_database_changes_the_tree(
    qtbot: QtBot, app: App, script: Script, verb: str
) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("Once")
    wait_for_text(qtbot, app)
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    assert app.chat.state.now.can_continue
    app.library.edits.rename(app.library.open_id, "Pears")
    assert app.library.changes.is_pending
    VERBS[verb][0](app)
    assert not list(app.chat.questions)
    assert runs(script) == 1
    script.go.set()
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    ended(qtbot, app, 4 if verb in ("send", "send what waits") else 2)


def test_figures_come_with_a_picture_of_the_trie_that_comes_shortly_before_them(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("Once")
    wait_for_text(qtbot, app)
    told: list[object] = []
    monkeypatch.setattr(app.chat.chat_model, "set_tail_figures", lambda *figures: told.append(figures))
    tick = app.chat._tick
    tick.start(60_000)
    app.chat.take(TrieChanged(TrieView(10_000)))
    assert not told
    tick.start(NEARLY_MS // 2)
    app.chat.take(TrieChanged(TrieView(10_001)))
    assert told
    script.go.set()
    ended(qtbot, app, 2)
    told.clear()
    app.chat.take(TrieChanged(TrieView(10_002)))
    assert not told, "no answer is written"


def put_in_line(qtbot: QtBot, app: App, script: Script, kind: str) -> str:
    """Put words in line on one of two branches, and look at the other; returns the answer that they are to follow."""
    ask(qtbot, app, "About apples")
    script.hold = 2
    if kind == "another answer":
        app.chat.requests.regenerate()
    else:
        app.chat.open_draft.begin_edit()
        app.chat.requests.send("About pears")
    wait_for_text(qtbot, app)
    followed = app.library.tree.path[-1].id
    app.chat.requests.send("Why?")
    assert app.chat.state.now.send_price == chat_text.SENDS_HERE
    app.chat.open_branch.select_version(app.library.tree.path[-1 if kind == "another answer" else 0].id, -1)
    assert followed not in [one.id for one in app.library.tree.path]
    assert app.chat.state.now.send_price == chat_text.SENDS_ELSEWHERE
    return followed


@pytest.mark.parametrize("kind", ["another answer", "another question"])
@pytest.mark.parametrize("comes_back", [False, True])
def test_words_in_line_are_said_where_they_were_put_there(
    qtbot: QtBot, make_app: Callable[..., App], script: Script, kind: str, comes_back: bool
) -> None:
    """Whoever looks at another branch meanwhile goes on with that."""
    app = make_app()
    followed = put_in_line(qtbot, app, script, kind)
    if comes_back:
        app.chat.open_branch.show(followed)
        assert app.chat.state.now.send_price == chat_text.SENDS_HERE
    shown = [one.id for one in app.library.tree.path]
    script.go.set()
    qtbot.waitUntil(lambda: len(app.library.tree) == 6 - (kind == "another answer") and not list(app.chat.questions))
    tree = app.library.tree
    (question,) = tree.children(followed)
    assert question.text == "Why?"
    (answer,) = tree.children(question.id)
    assert app.chat.open_draft.now.text == ""
    assert [one.id for one in tree.path] == shown + [question.id, answer.id] * comes_back
    app.close()
    again = make_app()
    qtbot.waitUntil(lambda: [one.id for one in again.library.tree.path] == [one.id for one in tree.path])
    again.close()


def test_return_on_another_branch_says_there_what_is_in_line(qtbot: QtBot, app: App, script: Script) -> None:
    put_in_line(qtbot, app, script, "another question")
    here = app.library.tree.leaf_id
    app.chat.requests.send("Why?")
    script.go.set()
    ended(qtbot, app, 4)
    assert app.library.tree.path[2].parent_id == here
    assert len(app.library.tree) == 6


def test_words_in_line_are_held_where_the_answer_ends_without_a_word(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.hold = 0
    app.chat.requests.send("Once")
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine))
    app.chat.requests.send("Why?")
    (question,) = app.chat.questions.at_engine
    app.chat.generations.stop(question)
    ended(qtbot, app, 1)
    qtbot.wait(10)
    assert [one.text for one in app.library.tree.path] == ["Once"]
    assert (app.chat.open_draft.now.text, app.chat.state.now.is_waiting) == ("Why?", False)
