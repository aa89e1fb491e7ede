"""Continue: an answer that was cut goes on inside itself, in the window and in the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.commands import Generate
from app.protocol.reports import Source, StopReason
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.chat.answer_settings import NO_RESUMPTIONS, NO_SEED, OTHER_ENDS, answer_settings, resumptions_of
from app.viewmodels.unavailable import why_unavailable
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ended, ready, texts

LONG = "One two three four five six seven."


def cut(qtbot: QtBot, app: App, script: Script, tokens: int = 3) -> str:
    """Ask, and stop the answer after so many tokens; returns what was said."""
    ready(qtbot, app)
    script.answers["Count"] = LONG
    script.hold = tokens
    app.chat.requests.send("Count")
    said = "".join(LONG.partition(" ")[0]) if tokens == 1 else " ".join(LONG.split(" ")[:tokens])
    qtbot.waitUntil(lambda: texts(app)[-1] == said)
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    script.hold = None
    return said


def answer(app: App) -> Message:
    return app.library.tree.path[-1]


def test_an_answer_that_was_stopped_goes_on_inside_itself(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    said = cut(qtbot, app, script)
    before = answer(app)
    assert app.chat.state.now.can_continue
    assert "continue" in enabled(app.state.now)
    grown: list[str] = []
    app.chat.generations.grew.connect(lambda _id, text, _kind: grown.append(text))
    app.chat.requests.go_on()
    ended(qtbot, app, 2)
    after = answer(app)
    assert (after.id, after.text, after.stop) == (before.id, LONG, "finished")
    assert "".join(grown) == LONG.removeprefix(said)
    assert (before.stats or {})["tokens"] + 4 == (after.stats or {})["tokens"]
    assert after.ids is not None
    assert after.ids[: len(before.ids or ())] == before.ids
    (begun,) = [one.begun for one in script.commands if isinstance(one, Generate) and one.begun]
    assert (begun.text, begun.ids) == (said, before.ids)
    assert not app.chat.state.now.can_continue
    app.close()
    again = make_app()
    qtbot.waitUntil(lambda: texts(again) == ["Count", LONG])
    assert replace(again.library.tree.path[-1], sampling=None) == replace(after, sampling=None)


def stored(app: App) -> Message:
    """The last answer, without what JSON does not give back as it was."""
    return replace(answer(app), sampling=None)


def test_its_speed_is_that_of_the_tokens_that_came_since(qtbot: QtBot, app: App, script: Script) -> None:
    """Those that it had come at once, before the others, and in one piece with the first of them."""
    cut(qtbot, app, script, tokens=4)
    script.hold = 6
    app.chat.requests.go_on()
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("six"))
    (question,) = app.chat.questions.at_engine
    assert question.tokens == 2
    app.chat.requests.stop()


def test_going_on_is_a_step_that_is_undone_and_done_again(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    """Each time it went on is one; what is undone is stored, and can go on another way."""
    app = make_app()
    said = cut(qtbot, app, script, 1)
    ends = [stored(app)]
    for tokens in (3, None):
        script.hold = tokens
        app.chat.requests.go_on()
        if tokens is not None:
            qtbot.waitUntil(lambda: len(texts(app)[-1].split()) == 3)
            app.chat.requests.stop()
        ended(qtbot, app, 2)
        ends.append(stored(app))
        qtbot.waitUntil(lambda: app.library.state.now.undo == "Continue Answer")
    for verb, at in (("undo", 1), ("undo", 0), ("redo", 1), ("redo", 2), ("undo", 1), ("undo", 0)):
        app.act(verb)
        qtbot.waitUntil(lambda at=at: stored(app) == ends[at])  # type: ignore[misc]
    qtbot.waitUntil(lambda: app.chat.state.now.can_continue)
    assert texts(app) == ["Count", said]
    app.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: texts(again) == ["Count", said])
    assert stored(again) == ends[0]
    again.chat.requests.go_on()
    ended(qtbot, again, 2)
    assert (answer(again).text, answer(again).ids) == (LONG, ends[2].ids)
    again.close()


def test_it_may_be_stopped_and_go_on_again_and_again(qtbot: QtBot, app: App, script: Script) -> None:
    cut(qtbot, app, script, 1)
    for tokens in (3, 5):
        script.hold = tokens
        app.chat.requests.go_on()
        wanted = " ".join(LONG.split(" ")[:tokens])
        qtbot.waitUntil(lambda wanted=wanted: texts(app)[-1] == wanted)  # type: ignore[misc]
        app.chat.requests.stop()
        ended(qtbot, app, 2)
        assert answer(app).stop == "stopped"
        assert (answer(app).stats or {})["tokens"] == tokens
    assert len(app.library.tree) == 2


def test_an_answer_that_the_end_of_the_program_cut_goes_on(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    """After a kill there are no token ids and no reason: it goes on from what it says."""
    app = make_app()
    cut(qtbot, app, script, 2)
    answer_id = answer(app).id
    store = app.chat.answer_saver._store
    store.do(lambda known: known.messages.reopen(answer_id))
    app.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: again.chat.state.now.can_continue)
    assert (answer(again).stop, answer(again).ids) == (None, None)
    again.chat.requests.go_on()
    ended(qtbot, again, 2)
    assert (answer(again).text, answer(again).stop) == (LONG, "finished")
    again.close()


def test_a_thought_that_was_cut_goes_on_being_one(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.thoughts["Count"], script.answers["Count"] = "They want me to count.", LONG
    script.hold = 2
    app.chat.requests.send("Count")
    qtbot.waitUntil(lambda: [one.thinking for one in app.chat.questions.at_engine] == ["They want"])
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    script.hold = None
    assert (answer(app).text, answer(app).thinking) == ("", "They want")
    app.chat.requests.go_on()
    ended(qtbot, app, 2)
    assert (answer(app).text, answer(app).thinking) == (LONG, "They want me to count.")


def test_what_fails_before_a_word_leaves_the_answer_as_it_was(qtbot: QtBot, app: App, script: Script) -> None:
    cut(qtbot, app, script)
    before = answer(app)
    script.fail = "Count"
    app.chat.requests.go_on()
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert answer(app) == before
    app.chat.cards.dismiss()
    script.fail = ""
    app.chat.requests.go_on()
    ended(qtbot, app, 2)
    assert answer(app).text == LONG


def test_only_a_cut_answer_of_this_model_at_the_end_of_the_path_goes_on(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "How are you?")
    assert not app.chat.state.now.can_continue
    app.chat.requests.go_on()
    assert not list(app.chat.questions)
    app.library.new_conversation()
    cut(qtbot, app, script)
    assert app.chat.state.now.can_continue
    app.chat.open_draft.begin_edit()
    assert not app.chat.state.now.can_continue
    app.chat.open_draft.cancel_edit()
    app.model.open("/models/two")
    qtbot.waitUntil(lambda: app.chat.state.now.model_name == "two")
    assert not app.chat.state.now.can_continue


def why(app: App) -> str:
    """What is said of Continue Answer now; "" where it is possible."""
    app.chat.state.refresh()
    assert app.chat.state.now.can_continue == (not why_unavailable("continue", app.state.now))
    return why_unavailable("continue", app.state.now)


def test_why_an_answer_cannot_go_on_is_what_stands_in_its_way(
    qtbot: QtBot, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thing by itself, on an answer that could go on without it."""
    cut(qtbot, app, script)
    tree, said = app.library.tree, answer(app)
    assert why(app) == ""
    for change, words in (
        ({"stop": StopReason.FINISHED}, "come to its end"),
        ({"text": "", "thinking": None}, "before its first word"),
        ({"model": "another"}, "Another model"),
    ):
        tree.replace(replace(said, **change))
        assert words in why(app)
    tree.replace(said)
    path = app.chat.branch_costs.path
    info = app.model.current_model.info
    assert info is not None
    monkeypatch.setattr(app.model.current_model, "info", replace(info, context_length=1))
    qtbot.waitUntil(lambda: app.chat.branch_costs.path is not None)
    assert "context is full" in why(app), path
    guess = app.chat.branch_costs.path
    assert guess is not None
    request = replace(guess.request, source=Source.PREDICTED)
    monkeypatch.setattr(app.chat.branch_costs, "path", replace(guess, request=request))
    monkeypatch.setattr(app.model.current_model, "info", replace(info, context_length=request.total))
    assert why(app) == ""  # a guess keeps nobody from going on
    monkeypatch.undo()
    assert why(app) == ""
    tree.select(said.parent_id)
    assert "question that ends this branch" in why(app)


