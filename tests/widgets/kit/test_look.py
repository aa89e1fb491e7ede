from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.widgets.kit.look import Look, system_theme
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import Type


def test_a_new_theme_reaches_the_palette_and_everyone_who_listens(look: Look, qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(look.changed):
        look.set_theme(DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window) == DARK.window


def test_a_new_text_size_replaces_all_faces(look: Look, qtbot: QtBot) -> None:
    before = look.face(Type.BODY)
    with qtbot.waitSignal(look.changed):
        look.set_text_size(20)
    assert look.face(Type.BODY).font.pixelSize() == 20
    assert before.font.pixelSize() == 14


def test_the_system_chooses_among_four_themes() -> None:
    assert system_theme(is_dark=False, wants_contrast=False) is LIGHT
    assert system_theme(is_dark=True, wants_contrast=False) is DARK
    assert system_theme(is_dark=True, wants_contrast=True) == DARK.with_increased_contrast()


def test_following_the_system_takes_its_theme_at_once_and_when_it_changes(
    qapp: QApplication, qtbot: QtBot, look: Look
) -> None:
    look.set_theme(DARK)
    look.follow_system(qapp.styleHints())
    assert look.theme is LIGHT
    look.set_theme(DARK)
    qapp.styleHints().colorSchemeChanged.emit(qapp.styleHints().colorScheme())
    assert look.theme is LIGHT
