"""The card of a price: it stays in its window, and its figures are read to their end at every size of text."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRect, QRectF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.warmth.price_card import PriceCard
from app.widgets.kit import drawing
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import LARGEST_BODY, SMALLEST_BODY, TextStyle
from app.widgets.window import price_popover
from app.widgets.window.price_popover import PricePopover

SHORT = PriceCard("By train", "", "212 tokens to recompute", parts=(9, 212), reused="9 held", computed="212 to read")
LONG = PriceCard(
    *("By train", "", "Opens at once"),
    parts=(491, 0),
    reused="491 from memory and from disk",
    computed="only what you type is computed",
)


@pytest.mark.parametrize("text", range(SMALLEST_BODY, LARGEST_BODY + 1, 2))
def test_no_figure_is_cut(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, text: int) -> None:
    style, window = Style(LIGHT, text), QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 800)
    popover, drawn, right = PricePopover(style, window), list[tuple[str, bool]](), drawing.draw_text

    def noting(painter: Any, text_style: TextStyle, rect: QRectF, words: str, *how: Any) -> float:
        drawn.append((words, text_style.width(words) <= rect.width()))
        return right(painter, text_style, rect, words, *how)

    monkeypatch.setattr(price_popover, "draw_text", noting)
    heights = []
    for card in (SHORT, LONG):
        drawn.clear()
        popover.show_at(card, QRect(400, 300, 20, 20), window.rect())
        popover.grab()
        assert (card.reused, True) in drawn
        assert (card.computed, True) in drawn
        heights.append(popover.height())
    assert heights[0] < heights[1]


@pytest.mark.parametrize("at", [10, 90, 190])
def test_a_card_stays_in_its_window_where_it_has_room_neither_below_nor_above(qtbot: QtBot, at: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 220)
    popover = PricePopover(Style(LIGHT, LARGEST_BODY), window)
    popover.show_at(LONG, QRect(200, at, 20, 20), window.rect())
    card = popover.box.translated(popover.pos())
    assert window.rect().contains(card.toAlignedRect())
