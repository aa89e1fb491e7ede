"""What holds for all panes: names for a screen reader, live themes and text sizes, nothing left behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import SIGNAL, QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import BY_ID
from app.viewmodels.app_state import AppState
from app.viewmodels.cache.trie_model import TrieModel
from app.widgets.cache.cache_pane import CachePane
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.sidebar.sidebar import Sidebar
from app.widgets.window.inspector import Inspector
from app.widgets.window.status_line import StatusLine
from app.widgets.window.toolbar import Toolbar
from tests.fakes.shown import Shown
from tests.widgets.pictures import count, picture, show
from tests.widgets.samples import LOG, NOW, READING, conversations, events, search, view


def sidebar(style: Style) -> Sidebar:
    model = conversations()
    pane = Sidebar(style, model, search(), BY_ID)
    model.setParent(pane)
    return pane


def cache(style: Style) -> Inspector:
    model = TrieModel()
    model.show(view())
    log = events(LOG)
    pane = CachePane(style, model, log, lambda: NOW)
    model.setParent(pane)
    log.setParent(pane)
    return Inspector(style, [pane])


def empty_cache(style: Style) -> Inspector:
    model = TrieModel()
    log = events(())
    pane = CachePane(style, model, log, lambda: NOW)
    model.setParent(pane)
    log.setParent(pane)
    return Inspector(style, [pane])


def _state() -> Shown[AppState]:
    return Shown(READING)


def toolbar(style: Style) -> Toolbar:
    state = _state()
    pane = Toolbar(style, state)
    state.setParent(pane)
    return pane


def status_line(style: Style) -> StatusLine:
    state = _state()
    pane = StatusLine(style, state)
    state.setParent(pane)
    return pane


PANES = [sidebar, cache, empty_cache, toolbar, status_line]
every_pane = pytest.mark.parametrize("make", PANES)
Make = Callable[[Style], QWidget]


@every_pane
def test_everything_that_takes_part_has_a_name(qtbot: QtBot, style: Style, make: Make) -> None:
    pane = make(style)
    qtbot.addWidget(pane)
    reachable = [
        child
        for child in [pane, *pane.findChildren(QWidget)]
        if child.focusPolicy() is not Qt.FocusPolicy.NoFocus and not isinstance(child, QScrollBar)
    ]
    painted = [child for child in pane.findChildren(QWidget) if type(child).__module__.startswith("app.")]
    quiet = [child for child in painted if isinstance(child, QScrollBar)]
    nameless = [child for child in [*reachable, *painted] if not child.accessibleName() and child not in quiet]
    assert not [child for child in nameless if not _is_inside_a_view(child)]


def _is_inside_a_view(child: QWidget) -> bool:
    return isinstance(child.parentWidget(), QAbstractItemView)


@every_pane
def test_another_theme_is_painted_at_once_in_its_own_colours(qtbot: QtBot, style: Style, make: Make) -> None:
    pane = make(style)
    qtbot.addWidget(pane)
    show(pane, 352, 500)
    light = picture(pane)
    style.set_theme(DARK)
    dark = picture(pane)
    assert dark != light
    for image, theme, other in ((light, LIGHT, DARK), (dark, DARK, LIGHT)):
        assert _of(image, theme.window, theme.sidebar, theme.panel) > 352 * 10
        assert _of(image, other.window, other.sidebar, other.panel, other.accentgfx) < 20
    style.set_theme(LIGHT)
    assert picture(pane) == light


def _of(image: object, *colors: QColor) -> int:
    return sum(count(image, color) for color in colors)  # type: ignore[arg-type]


@every_pane
@pytest.mark.parametrize("theme", [LIGHT, DARK, DARK.with_increased_contrast()])
@pytest.mark.parametrize("size", [10, 24])
def test_small_and_large_text_are_painted(qtbot: QtBot, style: Style, make: Make, theme: Theme, size: int) -> None:
    pane = make(style)
    qtbot.addWidget(pane)
    show(pane, 340, 420)
    usual = picture(pane)
    style.set_theme(theme)
    style.set_text_size(size)
    assert picture(pane) != usual


@every_pane
def test_panes_come_and_go_and_leave_nothing_behind(qapp: object, style: Style, make: Make) -> None:
    listeners = style.receivers(SIGNAL("changed()"))
    for _ in range(5):
        pane = make(style)
        pane.resize(340, 420)
        pane.grab()
        pane.deleteLater()
        del pane
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert style.receivers(SIGNAL("changed()")) == listeners


def test_changing_the_theme_back_and_forth_keeps_the_icons_few(qtbot: QtBot, style: Style) -> None:
    pane = toolbar(style)
    qtbot.addWidget(pane)
    picture(pane)
    kept = len(style.icons)
    for _ in range(4):
        style.set_theme(DARK)
        picture(pane)
        style.set_theme(LIGHT)
        picture(pane)
    assert len(style.icons) == kept
