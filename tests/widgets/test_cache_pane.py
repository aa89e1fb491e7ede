from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.trie_view import TrieView
from app.viewmodels.trie_model import TrieModel
from app.widgets.cache_pane import CachePane
from app.widgets.drawing import wrapped
from app.widgets.look import Look
from app.widgets.theme import DARK, LIGHT, Theme
from app.widgets.typography import Type
from tests.widgets.pictures import count, painted_height, picture, show
from tests.widgets.samples import NOW, view

EMPTY = TrieView(serial=9, budget_bytes=8_000_000_000)


@pytest.fixture
def model(qapp: object) -> TrieModel:
    model = TrieModel()
    model.show(EMPTY)
    return model


@pytest.fixture
def pane(qtbot: QtBot, look: Look, model: TrieModel) -> CachePane:
    pane = CachePane(look, model, lambda: NOW)
    qtbot.addWidget(pane)
    show(pane, 352, 700)
    return pane


def test_an_empty_cache_says_so_and_what_the_discs_mean(pane: CachePane) -> None:
    assert pane.empty.isVisible()
    assert not pane.tree.isVisible()
    assert pane.empty.accessibleName() == "Nothing is held yet"
    for word in ("Live", "In memory", "No snapshot"):
        assert word in pane.empty.accessibleDescription()
    assert "0 of 8.0" in pane.head.accessibleName()


def test_the_tree_comes_with_the_first_edge_and_goes_with_the_last(pane: CachePane, model: TrieModel) -> None:
    model.show(view())
    assert pane.tree.isVisible()
    assert not pane.empty.isVisible()
    model.show(EMPTY)
    assert pane.empty.isVisible()


def test_totals_and_budget_are_said(pane: CachePane, model: TrieModel) -> None:
    model.show(view())
    assert pane.totals.startswith("8\u00a0edges")
    assert f"{sum(node.tokens for node in view().nodes):,}".replace(",", "\u202f") in pane.totals
    assert "of 8.0\u00a0GB in memory" in pane.head.accessibleName()
    assert pane.accessibleDescription() == pane.totals


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("width", [300, 352, 640])
def test_it_is_painted_at_any_width(pane: CachePane, look: Look, model: TrieModel, theme: Theme, width: int) -> None:
    look.set_theme(theme)
    model.show(view())
    pane.resize(width, 700)
    image = picture(pane)
    assert image.pixelColor(width - 3, 690) == theme.panel
    assert image.pixelColor(0, 300) == theme.line
    assert count(image.copy(16, 80, width - 32, 30), theme.track) > 0


@pytest.mark.parametrize(("height", "has_drawing"), [(700, True), (330, False)])
def test_the_drawing_gives_way_when_there_is_no_room(pane: CachePane, height: int, has_drawing: bool) -> None:
    pane.resize(352, height)
    assert (painted_height(picture(pane.empty)) > 300) is has_drawing


def test_large_text_fits_the_empty_state(pane: CachePane, look: Look) -> None:
    look.set_text_size(24)
    pane.resize(300, 900)
    image = picture(pane.empty)
    ground = image.pixelColor(0, 0)
    for edge in (image.copy(0, 0, 4, image.height()), image.copy(image.width() - 4, 0, 4, image.height())):
        assert count(edge, ground) == 4 * image.height()
    lines = wrapped(look.face(Type.UI), "When you send a message, the tokens the model has read", 200)
    assert len(lines) > 2
    assert all(look.face(Type.UI).width(line) <= 200 for line in lines)


def test_the_head_grows_with_the_text(pane: CachePane, look: Look) -> None:
    before = pane.head.height()
    look.set_text_size(24)
    assert pane.head.height() > before
    assert pane.tree.y() > pane.head.geometry().bottom()
