"""Several windows on different conversations of one store and one engine: how they open, close, and come back."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.main import Program
from app.viewmodels.app import App
from app.viewmodels.lanes.lanes import Lanes
from app.viewmodels.windows import Windows
from app.widgets.jump.jump_panel import JumpPanel
from app.widgets.models.models_window import ModelsWindow
from app.widgets.preferences.preferences_window import PreferencesWindow
from app.widgets.window import main_windows
from app.widgets.window.main_window import MainWindow
from app.widgets.window.main_windows import cascaded
from tests.fakes.engine import Script

FREE = QRect(0, 20, 1600, 1000)


@pytest.fixture(autouse=True)
def _look(qapp: QApplication) -> Iterator[None]:
    """The palette and the font as they were before the program chose its own."""
    palette, font = qapp.palette(), qapp.font()
    yield
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.fixture
def program(qtbot: QtBot, make_program: Callable[..., Program]) -> Program:
    program = make_program()
    qtbot.waitUntil(lambda: is_ready(program))
    return program


def is_ready(program: Program) -> bool:
    return program.app.state.now.activity.text.startswith("Ready")


def windows_of(program: Program) -> Windows:
    return program._windows


def another(qtbot: QtBot, program: Program) -> MainWindow:
    """Open one more window, and wait until the keyboard is in it."""
    before = program.windows.all
    windows_of(program).open()
    (opened,) = set(program.windows.all) - set(before)
    qtbot.waitUntil(opened.isActiveWindow)
    return opened


def ask_without_end(qtbot: QtBot, program: Program, script: Script, window: MainWindow, text: str) -> None:
    """Ask in a window, and wait until an answer is written that does not end."""
    script.hold = 1
    window.chat.composer.edit.setPlainText(text)
    window.do("send")
    qtbot.waitUntil(program.workspace.answering.is_writing)


def press(keys: str) -> None:
    """Type letters, or the keys of a command, into whichever window has the keyboard."""
    active = QGuiApplication.focusWindow()
    assert active is not None
    if "+" not in keys:
        for letter in keys:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                event = QKeyEvent(kind, ord(letter.upper()), Qt.KeyboardModifier.NoModifier, letter)
                QCoreApplication.sendEvent(active, event)
    else:
        combination = QKeySequence(keys)[0]
        QTest.keyClick(active, combination.key(), combination.keyboardModifiers())


def send_deletions() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def ask(qtbot: QtBot, window: MainWindow, text: str) -> None:
    """Type a question into a window, and wait for its answer."""
    window.chat.composer.edit.setPlainText(text)
    window.do("send")
    rows = window._app.chat.chat_model
    qtbot.waitUntil(lambda: [row.text for row in rows.rows][-1:] == [f"You said: {text}"])
    qtbot.waitUntil(lambda: window._app.state.now.activity.text.startswith("Ready"))


def titles(program: Program) -> list[str]:
    return sorted(window.windowTitle() for window in program.windows.all)


@pytest.mark.parametrize(
    ("front", "at"),
    [
        (QRect(100, 100, 900, 600), (122, 122)),
        (QRect(690, 100, 900, 600), (0, 122)),
        (QRect(100, 410, 900, 600), (122, 20)),
        (QRect(0, 20, 1600, 1000), (0, 20)),
    ],
)
def test_a_new_window_lies_a_step_beside_the_front_one_and_on_the_screen(front: QRect, at: tuple[int, int]) -> None:
    assert cascaded(front, FREE) == QPoint(*at)


def test_a_new_window_is_like_the_front_one(qtbot: QtBot, program: Program) -> None:
    first = program.window
    first.resize(880, 580)
    first.move(40, 50)
    first.do("sidebar")
    first.inspector.show_pane("map")
    second = another(qtbot, program)
    assert second.size() == first.size()
    assert second.pos() == cascaded(first.frameGeometry(), first.screen().availableGeometry())
    assert not second.sides.is_shown("sidebar")
    assert second.state().pane == "map"
    assert program.window is second
    first.do("zoom")
    third = another(qtbot, program)
    assert not third.isMaximized()


def test_keys_go_to_the_window_that_is_active(qtbot: QtBot, program: Program) -> None:
    first, second = program.window, another(qtbot, program)
    qtbot.waitUntil(second.chat.composer.edit.hasFocus)
    press("Pears?")
    first.activateWindow()
    qtbot.waitUntil(lambda: program.window is first and first.chat.composer.edit.hasFocus())
    press("Apples?")
    assert first.chat.composer.edit.toPlainText() == "Apples?"
    assert second.chat.composer.edit.toPlainText() == "Pears?"
    sides = second.sides.is_shown("sidebar")
    press(first._app.keys.actions["sidebar"].keys[0])
    assert first.sides.is_shown("sidebar") is not sides
    assert second.sides.is_shown("sidebar") is sides


def test_only_the_window_that_is_closed_goes_and_what_was_asked_in_it_goes_on(
    qtbot: QtBot, program: Program, script: Script
) -> None:
    first, second = program.window, another(qtbot, program)
    program.settings.update(asks_to_quit=True)
    ask_without_end(qtbot, program, script, second, "Pears?")
    home = second._app.library.open_id
    press("Ctrl+W")
    assert first.isVisible()
    assert program.windows.all == (first,)
    assert not first.findChildren(QMessageBox), "closing one of several asks nothing"
    send_deletions()
    assert not isValid(second)
    script.go.set()
    qtbot.waitUntil(lambda: not program.workspace.answering.is_writing())
    first._app.library.open(home)
    qtbot.waitUntil(lambda: [row.text for row in first._app.chat.chat_model.rows] == ["Pears?", "You said: Pears?"])
    assert [state.number for state in program.settings.values.windows] == [1]


def test_the_last_window_ends_the_program_and_comes_back(qtbot: QtBot, make_program: Callable[..., Program]) -> None:
    program = make_program()
    qtbot.waitUntil(lambda: is_ready(program))
    ask(qtbot, program.window, "Pears?")
    window = program.window
    assert window.close()
    assert program.windows.all == (window,)
    again = make_program()
    qtbot.waitUntil(lambda: len(again.app.chat.chat_model.rows) == 2)


def three_windows(qtbot: QtBot, program: Program) -> None:
    """Ask in two windows, leave words unsent in a third, and go back to the second."""
    ask(qtbot, program.window, "Apples?")
    program.window.resize(880, 570)
    second = another(qtbot, program)
    ask(qtbot, second, "Pears?")
    second.resize(880, 600)
    second.inspector.show_pane("map")
    third = another(qtbot, program)
    third.chat.composer.edit.setPlainText("Plu")
    third.do("sidebar")
    second.activateWindow()
    qtbot.waitUntil(lambda: program.window is second)


def check_three_windows(qtbot: QtBot, program: Program) -> None:
    """What `three_windows` left is there, with the same window in front."""
    assert len(program.windows.all) == 3
    qtbot.waitUntil(lambda: titles(program) == ["Apples?", "New conversation", "Pears?"])
    by_title = {window.windowTitle(): window for window in program.windows.all}
    first, second, third = by_title["Apples?"], by_title["Pears?"], by_title["New conversation"]
    qtbot.waitUntil(lambda: third.chat.composer.edit.toPlainText() == "Plu")
    assert [row.text for row in second._app.chat.chat_model.rows] == ["Pears?", "You said: Pears?"]
    assert [one.height() for one in (first, second)] == [570, 600]
    assert [one.sides.is_shown("sidebar") for one in (first, second, third)] == [True, True, False]
    assert second.state().pane == "map"
    qtbot.waitUntil(lambda: program.window is second)


def test_all_windows_come_back_after_quitting(qtbot: QtBot, make_program: Callable[..., Program]) -> None:
    program = make_program()
    qtbot.waitUntil(lambda: is_ready(program))
    three_windows(qtbot, program)
    assert program.windows.quit()
    again = make_program()
    check_three_windows(qtbot, again)
    again.settings.update(start_with="new")
    blank = make_program()
    assert len(blank.windows.all) == 1, "who begins with a new conversation has one window"
    qtbot.waitUntil(lambda: is_ready(blank))
    assert blank.app.chat.state.now.is_empty


def test_all_windows_come_back_after_a_kill(
    qtbot: QtBot,
    make_program: Callable[..., Program],
    data_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(main_windows, "SAVED_EVERY_MS", 20)
    program = make_program()
    qtbot.waitUntil(lambda: is_ready(program))
    three_windows(qtbot, program)
    qtbot.waitUntil(lambda: [one.number for one in program.settings.values.windows] == [2, 1, 3])
    qtbot.waitUntil(lambda: program.settings.values.windows[0].pane == "map")
    program.workspace.answering.view_states.save()
    program.workspace.store.drain()
    copytree(data_folder, tmp_path / "as it was")
    check_three_windows(qtbot, make_program(tmp_path / "as it was"))


def test_a_closed_window_is_freed(qtbot: QtBot, program: Program) -> None:
    first = program.window
    ask(qtbot, first, "Apples?")
    for verb in ("compare", "jump", "preferences", "models", "find", "about"):
        second = another(qtbot, program)
        ask(qtbot, second, f"Pears with {verb}?")
        second.do(verb)
        kept = [weakref.ref(second), weakref.ref(second._app), weakref.ref(second.chat), weakref.ref(second.map)]
        second.close()
        del second
        program.workspace.store.drain()  # which a window stays for that has asked it something
        QApplication.processEvents()
        send_deletions()
        gc.collect()
        assert [one() for one in kept] == [None] * len(kept), verb
    for child in program.workspace.findChildren(App):
        assert child is first._app
    program.settings.update(body_size=15)
    first.do("bigger")
    ask(qtbot, first, "Plums?")


def close_on_three_answers(qtbot: QtBot, program: Program, script: Script) -> tuple[str, weakref.ref[Lanes]]:
    """Close a window in which three answers are written; return their conversation, and what showed them."""
    window = another(qtbot, program)
    app = window._app
    app.chat.requests.choose_count(3)
    ask_without_end(qtbot, program, script, window, "Why?")
    qtbot.waitUntil(lambda: app.lanes.state.now.is_open and window.chat.lanes is not None)
    window.close()
    return app.library.open_id, weakref.ref(app.lanes)


def test_a_window_that_is_closed_while_several_answers_are_written_is_freed_and_they_go_on(
    qtbot: QtBot, program: Program, script: Script
) -> None:
    conversation_id, gone = close_on_three_answers(qtbot, program, script)
    script.hold = None
    script.go.set()
    qtbot.waitUntil(lambda: not program.workspace.answering.is_writing())
    qtbot.wait(600)  # twice as long as figures are told again
    send_deletions()
    gc.collect()
    assert gone() is None or not isValid(gone())
    program.app.library.open(conversation_id)
    qtbot.waitUntil(lambda: len(program.app.chat.chat_model.rows) == 2)
    tree = program.app.library.tree
    assert len(tree.siblings(tree.leaf_id or "")) == 3


def test_settings_hold_in_all_windows_at_once(qtbot: QtBot, program: Program) -> None:
    first, second = program.window, another(qtbot, program)
    second.do("bigger")
    program.settings.update(keys={"new": "F5"}, budget="2 GB")
    for window in (first, second):
        assert window.sidebar.new_button.toolTip() == "New Conversation (F5)"
        assert window.chat.composer.edit.font().pointSizeF() == first.chat.composer.edit.font().pointSizeF()
    assert program.style.typography.body == program.settings.values.body_size == 15


@pytest.mark.parametrize(("verb", "kind"), [("preferences", PreferencesWindow), ("models", ModelsWindow)])
def test_the_settings_and_the_models_are_there_once_for_all_windows(
    qtbot: QtBot, program: Program, verb: str, kind: type[PreferencesWindow] | type[ModelsWindow]
) -> None:
    def shown() -> list[PreferencesWindow | ModelsWindow]:
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()]

    first, second = program.window, another(qtbot, program)
    second.do(verb)
    (dialog,) = shown()
    dialog.move(300, 200)
    qtbot.waitUntil(dialog.isActiveWindow)
    first.activateWindow()
    qtbot.waitUntil(first.isActiveWindow)
    first.do(verb)
    assert shown() == [dialog]
    qtbot.waitUntil(dialog.isActiveWindow)
    second.close()
    send_deletions()
    (later,) = shown()
    assert later.parent() is first
    assert later.pos() == QPoint(300, 200)
    later.close()
    send_deletions()
    assert shown() == []


def test_a_new_window_is_opened_by_its_key(qtbot: QtBot, program: Program) -> None:
    first = program.window
    qtbot.waitUntil(first.isActiveWindow)
    press("Ctrl+Alt+N")
    qtbot.waitUntil(lambda: program.window is not first)
    second = program.window
    qtbot.waitUntil(second.chat.composer.edit.hasFocus)
    assert second._app.chat.state.now.is_empty
    press("Ctrl+Alt+N")
    qtbot.waitUntil(lambda: len(program.windows.all) == 3)
    assert [app.number for app in windows_of(program).apps] == [1, 2, 3]


def test_a_conversation_is_moved_into_a_window_of_its_own(qtbot: QtBot, program: Program) -> None:
    first = program.window
    assert not first.menus.actions["open_in_new_window"].isEnabled(), "nothing was said yet"
    ask(qtbot, first, "Pears?")
    home = first._app.library.open_id
    first.do("open_in_new_window")
    qtbot.waitUntil(lambda: program.window is not first)
    second = program.window
    qtbot.waitUntil(lambda: second.windowTitle() == "Pears?")
    assert (second._app.library.open_id, first._app.chat.state.now.is_empty) == (home, True)
    open_from_the_menu(qtbot, first, home)
    qtbot.waitUntil(second.isActiveWindow)
    assert len(program.windows.all) == 2, "the window that has it comes forward"
    second._app.library.new_conversation()
    open_from_the_menu(qtbot, first, home)
    qtbot.waitUntil(lambda: program.window.windowTitle() == "Pears?")
    assert len(program.windows.all) == 3


def open_from_the_menu(qtbot: QtBot, window: MainWindow, conversation_id: str) -> None:
    """Choose the entry in the menu of a conversation's row."""
    row = next(row for row in window._app.library.conversation_model.rows if row.id == conversation_id)
    window.sidebar.list.menuAsked.emit(row, QPoint())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(entry for entry in menu.actions() if entry.text() == "Open in New Window").trigger()
    menu.close()


