"""Finding words in the open branch with real keys: marks, counts, and a view that moves only when it is asked to."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.protocol.chat import Attachment
from app.viewmodels.app import App
from app.viewmodels.chat.rows import Segment
from app.viewmodels.find import find as find_module
from app.viewmodels.kit import slices
from app.widgets.kit.style import Style
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.chat.test_long_conversations import put, show
from tests.widgets.window.test_main_window import ask
from tests.widgets.window.test_thoughts import closed, shown

_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
WORDS = [
    "pear",
    "**pear**",
    "Pear",
    "pe**ar**",
    "apple",
    "`pear`",
    "[pear](x)",
    "Straße",
    "pear pear",
    "* pear",
    "&amp;",
]


def said(dice: random.Random) -> str:
    """A few paragraphs of Markdown in which pears may stand in many ways."""
    kinds = [
        lambda: " ".join(dice.choices(WORDS, k=5)),
        lambda: "\n".join(f"- {dice.choice(WORDS)}" for _ in range(3)),
        lambda: f"```python\n{dice.choice(WORDS)} = 1\n```",
        lambda: f"| a | pear |\n|---|---|\n| {dice.choice(WORDS)} | b |",
        lambda: f"# {dice.choice(WORDS)}",
    ]
    return "\n\n".join(dice.choice(kinds)() for _ in range(dice.randint(1, 5)))


def conversation(texts: list[str], thought: str = "", attached: str = "") -> Document:
    """Questions and answers by turns. thought: before each answer. attached: to each question."""
    home, path = Conversation.new("Garden"), list[Message]()
    for number, text in enumerate(texts):
        above = path[-1].id if path else None
        if number % 2:
            path.append(
                Message(new_id(), home.id, above, "assistant", text, float(number), stop="finished", thinking=thought)
            )
        else:
            files = (Attachment("list.txt", "text", attached),) if attached else ()
            path.append(Message(new_id(), home.id, above, "user", text, float(number), attachments=files))
    return Document(home, tuple(path), tuple(one.id for one in path), path[-1].id)


@pytest.fixture
def opened(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path, style: Style
) -> Callable[[Document], tuple[App, MainWindow]]:
    """Open a window on a conversation, and show it from its beginning."""

    def open_it(document: Document) -> tuple[App, MainWindow]:
        home = put(data_folder, document)
        app = make_app()
        window = shown(style, app)
        show(qtbot, app, home)
        qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == len(document.messages))
        window.chat.view.show_message(document.messages[0].id)
        window.chat.view.viewport().repaint()  # what was seen stays where it is when a bar comes
        return app, window

    return open_it


def look_for(qtbot: QtBot, app: App, window: MainWindow, text: str) -> None:
    app.catch_up()
    qtbot.keyClick(window.chat.view, Qt.Key.Key_F, _CTRL)
    assert window.chat.find_bar.field.hasFocus()
    window.chat.find_bar.field.selectAll()
    qtbot.keyClicks(window.chat.find_bar.field, text)
    qtbot.waitUntil(lambda: not app.find._work.is_running)


def wait_for_rows(qtbot: QtBot, app: App, ids: list[str]) -> None:
    qtbot.waitUntil(lambda: list(app.chat.chat_model.rows.ids) == ids)


def in_documents(window: MainWindow, app: App, text: str) -> int:
    """Count in the documents that the view lays out, with everything unfolded."""
    count = 0
    for number, row in enumerate(app.chat.chat_model.rows):
        if row.thought is not None:
            app.chat.unfolded.open_part(row.id)
        for at in [at for at, one in enumerate(row.attachments) if not one.is_open]:
            app.chat.unfolded.toggle_attachment(row.id, at)
        for laid in window.chat.view.layout_of_rows.item(number).body._split():
            count += laid.document.toPlainText().casefold().count(text.casefold())
    return count


def test_the_count_is_that_of_the_texts_that_are_shown(
    qtbot: QtBot, style: Style, make_app: Callable[[], App], data_folder: Path
) -> None:
    documents = []
    for seed in chosen(range(12)):
        dice = random.Random(seed)
        texts = [said(dice) for _ in range(dice.randint(1, 9))]
        documents.append(conversation(texts, thought="a pear", attached="pear\npear\n"))
        put(data_folder, documents[-1])
    app = make_app()
    window = shown(style, app)
    for seed, document in enumerate(documents):
        show(qtbot, app, document.conversation.id)
        wait_for_rows(qtbot, app, [one.id for one in document.messages])
        for text in ("pear", "pear pear", "straße", "&", "zebra", "e"):
            look_for(qtbot, app, window, text)
            assert app.find.total == in_documents(window, app, text), (seed, text)
            marked = [mark for row in app.chat.chat_model.rows for mark in app.find.marks(row)]
            assert len(marked) == app.find.total, (seed, text)
    closed(window)


def test_keys_go_from_place_to_place_and_round(
    qtbot: QtBot, opened: Callable[[Document], tuple[App, MainWindow]]
) -> None:
    app, window = opened(conversation(["a pear", "two pears: pear", *["nothing\n\n" * 40] * 4, "the last pear", "x"]))
    field, view = window.chat.find_bar.field, window.chat.view
    heard: list[str] = []
    app.notices.announced.connect(heard.append)
    look_for(qtbot, app, window, "pear")
    assert app.find.told == field.accessibleDescription() == "1 of 4"
    top = view.verticalOffset()
    qtbot.waitUntil(window.menus.actions["find_next"].isEnabled)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_G, _CTRL)
    assert (app.find.told, view.verticalOffset()) == ("3 of 4", top), "what is in sight is not scrolled to"
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert app.find.told == "4 of 4"
    assert view.verticalOffset() > top
    assert view.currentIndex().row() == 6
    there = view.verticalOffset()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert app.find.told == "1 of 4"
    qtbot.keyClick(field, Qt.Key.Key_Return, _SHIFT)
    assert (app.find.told, view.verticalOffset()) == ("4 of 4", there)
    qtbot.keyClick(field, Qt.Key.Key_G, _CTRL | _SHIFT)
    assert app.find.told == "3 of 4"
    assert heard[-1] == "3 of 4"
    closed(window)


def test_escape_closes_the_bar_and_leaves_the_text_where_it_stands(
    qtbot: QtBot, opened: Callable[[Document], tuple[App, MainWindow]]
) -> None:
    app, window = opened(conversation(["one\n\n" * 30, "two\n\n" * 60, "three pears\n\n" * 30, "four\n\n" * 60]))
    view = window.chat.view
    view._scroll_to(200)
    view.updateGeometries()
    on_screen = view.mapToGlobal(view.row_rect(1).topLeft()).y()
    qtbot.keyClick(view, Qt.Key.Key_F, _CTRL)
    assert view.mapToGlobal(view.row_rect(1).topLeft()).y() == on_screen
    look_for(qtbot, app, window, "pears")
    hit = view.mapToGlobal(view.row_rect(2).topLeft()).y()
    qtbot.keyClick(window.chat.find_bar.field, Qt.Key.Key_Escape)
    assert window.chat.find_bar.isHidden()
    assert view.mapToGlobal(view.row_rect(2).topLeft()).y() == hit
    assert view.hasFocus()
    assert view.currentIndex().row() == 2
    assert [app.find.marks(row) for row in app.chat.chat_model.rows] == [[]] * 4
    qtbot.keyClick(view, Qt.Key.Key_F, _CTRL)
    assert window.chat.find_bar.field.text() == "pears"
    assert window.chat.find_bar.field.selectedText() == "pears"
    closed(window)


def test_what_is_folded_is_opened_where_the_place_is_in_it(
    qtbot: QtBot, opened: Callable[[Document], tuple[App, MainWindow]]
) -> None:
    app, window = opened(conversation(["q", "a"], thought="quince\n" * 3, attached="a medlar"))
    look_for(qtbot, app, window, "medlar")
    assert app.find.told == "1 of 1"
    assert app.chat.chat_model.rows[0].attachments[0].is_open
    look_for(qtbot, app, window, "quince")
    assert app.find.told == "1 of 3"
    thought = app.chat.chat_model.rows[1].thought
    assert thought is not None
    assert thought.is_open
    look_for(qtbot, app, window, "quincex")
    assert app.find.told == "Not found"
    assert not window.menus.actions["find_next"].isEnabled()
    closed(window)


def test_what_a_letter_on_the_way_has_opened_is_folded_again(
    qtbot: QtBot, opened: Callable[[Document], tuple[App, MainWindow]]
) -> None:
    """Unless somebody has gone to it, or it was open before."""

    def open_parts() -> tuple[bool, bool]:
        question, answer = app.chat.chat_model.rows
        assert answer.thought is not None
        return question.attachments[0].is_open, answer.thought.is_open

    app, window = opened(conversation(["q", "a"], thought="quince and quest", attached="quarry"))
    keys = window.chat.find_bar.field
    look_for(qtbot, app, window, "qu")
    assert open_parts() == (True, False)
    for letter in "ince":
        qtbot.keyClicks(keys, letter)
        qtbot.waitUntil(lambda: not app.find._work.is_running)
        assert open_parts() == (False, True)
    look_for(qtbot, app, window, "quar")
    assert open_parts() == (True, False)
    app.chat.unfolded.open_part(app.chat.chat_model.rows[1].id)
    look_for(qtbot, app, window, "quest")
    assert open_parts() == (False, True)
    look_for(qtbot, app, window, "quar")
    assert open_parts() == (True, True)
    qtbot.keyClick(keys, Qt.Key.Key_Return)
    look_for(qtbot, app, window, "quest")
    assert open_parts() == (True, True)
    app.chat.unfolded.fold_part(app.chat.chat_model.rows[1].id)
    look_for(qtbot, app, window, "quince")
    qtbot.keyClick(keys, Qt.Key.Key_Escape)
    look_for(qtbot, app, window, "quar")
    assert open_parts() == (True, True), "it is read where looking for it has ended"
    closed(window)


def test_an_answer_that_grows_is_counted_without_moving_the_view(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_module, "TAIL_MS", 1)
    app.find._tail.setInterval(1)
    script.answers["long"] = "pear " * 20
    ask(qtbot, window, app, "a pear")
    look_for(qtbot, app, window, "pear")
    before = app.find.told
    assert before == "1 of 2"
    window.chat.view._follows_end = False
    script.hold = 5
    app.chat.requests.send("long")
    qtbot.waitUntil(lambda: app.find.told == "1 of 7")
    script.hold = None
    script.go.set()
    qtbot.waitUntil(lambda: app.find.told == "1 of 22")
    assert app.find.number == 1


def test_escape_in_the_field_stops_no_answer(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    script.answers["long"], script.hold = "pear " * 20, 5
    app.chat.requests.send("long")
    qtbot.waitUntil(lambda: app.chat.state.now.is_writing and bool(app.chat.chat_model.rows))
    window.do("find")
    qtbot.keyClick(window.chat.find_bar.field, Qt.Key.Key_Escape)
    assert not app.find.is_open
    assert app.chat.state.now.is_writing
    script.hold = None
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.state.now.is_writing)
    assert app.chat.chat_model.rows[-1].text.count("pear") == 20


def test_another_branch_is_searched_from_the_fork_on(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "a pear")
    ask(qtbot, window, app, "pear and pear")
    look_for(qtbot, app, window, "pear")
    assert app.find.total == 6
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[2].id)
    ask(qtbot, window, app, "only apples")
    qtbot.waitUntil(lambda: app.find.total == 2)
    app.chat.open_branch.select_version(app.chat.chat_model.rows[2].id, -1)
    qtbot.waitUntil(lambda: app.find.total == 6)


def test_each_text_is_looked_at_once_and_no_row_is_made(
    qtbot: QtBot, opened: Callable[[Document], tuple[App, MainWindow]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long branch is searched off its texts: what one looks for is laid out only where it may be."""
    app, window = opened(conversation([f"number {at} {'quince' * (at % 100 == 1)}" for at in range(400)]))
    monkeypatch.setattr(slices, "SLICE", 0.0)
    laid: list[str] = []
    texts = app.find.shown_texts

    def counted(segment: Segment) -> Sequence[str]:
        laid.append(segment.text)
        return texts(segment)

    monkeypatch.setattr(app.find, "shown_texts", counted)
    made = len(app.chat.chat_model.rows.made)
    app.find.open()
    app.find.look_for("quince", 0)
    qtbot.waitUntil(lambda: not app.find._work.is_running)
    assert app.find.total == 4
    assert len(laid) <= 8
    assert len(app.chat.chat_model.rows.made) <= made + 20
    closed(window)


