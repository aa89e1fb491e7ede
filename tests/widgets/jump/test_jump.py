"""Jumping with real keys: what is listed, what comes first, and where one arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message, new_id
from app.viewmodels.app import App
from app.viewmodels.jump import fuzzy
from app.viewmodels.jump import jump as module
from app.viewmodels.jump.jump import MOST, Jump, JumpKind, JumpRow
from app.viewmodels.kit import slices
from app.viewmodels.warmth.price_text import UNKNOWN, price_sentence
from app.widgets.jump.jump_panel import JumpPanel
from app.widgets.kit.action_button import native_keys
from app.widgets.kit.typography import LARGEST_BODY, SMALLEST_BODY
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_main_window import ask, texts

_CTRL = Qt.KeyboardModifier.ControlModifier


def opened(qtbot: QtBot, window: MainWindow, app: App) -> JumpPanel:
    qtbot.keyClick(window.chat.composer.edit, Qt.Key.Key_K, _CTRL)
    app._store.drain()
    QApplication.processEvents()
    panel = window._jumps.panel
    assert isinstance(panel, JumpPanel)
    qtbot.waitUntil(panel.isVisible)
    return panel


def type_in(qtbot: QtBot, panel: JumpPanel, text: str) -> list[JumpRow]:
    panel.field.selectAll()
    qtbot.keyClicks(panel.field, text)
    qtbot.waitUntil(lambda: not panel._jump._work.is_running)
    return list(panel._jump.rows.rows)


def test_conversations_branches_pins_and_commands_are_found(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "quinces in May")
    garden, message = app.library.open_id, app.library.tree.path[0].id
    app.library.changes.make(lambda store: store.messages.name_branch(message, "the quince branch"))
    app.library.changes.make(lambda store: store.messages.pin(app.library.tree.path[1].id, True))
    app._store.drain()
    app.library.new_conversation()
    ask(qtbot, window, app, "pears")
    panel = opened(qtbot, window, app)
    assert [(row.kind, row.title) for row in panel._jump.rows.rows] == [(JumpKind.CONVERSATION, "quinces in May")]
    found = type_in(qtbot, panel, "quince")
    assert [(row.kind, row.title, row.detail) for row in found[:3]] == [
        (JumpKind.CONVERSATION, "quinces in May", ""),
        (JumpKind.BRANCH, "the quince branch", "quinces in May"),
        (JumpKind.PIN, "“You said: quinces in May”", "quinces in May"),
    ]
    qtbot.keyClick(panel.field, Qt.Key.Key_Down)
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.library.open_id == garden)
    qtbot.waitUntil(lambda: window.chat.view.currentIndex().row() == 0)
    assert texts(app)[0] == "quinces in May"


def test_branches_of_the_open_conversation_are_found_by_their_first_words(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    """As the outline calls them; the one that was named by its name alone, and what has no version beside it not."""
    ask(qtbot, window, app, "quinces in May")
    for words in ("**pears** in June", "plums in July"):
        app.chat.open_draft.begin_edit(app.library.tree.path[0].id)
        ask(qtbot, window, app, words)
    plums = app.library.tree.path[0].id
    app.library.changes.make(lambda store: store.messages.name_branch(plums, "the stone fruit"))
    qtbot.waitUntil(lambda: app.library.tree.message(plums).name == "the stone fruit")
    panel = opened(qtbot, window, app)
    branches = [row for row in type_in(qtbot, panel, "e") if row.kind is JumpKind.BRANCH]
    assert sorted(row.title for row in branches) == ["the stone fruit", "“pears in June”", "“quinces in May”"]
    assert {row.detail for row in branches} == {"quinces in May"}
    assert app.library.tree.path[0].id == plums
    found = type_in(qtbot, panel, "pears")
    assert found[0].title == "“pears in June”"
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.library.tree.path[0].text == "**pears** in June")


def test_letters_that_nothing_is_called_are_looked_for_in_what_was_said(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "quinces in May")
    ask(qtbot, window, app, "and what of medlars")
    window.sides.toggle("sidebar")
    panel = opened(qtbot, window, app)
    (found,) = type_in(qtbot, panel, "medlars")
    keys = native_keys(app.keys.action("find_everywhere"))
    assert found.title == "Search conversations for “medlars”"
    assert found.spoken == f"{found.title}, words in every branch, {keys}"
    assert panel.price == ""
    assert type_in(qtbot, panel, "new conv")[-1].kind is JumpKind.SEARCH
    type_in(qtbot, panel, "medlars")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    assert window.sides.is_shown("sidebar")
    qtbot.waitUntil(lambda: window.sidebar.field.hasFocus())
    assert window.sidebar.field.text() == "medlars"
    qtbot.waitUntil(lambda: window.sidebar.results.model().rowCount() > 0)
    again = opened(qtbot, window, app)
    assert JumpKind.SEARCH not in {row.kind for row in again._jump.rows.rows}, "it is no place to come back to"
    again.close()


def test_keys_that_come_while_titles_are_compared_are_about_what_was_typed(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not about the rows for the letters before, which may be anything: a command that deletes."""
    monkeypatch.setattr(slices, "SLICE", 0.0)
    for title in ("quinces in May", "pears", "quinces in June", "medlars"):
        app.library.new_conversation()
        ask(qtbot, window, app, title)
    to_return, to_second = [Qt.Key.Key_Return], [Qt.Key.Key_Down, Qt.Key.Key_Return]
    ways = [("pears", to_return, "pears"), ("quinces", to_return, "quinces in June")]
    for words, keys, wanted in [*ways, ("quin", to_second, "quinces in May")]:
        panel = opened(qtbot, window, app)
        before = panel._jump.rows.rows
        qtbot.keyClicks(panel.field, words)
        assert panel._jump.rows.rows == before, "the rows are those from before"
        for key in keys:
            qtbot.keyClick(panel.field, key)
        QApplication.processEvents()
        qtbot.waitUntil(lambda wanted=wanted: texts(app)[:1] == [wanted])  # type: ignore[misc]


