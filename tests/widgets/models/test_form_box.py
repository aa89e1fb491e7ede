"""A form goes by Tab from its fields to its buttons, and stays open while what was entered is refused."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.models.form_box import FormBox, FormField


class Form(FormBox):
    """Refuses what is empty."""

    def __init__(self, style: Style) -> None:
        super().__init__(style, "Form")
        self.fields = [FormField(style, name, self) for name in ("First", "Second")]
        self.apart = Button(style, "Apart", parent=self)
        for field in self.fields:
            self.add_field(field.accessibleName(), field, "About it.")
        self.add_problem()
        self.add_buttons(self.apart)

    def take(self) -> str:
        return "" if all(field.text() for field in self.fields) else "Something is missing."


def test_by_keys(qtbot: QtBot) -> None:
    form = Form(Style(LIGHT, 14))
    form.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(form)
    form.show()
    form.activateWindow()
    form.fields[0].setFocus()
    for one in (*form.fields, form.apart, form.cancel_button, form.save_button):
        qtbot.waitUntil(one.hasFocus)
        QTest.keyClick(one, Qt.Key.Key_Tab)
    form.fields[0].setFocus()
    QTest.keyClicks(form.fields[0], "a")
    QTest.keyClick(form.fields[0], Qt.Key.Key_Return)
    assert form.isVisible()
    assert form._problem.text() == "Something is missing."
    QTest.keyClicks(form.fields[1], "b")
    QTest.keyClick(form.fields[1], Qt.Key.Key_Return)
    assert not form.isVisible()
