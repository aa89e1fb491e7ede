from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import action
from app.viewmodels.app_state import AppState
from app.viewmodels.kit.plain_tips import plain_tip
from app.viewmodels.unavailable import COMPARING, EMPTY
from app.widgets.kit.action_button import ActionButton
from app.widgets.kit.controls import Control
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.kit.typography import TextRole
from app.widgets.window.context_gauge import ContextGauge
from app.widgets.window.model_chip import ModelChip
from app.widgets.window.toolbar import TitleBlock, Toolbar
from tests.fakes.shown import Shown
from tests.widgets.painted import painted_by
from tests.widgets.pictures import count, picture, show
from tests.widgets.samples import READING, READY


@pytest.fixture
def state(qapp: object) -> Shown[AppState]:
    return Shown(READY)


@pytest.fixture
def toolbar(qtbot: QtBot, style: Style, state: Shown[AppState]) -> Toolbar:
    toolbar = Toolbar(style, state)
    qtbot.addWidget(toolbar)
    show(toolbar, 840, 52)
    return toolbar


def button(toolbar: Toolbar, action_id: str) -> ActionButton:
    return next(each for each in toolbar.findChildren(ActionButton) if each.action_id == action_id)


def test_it_says_where_one_is(toolbar: Toolbar, state: Shown[AppState]) -> None:
    title = toolbar.findChild(TitleBlock)
    assert (title.accessibleName(), title.accessibleDescription()) == ("Trip plan", READY.chat.subtitle)
    state.show(replace(READY, chat=replace(READY.chat, title="Letter")))
    assert title.accessibleName() == "Letter"


@pytest.mark.parametrize(
    ("region", "change", "painted"),
    [
        ("chat", {}, []),
        ("chat", {"title": "Letter"}, [TitleBlock]),
        ("chat", {"context_used": 9_000}, [ContextGauge]),
        ("model", {"detail": "8-bit"}, [ModelChip]),
    ],
)
def test_only_what_shows_something_else_is_painted_again(
    toolbar: Toolbar, state: Shown[AppState], region: str, change: dict[str, object], painted: list[type[QWidget]]
) -> None:
    """The state is told many times a second while an answer is written."""
    parts = [toolbar.findChild(kind) for kind in (TitleBlock, ModelChip, ContextGauge)]
    now = replace(READY, **{region: replace(getattr(READY, region), **change)})
    assert [type(part) for part in painted_by(lambda: state.show(now), parts)] == painted


def test_stop_can_be_pressed_only_while_there_is_something_to_stop(
    qtbot: QtBot, toolbar: Toolbar, state: Shown[AppState]
) -> None:
    stop = button(toolbar, "stop")
    assert not stop.isEnabled()
    assert count(picture(stop), LIGHT.fill2) == 0
    state.show(READING)
    assert count(picture(stop), LIGHT.fill2) > 300
    with qtbot.waitSignal(toolbar.asked) as heard:
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    assert heard.args == ["stop"]


def test_the_sidebars_button_stands_here_only_while_the_sidebar_is_hidden(qtbot: QtBot, toolbar: Toolbar) -> None:
    title = toolbar.findChild(TitleBlock)
    assert not button(toolbar, "sidebar").isVisible()
    left = title.x()
    toolbar.show_sides(has_sidebar=False, has_inspector=False)
    assert button(toolbar, "sidebar").isVisible()
    assert title.x() > left
    assert not button(toolbar, "inspector").isChecked()
    with qtbot.waitSignal(toolbar.asked) as heard:
        qtbot.mouseClick(button(toolbar, "sidebar"), Qt.MouseButton.LeftButton)
    assert heard.args == ["sidebar"]


def test_tooltips_name_the_keys(toolbar: Toolbar) -> None:
    assert button(toolbar, "stop").toolTip() == "Stop (Esc)"
    assert button(toolbar, "stop").accessibleName() == "Stop"


def test_find_stands_between_stop_and_the_inspector(qtbot: QtBot, toolbar: Toolbar) -> None:
    row = [button(toolbar, one) for one in ("stop", "find", "inspector")]
    assert [one.x() for one in row] == [toolbar.width() - 14 - 28 - 36 * step for step in (2, 1, 0)]
    find = row[1]
    assert find.toolTip() == "Find in Branch… (Ctrl+F)"
    assert (find.accessibleName(), find.accessibleDescription()) == ("Find in Branch…", "")
    with qtbot.waitSignal(toolbar.asked) as heard:
        qtbot.mouseClick(find, Qt.MouseButton.LeftButton)
    assert heard.args == ["find"]
    toolbar.show_sides(True, False, is_inspector_offered=False)
    assert find.x() == toolbar.width() - 14 - 28, "no gap in the place of the inspector's button"


