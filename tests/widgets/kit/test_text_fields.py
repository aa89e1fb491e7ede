"""What all fields of text have in common, whatever is typed into them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import app.widgets
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField, TextArea
from app.widgets.kit.theme import DARK, LIGHT

FIELDS: dict[str, Callable[[Style, QWidget], QWidget]] = {
    "search": lambda style, parent: SearchField(style, "Search", parent=parent),
    "message": ComposerEdit,
    "line": lambda style, parent: LineField(style, "Line", parent),
    "lines": lambda style, parent: TextArea(style, "Lines", 1, 4, parent).edit,
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_field_takes_its_colours_from_the_theme_and_has_no_ground_of_its_own(
    qtbot: QtBot, style: Style, kind: str
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    field = FIELDS[kind](style, parent)
    role = QPalette.ColorRole
    for theme in (LIGHT, DARK, LIGHT):
        style.set_theme(theme)
        colors = field.palette()
        assert colors.color(role.Base).alpha() == 0
        assert colors.color(role.Text) == colors.color(role.HighlightedText) == theme.text
        assert colors.color(role.PlaceholderText) == theme.text3
        assert colors.color(role.Highlight) == theme.softline


def test_the_colours_of_a_field_are_chosen_in_the_theme_alone() -> None:
    folder = Path(app.widgets.__file__).parent
    chosen = re.compile(r"\brole\.Highlight\b|ColorRole\.(Highlight|PlaceholderText)\b")
    assert [path.name for path in folder.rglob("*.py") if chosen.search(path.read_text(encoding="utf-8"))] == [
        "theme.py"
    ]
