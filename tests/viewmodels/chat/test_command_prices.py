"""What commands cost before they are carried out: where each begins, and that the engine then computes so much."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import EstimateCost
from app.viewmodels.actions import BY_ID
from app.viewmodels.app import App
from app.viewmodels.chat.command_prices import PRICED
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import price_sentence
from tests.fakes.engine import NONE, Script
from tests.viewmodels.chat.test_composer_foot import stop_before_a_word
from tests.viewmodels.test_app import ask, ready


def begins_at(app: App, action_id: str, message_id: str | None = None) -> int:
    """Return which message of the open path a command goes on from, -1 where nothing comes before."""
    branch = app.chat.prices.branch(action_id, message_id)
    ids = [one.id for one in app.library.tree.path]
    return -1 if branch is None or not branch.message_id else ids.index(branch.message_id)


def test_each_command_goes_on_from_what_it_leaves_as_it_is(qtbot: QtBot, app: App) -> None:
    assert set(PRICED) <= BY_ID.keys()
    assert all(app.chat.prices.branch(one) is None for one in PRICED)
    for words in ("How are you?", "And the weather?", "And the news?"):
        ask(qtbot, app, words)
    path = [one.id for one in app.library.tree.path]
    by_itself = {one: begins_at(app, one) for one in PRICED}
    assert by_itself == {
        "fork": 3,
        "regenerate": 4,
        "answer": 4,
        "edit_answer": 4,
        "repeat_answer": 4,
        "branch_here": 5,
        "continue": 5,
        "ask_again": -1,
        "previous": -1,
        "next": -1,
    }
    assert [begins_at(app, "fork", one) for one in path] == [-1, -1, 1, 1, 3, 3]
    assert [begins_at(app, "regenerate", one) for one in path] == [0, 0, 2, 2, 4, 4]
    for answer in (1, 3, 5):
        assert begins_at(app, "branch_here", path[answer]) == answer
        assert begins_at(app, "edit_answer", path[answer]) == answer - 1
        assert begins_at(app, "repeat_answer", path[answer]) == answer - 1
    assert begins_at(app, "edit_answer", path[0]) == -1
    assert all(app.chat.prices.branch(one, "gone") is None for one in ("fork", "regenerate", "branch_here"))


def test_the_versions_beside_are_where_the_commands_lead(qtbot: QtBot, app: App) -> None:
    for words in ("How are you?", "And the weather?"):
        ask(qtbot, app, words)
    for words in ("And the news?", "And the time?"):
        app.chat.open_draft.begin_edit(None)
        ask(qtbot, app, words)
    app.act("previous")
    qtbot.waitUntil(lambda: app.library.tree.path[2].text == "And the news?")
    tree = app.library.tree
    ends = [tree.leaf_below(one.id) for one in tree.siblings(tree.path[2].id)]
    for fork in (None, tree.path[2].id):
        found = [app.chat.prices.branch(one, fork) for one in ("previous", "next")]
        assert [one and one.message_id for one in found] == [ends[0], ends[2]]
        for one in ("previous", "next"):
            qtbot.waitUntil(lambda one=one, fork=fork: app.chat.prices.price(one, fork) == "opens at once")
    assert app.chat.prices.branch("next", tree.path[0].id) is None
    assert app.chat.prices.branch("next", "gone") is None


def test_editing_the_first_question_costs_what_comes_before_its_words(qtbot: QtBot, app: App, script: Script) -> None:
    """With what the next question would say beside them: for a cold model that is a system prompt."""
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    first = app.library.tree.path[0].id
    assert app.chat.prices.branch("fork") == app.chat.prices.branch("fork", first)
    for about in (None, first):
        app.chat.prices.renew()
        assert app.chat.prices.price("fork", about) == ""
        qtbot.waitUntil(lambda about=about: app.chat.prices.price("fork", about) == "opens at once")
    app.chat.settings.instruct(" ".join(["word"] * 100))
    qtbot.waitUntil(lambda: app.chat.prices.price("fork").startswith("cold: "))
    queries = [one for one in script.commands if isinstance(one, EstimateCost)]
    asked = [one for one in queries if len(one.turns) == 1 and one.turns[0].text == "?"]
    assert asked
    assert asked[-1].options.instructions


def change_the_prompt(app: App) -> None:
    app.chat.settings.instruct("Be brief, and say it to a dog.")


@pytest.mark.parametrize(
    ("action_id", "before"),
    [("regenerate", None), ("answer", None), ("ask_again", change_the_prompt)],
)
def test_what_is_told_is_what_the_engine_computes_then(
    qtbot: QtBot, app: App, script: Script, action_id: str, before: Callable[[App], None] | None
) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    if action_id == "answer":
        stop_before_a_word(qtbot, app, script, "And the weather?")
    else:
        ask(qtbot, app, "And the weather?")
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: app.chat.prices.price("branch_here").startswith("cold"))
    if before is not None:
        before(app)
    qtbot.waitUntil(lambda: bool(app.chat.prices.price(action_id)))
    told = app.chat.prices.price(action_id)
    leaf = app.library.tree.leaf_id
    qtbot.waitUntil(lambda: app.chat.state.now.can_regenerate)
    app.act(action_id)
    qtbot.waitUntil(lambda: app.library.tree.leaf_id != leaf and not app.chat.questions.at_engine)
    qtbot.waitUntil(lambda: bool(app.library.tree.path[-1].stats))
    request = (app.library.tree.path[-1].stats or {})["request"]
    assert told.startswith(f"cold: {formatting.tokens(request['total'] - request['cached'])}")


def test_the_words_are_those_of_the_branch_and_nothing_is_asked_before_somebody_looks(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    for words in ("How are you?", "And the weather?", "And the news?"):
        ask(qtbot, app, words)
    app.model.open("/models/one")  # of which nothing is known: the first question ended a branch before
    qtbot.waitUntil(lambda: app.chat.prices.price("branch_here").startswith("cold"))
    qtbot.wait(300)
    first = app.library.tree.path[0].id

    def asked() -> int:
        """Return how often the first question alone was priced, which ends no branch."""
        return sum(isinstance(one, EstimateCost) and len(one.turns) == 1 for one in script.commands)

    before = asked()
    app.chat.branch_costs.renew()
    app.chat.state.refresh()
    qtbot.wait(300)
    assert asked() == before
    assert app.chat.prices.price("regenerate", first) == ""
    qtbot.waitUntil(lambda: bool(app.chat.prices.price("regenerate", first)))
    for _ in range(5):
        warmth = app.chat.warmth.warmth_of(first, app.library.open_id)
        assert app.chat.prices.price("regenerate", first) == price_sentence(warmth)
        app.chat.prices.renew()
    assert asked() == before + 1


def test_an_engine_that_prices_nothing_is_not_asked(qtbot: QtBot, app: App, script: Script) -> None:
    script.capabilities = NONE
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    assert [app.chat.prices.price(one) for one in PRICED] == [""] * len(PRICED)
