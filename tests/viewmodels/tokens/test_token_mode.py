"""Token mode: which answer is shown, which token is looked at, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import CloseModel, EstimateCost, Generate
from app.viewmodels.actions import checked, enabled
from app.viewmodels.app import App
from app.viewmodels.tokens.token_mode import OWN_WORDS
from app.viewmodels.tokens.token_price import NO_MODEL
from app.viewmodels.tokens.token_state import TokenState
from app.viewmodels.unavailable import unavailable
from tests.fakes.engine import OTHER, STOP, Script
from tests.viewmodels.test_app import ask, ended, ready, texts


class Asked:
    """Notes what is asked for instead of having it written."""

    def __init__(self) -> None:
        self.forks: list[tuple[str, int, tuple[int, ...]]] = []
        self.words: list[tuple[str, int, str]] = []

    def fork_at(self, message_id: str, position: int, ids: Sequence[int]) -> None:
        self.forks.append((message_id, position, tuple(ids)))

    def write_at(self, message_id: str, position: int, text: str) -> None:
        self.words.append((message_id, position, text))


@pytest.fixture
def asked(app: App) -> Asked:
    app.tokens._forks = asked = Asked()
    return asked


def now(app: App) -> TokenState:
    return app.tokens.state.now


def begin(qtbot: QtBot, app: App, text: str = "Why?") -> str:
    """Have a question answered, and its answer shown by its tokens."""
    ask(qtbot, app, text)
    qtbot.waitUntil(lambda: app.tokens.can_open())
    app.act("tokens")
    qtbot.waitUntil(lambda: now(app).position >= 0)
    return app.library.tree.path[-1].id


def test_an_answer_is_shown_by_its_tokens_and_as_text_again(qtbot: QtBot, app: App) -> None:
    message_id = begin(qtbot, app)
    state = now(app)
    assert (state.message_id, state.position, state.place) == (message_id, 0, "token 1 of 3")
    assert [(row.shown, row.percent) for row in state.rows] == [
        ("You", "60.0\xa0%"),
        ("·instead", "30.0\xa0%"),
        ("ends here", "5.0\xa0%"),
    ]
    assert (state.chosen, state.title, state.deed) == (1, "Instead of “You”", "fork with “instead”")
    assert "tokens" in checked(app.state.now)
    assert app.state.now.activity.text.endswith("← → token, ↑ ↓ alternative, ⏎ fork, Esc leave")
    app.act("tokens")
    assert not now(app).is_open
    assert "tokens" not in checked(app.state.now)


def test_one_goes_from_token_to_token_and_through_the_alternatives(qtbot: QtBot, app: App) -> None:
    begin(qtbot, app)
    app.tokens.step(1)
    assert (now(app).position, now(app).title) == (1, "Instead of “said:”")
    app.tokens.step(-5)
    assert now(app).position == 0
    app.tokens.choose(1)
    assert now(app).deed == "end the answer here"
    app.tokens.choose(9)
    assert now(app).chosen == 2
    app.tokens.choose_row(0)
    assert now(app).deed == "say what follows anew"
    app.tokens.look_away()
    assert now(app).position == -1
    assert now(app).is_open


def test_a_fork_begins_with_what_stands_before_it(qtbot: QtBot, app: App, asked: Asked) -> None:
    message_id = begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.fork()
    assert asked.forks == [(message_id, 1, (OTHER,))]


def test_several_ways_begin_with_the_likeliest(qtbot: QtBot, app: App, asked: Asked) -> None:
    message_id = begin(qtbot, app)
    own = (app.library.tree.message(message_id).ids or ())[0]
    assert app.tokens.ways == 3
    app.tokens.fork_ways(2)
    assert asked.forks == [(message_id, 0, (own, OTHER))]
    app.tokens.close()
    begin(qtbot, app, "And?")
    app.tokens.fork_ways(8)
    assert asked.forks[1][2][1:] == (OTHER, STOP)


def test_own_words_are_written_in_the_place_of_a_token(qtbot: QtBot, app: App, asked: Asked) -> None:
    message_id = begin(qtbot, app)
    app.tokens.point(2)
    app.tokens.write("")
    assert now(app).is_open
    app.tokens.write(" perhaps")
    assert asked.words == [(message_id, 2, " perhaps")]


def test_the_price_is_asked_with_the_exact_tokens(qtbot: QtBot, app: App, script: Script) -> None:
    message_id = begin(qtbot, app)
    ids = app.library.tree.message(message_id).ids or ()
    app.tokens.point(1)
    qtbot.waitUntil(lambda: bool(now(app).price))
    asked = [one for one in script.commands if isinstance(one, EstimateCost) and one.forced]
    assert asked[-1].forced == (ids[0], OTHER)
    assert [turn.text for turn in asked[-1].turns] == ["Why?"]
    assert now(app).price.split("\xa0")[1].startswith("token")
    app.tokens.choose(1)
    assert now(app).price == "nothing to compute"


def test_own_words_have_their_price_while_they_are_typed(qtbot: QtBot, app: App, script: Script) -> None:
    """As the answer will be asked for, when the typing rests."""
    message_id = begin(qtbot, app)
    answer = app.library.tree.message(message_id)
    app.tokens.point(1)
    qtbot.waitUntil(lambda: bool(now(app).price))
    before, alternative = len(script.commands), now(app)
    for end in range(1, len("perhaps not") + 1):
        app.tokens.type("perhaps not"[:end])
    assert (now(app).is_written, now(app).deed, now(app).price) == (True, OWN_WORDS, "")
    qtbot.waitUntil(lambda: bool(now(app).price))
    asked = [one for one in script.commands[before:] if isinstance(one, EstimateCost) and one.begun is not None]
    assert [one.begun and one.begun.text for one in asked] == ["You perhaps not"]
    assert asked[0].edited == answer.ids
    assert asked[0].forced == ()
    told = now(app).price
    assert now(app).spoken_words == f"{OWN_WORDS}, {told}"
    app.tokens.type("perhaps")
    assert now(app).price == told
    qtbot.waitUntil(lambda: now(app).price != told)
    app.tokens.type(" ")
    assert now(app).price == ""
    app.tokens.type(None)
    assert not now(app).is_written
    assert now(app).deed == alternative.deed
    qtbot.waitUntil(lambda: now(app).price == alternative.price)
    app.tokens.type("perhaps not")
    qtbot.waitUntil(lambda: now(app).price == told)
    app.tokens.write("perhaps not")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].id != message_id and not list(app.chat.questions))
    written = [one for one in script.commands if isinstance(one, Generate)][-1]
    assert written.begun is not None
    assert written.begun.text == "You perhaps not"
    assert written.edited == asked[0].edited


def test_own_words_that_have_no_room_say_so(qtbot: QtBot, app: App, script: Script) -> None:
    begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.type("word " * 5000)
    qtbot.waitUntil(lambda: bool(now(app).price))
    assert now(app).price.startswith("does not fit: ")
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].model != app.model.current_model.fingerprint)
    app.tokens.type("perhaps")
    qtbot.waitUntil(lambda: "wrote it" in now(app).note)
    assert now(app).price.split("\xa0")[1].startswith("token")
    app.tokens.close()
    assert not now(app).is_written


def test_another_model_goes_on_from_the_words(qtbot: QtBot, app: App, script: Script) -> None:
    begin(qtbot, app)
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: app.library.tree.path[-1].model != app.model.current_model.fingerprint)
    app.tokens.point(1)
    qtbot.waitUntil(lambda: bool(now(app).price))
    asked = [one for one in script.commands if isinstance(one, EstimateCost) and one.begun is not None]
    assert asked[-1].begun is not None
    assert asked[-1].begun.text == "You instead"
    assert asked[-1].forced == ()
    assert "wrote it" in now(app).note


@pytest.mark.parametrize("words", [None, "perhaps"])
def test_a_price_is_of_the_model_that_is_open(qtbot: QtBot, app: App, script: Script, words: str | None) -> None:
    """Of an alternative and of own words: asked again of another model, and there is none where no model is open."""
    begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.type(words)
    qtbot.waitUntil(lambda: bool(now(app).price))
    told = now(app).price
    model, changes = app.model.current_model, list[tuple[str | None, str, str]]()
    model.changed.connect(lambda: changes.append((model.fingerprint, now(app).price, now(app).note)))
    own = model.fingerprint
    script.load_gate.clear()
    app.model.open("/models/other")
    qtbot.waitUntil(lambda: len(changes) >= 2)
    assert {one[:2] for one in changes} == {(own, told)}, "the former is open still"
    script.load_gate.set()
    qtbot.waitUntil(lambda: bool(now(app).price) and model.fingerprint not in (None, own))
    assert (None, "", NO_MODEL) in changes
    assert {price for fingerprint, price, _ in changes if fingerprint != own} == {""}
    assert "wrote it" in now(app).note
    assert now(app).is_written == (words is not None)
    asked = [one for one in script.commands if isinstance(one, EstimateCost) and one.begun is not None]
    assert asked[-1].begun is not None
    assert asked[-1].begun.text == f"You {words or 'instead'}"
    assert asked[-1].forced == ()
    app._host.submit(CloseModel())
    qtbot.waitUntil(lambda: model.info is None)
    assert (now(app).price, now(app).note) == ("", NO_MODEL)


@pytest.mark.parametrize("words", [None, "perhaps"])
def test_a_price_is_of_what_the_model_reads(qtbot: QtBot, app: App, words: str | None) -> None:
    ready(qtbot, app)
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: app.model.current_model.path == "/models/one" and app.model.current_model.info is not None)
    begin(qtbot, app, "word " * 150)
    app.tokens.point(1)
    app.tokens.type(words)
    qtbot.waitUntil(lambda: bool(now(app).price))
    told = now(app).price
    assert app.model.limit_context("/models/one", "128") == ""
    qtbot.waitUntil(lambda: now(app).price.startswith("does not fit: "))
    assert now(app).price.endswith("of 128\xa0tokens")
    assert app.model.limit_context("/models/one", "") == ""
    qtbot.waitUntil(lambda: now(app).price == told)


def test_a_place_without_words_has_no_price_with_another_model_either(qtbot: QtBot, app: App, script: Script) -> None:
    begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.type(" ")
    app.model.open("/models/other")
    own = app.model.current_model.fingerprint
    qtbot.waitUntil(lambda: app.model.current_model.fingerprint not in (None, own))
    assert (now(app).is_written, now(app).price, now(app).note) == (True, "", "")
    asked = [one for one in script.commands if isinstance(one, EstimateCost) and one.begun is not None]
    assert asked == []
    app.tokens.look_away()
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: app.model.current_model.path == "/models/one" and app.model.current_model.info is not None)
    assert now(app).position == -1


def test_what_was_written_without_alternatives_says_so_before_it_is_tried(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    assert unavailable(app.state.now)["tokens"] == "Nothing has been said in this conversation yet."
    app.settings.update(keeps_alternatives=False)
    ask(qtbot, app, "Why?")
    assert "tokens" not in enabled(app.state.now)
    assert "without alternatives: Settings > General" in unavailable(app.state.now)["tokens"]
    app.tokens.open()
    assert not now(app).is_open
    assert "without alternatives" in app.notices.now.text


def test_an_answer_that_is_written_is_shown_when_it_has_ended(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: app.tokens.is_written())
    app.catch_up()
    assert unavailable(app.state.now)["tokens"] == "Possible as soon as this answer has ended."
    script.go.set()
    qtbot.waitUntil(lambda: "tokens" in enabled(app.state.now))


def test_a_fork_is_written_from_the_very_tokens_and_leaves_the_answer(qtbot: QtBot, app: App, script: Script) -> None:
    message_id = begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.fork()
    qtbot.waitUntil(lambda: not app.library.tree.is_on_path(message_id))
    assert not now(app).is_open
    ended(qtbot, app, 2)
    ids = app.library.tree.message(message_id).ids or ()
    assert (app.library.tree.path[-1].ids or ())[:2] == (ids[0], OTHER)
    qtbot.waitUntil(lambda: app.tokens.can_open())
    app.act("tokens")
    qtbot.waitUntil(lambda: now(app).position >= 0)
    app.tokens.point(1)
    there = next(row for row in now(app).rows if row.is_there)
    assert (there.id, there.percent) == (OTHER, "given")
    assert {row.id for row in now(app).rows} >= {OTHER, STOP, ids[1]}


def test_where_nothing_else_is_known_that_is_said(qtbot: QtBot, app: App, asked: Asked) -> None:
    begin(qtbot, app)
    tokens = app.tokens.tokens
    assert tokens is not None
    tokens.choices = (tokens.choices[0]._replace(candidates=(), share=9_960), *tokens.choices[1:])
    app.tokens.point(0)
    assert now(app).note == "Nothing else is known here that could have stood in its place."
    app.tokens.fork_ways(3)
    assert asked.forks == []
    assert app.notices.now.text == now(app).note


def test_several_ways_stand_beside_each_other(qtbot: QtBot, app: App) -> None:
    begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.fork_ways(2)
    qtbot.waitUntil(lambda: len(app.lanes.rows) >= 2)
    assert not now(app).is_open
    ended(qtbot, app, 2)


def test_an_end_ends_the_answer_there(qtbot: QtBot, app: App) -> None:
    begin(qtbot, app)
    app.tokens.point(1)
    app.tokens.choose_row(2)
    app.tokens.fork()
    qtbot.waitUntil(lambda: texts(app)[-1] == "You")
    assert not now(app).is_open


def test_it_ends_where_its_answer_is_not_to_be_seen(qtbot: QtBot, app: App) -> None:
    message_id = begin(qtbot, app)
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: not app.library.tree.is_on_path(message_id))
    assert not now(app).is_open
    qtbot.waitUntil(lambda: app.tokens.can_open())
    begin(qtbot, app, "And?")
    app.comparison.open()
    app.catch_up()
    assert not now(app).is_open
    begin(qtbot, app, "So?")
    app.library.new_conversation()
    assert not now(app).is_open
