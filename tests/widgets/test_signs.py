"""The signs beside words: they grow with the text that they stand beside."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.chat.draft_attachments import AttachmentChip
from app.viewmodels.chat.rows import AttachmentRow
from app.widgets.chat.attachment_strip import AttachmentChipView
from app.widgets.chat.messages.disclosure_line import DisclosureLine
from app.widgets.kit.choice_button import ChoiceButton
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.window.model_chip import ModelChip


def chip(style: Style) -> QWidget:
    made = AttachmentChipView(style)
    made.show_chip(AttachmentChip("grow.py", "2 KB", "300 tokens"))
    return made


def attachment(style: Style) -> QWidget:
    parent = QWidget()
    line = DisclosureLine(style, parent)
    line.show_row(AttachmentRow("grow.py", "def grow", 300))
    return parent


def model(style: Style) -> QWidget:
    made = ModelChip(style)
    made.show_model("Qwen3 8B", "4-bit", is_missing=False)
    return made


@pytest.mark.parametrize(
    "make",
    [
        chip,
        attachment,
        model,
        lambda style: SearchField(style, "Search"),
        lambda style: ChoiceButton(style, "Appearance"),
    ],
)
def test_signs_grow_with_the_text(qtbot: QtBot, style: Style, monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
    widget = make(style)
    qtbot.addWidget(widget)
    paint, sizes = style.icons.paint, list[int]()

    def note(painter: Any, icon: Any, center: Any, color: Any, size: int = 16, *more: Any) -> None:
        sizes.append(size)
        paint(painter, icon, center, color, size, *more)

    monkeypatch.setattr(style.icons, "paint", note)
    found = {}
    for points in (13, 24):
        style.set_text_size(points)
        sizes.clear()
        widget.resize(300, 60)
        widget.grab()
        found[points] = list(sizes)
    style.set_text_size(13)
    assert found[13]
    assert all(large > small for large, small in zip(found[24], found[13], strict=True))