def test_a_jump_leads_into_a_new_window_with_the_option_key(qtbot: QtBot, program: Program) -> None:
    first = program.window
    ask(qtbot, first, "Quinces?")
    home, message = first._app.library.open_id, first._app.library.tree.path[0].id
    first._app.library.changes.make(lambda store: store.messages.name_branch(message, "the golden branch"))
    first._app.library.new_conversation()
    jump(qtbot, first, "quinces")
    qtbot.waitUntil(lambda: program.window is not first and program.window.windowTitle() == "Quinces?")
    assert first._app.library.open_id != home
    program.window.close()
    send_deletions()
    jump(qtbot, first, "golden")
    qtbot.waitUntil(lambda: program.window is not first and program.window.windowTitle() == "Quinces?")
    reached = program.window
    qtbot.waitUntil(lambda: reached.chat.view.currentIndex().row() == 0)
    jump(qtbot, first, "new conversation")
    assert len(program.windows.all) == 2, "a command is carried out where it was chosen"


def jump(qtbot: QtBot, window: MainWindow, words: str) -> None:
    """Type where to go in a window, and press Return with the Option key."""
    window.activateWindow()
    window.do("jump")
    panel = window._jumps.panel
    assert isinstance(panel, JumpPanel)
    qtbot.waitUntil(panel.isVisible)
    window._app._store.drain()
    qtbot.keyClicks(panel.field, words)
    qtbot.waitUntil(lambda: not panel._jump._work.is_running and bool(panel._jump.rows.rows))
    qtbot.keyClick(panel.field, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)


