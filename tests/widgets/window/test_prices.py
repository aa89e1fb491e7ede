"""Prices before acting: over arrows, discs and the marks that begin a branch, by mouse and by keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.protocol.events import TrieChanged
from app.viewmodels.actions import BY_ID, checked, enabled
from app.viewmodels.app import App
from app.viewmodels.cache.rows import title_of
from app.viewmodels.chat.command_prices import PRICED
from app.viewmodels.unavailable import tips
from app.viewmodels.warmth.price_card import PriceCard
from app.viewmodels.warmth.price_text import price_sentence
from app.widgets.chat.messages.message_menu import MessageMenu
from app.widgets.chat.messages.row_controls import ActionStrip, ControlKind
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.theme import LIGHT
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.window.main_window import MainWindow
from app.widgets.window.price_hover import HOVER_MS
from tests.fakes.engine import Script
from tests.viewmodels.chat.test_composer_foot import stop_before_a_word
from tests.viewmodels.test_app import ask
from tests.widgets.pictures import count, picture


@pytest.fixture
def forked(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """Two questions, the second in two versions; the later one is shown."""
    ask(qtbot, app, "How are you?")
    ask(qtbot, app, "And the weather?")
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And the news of today?")
    qtbot.waitUntil(lambda: isinstance(switcher_of(window, app), VersionSwitcher))
    return window


def switcher_of(window: MainWindow, app: App) -> VersionSwitcher | None:
    found = window.chat.view.controls.find(app.chat.chat_model.rows[2].id, ControlKind.SWITCHER)
    return found if isinstance(found, VersionSwitcher) else None


def rest(widget: QWidget, at: QPoint) -> None:
    """Bring the mouse to a place, as the window system tells it."""
    where, none = QPointF(at), Qt.MouseButton.NoButton
    everywhere = QPointF(widget.mapToGlobal(at))
    QApplication.sendEvent(widget, QEnterEvent(where, where, everywhere))
    moved = QMouseEvent(
        QEvent.Type.MouseMove, where, everywhere, none, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(widget, moved)


def leave(widget: QWidget) -> None:
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))


def card(window: MainWindow) -> PriceCard | None:
    return window.prices.hover.popover.card if window.prices.hover.popover.isVisible() else None


def test_the_arrow_under_the_mouse_tells_where_it_leads_and_what_that_costs(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    switcher = switcher_of(forked, app)
    assert switcher is not None
    rest(switcher, switcher.arrow(-1).center())
    assert card(forked) is None
    qtbot.waitUntil(lambda: card(forked) is not None)
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).parts is not None)
    found = card(forked)
    assert found is not None
    assert (found.title, found.place, found.price) == ("“And the weather?”", "1 of 2", "Opens at once")
    versions = app.library.tree.siblings(app.chat.chat_model.rows[2].id)
    warmth = app.chat.warmth.warmth_of(app.library.tree.leaf_below(versions[0].id) or "", app.library.open_id)
    assert warmth is not None
    assert found.parts == (warmth.total, 0)
    leave(switcher)
    assert card(forked) is None
    rest(switcher, switcher.arrow(1).center())  # there is no third version
    qtbot.wait(HOVER_MS + 50)
    assert card(forked) is None


def test_the_keyboard_is_told_at_once_and_by_a_screen_reader_too(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    switcher = switcher_of(forked, app)
    assert switcher is not None
    before = switcher.accessibleDescription()
    switcher.setFocus(Qt.FocusReason.TabFocusReason)
    found = card(forked)
    assert found is not None
    assert found.title == "“And the weather?”"
    assert QApplication.focusWidget() is switcher
    qtbot.waitUntil(lambda: "opens at once" in switcher.accessibleDescription())
    forked.chat.view.setFocus(Qt.FocusReason.BacktabFocusReason)
    assert card(forked) is None
    assert switcher.accessibleDescription() == before


@pytest.mark.parametrize("what", ["key", "press", "scroll", "another"])
def test_a_price_goes_with_the_next_thing_that_is_done(qtbot: QtBot, forked: MainWindow, app: App, what: str) -> None:
    switcher = switcher_of(forked, app)
    assert switcher is not None
    rest(switcher, switcher.arrow(-1).center())
    qtbot.waitUntil(lambda: card(forked) is not None)
    if what == "key":
        qtbot.keyClicks(forked.chat.composer.edit, "a")
    elif what == "press":
        qtbot.mousePress(forked.chat.view.viewport(), Qt.MouseButton.LeftButton)
    elif what == "scroll":
        forked.chat.view.verticalScrollBar().valueChanged.emit(3)
    else:
        app.chat.open_branch.select_version(None, -1)
        qtbot.waitUntil(lambda: switcher_of(forked, app) is not None)
        app.library.new_conversation()
        qtbot.waitUntil(lambda: not app.chat.chat_model.rows)
    qtbot.waitUntil(lambda: card(forked) is None)


def test_a_disc_beside_the_rail_tells_the_same_as_the_arrow(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    view = forked.chat.view
    rows = view.layout_of_rows
    center = rows.item(2).disc + QPointF(0, rows.top(2) - view.verticalOffset())
    rest(view.viewport(), (center - QPointF(16, 0)).toPoint())
    qtbot.waitUntil(lambda: card(forked) is not None)
    found = card(forked)
    assert found is not None
    assert (found.title, found.place) == ("“And the weather?”", "1 of 2")
    rest(view.viewport(), center.toPoint())
    assert card(forked) is None


def test_a_mark_that_begins_a_branch_tells_what_comes_before_it(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    view, row = forked.chat.view, app.chat.chat_model.rows[2]
    rows = view.layout_of_rows
    rest(view.viewport(), QPoint(200, round(rows.top(2) - view.verticalOffset()) + 30))
    qtbot.waitUntil(lambda: view.controls.find(row.id, ControlKind.QUESTION) is not None)
    strip = view.controls.find(row.id, ControlKind.QUESTION)
    assert isinstance(strip, ActionStrip)
    button = strip.acts["fork"]
    rest(button, button.rect().center())
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).parts is not None)
    found = card(forked)
    assert found is not None
    assert found.place.replace("\u00a0", " ") == "after 2 messages"
    warmth = app.chat.warmth.warmth_of(app.chat.chat_model.rows[1].id, app.library.open_id)
    assert warmth is not None
    assert found.parts == (warmth.total, 0)


def test_the_button_that_has_a_question_answered_tells_what_that_costs(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """By the mouse, and at once by keys."""
    ask(qtbot, app, "How are you?")
    stop_before_a_word(qtbot, app, script, "And the weather?")
    app.model.open("/models/one")
    question = app.library.tree.path[-1]
    qtbot.waitUntil(lambda: window.chat.view.controls.find(question.id, ControlKind.UNANSWERED) is not None)
    button = window.chat.view.controls.find(question.id, ControlKind.UNANSWERED)
    assert button is not None
    rest(button, button.rect().center())
    qtbot.waitUntil(lambda: (card(window) or PriceCard("", "", "")).parts is not None)
    found, warmth = card(window), app.chat.warmth.warmth_of(question.id, app.library.open_id)
    assert found is not None
    assert warmth is not None
    assert warmth.left
    assert (found.title, found.parts) == ("Answer This Question", (warmth.cached, warmth.left))
    assert found.place.replace("\u00a0", " ") == "after 3 messages"
    leave(button)
    assert card(window) is None
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert price_sentence(warmth) in button.accessibleDescription()


def test_entries_of_the_menu_bar_tell_what_their_commands_cost_while_it_is_open(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    """In their tips and in the status line, as soon as it is known; of the message that the keyboard is on."""
    menu, entries, prices = forked.menus.branch, forked.menus.actions, app.chat.prices
    for number, can_tell in ((-1, "fork"), (0, "edit_answer")):
        if number >= 0:
            forked.chat.view.setFocus(Qt.FocusReason.TabFocusReason)
            forked.chat.view.setCurrentIndex(app.chat.chat_model.index(number))
        menu.popup(forked.mapToGlobal(QPoint(200, 200)))
        menu.setActiveAction(entries[can_tell])

        def told(one: str) -> bool:
            """Return whether an entry tells its price, or is disabled and tells why, or costs nothing."""
            price, entry = prices.price(one, forked._about(one)), entries[one]
            with_price = f"{price[:1].upper()}{price[1:]}. {BY_ID[one].tip}" if price else BY_ID[one].tip
            return not entry.isEnabled() or entry.toolTip() == entry.statusTip() == with_price

        qtbot.waitUntil(lambda can_tell=can_tell: entries[can_tell].toolTip().startswith("Opens at once. "))
        qtbot.waitUntil(lambda: all(map(told, PRICED)))
        assert forked.chat.status_line._tip == entries[can_tell].toolTip()
        forked.menus.show(enabled(app.state.now), checked(app.state.now), tips(app.state.now))
        assert all(map(told, PRICED)), "a change of state took the prices away"
        menu.close()
        assert not forked.chat.status_line._tip


def test_the_menu_tells_what_going_to_another_version_costs(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    menu, entries = forked.menus.branch, forked.menus.actions
    menu.popup(forked.mapToGlobal(QPoint(200, 200)))
    menu.setActiveAction(entries["previous"])
    told = f"Opens at once. {BY_ID['previous'].tip}"
    qtbot.waitUntil(lambda: entries["previous"].toolTip() == entries["previous"].statusTip() == told)
    assert forked.chat.status_line._tip == told
    assert not entries["next"].isEnabled()
    menu.close()


def test_editing_the_first_question_has_its_price_at_its_mark(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    """By the mouse, by the keyboard, and to a screen reader."""
    first = app.chat.chat_model.rows[0].id
    forked.chat.view.setFocus(Qt.FocusReason.TabFocusReason)
    forked.chat.view.setCurrentIndex(app.chat.chat_model.index(0))
    qtbot.waitUntil(lambda: forked.chat.view.controls.find(first, ControlKind.QUESTION) is not None)
    strip = forked.chat.view.controls.find(first, ControlKind.QUESTION)
    assert isinstance(strip, ActionStrip)
    button = strip.acts["fork"]
    rest(button, button.rect().center())
    qtbot.waitUntil(lambda: card(forked) is not None)
    shown = forked.prices.hover._priced
    rest(button, button.rect().center() + QPoint(1, 0))
    assert forked.prices.hover._priced == shown
    assert card(forked) is not None
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).price == "Opens at once")
    found = card(forked)
    assert found is not None
    assert (found.title, found.place) == ("Edit as New Branch", "at the beginning")
    leave(button)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: "opens at once" in button.accessibleDescription())


def test_the_menu_of_a_message_tells_what_its_commands_cost(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    for number, first in ((0, "fork"), (1, "regenerate"), (2, "fork"), (3, "edit_answer")):
        row = app.chat.chat_model.rows[number]
        forked.chat.view._open_menu(number, forked.mapToGlobal(QPoint(200, 200)))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, MessageMenu)
        own = [one for one in menu.entries if one in PRICED]
        assert first in own
        menu.setActiveAction(menu.entries[first])
        for one in own:
            qtbot.waitUntil(lambda one=one, menu=menu: menu.entries[one].toolTip() != BY_ID[one].tip)
            price = app.chat.prices.price(one, row.id)
            assert menu.entries[one].toolTip() == f"{price[:1].upper()}{price[1:]}. {BY_ID[one].tip}"
        assert forked.chat.status_line._tip == menu.entries[first].toolTip()
        menu.close()
        assert not forked.chat.status_line._tip
        qtbot.waitUntil(lambda: not forked.chat.view.findChildren(MessageMenu))  # before another is opened
        qtbot.wait(20)


def test_a_result_of_a_search_tells_what_its_branch_costs(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    """By the mouse and by keys, of a branch that is hidden and of another conversation; not of what is open."""
    home, hidden = app.library.open_id, app.library.tree.siblings(app.chat.chat_model.rows[2].id)[0].id
    results, search = forked.sidebar.results, app.library.search

    def look_for(text: str) -> None:
        search.look_for("")
        search.look_for(text)
        qtbot.waitUntil(lambda: any(row.id for row in search.rows.rows))

    def told() -> tuple[int, int] | None:
        return (card(forked) or PriceCard("", "", "")).parts

    look_for("weather")
    number = next(at for at, row in enumerate(search.rows.rows) if row.id == hidden)
    place = results.visualRect(search.rows.index(number)).center()
    for is_open in (True, False):
        if not is_open:
            app.library.new_conversation()
            ask(qtbot, app, "Something else?")
        rest(results.viewport(), place)
        qtbot.waitUntil(lambda: told() is not None)
        end = app.chat.warmth.end_of(hidden, home)
        assert end != hidden
        warmth = app.chat.warmth.warmth_of(end, home)
        assert warmth is not None
        assert told() == (warmth.total, 0)
        leave(results.viewport())
    results.setCurrentIndex(search.rows.index(number))
    results.setFocus(Qt.FocusReason.TabFocusReason)
    assert told() is not None
    look_for("Something")
    own = next(at for at, row in enumerate(search.rows.rows) if row.id)
    rest(results.viewport(), results.visualRect(search.rows.index(own)).center())
    qtbot.wait(HOVER_MS + 50)
    assert card(forked) is None


def test_going_on_with_a_side_of_a_comparison_tells_its_price(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    app.comparison.toggle()
    qtbot.waitUntil(lambda: forked.chat.comparison is not None and forked.chat.comparison.isVisible())
    view, now = forked.chat.comparison, app.comparison.state.now
    assert view is not None
    for button, side in zip(view.buttons, (now.left, now.right), strict=True):
        assert side is not None
        rest(button, button.rect().center())
        qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).parts is not None)
        found, warmth = card(forked), app.chat.warmth.warmth_of(side.leaf_id, app.library.open_id)
        assert found is not None
        assert warmth is not None
        assert (found.title, found.parts) == (side.name, (warmth.total, 0))
        leave(button)
        button.setFocus(Qt.FocusReason.TabFocusReason)
        assert price_sentence(warmth) in button.accessibleDescription()
        button.clearFocus()


def test_a_price_stays_inside_the_window(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    switcher = switcher_of(forked, app)
    assert switcher is not None
    for width, height in ((1440, 900), (880, 560)):
        forked.resize(width, height)
        qtbot.wait(10)
        switcher = switcher_of(forked, app)
        if switcher is None or not switcher.isVisible():
            continue
        rest(switcher, switcher.arrow(-1).center())
        qtbot.waitUntil(lambda: card(forked) is not None)
        box = forked.prices.hover.popover.box.translated(QPointF(forked.prices.hover.popover.pos()))
        assert 0 <= box.left() <= box.right() <= forked.width()
        assert 0 <= box.top() <= box.bottom() <= forked.height()
        leave(switcher)


def test_a_conversation_in_the_sidebar_shows_its_warmth_and_tells_its_price(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, app, "How are you?")
    first, title = app.library.open_id, app.library.conversation_model.rows[0].title
    app.library.new_conversation()
    ask(qtbot, app, "Something else?")
    rows = window.sidebar.list
    index = app.library.conversation_model.index(app.library.conversation_model.row_of(first))
    assert index.isValid()
    qtbot.waitUntil(lambda: app.chat.warmth.warmth_of_conversation(first) is not None)
    place = rows.row_rect(index)
    qtbot.waitUntil(lambda: _green(window, rows, place) > 20)
    qtbot.waitUntil(lambda: index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "opens at once")
    rest(rows.viewport(), place.center())
    qtbot.waitUntil(lambda: card(window) is not None)
    found = card(window)
    assert found is not None
    assert (found.title, found.price) == (title, "Opens at once")
    open_row = app.library.conversation_model.index(app.library.conversation_model.open_row)
    rest(rows.viewport(), rows.row_rect(open_row).center())
    assert card(window) is None
    qtbot.wait(HOVER_MS + 50)
    assert card(window) is None


def test_a_branch_in_the_sidebar_tells_its_price(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    """While its conversation is open, and while another one is: by the mouse, and at once by keys."""
    former = app.library.tree.siblings(app.chat.chat_model.rows[2].id)[0].id
    app.branches.name(former, "weather")
    rows, model = forked.sidebar.list, app.library.conversation_model
    qtbot.waitUntil(lambda: row_of(app, former) >= 0)
    rest(rows.viewport(), rows.row_rect(model.index(row_of(app, former))).center())
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).price == "Opens at once")
    assert (card(forked) or PriceCard("", "", "")).title == "weather"
    leave(rows.viewport())
    home = app.library.open_id
    app.library.new_conversation()
    ask(qtbot, app, "Something else?")
    app.library.fold(home, is_folded=False)
    qtbot.waitUntil(lambda: row_of(app, former) >= 0)
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    rows.setCurrentIndex(model.index(row_of(app, former) - 1))
    QTest.keyClick(rows, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).price == "Opens at once")
    assert rows.accessibleDescription().startswith("weather")


def row_of(app: App, row_id: str) -> int:
    return next((at for at, row in enumerate(app.library.conversation_model.rows) if row.id == row_id), -1)


def _green(window: MainWindow, rows: ConversationList, place: QRect) -> int:
    """Pixels of the accent at the right end of a row."""
    image = picture(rows.viewport()).copy(place.right() - 44, place.top(), 44, place.height())
    return count(image, LIGHT.accentgfx)


def test_a_row_of_the_outline_tells_its_price(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    if not forked.branches.isVisible():
        forked.do("branches")
    tree, model = forked.branches.tree, app.branches.model
    qtbot.waitUntil(lambda: tree.isVisible() and len(list(model.rows)) == 3)
    rows = {model.row(node).words: model.index_of(node.id) for node in model.rows}
    closed, opened = rows["And the weather?"], rows["And the news of today?"]
    rest(tree.viewport(), tree.visualRect(closed).center())
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).parts is not None)
    found = card(forked)
    assert found is not None
    assert (found.title, found.price) == ("“And the weather?”", "Opens at once")
    rest(tree.viewport(), tree.visualRect(opened).center())
    assert card(forked) is None
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(opened)
    assert card(forked) is None
    qtbot.keyClick(tree, Qt.Key.Key_Up)
    found = card(forked)
    assert found is not None
    assert found.title == model.row_of(tree.row_id).title  # type: ignore[union-attr]


def test_every_key_that_moves_in_the_outline_tells_the_price_of_the_row_it_comes_to(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    for words in ("And the day after?", "And the year?"):
        app.chat.open_draft.begin_edit(None)
        ask(qtbot, app, words)
    app.chat.open_branch.select_version(None, -1)  # the last row, which is open, has no price
    forked.inspector.show_pane("branches")
    tree, model = forked.branches.tree, app.branches.model
    qtbot.waitUntil(lambda: tree.isVisible() and len(list(model.rows)) == 5)
    qtbot.waitUntil(lambda: not model.row(model.rows[-1]).is_open)
    keys = (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_End)
    came_to: set[Qt.Key] = set()
    for start in [node.id for node in model.rows][1:]:  # above the first one is the filter
        for key in keys:
            tree.setFocus(Qt.FocusReason.TabFocusReason)
            tree.setCurrentIndex(model.index_of(start))
            QTest.keyClick(tree, key)
            found, row = card(forked), model.row_of(tree.row_id)
            assert row is not None
            assert ("" if found is None else found.title) == ("" if row.is_open else row.title), key
            came_to |= {key} if found is not None else set()
    assert came_to >= {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


def test_the_button_that_warms_a_row_up_tells_what_that_costs(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.tells_edges = True
    ask(qtbot, app, "How are you?")
    window.inspector.show_pane("cache")
    qtbot.waitUntil(lambda: app.edges._along().priced.known > 2)
    view = app.cache.view
    app.cache.take(TrieChanged(replace(view, nodes=(replace(view.nodes[0], residency="none", bytes=0),))))
    window.cache.tree.come_to(view.nodes[0].id, is_chosen=True)
    button = window.cache.row_actions.free_button
    qtbot.waitUntil(lambda: window.cache.row_actions.is_to_warm_up and app.edges.chosen_branch is not None)
    rest(button, button.rect().center())
    qtbot.waitUntil(lambda: card(window) is not None)
    told = card(window)
    assert told is not None
    assert told.title.startswith("prompt")
    assert told.place == "after 2\u00a0messages"
    leave(button)
    assert card(window) is None
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: card(window) is not None)


def lit_by(window: MainWindow) -> tuple[str, bool]:
    """The title of the card that is shown, and whether rows are lit for it."""
    found = card(window)
    return (found.title if found is not None else "", bool(window.cache.tree.lit))


def test_a_row_that_is_chosen_tells_its_price_and_is_lit(
    qtbot: QtBot, forked: MainWindow, app: App, script: Script
) -> None:
    """By a click and by keys, once for each choice; not a row that comes to be the current one by itself."""
    script.tells_edges = True
    forked.inspector.show_pane("cache")
    app.cache.take(TrieChanged(replace(app.cache.view, disk_problem="all is asked again")))
    app.chat.warmth.take(TrieChanged(app.cache.view))
    app.chat.branch_costs.renew()
    former = app.library.tree.siblings(app.chat.chat_model.rows[2].id)[0].id
    leaf, home = app.library.tree.leaf_below(former) or "", app.library.open_id
    qtbot.waitUntil(lambda: app.chat.warmth.edge_of(leaf, home) > 0)
    tree, model = forked.cache.tree, app.cache_rows.trie_model
    qtbot.waitUntil(lambda: len(model.shown.nodes) == 3 and app.edges._along().priced.known > 2)
    rows = [node.id for node in model.shown.nodes][1:]  # the first is of a prompt that others begin with
    tree.come_to(rows[0], is_chosen=True)
    qtbot.waitUntil(lambda: app.edges.chosen_branch is not None)
    qtbot.waitUntil(lambda: lit_by(forked) == ("", False))
    for at, move in ((1, Qt.Key.Key_Down), (0, Qt.Key.Key_Up)):
        tree.setFocus(Qt.FocusReason.OtherFocusReason)
        qtbot.keyClick(tree, move)
        title = title_of(next(node for node in model.shown.nodes if node.id == rows[at]))
        qtbot.waitUntil(lambda title=title: lit_by(forked) == (title, True))
        assert tree.accessibleDescription().startswith(title)
    qtbot.keyClick(tree, Qt.Key.Key_Control)
    qtbot.waitUntil(lambda: lit_by(forked) == ("", False))
    place = tree.visualRect(model.index_of(rows[1])).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: lit_by(forked)[1])
    forked.chat.composer.edit.setFocus()
    qtbot.waitUntil(lambda: lit_by(forked) == ("", False))


def test_at_a_version_in_the_middle_the_keyboard_is_told_both_ways(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And what of tomorrow?")
    app.chat.open_branch.select_version(None, -1)
    qtbot.waitUntil(lambda: (switcher_of(forked, app) or VersionSwitcher(forked._style)).text == "2 of 3")
    switcher = switcher_of(forked, app)
    assert switcher is not None
    switcher.setFocus(Qt.FocusReason.TabFocusReason)
    both = "3 of 3, opens at once; 1 of 3: opens at once"
    qtbot.waitUntil(lambda: both in switcher.accessibleDescription())
    found = card(forked)
    assert found is not None
    assert (found.place, found.price, found.beside) == ("3 of 3", "Opens at once", "1 of 3: opens at once")
    QTest.keyClick(switcher, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: (switcher_of(forked, app) or switcher).text == "1 of 3")
    qtbot.waitUntil(lambda: (card(forked) or PriceCard("", "", "")).place == "2 of 3")
    assert (card(forked) or PriceCard("", "", "")).beside == ""


def test_the_rows_that_a_price_speaks_of_are_lit_in_the_cache_pane(
    qtbot: QtBot, forked: MainWindow, app: App, script: Script
) -> None:
    """The fake's trie has an edge to each prompt: the first branch goes along the second of them."""
    script.tells_edges = True
    app.chat.warmth.follow_model()
    forked.inspector.show_pane("cache")
    app.cache.take(TrieChanged(replace(app.cache.view, disk_problem="all is asked again")))
    app.chat.warmth.take(TrieChanged(app.cache.view))
    versions = app.library.tree.siblings(app.chat.chat_model.rows[2].id)
    leaf, home = app.library.tree.leaf_below(versions[0].id) or "", app.library.open_id
    qtbot.waitUntil(lambda: app.chat.warmth.edge_of(leaf, home) > 0)
    switcher = switcher_of(forked, app)
    assert switcher is not None
    assert not forked.cache.tree.lit
    rest(switcher, switcher.arrow(-1).center())
    qtbot.waitUntil(lambda: forked.cache.tree.lit == {app.chat.warmth.edge_of(leaf, home)})
    leave(switcher)
    qtbot.waitUntil(lambda: not forked.cache.tree.lit)


