"""The look follows the system unless the person chose one, and both while the program runs."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontDatabase, QStyleHints
from PySide6.QtWidgets import QApplication

from app.viewmodels.kit.settings import Settings
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import TextRole
from app.widgets.window.appearance import Appearance


@pytest.fixture
def hints(qapp: QApplication) -> QStyleHints:
    """Offscreen these are light whatever is asked of them."""
    return qapp.styleHints()


def test_the_system_is_followed_at_once_and_when_it_changes(
    style: Style, settings: Settings, hints: QStyleHints
) -> None:
    style.set_theme(DARK)
    _appearance = Appearance(style, settings, hints)
    assert style.theme is LIGHT
    style.set_theme(DARK)
    hints.colorSchemeChanged.emit(hints.colorScheme())
    assert style.theme is LIGHT


def test_what_the_person_chose_comes_before_the_system(style: Style, settings: Settings, hints: QStyleHints) -> None:
    settings.update(appearance="dark")
    _appearance = Appearance(style, settings, hints)
    assert style.theme is DARK
    hints.colorSchemeChanged.emit(hints.colorScheme())
    assert style.theme is DARK
    settings.update(appearance="light")
    assert style.theme is LIGHT
    settings.update(appearance="dark")
    settings.update(appearance="system")
    assert style.theme is LIGHT


def test_a_look_of_a_later_version_is_the_systems(style: Style, settings: Settings, hints: QStyleHints) -> None:
    settings.update(appearance="sepia")
    style.set_theme(DARK)
    _appearance = Appearance(style, settings, hints)
    assert style.theme is LIGHT


def test_code_is_written_in_the_chosen_font(style: Style, settings: Settings, hints: QStyleHints) -> None:
    family = next(one for one in QFontDatabase.families() if QFontDatabase.isFixedPitch(one))
    _appearance = Appearance(style, settings, hints)
    settings.update(code_font=family)
    assert style.text_style(TextRole.CODE).font.family() == family
