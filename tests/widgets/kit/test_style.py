from __future__ import annotations

from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.widgets.kit.style import Style, system_theme
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import TextRole, system_family


def test_a_new_theme_reaches_the_palette_and_everyone_who_listens(
    style: Style, qapp: QApplication, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(style.changed):
        style.set_theme(DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window) == DARK.window


def test_a_new_text_size_replaces_all_text_styles(style: Style, qtbot: QtBot) -> None:
    before = style.text_style(TextRole.BODY)
    with qtbot.waitSignal(style.changed):
        style.set_text_size(20)
    assert style.text_style(TextRole.BODY).font.pixelSize() == 20
    assert before.font.pixelSize() == 14


def test_the_system_chooses_among_four_themes() -> None:
    assert system_theme(is_dark=False, wants_contrast=False) is LIGHT
    assert system_theme(is_dark=True, wants_contrast=False) is DARK
    assert system_theme(is_dark=True, wants_contrast=True) == DARK.with_increased_contrast()


def test_code_has_a_font_of_its_own_at_every_size(style: Style, qtbot: QtBot) -> None:
    families = [one for one in QFontDatabase.families() if QFontDatabase.isFixedPitch(one)]
    with qtbot.waitSignal(style.changed):
        style.set_code_font(families[0])
    style.set_text_size(20)
    assert style.text_style(TextRole.CODE).font.family() == families[0]
    assert style.text_style(TextRole.CODE).font.pixelSize() == 17
    assert style.text_style(TextRole.BODY).font.family() != families[0]
    style.set_code_font("A font that nobody has")
    assert style.text_style(TextRole.CODE).font.family() == system_family(is_fixed=True)
