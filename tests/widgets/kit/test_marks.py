from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from app.protocol.trie_view import Residency
from app.widgets.kit.marks import (
    paint_bar,
    paint_budget,
    paint_cost,
    paint_disc,
    paint_disk_budget,
    paint_pill,
    paint_warmth,
    pill_width,
)
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from tests.widgets.pictures import columns, count, grey, painted

ALL: tuple[Residency, ...] = get_args(Residency)


def disc(where: Residency, theme: Theme = LIGHT) -> QImage:
    ground = theme.window.name()
    return painted(40, 40, lambda painter, _: paint_disc(painter, theme, QPointF(20, 20), where, 30), ground)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_all_discs_differ_without_their_colours(theme: Theme) -> None:
    for one, other in combinations(ALL, 2):
        filled = [count(grey(disc(where, theme)), disc(where, theme).pixelColor(0, 0)) for where in (one, other)]
        assert grey(disc(one, theme)) != grey(disc(other, theme)), (one, other, filled)


def test_a_live_disc_is_full_and_one_in_memory_half() -> None:
    assert disc("live").pixelColor(20, 12) == LIGHT.accentgfx
    assert disc("memory").pixelColor(20, 12) == LIGHT.window
    assert disc("memory").pixelColor(20, 28) == LIGHT.accentgfx
    assert disc("disk").pixelColor(20, 28) == LIGHT.window


def test_a_halo_cuts_the_line_behind_the_disc() -> None:
    def paint(painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(QRectF(0, 9, 40, 2), LIGHT.err)
        paint_disc(painter, LIGHT, QPointF(20, 10), "none", 10, LIGHT.window)

    image = painted(40, 20, paint)
    assert image.pixelColor(20, 10) == LIGHT.window
    assert image.pixelColor(10, 10) == LIGHT.err


def test_a_bar_shows_shares_in_proportion() -> None:
    parts = ((0.5, LIGHT.accentgfx), (0.25, LIGHT.mute))
    image = painted(200, 10, lambda painter, rect: paint_bar(painter, LIGHT, rect, parts))
    assert columns(image, LIGHT.accentgfx, 5) == pytest.approx(100, abs=2)
    assert columns(image, LIGHT.mute, 5) == pytest.approx(50, abs=2)
    assert columns(image, LIGHT.track, 5) == pytest.approx(50, abs=2)


def test_a_share_that_is_not_nothing_can_be_seen() -> None:
    for parts in ((1, 100_000), (100_000, 1)):
        image = painted(200, 10, lambda painter, rect, parts=parts: paint_cost(painter, LIGHT, rect, *parts))
        shown = columns(image, LIGHT.accentgfx, 5), columns(image, LIGHT.mute, 5)
        assert min(shown) >= 2
        assert max(shown) > 180


def test_a_whole_share_leaves_no_gap_at_the_end() -> None:
    image = painted(60, 10, lambda painter, rect: paint_cost(painter, LIGHT, rect, 5, 0))
    assert columns(image, LIGHT.accentgfx, 5) >= 58
    assert columns(image, LIGHT.track, 5) == 0


def test_no_tokens_at_all_are_an_empty_track() -> None:
    image = painted(60, 10, lambda painter, rect: paint_cost(painter, LIGHT, rect, 0, 0))
    assert columns(image, LIGHT.track, 5) >= 58


def test_the_kinds_of_warmth_differ_without_their_colours() -> None:
    def warmth(share: float, is_on_disk: bool = False) -> QImage:
        return grey(painted(44, 8, lambda painter, rect: paint_warmth(painter, LIGHT, rect, share, is_on_disk)))

    kinds = [warmth(1), warmth(0.5), warmth(0), warmth(1, is_on_disk=True), warmth(0.5, is_on_disk=True)]
    assert all(one != other for one, other in combinations(kinds, 2))


def test_the_budget_bar_tells_live_from_memory_by_its_hatch() -> None:
    image = painted(300, 8, lambda painter, rect: paint_budget(painter, LIGHT, rect, 1e9, 3e9, 8e9))
    live, memory, free = image.copy(4, 0, 28, 8), image.copy(44, 0, 100, 8), image.copy(160, 0, 130, 8)
    assert count(live, LIGHT.accentgfx) == 28 * 8
    assert len({memory.pixel(x, 4) for x in range(100)}) > 3
    assert len({live.pixel(x, 4) for x in range(28)}) == 1
    assert count(free, LIGHT.track) > 120 * 8


def test_three_blocks_are_filled_as_far_as_the_branch_is_held() -> None:
    def blocks(share: float) -> QImage:
        return painted(46, 4, lambda painter, rect: paint_warmth(painter, LIGHT, rect, share, is_on_disk=True))

    whole = columns(blocks(1), LIGHT.mute, 2)
    assert whole > 34
    assert columns(blocks(1), LIGHT.track, 2) == 0
    assert columns(blocks(0.5), LIGHT.mute, 2) == pytest.approx(whole / 2, abs=3)


def test_the_disk_has_a_bar_of_its_own_colour() -> None:
    image = painted(100, 8, lambda painter, rect: paint_disk_budget(painter, LIGHT, rect, 5e9, 20e9))
    assert columns(image, LIGHT.mute, 4) == pytest.approx(25, abs=3)
    assert count(image, LIGHT.accentgfx) == 0
    full = painted(100, 8, lambda painter, rect: paint_disk_budget(painter, LIGHT, rect, 5e9, 0))
    assert count(full, LIGHT.track) == 0


def test_a_cache_over_its_budget_fills_the_bar() -> None:
    image = painted(100, 8, lambda painter, rect: paint_budget(painter, LIGHT, rect, 9e9, 1e9, 8e9))
    assert count(image, LIGHT.track) == 0


def test_pills_say_the_state_and_only_no_snapshot_is_bare(style: Style) -> None:
    def pill(where: Residency) -> QImage:
        return painted(90, 20, lambda painter, rect: paint_pill(painter, style, 85, 10, "Words", where))

    assert count(pill("live"), LIGHT.soft) > 50
    assert count(pill("memory"), LIGHT.fill2) > 50
    assert count(pill("none"), LIGHT.fill2) == 0
    assert pill_width(style, "Words", "live") == pill_width(style, "Words", "none") + 14


def test_increased_contrast_outlines_the_pills(style: Style) -> None:
    style.set_theme(LIGHT.with_increased_contrast())
    image = painted(90, 20, lambda painter, rect: paint_pill(painter, style, 85, 10, "Words", "live"))
    assert count(image, style.theme.outline) > 20


def test_a_small_part_of_a_budget_is_as_wide_as_its_bar_is_high() -> None:
    for live, memory in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (5e9, 1.0)):

        def paint(painter: QPainter, rect: QRectF, live: float = live, memory: float = memory) -> None:
            paint_budget(painter, LIGHT, rect, live, memory, 8e9)

        image = painted(300, 8, paint)
        shown = 298 - columns(image, LIGHT.track, 4)
        assert shown >= 6 * ((live > 0) + (memory > 0))
    image = painted(100, 8, lambda painter, rect: paint_disk_budget(painter, LIGHT, rect, 1, 20e9))
    assert columns(image, LIGHT.mute, 4) >= 6
