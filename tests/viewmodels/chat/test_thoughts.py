"""The thought before an answer: one line in its row, opened and folded, apart from the words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.reports import StopReason
from app.viewmodels.app import App
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.rows import SegmentKind, ThoughtRow, spoken_message
from app.viewmodels.text.formatting import DOT, HARD
from tests.fakes.engine import Script
from tests.viewmodels.builders import rows_of
from tests.viewmodels.chat.test_chat_rows import HOME, tree_of
from tests.viewmodels.test_app import ask, ready

THOUGHT = "The person asks about pears, and I know a little."


def thinking(script: Script, question: str = "Which pears?") -> str:
    script.thoughts[question] = THOUGHT
    script.answers[question] = "Late ones."
    return question


def last(app: App) -> ThoughtRow:
    thought = app.chat.chat_model.rows[-1].thought
    assert thought is not None
    return thought


def test_the_line_tells_seconds_and_tokens_as_far_as_they_are_known() -> None:
    assert ThoughtRow("so", 12.9, 214).title == f"Thought for 12{HARD}s{DOT}214{HARD}tokens"
    assert ThoughtRow("so", 83.0, 1).title == f"Thought for 1{HARD}min 23{HARD}s{DOT}1{HARD}token"
    assert ThoughtRow("so").title == "Thought"
    assert ThoughtRow("so", 3.2, 40, is_growing=True).title == f"Thinking… 3{HARD}s"
    assert ThoughtRow("so", 12.9, 214).spoken == f"thought, 214{HARD}tokens, collapsed"
    assert ThoughtRow("so", 3.2, 40, is_growing=True).spoken == "thinking, collapsed"
    assert ThoughtRow("so", is_open=True).spoken == "thought, expanded"


def test_a_row_shows_its_thought_where_that_is_open_and_copies_its_text(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    ask(qtbot, app, thinking(script))
    row = app.chat.chat_model.rows[-1]
    assert (row.text, last(app).text, last(app).is_growing) == ("Late ones.", THOUGHT, False)
    assert (last(app).seconds, last(app).tokens) == (12.3, 10)
    assert [segment.kind for segment in row.shown] == [SegmentKind.MARKDOWN]
    app.chat.unfolded.toggle_thought(row.id)
    opened = app.chat.chat_model.rows[-1]
    assert [segment.text for segment in opened.shown] == [THOUGHT, "Late ones."]
    assert opened.text == "Late ones."
    assert "thought, 10" in spoken_message(opened, 2, 2)
    assert spoken_message(opened, 2, 2).endswith(": Late ones.")
    app.chat.unfolded.toggle_thought(row.id)
    assert app.chat.chat_model.rows[-1] == row


def test_a_thought_grows_folded_or_open_and_its_line_says_so(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    question = thinking(script)
    script.hold = 4
    app.chat.requests.send(question)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].thought is not None and last(app).text.endswith("about"))
    assert last(app).is_growing
    assert not last(app).is_open
    assert last(app).title.startswith("Thinking…")
    activity = app.chat.state.now.activity
    assert activity is not None
    assert activity.text.startswith(f"Thinking{DOT}")
    app.chat.unfolded.toggle_thought(app.chat.chat_model.rows[-1].id)
    assert app.chat.chat_model.rows[-1].shown[-1].kind is SegmentKind.THINKING
    script.hold = None
    qtbot.waitUntil(lambda: not app.chat.state.now.is_writing)
    assert (last(app).text, last(app).is_open, last(app).is_growing) == (THOUGHT, True, False)


def test_an_answer_that_is_all_thought_says_so() -> None:
    question = Message.new(HOME, None, "user", "Which pears?")
    answer = Message.new(HOME, question.id, "assistant")
    for stop, told in ((None, "Not finished"), (str(StopReason.CANCELLED), "Stopped"), (str(StopReason.FINISHED), "")):
        cut = replace(answer, thinking="so", stop=stop)
        note = rows_of(tree_of(question, cut), None, {})[-1].note
        assert note.startswith(told)
        assert note.endswith("no answer was begun")
        assert "thought" not in rows_of(tree_of(question, replace(cut, text="Late")), None, {})[-1].note


def test_a_stopped_thought_is_kept(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.hold = 4
    app.chat.requests.send(thinking(script))
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].thought is not None and last(app).text.endswith("about"))
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: not app.chat.state.now.is_writing)
    assert last(app).text == "The person asks about"
    assert app.chat.chat_model.rows[-1].text == ""
    assert app.chat.chat_model.rows[-1].note.startswith("Stopped")


def test_words_found_in_a_thought_open_it_after_a_restart(
    qtbot: QtBot, make_app: Callable[[], App], script: Script
) -> None:
    app = make_app()
    ready(qtbot, app)
    ask(qtbot, app, thinking(script))
    qtbot.waitUntil(lambda: not app.chat.questions.unsaved)
    app = make_app()
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2)
    assert (last(app).text, last(app).seconds, last(app).tokens, last(app).is_open) == (THOUGHT, 12.3, 10, False)
    search = app.library.search
    search.look_for("little")
    qtbot.waitUntil(lambda: len(search.rows.rows) == 1)
    (found,) = search.rows.rows
    assert found.line.startswith("Thought: ")
    app.library.go_to(found.conversation_id, found.id)
    qtbot.waitUntil(lambda: last(app).is_open)


def test_an_answer_that_goes_on_still_tells_what_its_thought_took() -> None:
    question = Message.new(HOME, None, "user", "Which pears?")
    answer = Message.new(HOME, question.id, "assistant")
    stats = {"thinking_tokens": 214, "thinking_seconds": 12.3}
    begun = replace(answer, text="La", thinking="so", stop=str(StopReason.LENGTH), stats=stats)
    going_on = Question(question, begun=begun)
    going_on.ask(1, replace(begun, stop=None, stats=None))
    going_on.grow("te", 1)
    thought = rows_of(tree_of(question, begun), going_on, {})[-1].thought
    assert thought == ThoughtRow("so", 12.3, 214)