def test_a_continuation_cannot_be_deleted_from_under_itself(qtbot: QtBot, app: App, script: Script) -> None:
    cut(qtbot, app, script)
    script.hold = 5
    app.chat.requests.go_on()
    qtbot.waitUntil(lambda: len(texts(app)[-1].split()) == 5)
    app.chat.open_branch.delete_message(answer(app).id)
    script.hold = None
    ended(qtbot, app, 2)
    assert answer(app).text == LONG


def test_the_seed_of_an_answer_is_the_one_of_its_beginning(qtbot: QtBot, app: App, script: Script) -> None:
    """Another one does not give it again; where the first is not known, none is said to."""
    cut(qtbot, app, script, 1)
    script.seed = 8
    script.hold = 3
    app.chat.requests.go_on()
    qtbot.waitUntil(lambda: texts(app)[-1] == "One two three")
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    assert (answer(app).stats or {})["seed"] == 7
    script.hold = None
    app.library.tree.replace(replace(answer(app), stats=None))
    app.chat.requests.go_on()
    ended(qtbot, app, 2)
    assert (answer(app).stats or {})["seed"] is None
    assert app.chat.settings.state.now.answer is not None
    assert app.chat.settings.state.now.answer.note == NO_SEED


def test_an_answer_that_went_on_is_asked_for_once_more_with_all_its_seeds(
    qtbot: QtBot, make_app: Callable[..., App], script: Script
) -> None:
    app = make_app()
    cut(qtbot, app, script, 1)
    for tokens, seed in ((3, 8), (None, 9)):
        script.seed, script.hold = seed, tokens
        app.chat.settings.type("temperature", f"0.{seed}")
        app.chat.requests.go_on()
        if tokens is not None:
            qtbot.waitUntil(lambda: len(texts(app)[-1].split()) == 3)
            app.chat.requests.stop()
        ended(qtbot, app, 2)
    app.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: texts(again) == ["Count", LONG])
    whole = answer(again)
    script.seed = 7
    for _ in range(2):
        again.chat.requests.repeat_answer(answer(again).id)
        qtbot.waitUntil(lambda: not list(again.chat.questions))
        command = [one for one in script.commands if isinstance(one, Generate)][-1]
        assert command.sampling.seed == 7
        then = [(one.at, one.sampling.seed, one.sampling.temperature) for one in command.resumptions]
        assert then == [(1, 8, 0.8), (3, 9, 0.9)]
        assert answer(again).id != whole.id, "it can be asked for again"
        qtbot.waitUntil(lambda: (answer(again).stats or {}).get("resumptions") is not None)
    again.close()


def test_what_is_not_known_of_how_it_went_on_is_said(qtbot: QtBot, app: App, script: Script) -> None:
    """Whatever a file holds: it is understood whole, or the answer cannot be asked for once more, and why is said."""
    ask(qtbot, app, "How are you?")
    said = answer(app)
    known = {"at": 1, "sampling": {"seed": 3}}
    bad: list[object] = [None, 5, {}, [5], [{}], [{"at": 1}], [{"at": True, "sampling": {"seed": 3}}], [known, known]]
    bad += [[{"at": 0, "sampling": {"seed": 3}}], [{"at": 1, "sampling": {"seed": "x"}}], [{"at": 1, "sampling": []}]]
    for found in bad:
        odd = replace(said, stats={**(said.stats or {}), "resumptions": found})
        assert resumptions_of(odd) is None
        assert answer_settings(odd, said.model, False).note == NO_RESUMPTIONS
    ends = {"at": 1, "sampling": {"seed": 3, "stop": ["###"]}}
    for resumption, note in ((known, ""), (ends, OTHER_ENDS)):
        shown = answer_settings(
            replace(said, stats={**(said.stats or {}), "resumptions": [resumption]}), said.model, False
        )
        assert (shown.note, shown.can_repeat) == (note, not note)
