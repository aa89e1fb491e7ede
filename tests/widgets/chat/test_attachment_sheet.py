from __future__ import annotations

import random

from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.protocol.chat import Attachment
from app.widgets.chat.attachment_sheet import _LONGEST_LINE, MOST_SHOWN, show_attachment
from app.widgets.kit.style import Style
from tests.seeds import each_seed


@each_seed(range(6))
def test_no_line_is_so_long_that_it_stops_the_window(qtbot: QtBot, style: Style, seed: int) -> None:
    """A line is laid out as a whole: one of 200,000 characters took two seconds."""
    draw = random.Random(seed)
    lines = [draw.choice(["word ", "x", "é😀 "]) * draw.choice([0, 3, 4_000, 150_000]) for _ in range(4)]
    whole = "\n".join(lines) or "x"
    home = QWidget()
    qtbot.addWidget(home)
    sheet = show_attachment(style, Attachment("a.txt", "text", whole), home)
    (text,) = sheet.findChildren(QPlainTextEdit)
    seen = text.toPlainText()
    assert seen.replace("\n", "") == whole[:MOST_SHOWN].replace("\n", "")
    assert all(len(line) <= _LONGEST_LINE for line in seen.split("\n"))
    sheet.reject()