def test_a_question_belongs_to_the_window_in_which_it_was_asked(qtbot: QtBot, program: Program) -> None:
    first, second = program.window, another(qtbot, program)
    second.do("open_model")
    assert not first.findChildren(QFileDialog)
    (dialog,) = second.findChildren(QFileDialog)
    dialog.close()


def test_what_is_said_to_a_screen_reader_is_said_in_the_front_window_alone(
    qtbot: QtBot, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[MainWindow, str]] = []
    monkeypatch.setattr(MainWindow, "announce", lambda self, text: said.append((self, text)))
    first, second = program.window, another(qtbot, program)
    third = another(qtbot, program)
    assert third is program.window
    second.activateWindow()
    qtbot.waitUntil(lambda: program.window is second)
    said.clear()
    program.workspace.notices.announce("Answer stopped")
    assert said == [(second, "Answer stopped")]
    second.close()
    assert not first.isMinimized()
    program.workspace.notices.announce("Again")
    assert [text for _window, text in said] == ["Answer stopped", "Again"]


def test_what_was_done_in_a_window_is_told_there_alone_and_what_is_wrong_in_all(qtbot: QtBot, program: Program) -> None:
    """A notice takes room from the chat: nobody who reads in another window is to be moved by it."""
    first, second = program.window, another(qtbot, program)
    notices = program.workspace.notices

    def told() -> list[str]:
        return [one.chat.banner.accessibleName() for one in (first, second)]

    for tell in (notices.info, notices.refuse):
        tell("It was done, or not")
        assert told() == ["", "It was done, or not"]
        assert first.chat.banner.isHidden()
    notices.show_progress("Writing", lambda: None)
    assert told() == ["", "Writing"]
    first.activateWindow()
    qtbot.waitUntil(lambda: windows_of(program).front is first._app)
    notices.show_progress("Writing 4 %", lambda: None)
    assert told() == ["", "Writing 4 %"]
    notices.show_progress("", lambda: None)
    notices.warn("The disk is full")
    assert told() == ["The disk is full"] * 2
    second.chat.banner.close_button.click()
    assert told() == ["", ""]


