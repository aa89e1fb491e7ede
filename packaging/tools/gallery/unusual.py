"""What seldom happens: a crash, too little memory, a model that is not there; and several of a thing at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QPoint
from PySide6.QtWidgets import QApplication

from app.conversation.faults import Fault, store_error
from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.model import model_cards
from app.viewmodels.windows import Windows
from app.widgets.sidebar.trash_box import TrashBox
from app.widgets.window.main_window import MainWindow
from tools.gallery.waiting import wait

MISSING = "/Users/ana/Models/Phi-4"
DATABASE = Path("/Users/ana/Library/Application Support/Espalier/conversations.db")


def is_reason_told(app: App) -> bool:
    """Return whether the Cache pane says why the open path is cold."""
    return bool(app.edges.state.now.cold)


def open_what_is_missing(app: App, window: MainWindow) -> None:
    """Open a model that is not there; the one in use stays."""
    app.model.open(MISSING)


def crash(app: App, window: MainWindow) -> None:
    """Be told that the last run crashed."""
    app.workspace.tell_ended_badly(has_crashed=True, reopens=True)


def run_short_of_memory(app: App, window: MainWindow) -> None:
    """Be short of memory, as the system tells it."""
    app.cache.take_memory_pressure(4)


def fail_engine(app: App, window: MainWindow) -> None:
    """Have the engine meet what nobody foresaw."""
    sentence = "Your conversations are safe. Restart the engine to go on. (RuntimeError: the device was lost)"
    app.model.tell_failure(Problem("The engine stopped", sentence))


def lack_memory(app: App, window: MainWindow) -> None:
    """Have a model be too large for the machine, with no other in use."""
    sentence = (
        "Its weights need 48 GB, and this machine can give them 26 GB. Choose a smaller model, or one with fewer bits."
    )
    problem = Problem("Not enough memory for this model", sentence)
    app.model._show_card(model_cards.model_failed(problem, MISSING, is_guide=False))


def lose_data(app: App, window: MainWindow) -> None:
    """Have the file of the conversations be moved away while the program runs."""
    app.notices.keep_telling(store_error(Fault.GONE, DATABASE).problem)


def fill_disk(app: App, window: MainWindow) -> None:
    """Have no answer be saved any more, for want of room."""
    app.notices.keep_telling(store_error(Fault.FULL, DATABASE).problem)


def pin_message(app: App, window: MainWindow) -> None:
    """Have the branch be pinned down to its last answer."""
    tree = app.library.tree
    message = tree.path[-1]
    app._store.do(lambda store: store.messages.pin(message.id, True))
    tree.replace(replace(message, is_pinned=True))
    app.library.moved.emit(app.library.open_id)


def show_trash(app: App, window: MainWindow) -> None:
    """Delete a conversation and look for it."""
    app.library.edits.delete_conversation(app.library.open_id)
    window.do("trash")


def trash(window: MainWindow) -> TrashBox:
    """Return the window of the trash."""
    (found,) = window.findChildren(TrashBox)
    return found


def prune(app: App, window: MainWindow) -> None:
    """Want all branches gone but one."""
    window.do("prune")


def find_everywhere(app: App, window: MainWindow) -> None:
    """Look for a word in all conversations."""
    window.sidebar.field.setText("train")


def is_found(app: App) -> bool:
    """Return whether the places are listed."""
    return bool(app.library.search.rows.rows)


def select_several(app: App, window: MainWindow) -> None:
    """Select some conversations of the sidebar."""
    shown = window.sidebar.list
    shown.pick_all()
    flags = QItemSelectionModel.SelectionFlag
    for row in range(3, shown.model().rowCount()):
        shown.selectionModel().select(shown.model().index(row, 0), flags.Deselect)


def write_drafts(app: App, window: MainWindow) -> None:
    """Write into the composers of two conversations, and send neither."""
    window.chat.composer.edit.insertPlainText("And what would it cost in spring?")
    other = next(one.id for one in app.library.library.conversations if one.title == "Letter to the landlord")
    app.library.open(other)
    wait("the other one is open", lambda: app.library.open_id == other and bool(app.chat.chat_model.rows))
    window.chat.composer.edit.insertPlainText("Shorter, and ask for a date.\n\nThe boiler has been cold since Monday.")


def open_group(app: App, window: MainWindow) -> None:
    """Show the versions of a group in the map one by one."""
    window.do("map")
    wait("the map is there", lambda: window.map.view is not None and not window.map.view.is_busy)
    view = window.map.view
    assert view is not None
    window.map.larger.click()
    window.map.larger.click()
    wait("the groups are open", lambda: not view.is_busy and any(item.is_open for item in view.items))
    view.go_to_open_run()


def open_another_window(app: App, window: MainWindow) -> None:
    """Open a second window on another conversation."""
    windows = next(one for one in app.workspace.children() if isinstance(one, Windows))
    other = windows.open()
    shown = MainWindow(window._style, other, WindowState())
    shown.resize(1000, 700)
    shown.move(window.pos() + QPoint(22, 22))
    shown.show()
    letter = next(one.id for one in other.library.library.conversations if one.title == "Parser review, Rust")
    other.library.open(letter)
    wait("the second window shows it", lambda: other.library.open_id == letter and bool(other.chat.chat_model.rows))


def second(window: MainWindow) -> MainWindow:
    """Return the window that was opened last."""
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one is not window)
