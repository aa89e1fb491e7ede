"""The panel of settings: what it shows is what holds, what is typed there holds at once, and keys reach all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.protocol.events import ModelReady
from app.viewmodels.app import App
from app.viewmodels.chat.presets import DEFAULTS
from app.viewmodels.chat.sampling_fields import FIELDS
from app.viewmodels.chat.settings_region import UNUSED
from app.viewmodels.kit.settings import WindowState
from app.widgets.chat.messages.footer_tips import FooterTips
from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField, TextArea
from app.widgets.kit.typography import LARGEST_BODY, SMALLEST_BODY
from app.widgets.settings.setting_row import SettingRow
from app.widgets.settings.settings_page import SettingsPage
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import ALL, Script
from tests.viewmodels.test_app import ask, ready


@pytest.fixture
def pane(qtbot: QtBot, app: App, style: Style) -> SettingsPage:
    ready(qtbot, app)
    pane = SettingsPage(style, app.chat)
    qtbot.addWidget(pane)
    pane.resize(300, 700)
    pane.show()
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)  # a window that a test before left may have been
    return pane


def row(pane: SettingsPage, name: str) -> SettingRow:
    return pane.rows[name]


def line(pane: SettingsPage, name: str) -> LineField:
    field = row(pane, name).field
    assert isinstance(field, LineField)
    return field


def area(pane: SettingsPage, name: str) -> TextArea:
    field = row(pane, name).field
    assert isinstance(field, TextArea)
    return field


def sampled(app: App) -> object:
    return app.chat.settings.chosen.sampling(app.library.open_id)


def replace_text(qtbot: QtBot, field: LineField, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_what_is_typed_holds_at_once(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    replace_text(qtbot, line(pane, "temperature"), "1,5")
    assert app.chat.settings.chosen.sampling(app.library.open_id).temperature == 1.5
    app.catch_up()
    assert line(pane, "temperature").text() == "1,5"  # as it was typed, while it is typed
    qtbot.keyClick(line(pane, "temperature"), Qt.Key.Key_Return)
    assert line(pane, "temperature").text() == "1.5"
    slider = row(pane, "temperature").slider
    assert slider is not None
    assert slider.value() == 30
    assert row(pane, "temperature").reset.isVisible()
    row(pane, "temperature").reset.click()
    app.catch_up()
    assert line(pane, "temperature").text() == "0.3"
    assert not row(pane, "temperature").reset.isVisible()


def test_a_slider_goes_by_mouse_and_keyboard_and_fills_the_field(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    slider = row(pane, "top_p").slider
    assert slider is not None
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert line(pane, "top_p").text() == "0.89"
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=slider.rect().center())
    assert line(pane, "top_p").text() == "0.5"
    assert app.chat.settings.chosen.sampling(app.library.open_id).top_p == 0.5
    app.catch_up()
    assert slider.accessibleDescription() == "0.5"


def test_a_refused_value_stays_with_its_sentence(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    field = line(pane, "temperature")
    replace_text(qtbot, field, "hot")
    app.catch_up()
    assert "between 0 and 1000" in field.accessibleDescription()
    usual = next(one.default for one in app.chat.settings.state.now.fields if one.field.name == "temperature")
    assert field.accessibleDescription().endswith(f" Until then: {usual}")
    pane.preset.setFocus()
    app.catch_up()
    assert field.text() == "hot"
    app.library.new_conversation()
    app.catch_up()
    assert field.text() == "hot"  # there is one blank conversation at most


def test_lists_are_written_a_line_each(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    area(pane, "stop").edit.setFocus()
    qtbot.keyClicks(area(pane, "stop").edit, "###")
    qtbot.keyClick(area(pane, "stop").edit, Qt.Key.Key_Return)
    qtbot.keyClicks(area(pane, "stop").edit, "\\nUser:")
    assert app.chat.settings.chosen.sampling(app.library.open_id).stop == ("###", "\nUser:")
    area(pane, "logit_bias").edit.setFocus()
    qtbot.keyClicks(area(pane, "logit_bias").edit, " fox: -2")
    assert app.chat.settings.chosen.sampling(app.library.open_id).logit_bias == ((" fox", -2),)


def test_the_system_prompt_is_priced_and_asked_again(
    qtbot: QtBot, app: App, script: Script, pane: SettingsPage
) -> None:
    ask(qtbot, app, "Which?")
    card = pane.instructions
    assert not card.ask_button.isVisible()
    card.field.edit.setFocus()
    qtbot.keyClicks(card.field.edit, "Be brief.")
    qtbot.waitUntil(lambda: "Cold: " in card.field.edit.accessibleDescription())
    assert card.ask_button.isVisible()
    assert not card.switch.isVisible()
    card.ask_button.click()
    qtbot.waitUntil(lambda: len([one for one in script.commands if isinstance(one, Generate)]) == 2)
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    app.catch_up()
    assert not card.ask_button.isVisible()
    assert card.field.text == "Be brief."


def test_another_conversation_fills_all_fields_even_where_one_types(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    ask(qtbot, app, "Which?")
    first = app.library.open_id
    card, field = pane.instructions, line(pane, "seed")
    card.field.edit.setFocus()
    qtbot.keyClicks(card.field.edit, "Be brief.")
    field.setFocus()
    qtbot.keyClicks(field, "12x")
    app.library.new_conversation()
    app.catch_up()
    assert (card.field.text, field.text()) == ("", "")
    card.field.edit.setFocus()
    qtbot.keyClicks(card.field.edit, "Be kind.")
    app.library.open(first)
    app.catch_up()
    assert (card.field.text, field.text()) == ("Be brief.", "12x")


def test_presets_are_chosen_and_named_in_the_menu(qtbot: QtBot, app: App, pane: SettingsPage) -> None:
    def entries() -> dict[str, bool]:
        menu = pane.preset.menu()
        return {one.text(): one.isChecked() for one in menu.actions() if one.text()}

    def choose(text: str) -> None:
        menu = pane.preset.menu()
        next(one for one in menu.actions() if one.text() == text).trigger()
        app.catch_up()

    def answer(name: str) -> None:
        dialog = pane.preset.findChildren(QInputDialog)[-1]
        dialog.setTextValue(name)
        dialog.accept()
        app.catch_up()

    assert entries()[DEFAULTS]
    choose("Precise")
    assert pane.preset.text() == "Precise"
    assert line(pane, "temperature").text() == "0.2"
    app.chat.settings.type("seed", "7")
    app.catch_up()
    assert pane.preset.text() == "Own Settings"
    choose("Save as Preset…")
    answer("Creative")  # taken: asked again, with the sentence
    assert "Espalier’s own" in pane.preset.findChildren(QInputDialog)[-1].labelText()
    answer("Letters & lists")
    assert pane.preset.text() == "Letters & lists"
    assert entries()["Letters && lists"]
    pane.preset.renameAsked.emit("Letters & lists", "Lists")
    app.catch_up()
    assert pane.preset.text() == "Lists"
    pane.preset.deleteAsked.emit("Lists")
    app.catch_up()
    assert pane.preset.text() == DEFAULTS  # nothing was said yet: what was used last holds, and is gone


def test_the_settings_of_an_answer_are_there_to_be_used(
    qtbot: QtBot, app: App, script: Script, pane: SettingsPage
) -> None:
    assert not pane.answer.isVisible()
    app.chat.settings.apply("Precise")
    ask(qtbot, app, "Which?")
    app.chat.settings.apply(DEFAULTS)
    app.catch_up()
    assert "Temperature: 0.2" in pane.answer.lines.text()
    pane.answer.repeat_button.click()
    qtbot.waitUntil(lambda: len([one for one in script.commands if isinstance(one, Generate)]) == 2)
    assert script.commands[-1] is not None
    again = [one for one in script.commands if isinstance(one, Generate)][-1].sampling
    assert (again.temperature, again.seed) == (0.2, 7)
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    pane.answer.use_button.click()
    app.catch_up()
    assert line(pane, "temperature").text() == "0.2"


def test_the_keyboard_stops_at_everything_in_order_and_everything_has_a_name(pane: SettingsPage) -> None:
    stops = pane.stops
    assert len(set(stops)) == len(stops)
    for stop in stops:
        assert stop.focusPolicy() & Qt.FocusPolicy.TabFocus, stop
        found = QAccessible.queryAccessibleInterface(stop)
        assert found is not None
        assert found.text(QAccessible.Text.Name), stop
    assert {row.accessibleName() for row in stops} >= {field.title for field in FIELDS}


@pytest.mark.parametrize("name", ["stop", "logit_bias", ""])
def test_a_field_that_grows_while_it_is_written_in_stays_in_view(qtbot: QtBot, pane: SettingsPage, name: str) -> None:
    """name: of a setting; none for the system prompt."""
    edit = area(pane, name).edit if name else pane.instructions.field.edit
    pane.resize(352, 420)
    for _ in range(3):  # wherever in view the field was
        edit.setFocus()
        edit.clear()
        for line in range(6):
            qtbot.keyClicks(edit, f" fox{line}: 1")
            qtbot.keyClick(edit, Qt.Key.Key_Return)
            QApplication.processEvents()
            cursor = edit.viewport().mapTo(pane, edit.cursorRect().bottomLeft())
            assert 0 < cursor.y() < pane.height(), line
        pane.preset.setFocus()


def test_rows_do_not_overlap_whatever_is_written(qtbot: QtBot, app: App, style: Style) -> None:
    """The field of the system prompt is as high as its words, within limits, from its first moment on."""
    window = MainWindow(style, app, WindowState())
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    ready(qtbot, app)
    card, edit = window.settings.page.instructions, window.settings.page.instructions.field.edit

    def is_apart() -> bool:
        rows = [one for one in card.ground.children() if isinstance(one, QWidget) and one.isVisible()]
        rows.sort(key=QWidget.y)
        return all(above.geometry().bottom() < below.y() for above, below in pairwise(rows))

    def is_high_enough() -> bool:
        lines = round(edit.document().size().height())
        return edit.height() >= min(lines, 12) * edit.fontMetrics().lineSpacing()

    window.do("settings")
    for words, width in ((60, 1440), (20, 1440), (90, 1100), (0, 1100), (40, 1440)):
        app.chat.settings.instruct("fork " * words)
        app.chat.settings.type("seed", str(words))
        window.resize(width, 900)
        qtbot.waitUntil(is_high_enough)
        qtbot.wait(50)
        assert is_apart(), words
    window.close()


@pytest.mark.parametrize(("width", "body"), [(300, 14), (352, 14), (640, 14), (300, 20), (352, 20), (352, 24)])
def test_nothing_is_cut_off(qtbot: QtBot, app: App, style: Style, pane: SettingsPage, width: int, body: int) -> None:
    style.set_text_size(body)
    app.chat.settings.instruct("Be brief.")
    for name in ("temperature", "seed", "stop"):
        app.chat.settings.type(name, "9")
    app.catch_up()
    pane.resize(width, 700)
    page = pane.instructions.parentWidget()
    assert page is not None
    qtbot.waitUntil(lambda: page.width() <= width)
    assert page.minimumSizeHint().width() <= (300 if body < 24 else 352) - 12
    for widget in page.findChildren(QWidget):
        if widget.isVisible():
            right = widget.mapTo(page, widget.rect().topRight()).x()
            assert right <= page.width(), widget


def test_the_window_has_it_in_the_inspector_and_in_the_menus(
    qtbot: QtBot, make_app: Callable[[], App], style: Style
) -> None:
    app = make_app()
    window = MainWindow(style, app, WindowState())
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    qtbot.waitExposed(window)
    ready(qtbot, app)
    app.chat.settings.apply("Precise")
    ask(qtbot, app, "Which?")
    assert window.findChildren(SettingsPage) == []  # no start waits for it
    window.do("settings")
    assert window.settings.isVisible()
    assert window.findChildren(SettingsPage) == [window.settings.page]
    assert window.menus.actions["settings"].isChecked()
    window.do("settings")
    assert not window.settings.isVisible()
    window.do("answer_settings")
    assert window.settings.isVisible()
    app.chat.settings.apply(DEFAULTS)
    window.do("use_settings")
    assert app.chat.settings.chosen.sampling(app.library.open_id).temperature == 0.2
    tips = FooterTips(window.chat.view, app.chat.settings.summary)
    view = window.chat.view
    footer = view.layout_of_rows.item(1).footer
    at = footer.center() + QPointF(0, view.layout_of_rows.top(1) - view.verticalOffset())
    assert tips.tip(at).startswith("Temperature 0.2")
    assert tips.tip(at - QPointF(0, 60)) == ""
    window.close()


@pytest.mark.parametrize("is_made_large", [False, True])
def test_nothing_is_wider_than_the_narrowest_pane_at_any_size_of_text(
    qtbot: QtBot, app: App, style: Style, is_made_large: bool
) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "How are you?")
    for field in FIELDS:
        app.chat.settings.type(field.name, "3")  # so that each has a button that resets it, and some are refused
    app.chat.settings.instruct("Be brief.")
    app.chat.settings.state.catch_up()
    if is_made_large:
        style.set_text_size(LARGEST_BODY)
    page = SettingsPage(style, app.chat)
    qtbot.addWidget(page)
    page.resize(300, 700)
    page.show()
    for body in range(SMALLEST_BODY, LARGEST_BODY + 1, 2):
        style.set_text_size(body)
        QApplication.processEvents()
        assert page._page.minimumSizeHint().width() <= page._area.viewport().width(), body
        for name in ("temperature", "top_p", "xtc_probability"):
            number = line(page, name)
            margins = number.textMargins()
            room = number.width() - margins.left() - margins.right() - 4
            assert number.fontMetrics().horizontalAdvance("0.95") <= room, (body, name)


def test_a_setting_of_which_the_models_server_takes_less_says_how_much(
    qtbot: QtBot, app: App, pane: SettingsPage
) -> None:
    info = app.model.current_model.info
    assert info is not None
    app.model.take(ModelReady(replace(info, capabilities=replace(ALL, most_settings=(("temperature", 2.0),)))))
    row = pane.rows["temperature"]
    for typed, is_told in (("2", False), ("2.5", True), ("x", False), ("1.5", False)):
        replace_text(qtbot, line(pane, "temperature"), typed)
        app.catch_up()
        said = any("takes 2 at most" in label.text() for label in row.findChildren(QLabel))
        assert said is is_told, typed
        assert row.field.isEnabled()


def test_a_setting_that_the_models_server_does_not_take_says_so_and_takes_nothing(
    qtbot: QtBot, app: App, pane: SettingsPage
) -> None:
    info = app.model.current_model.info
    assert info is not None
    unused = frozenset({"penalty_range", "logit_bias", "top_k"})
    replace_text(qtbot, line(pane, "top_k"), "x")
    for now in (unused, frozenset[str]()):
        app.model.take(ModelReady(replace(info, capabilities=replace(ALL, unused_settings=now))))
        app.catch_up()
        for name, shown in pane.rows.items():
            assert shown.field.isEnabled() == (name not in now)
            assert shown.slider is None or shown.slider.isEnabled() == (name not in now)
            assert any(UNUSED in label.text() for label in shown.findChildren(QLabel)) == (name in now)
