"""Copying with real keys and the mouse: a message, a selection over several, a branch; as text and as Markdown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.text.formatting import HARD
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.window.test_main_window import ask

TABLE = "Some **bold** words:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```"
AS_TEXT = "Some bold words:\n\n- one\n- two\n\na\tb\n1\t2\n\nx = 1"


def copied(window: MainWindow, command: str) -> str:
    QGuiApplication.clipboard().setText("")
    window.do(command)
    for _ in range(200):
        if QGuiApplication.clipboard().text():
            break
        QApplication.processEvents()
    return QGuiApplication.clipboard().text()


def test_a_message_is_copied_as_text_and_as_markdown(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["q"] = TABLE
    ask(qtbot, window, app, "q")
    view = window.chat.view
    view.setFocus()
    view.setCurrentIndex(view.model().index(1, 0))
    assert copied(window, "copy") == AS_TEXT
    line = window.chat.status_line
    assert (line._activity.text, app.notices.now.text) == (f"Copied 1{HARD}message.", ""), "said where nothing moves"
    assert copied(window, "copy_markdown") == app.chat.chat_model.rows[1].text
    line._back.timeout.emit()
    assert line._activity == app.state.now.activity


def test_a_selection_goes_from_one_message_to_another(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["first"] = TABLE
    ask(qtbot, window, app, "first")
    ask(qtbot, window, app, "second question")
    view = window.chat.view
    start = view.layout_of_rows.item(0)
    view.verticalScrollBar().setValue(0)

    def at() -> QPoint:
        return QPoint(round(start.text.left()), round(view.row_rect(0).top() + start.text.center().y()))

    below = view.layout_of_rows.item(2)
    to = QPoint(round(below.text.left() + 45), round(view.row_rect(2).top() + below.text.center().y()))
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at())
    view.pointer._extend(to.toPointF())
    assert list(view.pointer.selection.rows) == [0, 1, 2]
    text, markdown = copied(window, "copy"), copied(window, "copy_markdown")
    assert text.startswith(f"first\n\n{AS_TEXT}")
    assert markdown.startswith(f"first\n\n{app.chat.chat_model.rows[1].text}\n\n")
    assert window.chat.status_line._activity.text == f"Copied 3{HARD}messages."
    last = text.rsplit("\n\n", 1)[1]
    assert last
    assert "second question".startswith(last)
    assert last != "second question"
    view.pointer._extend(at().toPointF())
    assert not view.pointer.selection.rows


def test_a_selection_upwards_is_that_downwards(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "first")
    selection = window.chat.view.pointer.selection
    selection.begin(0, TextPoint(0, 2))
    selection.extend(1, TextPoint(0, 3))
    down = window.chat.view.pointer.selected_text()
    selection.begin(1, TextPoint(0, 3))
    selection.extend(0, TextPoint(0, 2))
    assert window.chat.view.pointer.selected_text() == down == "rst\n\nYou"
    selection.forget_from(1)
    assert window.chat.view.pointer.selected_text() == ""


def test_a_piece_of_code_stands_between_fences_in_markdown_and_is_bare_in_text(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["q"] = TABLE
    ask(qtbot, window, app, "q")
    view = window.chat.view
    code = len(view.layout_of_rows.item(1).body._split()) - 1
    view.pointer.selection.take(1, (TextPoint(code, 0), TextPoint(code, 3)))
    assert (copied(window, "copy"), copied(window, "copy_markdown")) == ("x =", "```python\nx =\n```")


def test_a_branch_is_copied_and_said_to_be(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    script.answers["q"], script.thoughts["q"] = "```\nnever ended", "a thought"
    ask(qtbot, window, app, "q")
    ask(qtbot, window, app, "and **then**?")
    name = app.library.tree.path[1].speaker
    window.do("copy_branch_markdown")
    line = window.chat.status_line
    qtbot.waitUntil(lambda: line._activity.text == "The branch was copied: 4\u00a0messages.")
    markdown = QGuiApplication.clipboard().text()
    begin = f"**You:**\n\nq\n\n**{name}:**\n\n```\nnever ended\n```\n\n**You:**\n\nand **then**?\n\n**{name}:**\n\n"
    assert markdown.startswith(begin)
    line._back.timeout.emit()
    window.do("copy_branch")
    qtbot.waitUntil(lambda: "was copied" in line._activity.text)
    text = QGuiApplication.clipboard().text()
    assert text.startswith(f"You:\n\nq\n\n{name}:\n\nnever ended\n\nYou:\n\nand **then**?\n\n{name}:\n\nYou said: and")
    assert "thought" not in text + markdown


def test_a_selection_that_is_dragged_beyond_the_edge_scrolls_and_goes_on(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers["q"] = "\n\n".join(f"paragraph {number}" for number in range(80))
    ask(qtbot, window, app, "q")
    ask(qtbot, window, app, "and then?")
    view = window.chat.view
    view.verticalScrollBar().setValue(0)
    item = view.layout_of_rows.item(0)
    at = QPoint(round(item.text.left()), round(view.row_rect(0).top() + item.text.center().y()))
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    to = QPointF(at.x(), view.viewport().height() + 400)
    left, nothing = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    moved = QMouseEvent(QEvent.Type.MouseMove, to, view.viewport().mapToGlobal(to), left, left, nothing)
    QApplication.sendEvent(view.viewport(), moved)
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() == view.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: view.pointer.selection.rows == range(4))
    qtbot.mouseRelease(view.viewport(), left, pos=QPoint(at.x(), 10))
    assert not view.pointer._scroll.isActive()
    assert "paragraph 79" in view.pointer.selected_text()
    qtbot.mouseClick(view.viewport(), left, Qt.KeyboardModifier.ShiftModifier, QPoint(at.x(), 10))
    assert view.pointer.selection.rows.stop < 4
    assert view.pointer.selection.rows.start == 0