@pytest.mark.parametrize("width", [880, 1100, 1440])
def test_the_card_covers_no_other_pane_where_its_own_is_wide_enough(
    qtbot: QtBot, forked: MainWindow, app: App, width: int
) -> None:
    """So that the rows that a price lights in the Cache pane are seen beside it."""
    forked.resize(width, 700)
    qtbot.waitUntil(lambda: switcher_of(forked, app) is not None)
    for step in (-1, 1):
        switcher = switcher_of(forked, app)
        assert switcher is not None
        if not switcher.can_step(step):
            continue
        rest(switcher, switcher.arrow(step).center())
        qtbot.waitUntil(lambda: card(forked) is not None)
        popover = forked.prices.hover.popover
        box = popover.box.translated(popover.pos())
        chat = QRect(forked.chat.mapTo(forked, QPoint(0, 0)), forked.chat.size())
        assert chat.left() <= box.left()
        assert box.right() <= chat.right() + 1
        leave(switcher)


def test_the_status_line_tells_what_warming_up_costs_while_the_menu_is_at_it(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, app, "How are you?")
    entry = window.menus.actions["warm_up"]
    qtbot.waitUntil(lambda: entry.toolTip().startswith("Opens at once. "))
    app.catch_up()
    line = window.chat.status_line
    before = picture(line)
    entry.hover()
    assert picture(line) != before
    window.menus.pointedAt.emit("")
    assert picture(line) == before