def test_find_says_why_nothing_can_be_found(toolbar: Toolbar, state: Shown[AppState]) -> None:
    find = button(toolbar, "find")
    nothing = replace(READY, chat=replace(READY.chat, is_empty=True)), EMPTY.sentence
    for now, why in (nothing, (replace(READY, is_comparing=True), COMPARING.sentence)):
        state.show(now)
        assert not find.isEnabled()
        assert (find.toolTip(), find.accessibleDescription()) == (why, why)
        find.show_action(replace(action("find"), keys=("F6",)))
        assert find.toolTip() == why, "other keys do not hide the reason"
        state.show(READY)
        assert find.isEnabled()
        assert (find.toolTip(), find.accessibleDescription()) == ("Find in Branch… (F6)", "")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_icon_of_find_is_seen_and_paler_while_it_can_do_nothing(
    toolbar: Toolbar, style: Style, state: Shown[AppState], theme: Theme
) -> None:
    style.set_theme(theme)
    find = button(toolbar, "find")
    assert count(picture(find), theme.text2) > 0
    state.show(replace(READY, chat=replace(READY.chat, is_empty=True)))
    assert count(picture(find), theme.text2) == 0
    assert count(picture(find), theme.ghost) > 0


def test_buttons_are_made_in_the_order_seen(toolbar: Toolbar) -> None:
    """In which Tab goes through them."""
    toolbar.show_sides(has_sidebar=False, has_inspector=False)
    controls = toolbar.findChildren(Control)
    assert [one.x() for one in controls] == sorted(one.x() for one in controls)
    assert [one.action_id for one in controls if isinstance(one, ActionButton)] == [
        *("sidebar", "stop", "find", "inspector")
    ]


def test_room_for_the_windows_own_buttons(toolbar: Toolbar) -> None:
    title = toolbar.findChild(TitleBlock)
    before = title.x()
    toolbar.set_leading(72)
    assert title.x() == before + 72


def test_what_has_no_room_under_the_title_is_left_out_whole(toolbar: Toolbar, style: Style) -> None:
    title = toolbar.findChild(TitleBlock)
    title.setFixedWidth(round(style.text_style(TextRole.CAP).width("Warm  ·  3 794 tok")) + 36)
    title.show_title("One", "Warm  ·  3 794 tokens", 1.0)
    without = picture(title)
    title.show_title("One", "Warm", 1.0)
    assert picture(title) == without


def test_how_much_is_held_stands_there_without_its_unit_where_that_has_no_room(toolbar: Toolbar, style: Style) -> None:
    title, held = toolbar.findChild(TitleBlock), "172 of 3\u202f411"
    title.setFixedWidth(round(style.text_style(TextRole.CAP).width(f"{held} tokens")) + 36)
    title.show_title("One", f"{held}\u00a0tokens warm, from disk", 0.1)
    without = picture(title)
    title.show_title("One", held, 0.1)
    assert picture(title) == without


def test_what_has_no_room_under_the_title_is_in_its_tip(toolbar: Toolbar) -> None:
    title = toolbar.findChild(TitleBlock)
    title.show_title("One <b>", "Warm  ·  3 794 tokens", 1.0, branch="two")
    assert title.toolTip() == plain_tip("One <b> › two\nWarm  ·  3 794 tokens")
    title.show_title("One", "", None)
    assert title.toolTip() == plain_tip("One")


def test_when_narrow_words_go_in_their_order(toolbar: Toolbar, state: Shown[AppState]) -> None:
    state.show(replace(READY, chat=replace(READY.chat, title="A title of some length, two hundred wide")))
    gauge, chip = toolbar.findChild(ContextGauge), toolbar.findChild(ModelChip)
    seen = []
    for width in range(840, 300, -4):
        toolbar.resize(width, 52)
        seen.append((gauge.is_short, chip.is_short, gauge.isHidden()))
    steps = list(dict.fromkeys(seen))
    assert steps == [(False, False, False), (True, False, False), (True, True, False), (True, True, True)]