def test_a_conversation_that_another_window_shows_brings_that_window_forward(qtbot: QtBot, program: Program) -> None:
    first = program.window
    ask(qtbot, first, "Pears?")
    second = another(qtbot, program)
    first.showMinimized()
    second._app.library.open(first._app.library.open_id)
    qtbot.waitUntil(lambda: program.window is first)
    assert not first.isMinimized()
    assert first.isActiveWindow()


def place_of(window: MainWindow, conversation_id: str) -> QPoint:
    """The middle of a conversation's row in the sidebar."""
    listed, model = window.sidebar.list, window._app.library.conversation_model
    return listed.visualRect(model.index(model.row_of(conversation_id))).center()


def test_what_another_window_shows_comes_forward_for_a_whole_click_and_can_be_dragged(
    qtbot: QtBot, program: Program
) -> None:
    first = program.window
    ask(qtbot, first, "Pears?")
    shown = first._app.library.open_id
    second = another(qtbot, program)
    listed, here = second.sidebar.list, second._app.library.open_id
    at, left = place_of(second, shown), Qt.MouseButton.LeftButton
    QTest.mousePress(listed.viewport(), left, pos=at)
    assert second.isActiveWindow()
    QTest.mouseRelease(listed.viewport(), left, pos=place_of(second, here))  # where it was not pressed
    assert second.isActiveWindow()
    assert listed.row is not None
    assert listed.row.id == here
    QTest.mouseClick(listed.viewport(), left, pos=at)
    qtbot.waitUntil(first.isActiveWindow)
    assert listed.row.id == second._app.library.open_id == here


