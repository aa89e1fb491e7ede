"""The About box and the licences."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.viewmodels.model import about_text
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.theme import DARK
from app.widgets.kit.typography import TextRole
from app.widgets.window import about
from app.widgets.window.about import AboutBox, Acknowledgements, notices
from tests.widgets.pictures import count, picture, show


@pytest.fixture
def box(style: Style) -> Iterator[AboutBox]:
    box = AboutBox(style)
    show(box)
    yield box
    if isValid(box):  # it goes when it is closed
        box.close()


def test_the_icon_is_there(box: AboutBox) -> None:
    icon = next(one for one in box.findChildren(QLabel) if one.accessibleName() == "Icon of Espalier")
    assert not icon.pixmap().isNull()


def test_versions_are_those_of_what_is_installed() -> None:
    found = dict(about_text.versions("1.2.3"))
    assert found["Espalier"] == "1.2.3"
    assert found["Qt"] == qVersion()
    assert re.fullmatch(r"0\.\d+\.\d+", found["mlx"])
    assert all(found.values())
    assert "mlx-lm 0." in about_text.versions_text("1.2.3")


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about_text, "_LIBRARIES", {"mlx": "no-such-project"})
    assert "mlx" not in dict(about_text.versions("1.2.3"))


def test_licence_and_qt_s_terms_are_shown(box: AboutBox) -> None:
    words = " ".join(label.text() for label in box.findChildren(QLabel))
    assert "MIT licence" in words
    assert "GNU Lesser General Public License, version 3" in words
    assert "you may replace" in words


def test_versions_are_copied(box: AboutBox) -> None:
    box.copy_button.click()
    assert f"Qt {qVersion()}" in QGuiApplication.clipboard().text().splitlines()


def test_no_word_is_cut_at_any_size(qtbot: QtBot, style: Style) -> None:
    for body in (10, 14, 24):
        style.set_text_size(body)
        box = AboutBox(style)
        show(box)
        for label in box.findChildren(TextLabel):
            assert label.height() >= label.heightForWidth(label.width())
            assert box.rect().contains(label.geometry())
        assert box.acknowledgements.x() in {label.x() for label in box.findChildren(TextLabel) if label.wordWrap()}
        box.close()


def test_the_licences_open_and_close_by_key(qtbot: QtBot, box: AboutBox) -> None:
    box.acknowledgements.click()
    reading = box.findChild(Acknowledgements)
    assert isinstance(reading, Acknowledgements)
    assert reading.text.isReadOnly()
    words = reading.text.toPlainText()
    assert words == notices()
    for part in ("MIT License", "GNU LESSER GENERAL PUBLIC LICENSE", "Qt 6.", "mlx"):
        assert part in words
    QTest.keyClick(reading.text, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not reading.isVisible())
    assert box.isVisible()
    QTest.keyClick(box, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not box.isVisible())


def test_without_licences_there_is_nothing_to_open(qtbot: QtBot, style: Style, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "NOTICES", "resources:notices/none.txt")
    box = AboutBox(style)
    show(box)
    assert not box.acknowledgements.isVisible()
    assert notices() == ""
    box.close()


def test_both_follow_the_theme_and_the_size_of_text(qtbot: QtBot, box: AboutBox, style: Style) -> None:
    reading = Acknowledgements(style, box)
    show(reading)
    style.set_theme(DARK)
    style.set_text_size(18)
    qtbot.wait(20)
    for dialog in (box, reading):
        assert count(picture(dialog), DARK.window) > dialog.width() * dialog.height() / 2
    assert reading.text.font().pixelSize() == style.text_style(TextRole.MONO).font.pixelSize()
    reading.close()