def test_a_result_of_the_search_everywhere_is_marked_and_the_next_one_follows(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "Quinces in May")
    app.library.new_conversation()
    ask(qtbot, window, app, "quince jam, quince jelly")
    first = app.library.open_id
    app.library.search.look_for("quin")
    app.library.search.ask()
    app._store.drain()
    QApplication.processEvents()
    rows = [row for row in app.library.search.rows.rows if row.id]
    window.sidebar.found.emit(rows[0])
    qtbot.waitUntil(lambda: app.find._current is not None)
    assert app.find.is_everywhere
    assert not window.chat.find_bar.isHidden()
    assert window.chat.find_bar.field.text() == "quin"
    assert app.find.told.endswith(f"of {len(rows)}\u00a0results")
    marks = [mark for row in app.chat.chat_model.rows for mark in app.find.marks(row)]
    assert len(marks) == 4
    assert sum(mark.is_current for mark in marks) == 1
    seen = [app.library.open_id]
    for _ in rows[1:]:
        window.do("find_next")
        qtbot.waitUntil(lambda: app.find._current is not None)
        seen.append(app.library.open_id)
    assert len(set(seen)) == 2
    assert first in seen
    current = window.sidebar.results.row
    assert current is not None
    assert current.id == rows[-1].id
    window.do("find")
    assert not app.find.is_everywhere
    qtbot.waitUntil(lambda: "of" in app.find.told)


def test_the_marks_of_a_search_go_with_it(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "Quinces in May")
    app.library.search.look_for("quin")
    app.library.search.ask()
    app._store.drain()
    QApplication.processEvents()
    window.sidebar.found.emit(next(row for row in app.library.search.rows.rows if row.id))
    qtbot.waitUntil(lambda: any(app.find.marks(row) for row in app.chat.chat_model.rows))
    app.library.search.look_for("")
    assert not app.find.is_open
    assert window.chat.find_bar.isHidden()
