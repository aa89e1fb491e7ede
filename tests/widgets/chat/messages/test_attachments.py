"""The lines of what comes with a question, and what they open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import app.widgets.chat.messages.block_layout as laid_part
from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import AttachmentRow
from app.widgets.chat.markdown.document import thought_document
from app.widgets.chat.messages.disclosure_line import DisclosureLine
from app.widgets.chat.messages.row_controls import ControlKind
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.copy_button import CopyButton
from app.widgets.kit.style import Style
from tests.fakes.shown import Shown
from tests.widgets.chat.sample_messages import answer, question
from tests.widgets.pictures import show

LONG = "\n".join(f"Line {number} of a report on pears, late ones and early ones." for number in range(900))


@pytest.fixture
def chat(qapp: object) -> ChatModel:
    return ChatModel()


@pytest.fixture
def view(qtbot: QtBot, style: Style, chat: ChatModel) -> ChatView:
    view = ChatView(style, chat, Shown(ChatState(can_fork=True, can_regenerate=True)), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 600)
    view.attachmentPressed.connect(lambda message_id, number: toggle(chat, message_id, number))
    return view


def toggle(chat: ChatModel, message_id: str, number: int) -> None:
    """Open or fold an attachment, as the chat region does when it is asked."""
    rows = list(chat.rows)
    for at, row in enumerate(rows):
        if row.id == message_id:
            parts = list(row.attachments)
            parts[number] = replace(parts[number], is_open=not parts[number].is_open)
            rows[at] = replace(row, attachments=tuple(parts))
    chat.show(rows)


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def line(view: ChatView, number: int) -> DisclosureLine:
    found = view.controls.find("q", ControlKind.ATTACHMENT, number)
    assert isinstance(found, DisclosureLine)
    return found


def test_each_attachment_has_a_line_above_the_words_that_opens_it(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    asked = replace(question("q"), attachments=(AttachmentRow("report.pdf", LONG, 12_000), AttachmentRow("b.txt", "x")))
    chat.show([question("q")])
    settle()
    plain = view.layout_of_rows.height(0)
    chat.show([asked, answer("a", "Late ones.")])
    settle()
    folded = view.layout_of_rows.height(0)
    assert folded > plain + 20
    first, second = line(view, 0), line(view, 1)
    assert first.geometry().bottom() <= second.geometry().top() + 1
    assert "attachment report.pdf" in first.accessibleName().lower()
    assert "collapsed" in first.accessibleName()
    before = first.pos()
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    settle()
    assert view.layout_of_rows.height(0) > folded + 1000
    assert line(view, 0).pos() == before
    assert "expanded" in line(view, 0).accessibleName()
    QTest.keyClick(line(view, 0), Qt.Key.Key_Left)
    settle()
    assert view.layout_of_rows.height(0) == folded
    QTest.keyClick(line(view, 1), Qt.Key.Key_Space)
    settle()
    assert "expanded" in line(view, 1).accessibleName()


def test_of_a_long_attachment_only_what_is_seen_is_laid_out(
    view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(
        laid_part, "thought_document", lambda text, style: made.append(text) or thought_document(text, style)
    )
    chat.show([replace(question("q"), attachments=(AttachmentRow("report.pdf", LONG),))])
    settle()
    assert made == []
    line(view, 0).click()
    settle()
    assert 0 < sum(map(len, made)) < len(LONG) / 2


def test_source_code_is_shown_and_copied_as_code(view: ChatView, chat: ChatModel) -> None:
    code = 'def grow(tree):\n    """Fork ```here```."""'
    chat.show([replace(question("q"), attachments=(AttachmentRow("grow.py", code, is_open=True, kind="code"),))])
    settle()
    copy = view.controls.find("q", ControlKind.CODE, 0)
    assert isinstance(copy, CopyButton)
    copy.click()
    assert QApplication.clipboard().text() == code