def test_keys_lead_past_what_another_window_shows_and_space_brings_it_forward(qtbot: QtBot, program: Program) -> None:
    first = program.window
    for words in ("Pears?", "Plums?", "Quinces?"):
        ask(qtbot, first, words)
        first._app.library.new_conversation()
    rows = [row.id for row in first._app.library.conversation_model.rows if row.can_change][:3]
    first._app.library.open(rows[1])
    qtbot.waitUntil(lambda: first._app.library.open_id == rows[1])
    second = another(qtbot, program)
    listed, library = second.sidebar.list, second._app.library
    library.open(rows[0])
    qtbot.waitUntil(lambda: listed.row is not None and listed.row.id == rows[0])
    listed.setFocus()
    QTest.keyClick(listed, Qt.Key.Key_Down)
    assert listed.row is not None
    assert (listed.row.id, library.open_id) == (rows[1], rows[0])
    QTest.qWait(0)
    assert second.isActiveWindow()
    QTest.keyClick(listed, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: library.open_id == rows[2])
    assert second.isActiveWindow()
    QTest.keyClick(listed, Qt.Key.Key_Up)
    QTest.keyClick(listed, Qt.Key.Key_Space)
    qtbot.waitUntil(first.isActiveWindow)
    assert library.open_id == rows[2]


