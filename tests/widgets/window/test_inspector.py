from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.pane import Pane, PaneState
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.window.inspector import Inspector
from tests.widgets.pictures import count, picture, show


class Page(Pane):
    """A pane with a field that is remembered by its length."""

    def __init__(self, name: str, needs: str = "") -> None:
        super().__init__()
        self.id, self.title, self.needs = name, name.capitalize(), needs
        self.field = QLineEdit(self)

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return [self.field]

    def state(self) -> PaneState:
        return {"length": len(self.field.text())}

    def restore(self, state: PaneState) -> None:
        self.field.setText("x" * state.get("length", 0))


def make(qtbot: QtBot, style: Style, *panes: Pane) -> Inspector:
    inspector = Inspector(style, panes)
    qtbot.addWidget(inspector)
    show(inspector, 352, 600)
    return inspector


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_one_pane_stands_under_its_title_without_a_selector(qtbot: QtBot, style: Style, theme: Theme) -> None:
    style.set_theme(theme)
    page = Page("trie")
    inspector = make(qtbot, style, page)
    assert not inspector.selector.isVisible()
    assert page.isVisible()
    assert page.mapTo(inspector, page.rect().topLeft()).y() == style.typography.bar
    image = picture(inspector)
    assert count(image.copy(16, 0, 60, style.typography.bar - 1), theme.text) > 0
    assert image.pixelColor(0, 300) == theme.line
    assert image.pixelColor(349, 590) == theme.panel
    assert image.pixelColor(200, style.typography.bar - 1) == theme.line


def test_of_several_panes_one_is_chosen_by_mouse_and_keyboard(qtbot: QtBot, style: Style) -> None:
    tree, trie, tiny = Page("branches"), Page("cache"), Page("map")
    inspector = make(qtbot, style, tree, trie, tiny)
    assert inspector.selector.isVisible()
    assert [segment.accessibleName() for segment in inspector.selector.segments] == ["Branches", "Cache", "Map"]
    assert tree.isVisible()
    with qtbot.waitSignal(inspector.changed):
        qtbot.mouseClick(inspector.selector.segments[1], Qt.MouseButton.LeftButton)
    assert trie.isVisible()
    assert not tree.isVisible()
    assert inspector.selector.segments[1].focusPolicy() is Qt.FocusPolicy.TabFocus
    assert [one.focusPolicy() for one in inspector.selector.segments].count(Qt.FocusPolicy.TabFocus) == 1
    qtbot.waitUntil(inspector.isActiveWindow)
    inspector.selector.segments[1].setFocus()
    qtbot.keyClick(inspector.selector.segments[1], Qt.Key.Key_Right)
    assert inspector.current is tiny
    assert [segment.isChecked() for segment in inspector.selector.segments] == [False, False, True]
    with pytest.raises(KeyError):
        inspector.show_pane("none")


def test_the_keyboard_comes_to_the_selector_and_then_to_each_pane(qtbot: QtBot, style: Style) -> None:
    one, two = Page("one"), Page("two")
    inspector = make(qtbot, style, one, two)
    assert inspector.tab_order == [*inspector.selector.segments, one, one.field, two, two.field]


def test_the_panes_are_found_as_they_were_left(qtbot: QtBot, style: Style) -> None:
    inspector = make(qtbot, style, Page("one"), Page("two"))
    inspector.restore("two", {"two": {"length": 3}, "gone": {"length": 9}})
    assert inspector.current is not None
    assert inspector.current.id == "two"
    assert inspector.states() == {"one": {"length": 0}, "two": {"length": 3}}
    inspector.restore("gone", {})
    assert inspector.current.id == "two"
    assert inspector.states()["two"] == {"length": 0}


def test_a_pane_is_there_while_the_engine_has_what_it_shows(qtbot: QtBot, style: Style) -> None:
    tree, trie, costs = Page("branches"), Page("cache", "trie"), Page("costs", "cost_estimates")
    inspector = make(qtbot, style, tree, trie, costs)
    inspector.show_pane("cache")
    assert inspector.offer(lambda ability: ability != "trie")
    assert inspector.current is tree
    assert tree.isVisible()
    assert [segment.isVisible() for segment in inspector.selector.segments] == [True, False, True]
    assert inspector.offer(lambda ability: not ability)
    assert not inspector.selector.isVisible()
    assert inspector.offer(lambda ability: True)
    assert inspector.current is trie


def test_without_any_pane_there_is_nothing_to_show(qtbot: QtBot, style: Style) -> None:
    inspector = make(qtbot, style, Page("cache", "trie"))
    assert not inspector.offer(lambda ability: not ability)
    assert inspector.current is None
    picture(inspector)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_pane_in_sight_is_told_apart_in_the_selector(qtbot: QtBot, style: Style, theme: Theme) -> None:
    style.set_theme(theme)
    inspector = make(qtbot, style, Page("one"), Page("two"))
    first, second = inspector.selector.segments
    assert count(picture(inspector.selector).copy(first.geometry()), theme.segment) > 100
    inspector.show_pane("two")
    assert count(picture(inspector.selector).copy(first.geometry()), theme.segment) == 0
    assert count(picture(inspector.selector).copy(second.geometry()), theme.segment) > 100


@pytest.mark.parametrize("width", [300, 352, 560])
@pytest.mark.parametrize("body", [10, 14, 24])
def test_the_names_of_the_panes_fit_at_any_size_of_text_or_icons_stand_for_them(
    qtbot: QtBot, style: Style, body: int, width: int
) -> None:
    pages = [Page(name) for name in ("branches", "cache", "map", "answers")]
    for page, icon in zip(pages, (Icon.FORK, Icon.CACHE, Icon.MAP, Icon.SLIDERS), strict=True):
        page.icon = icon
    inspector = make(qtbot, style, *pages)
    style.set_text_size(body)
    inspector.resize(width, 600)
    for page in pages:
        inspector.show_pane(page.id)
        segments = inspector.selector.segments
        qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() - 1 for one in inspector.selector.segments))
        chosen = next(segment for segment in segments if segment.isChecked())
        assert not chosen.is_short
        for segment in segments:
            assert segment.toolTip() == (segment.text() if segment.is_short else "")
            assert segment.accessibleName() == segment.text()
            assert segment.geometry().right() <= inspector.selector.width()
    assert segments[0].is_short == (body == 24 and width < 560)