def test_a_command_is_carried_out_and_comes_first_the_next_time(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "pears")
    panel = opened(qtbot, window, app)
    found = type_in(qtbot, panel, "new conv")
    assert (found[0].kind, found[0].title) == (JumpKind.COMMAND, "New Conversation")
    assert found[0].detail
    assert found[0].spoken == f"New Conversation, command, {found[0].detail}"
    before = app.library.open_id
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    assert app.library.open_id != before
    again = opened(qtbot, window, app)
    assert again._jump.rows.rows[0].title == "New Conversation"
    qtbot.keyClick(again.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_a_command_that_can_do_nothing_is_grey_and_is_passed_over(qtbot: QtBot, window: MainWindow, app: App) -> None:
    panel = opened(qtbot, window, app)
    found = type_in(qtbot, panel, "answer again")
    assert not found[0].is_enabled
    assert found[0].spoken.endswith("not available")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    assert panel.isVisible()
    assert [row.kind for row in type_in(qtbot, panel, "zzzz")] == [JumpKind.SEARCH]
    assert panel.accessibleDescription() == "Nothing is called “zzzz”."
    type_in(qtbot, panel, "zzzz " * 20)
    assert panel.accessibleDescription() == f"Nothing is called “{'zzzz ' * 10}zzzz…”.", "what is cut says so"
    panel.close()


def test_the_row_that_the_arrows_or_the_mouse_come_to_tells_its_price(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    """Of a conversation, a branch and a pin of it, and of a command: in the same words as everywhere."""
    ask(qtbot, window, app, "quinces in May")
    garden, path = app.library.open_id, app.library.tree.path
    app.library.changes.make(lambda store: store.messages.name_branch(path[0].id, "the quince branch"))
    app.library.changes.make(lambda store: store.messages.pin(path[1].id, True))
    app._store.drain()
    app.library.new_conversation()
    ask(qtbot, window, app, "pears")
    app.model.open("/models/one")
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    panel, warmth = opened(qtbot, window, app), app.chat.warmth
    assert len(type_in(qtbot, panel, "quince")) >= 3
    for number in range(3):
        price = (lambda: price_sentence(warmth.warmth_of_conversation(garden))) if not number else end_price(app, path)
        qtbot.waitUntil(lambda price=price: panel.price == price() != UNKNOWN)
        assert panel.price.startswith("cold: ")
        assert panel.field.accessibleDescription() == panel.price
        qtbot.keyClick(panel.field, Qt.Key.Key_Down)
    (again, *_) = type_in(qtbot, panel, "answer again")
    assert again.id == "regenerate"
    qtbot.waitUntil(lambda: panel.price == app.chat.prices.price("regenerate") != "")
    assert type_in(qtbot, panel, "new conv")[0].id == "new"
    assert panel.price == ""
    found = type_in(qtbot, panel, "e")
    places = [number for number, row in enumerate(found[:10]) if row.kind is not JumpKind.COMMAND]
    panel.list.entered.emit(panel._jump.rows.index(places[-1]))
    qtbot.waitUntil(lambda: panel.price.startswith("cold: "))
    QApplication.sendEvent(panel.list.viewport(), QEvent(QEvent.Type.Leave))
    assert panel._shown == found[panel.list.currentIndex().row()]
    panel.close()


def end_price(app: App, path: Sequence[Message]) -> Callable[[], str]:
    """Return what says the price of the branch that ends with a path."""
    return lambda: price_sentence(app.chat.warmth.warmth_of(path[-1].id, path[-1].conversation_id))


def test_the_panel_follows_the_size_of_the_text_and_stays_within_its_window(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    panel = opened(qtbot, window, app)
    found = type_in(qtbot, panel, "co")
    qtbot.keyClick(panel.field, Qt.Key.Key_Down)
    chosen = panel.list.currentIndex().row()
    for width in (1440, 880):
        window.resize(width, 800)
        for body in range(SMALLEST_BODY, LARGEST_BODY + 1, 2):
            window._style.set_text_size(body)
            card = panel._card.translated(panel.pos())
            shown, row = min(len(found), 10), window._style.typography.row
            assert panel.list.height() == shown * row
            assert panel.field.height() == row
            at = window.mapToGlobal(window.rect().topLeft()).x()
            assert abs((card.left() - at) - (at + window.width() - 1 - card.right())) <= 1
            assert card.left() > at
            assert panel.list.currentIndex().row() == chosen
    panel.close()


def test_ten_thousand_titles_are_compared_a_few_at_a_time(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    rows = [JumpRow(JumpKind.COMMAND, f"{number}", f"Title {number} of many") for number in range(10_000)]
    jump = Jump(app._store, app.library, lambda: rows, app)
    QAbstractItemModelTester(jump.rows, QAbstractItemModelTester.FailureReportingMode.Fatal, jump)
    jump.begin()
    app._store.drain()
    turns: list[int] = []
    jump._work.advanced.connect(lambda: turns.append(len(jump._found)))
    jump.look_for("title 99")
    jump.look_for("title 9 many")
    qtbot.waitUntil(lambda: not jump._work.is_running)
    assert len(turns) > 100
    assert max(after - before for before, after in zip([0, *turns], turns, strict=False)) <= 64
    assert len(jump.rows.rows) == MOST + 1
    assert jump.rows.rows[0].title == "Title 9 of many"


def test_each_title_is_listed_once_and_only_when_something_is_looked_for(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens the panel waits for no title; another letter in the middle goes on where the first has come to."""
    monkeypatch.setattr(slices, "SLICE", 0.0)
    listed: list[str] = []
    monkeypatch.setattr(module, "folded", lambda text: (listed.append(text), fuzzy.folded(text))[1])
    many = tuple(Conversation(new_id(), f"Title {number}", 0.0, 0.0) for number in range(10_000))
    monkeypatch.setattr(type(app.library.library), "conversations", property(lambda _library: many))
    jump = Jump(app._store, app.library, list, app)
    jump.begin()
    app._store.drain()
    assert listed == []
    assert [row.title for row in jump.rows.rows] == [one.title for one in many[:12]]
    steps: list[int] = []
    jump._work.advanced.connect(lambda: steps.append(len(listed)))
    jump.look_for("9")
    qtbot.waitUntil(lambda: len(steps) > 5)
    jump.look_for("99")
    qtbot.waitUntil(lambda: not jump._work.is_running)
    assert max(after - before for before, after in zip([0, *steps], steps, strict=False)) <= 65
    assert jump.rows.rows[0].title == "Title 99"
    jump.look_for("title 7")
    qtbot.waitUntil(lambda: not jump._work.is_running)
    typed = {"9", "99", "title 7"}
    assert [text for text in listed if text not in typed] == [one.title for one in many]
    jump.go(jump.rows.rows[0])
    jump.begin()
    assert jump.rows.rows[0].title == "Title 7"
    jump.close()