def test_paths_from_outside_are_opened_in_the_front_window(qtbot: QtBot, program: Program, tmp_path: object) -> None:
    first, second = program.window, another(qtbot, program)
    told: list[str] = []
    first.documentOpened.connect(lambda path: told.append(f"first {path}"))
    second.documentOpened.connect(lambda path: told.append(f"second {path}"))
    document = f"{tmp_path}/talk.json"
    with open(document, "w", encoding="utf-8") as file:
        file.write("{}")
    program._open_for_another((document,))
    first.activateWindow()
    qtbot.waitUntil(lambda: program.window is first)
    second.showMinimized()
    program._open_for_another((document,))
    assert told == [f"second {document}", f"first {document}"]
    assert second.isMinimized()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(document)])
    at, buttons = QPointF(second.sidebar.rect().center()), Qt.MouseButton.LeftButton
    second.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, data, buttons, Qt.KeyboardModifier.NoModifier))
    assert told[2:] == [f"second {document}"], "what is dropped belongs to the window under the mouse"


def test_the_menu_lists_all_windows_with_the_active_one_marked(qtbot: QtBot, program: Program) -> None:
    first = program.window
    ask(qtbot, first, "Pears?")
    second = another(qtbot, program)
    ask(qtbot, second, "Apples?")
    for menu in (first.menus.window, second.menus.window):
        menu.aboutToShow.emit()
        entries = menu.actions()
        last = max(number for number, entry in enumerate(entries) if entry.isSeparator())
        assert [(one.text(), one.isChecked()) for one in entries[last + 1 :]] == [("Apples?", True), ("Pears?", False)]
    entry = next(one for one in second.menus.window.actions() if one.text() == "Pears?")
    entry.trigger()
    qtbot.waitUntil(lambda: program.window is first)


def test_quitting_asks_once_in_the_front_window_where_an_answer_would_be_cut_off(
    qtbot: QtBot, program: Program, script: Script
) -> None:
    first, second = program.window, another(qtbot, program)
    program.settings.update(asks_to_quit=True)
    ask_without_end(qtbot, program, script, first, "A long one")
    second.menus.quit.trigger()
    assert not program.windows.quit()
    (box,) = [*first.findChildren(QMessageBox), *second.findChildren(QMessageBox)]
    assert box.parent() is second
    assert box.text() == "Quit while an answer is being written?"
    box.reject()
    send_deletions()
    assert first.isVisible()
    second.close()
    send_deletions()
    assert not first.close(), "the last window ends the program"
    (box,) = first.findChildren(QMessageBox)
    next(button for button in box.buttons() if button.text() == "Quit").click()
    assert not first.isVisible()


@pytest.mark.parametrize("is_wanted", [True, False])
def test_nothing_is_asked_without_an_answer_under_way_or_without_a_wish(
    qtbot: QtBot, program: Program, script: Script, is_wanted: bool
) -> None:
    another(qtbot, program)
    program.settings.update(asks_to_quit=is_wanted)
    if not is_wanted:
        ask_without_end(qtbot, program, script, program.window, "A long one")
    assert program.windows.quit()
    assert not any(window.isVisible() for window in program.windows.all)
    assert [state.number for state in program.settings.values.windows] == [2, 1]


def test_whoever_ends_the_program_from_outside_is_asked_nothing(qtbot: QtBot, program: Program, script: Script) -> None:
    another(qtbot, program)
    program.settings.update(asks_to_quit=True)
    ask_without_end(qtbot, program, script, program.window, "A long one")
    program.windows.end()
    assert not any(window.isVisible() for window in program.windows.all)


def test_a_window_is_no_larger_than_its_screen_where_it_can_be_as_small(qtbot: QtBot, program: Program) -> None:
    free, first = program.window.screen().availableSize(), program.window
    assert free.width() < first.minimumWidth(), "a screen as small as that of tests on a machine without one"
    first_size = first.frameSize()
    first.resize(free.width() + 200, free.height() + 200)
    second = another(qtbot, program)
    for window, size in ((first, first_size), (second, second.frameSize())):
        assert size.height() <= free.height()
        assert size.width() - 10 <= window.minimumWidth()
