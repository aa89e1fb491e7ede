"""A new branch after an answer: the path ends there, and what is typed follows it beside what follows it already."""

from __future__ import annotations

import random
from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ended, ready, texts

ONCE, TWICE = ["Once", "You said: Once"], ["Twice", "You said: Twice"]


def talk(qtbot: QtBot, app: App) -> str:
    """Ask twice; returns the first answer."""
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    ask(qtbot, app, "Twice")
    return app.library.tree.path[1].id


def test_what_is_typed_follows_the_answer_beside_what_follows_it(qtbot: QtBot, app: App) -> None:
    first = talk(qtbot, app)
    app.chat.open_draft.write("Words")
    app.chat.open_draft.begin_after(first)
    assert (texts(app), app.chat.open_draft.now.text) == (ONCE, "")
    assert app.chat.state.now.branches_after
    assert not app.chat.state.now.edits_answer
    assert not app.chat.state.now.can_continue
    app.chat.requests.send("Thrice")
    ended(qtbot, app, 4)
    assert texts(app) == [*ONCE, "Thrice", "You said: Thrice"]
    assert len(app.library.tree.children(first)) == 2
    assert app.chat.open_draft.now.text == "Words"
    assert not app.chat.state.now.is_editing


def test_escape_goes_back_to_the_branch_that_was_open(qtbot: QtBot, app: App) -> None:
    first = talk(qtbot, app)
    app.chat.open_draft.write("Words")
    app.chat.open_draft.begin_after(first)
    app.act("stop")
    assert (texts(app), app.chat.open_draft.now.text) == ([*ONCE, *TWICE], "Words")


def test_a_restart_finds_the_path_and_the_words(qtbot: QtBot, make_app: Callable[..., App]) -> None:
    app = make_app()
    first = talk(qtbot, app)
    app.chat.open_draft.begin_after(first)
    app.chat.open_draft.write("Thr")
    app.close()
    again = make_app()
    ready(qtbot, again)
    qtbot.waitUntil(lambda: texts(again) == ONCE)
    assert (again.chat.open_draft.now.text, again.chat.state.now.branches_after) == ("Thr", True)
    again.chat.requests.send("Thrice")
    ended(qtbot, again, 4)
    assert texts(again) == [*ONCE, "Thrice", "You said: Thrice"]
    again.close()
    once_more = make_app()
    qtbot.waitUntil(lambda: texts(once_more) == [*ONCE, "Thrice", "You said: Thrice"])
    assert not once_more.chat.state.now.is_editing
    once_more.close()


def test_a_change_of_the_tree_leaves_the_path_where_it_ends(qtbot: QtBot, app: App) -> None:
    first = talk(qtbot, app)
    app.chat.open_draft.begin_after(first)
    second = app.library.tree.children(first)[0].id
    app.library.edits.delete_message(app.library.open_id, second)
    qtbot.waitUntil(lambda: second not in app.library.tree)
    assert texts(app) == ONCE
    app.act("undo")
    qtbot.waitUntil(lambda: second in app.library.tree)
    assert texts(app) == ONCE
    assert app.chat.state.now.branches_after


def test_who_goes_to_what_follows_begins_no_branch(qtbot: QtBot, app: App) -> None:
    first = talk(qtbot, app)
    app.chat.open_draft.begin_after(first)
    app.chat.open_draft.write("Thr")
    last = app.library.tree.leaf_below(first)
    assert last is not None
    app.chat.open_branch.show(last)
    assert texts(app) == [*ONCE, *TWICE]
    assert (app.chat.open_draft.now.text, app.chat.open_draft.now.editing) == ("Thr", None)


def test_at_the_end_of_the_path_nothing_has_to_begin(qtbot: QtBot, app: App) -> None:
    talk(qtbot, app)
    app.chat.open_draft.write("Words")
    app.act("branch_here")
    assert (texts(app), app.chat.open_draft.now.text) == ([*ONCE, *TWICE], "Words")
    assert not app.chat.state.now.is_editing


def test_words_are_never_lost_whatever_is_begun_and_left(qtbot: QtBot, app: App) -> None:
    """At random: edits of questions and answers, branches after answers, versions, going back; each typed once."""
    talk(qtbot, app)
    tree = app.library.tree
    for seed in chosen(range(60)):
        rng, typed = random.Random(seed), list[str]()
        for number in range(8):
            ids = [one.id for one in tree.path]
            verb = rng.choice(["question", "answer", "after", "show"])
            if verb == "question":
                app.chat.open_draft.begin_edit(rng.choice(ids))
            elif verb == "answer":
                app.chat.open_draft.edit_answer(rng.choice(ids))
            elif verb == "after":
                app.chat.open_draft.begin_after(rng.choice(ids))
            else:
                leaf = tree.leaf_below(rng.choice(ids))
                app.chat.open_branch.show(leaf or ids[0])
            word = f"typed{seed}-{number}."
            app.chat.open_draft.write(app.chat.open_draft.now.text + word)
            typed.append(word)
            draft = app.chat.open_draft.now
            assert all(one in draft.text + draft.aside for one in typed), (seed, number)
            assert app.chat.open_draft.after is None or tree.leaf_id == app.chat.open_draft.after.id
        app.chat.drafts.take(tree.conversation_id)
        app.chat.drafts.take(tree.conversation_id)
        app.chat.open_branch.show(tree.leaf_below(None) or "")