@pytest.mark.parametrize("width", [840, 560, 420, 332])
@pytest.mark.parametrize("text", [14, 24])
def test_nothing_overlaps(toolbar: Toolbar, style: Style, state: Shown[AppState], width: int, text: int) -> None:
    style.set_text_size(text)
    state.show(
        replace(
            READING,
            chat=replace(READING.chat, title="A title that is much too long for any toolbar"),
            model=replace(READING.model, name="A long model name"),
        )
    )
    toolbar.resize(width, toolbar.sizeHint().height())
    parts = [toolbar.findChild(TitleBlock), toolbar.findChild(ModelChip), toolbar.findChild(ContextGauge)]
    parts += [button(toolbar, "stop"), button(toolbar, "find"), button(toolbar, "inspector")]
    visible = [each.geometry() for each in parts if each.isVisible() and each.width()]
    assert all(not one.intersects(other) for one in visible for other in visible if one is not other)
    assert max(rect.right() for rect in visible) < width
    picture(toolbar)


def test_the_gauge_turns_amber_when_the_context_is_nearly_full(qtbot: QtBot, style: Style) -> None:
    gauge = ContextGauge(style)
    qtbot.addWidget(gauge)
    gauge.resize(160, 28)
    gauge.show_context(3794, 32_768)
    assert gauge.text == "3.8k of 32k"
    calm = picture(gauge)
    gauge.show_context(30_000, 32_768)
    assert count(calm, LIGHT.warn) == 0
    assert count(picture(gauge), LIGHT.warn) > 0
    assert "30\u202f000" in gauge.accessibleName()


def test_the_gauge_is_hidden_while_there_is_no_model(toolbar: Toolbar, state: Shown[AppState]) -> None:
    state.show(replace(READY, model=replace(READY.model, context_length=0, name="", detail="")))
    assert not toolbar.findChild(ContextGauge).isVisible()
    assert toolbar.findChild(ModelChip).accessibleName() == "Model: No model"


def test_a_missing_model_is_marked(toolbar: Toolbar, state: Shown[AppState]) -> None:
    chip = toolbar.findChild(ModelChip)
    assert count(picture(chip), LIGHT.warn) == 0
    state.show(replace(READY, model=replace(READY.model, detail="not found", is_missing=True)))
    assert count(picture(chip), LIGHT.warn) > 0
    assert chip.accessibleName() == "Model: Qwen3 8B, not found"


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_another_model_is_asked_for_from_the_keyboard(qtbot: QtBot, toolbar: Toolbar, key: Qt.Key) -> None:
    with qtbot.waitSignal(toolbar.chip.clicked):
        qtbot.keyClick(toolbar.chip, key)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_is_painted_in_the_themes_colours(toolbar: Toolbar, style: Style, theme: Theme) -> None:
    style.set_theme(theme)
    image = picture(toolbar)
    assert image.pixelColor(4, 4) == theme.window
    assert image.pixelColor(4, 51) == theme.line
    assert count(image, theme.accentgfx) > 50


@pytest.mark.parametrize("width", [840, 420, 300])
def test_the_name_of_a_server_is_never_left_out(toolbar: Toolbar, state: Shown[AppState], width: int) -> None:
    """Whatever is said goes there; the model's own name is cut before it."""
    model = replace(READY.model, name="Qwen3-235B-A22B-Instruct-4bit-of-many-words", detail="on Studio")
    shown = replace(model, is_on_server=True)
    toolbar.resize(width, 52)
    state.show(replace(READY, model=shown))
    chip = toolbar.chip
    detail = toolbar._style.text_style(TextRole.SMALL).width("on Studio")
    assert chip.width() - chip._lead() >= detail + 48
    with_server = picture(chip)
    state.show(replace(READY, model=replace(shown, detail="on Studia")))
    assert picture(chip) != with_server, "the last letter of its name is seen"


@pytest.mark.parametrize(("used", "length", "is_known"), [(0, 32, True), (None, 32, False), (4, 0, False)])
def test_a_context_that_nobody_tells_has_no_gauge(
    toolbar: Toolbar, state: Shown[AppState], used: int | None, length: int, is_known: bool
) -> None:
    chat, model = replace(READY.chat, context_used=used), replace(READY.model, context_length=length)
    state.show(replace(READY, chat=chat, model=model))
    gauge = toolbar.findChild(ContextGauge)
    assert gauge.is_known is is_known
    assert gauge.isHidden() is not is_known
