from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF

from app.viewmodels.chat.rows import Footer, PrefillRow
from app.widgets.chat.messages.figures import figure_words, fitting, paint_footer, paint_prefill, prefill_height
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import TextRole
from tests.widgets.chat.sample_messages import DONE
from tests.widgets.pictures import count, painted

READING = PrefillRow(512, 1840, 3012, 392.0, "Why: the instructions differ.")


def test_figures_in_words() -> None:
    words = [word.replace("\u00a0", " ") for word in figure_words(DONE, is_done=True)]
    assert words == ["214 tokens", "38.2 tok/s", "first 0.48 s", "finished"]


def test_what_is_not_known_is_left_out() -> None:
    assert figure_words(Footer(1, 2, None, None, None, ""), is_done=False) == []


def test_the_last_figures_go_first_where_it_is_narrow(style: Style) -> None:
    words = figure_words(DONE, is_done=True)
    whole = fitting(words, style, 1000)
    shorter = fitting(words, style, style.text_style(TextRole.CAP).width(whole) - 1)
    assert whole.endswith("finished")
    assert shorter.startswith("214")
    assert len(shorter) < len(whole)
    assert fitting(words, style, 10) == ""


@pytest.mark.parametrize(("footer", "has_accent"), [(DONE, True), (replace(DONE, reused=None, computed=None), False)])
def test_the_bar_stands_only_where_reuse_is_known(style: Style, footer: Footer, has_accent: bool) -> None:
    image = painted(500, 20, lambda painter, rect: paint_footer(painter, style, rect, footer, is_done=True))
    assert (count(image, LIGHT.accentgfx) > 50) == has_accent


def test_a_card_without_a_reason_is_lower(style: Style) -> None:
    assert prefill_height(style, READING) == 128
    assert prefill_height(style, replace(READING, why="")) < 100


def test_the_bar_of_the_card_shows_what_is_done(style: Style) -> None:
    def ink(row: PrefillRow) -> tuple[int, int, int]:
        image = painted(600, 128, lambda painter, _rect: paint_prefill(painter, style, QRectF(0, 0, 600, 128), row))
        return count(image, LIGHT.accentgfx), count(image, LIGHT.mute), count(image, LIGHT.track)

    early, late = ink(READING), ink(replace(READING, done=3000))
    assert early[0] == late[0]
    assert early[1] < late[1]
    assert early[2] > late[2]
