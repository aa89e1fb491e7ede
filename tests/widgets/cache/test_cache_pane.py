from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.trie_model import TrieModel
from app.widgets.cache.cache_legend import Legend, entries, pinned_bytes
from app.widgets.cache.cache_pane import CachePane
from app.widgets.kit.drawing import wrapped
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.kit.typography import TextRole
from tests.widgets.painted import painted_by
from tests.widgets.pictures import count, painted_height, picture, show
from tests.widgets.samples import LOG, NODES, NOW, event, view

EMPTY = TrieView(serial=9, budget_bytes=8_000_000_000)


@pytest.fixture
def model(qapp: object) -> TrieModel:
    model = TrieModel()
    model.show(EMPTY)
    return model


@pytest.fixture
def log(qapp: object) -> EventModel:
    return EventModel()


@pytest.fixture
def pane(qtbot: QtBot, style: Style, model: TrieModel, log: EventModel) -> CachePane:
    pane = CachePane(style, model, log, lambda: NOW)
    qtbot.addWidget(pane)
    show(pane, 352, 700)
    return pane


def test_an_empty_cache_says_so_and_what_the_discs_mean(pane: CachePane) -> None:
    assert pane.empty.isVisible()
    assert not pane.tree.isVisible()
    assert pane.empty.accessibleName() == "Nothing of this model is held yet"
    for word in ("Live", "In memory", "No snapshot"):
        assert word in pane.empty.accessibleDescription()
    assert "0 of 8.0" in pane.head.accessibleName()


def test_of_a_server_it_says_what_should_be_there(pane: CachePane, model: TrieModel) -> None:
    model.show(replace(EMPTY, place="Studio"))
    assert pane.empty.isVisible()
    told = pane.empty.accessibleDescription()
    assert "that the server has read should stay there" in told
    assert "Should be there: sent there before, reused" in told
    assert "Live" not in told
    model.show(EMPTY)
    assert "Live: in use by this answer" in pane.empty.accessibleDescription()


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
def test_it_is_painted_at_any_width(pane: CachePane, style: Style, model: TrieModel, theme: Theme, width: int) -> None:
    style.set_theme(theme)
    model.show(view())
    pane.resize(width, 700)
    image = picture(pane)
    assert image.pixelColor(width - 3, 700 - 28) == theme.line
    assert count(image.copy(16, 28, width - 32, 30), theme.track) > 0


@pytest.mark.parametrize(("height", "has_drawing"), [(700, True), (330, False)])
def test_the_drawing_gives_way_when_there_is_no_room(pane: CachePane, height: int, has_drawing: bool) -> None:
    pane.resize(352, height)
    assert (painted_height(picture(pane.empty)) > 300) is has_drawing


def test_large_text_fits_the_empty_state(pane: CachePane, style: Style) -> None:
    style.set_text_size(24)
    pane.resize(300, 900)
    image = picture(pane.empty)
    ground = image.pixelColor(0, 0)
    for edge in (image.copy(0, 0, 4, image.height()), image.copy(image.width() - 4, 0, 4, image.height())):
        assert count(edge, ground) == 4 * image.height()
    lines = wrapped(style.text_style(TextRole.UI), "When you send a message, the tokens the model has read", 200)
    assert len(lines) > 2
    assert all(style.text_style(TextRole.UI).width(line) <= 200 for line in lines)


def test_the_head_grows_with_the_text(pane: CachePane, style: Style) -> None:
    before = pane.head.height()
    style.set_text_size(24)
    assert pane.head.height() > before
    assert pane.tree.y() > pane.head.geometry().bottom()


def test_the_log_comes_with_the_tree_and_leaves_it_more_room(
    pane: CachePane, model: TrieModel, log: EventModel
) -> None:
    """What can be pressed above it stays where it is, whatever happens."""
    assert not pane.events.isVisible()
    model.show(view())
    assert pane.events.isVisible()
    place, tree = pane.events.geometry(), pane.tree.geometry()
    for one in LOG:
        log.add([one])
        assert (pane.events.geometry(), pane.tree.geometry()) == (place, tree)
    assert pane.events.list.height() >= 6 * 22
    assert pane.events.geometry().bottom() < pane.height() - 28
    pane.resize(352, 400)
    assert pane.tree.height() >= pane.events.height() - 8
    log.clear()
    model.show(replace(view(), place="Studio"))
    assert not pane.events.isVisible(), "servers tell of none"


def test_the_log_is_folded_by_its_title_and_unfolded_again(
    qtbot: QtBot, pane: CachePane, model: TrieModel, log: EventModel
) -> None:
    model.show(view())
    log.add(LOG)
    height = pane.events.height()
    qtbot.keyClick(pane.events.head, Qt.Key.Key_Space)
    assert not pane.events.is_open
    assert not pane.events.list.isVisible()
    assert pane.events.height() < 40
    assert pane.events.head.accessibleDescription() == "Show the events"
    qtbot.mouseClick(pane.events.head, Qt.MouseButton.LeftButton)
    assert pane.events.height() == height
    assert pane.events.list.isVisible()


def test_the_log_is_given_room_by_its_grip(qtbot: QtBot, pane: CachePane, model: TrieModel, log: EventModel) -> None:
    model.show(view())
    pane.resize(352, 900)
    log.add(event(number, CacheEventKind.REQUEST, number, 1) for number in range(40))
    grip, before = pane.events.grip, pane.events.list.height()
    at = grip.mapToGlobal(QPoint(50, 2))
    qtbot.mousePress(grip, Qt.MouseButton.LeftButton, pos=QPoint(50, 2))
    qtbot.mouseMove(grip, QPoint(50, -28))
    assert grip.mapToGlobal(QPoint(50, 2)).y() == at.y() - 30
    assert pane.events.list.height() == before + 30 == pane.events.rows_height
    pane.events.restore(66, is_open=False)
    assert not pane.events.list.isVisible()
    pane.events.head.click()
    assert pane.events.list.height() == 66


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_event_is_painted_and_a_fault_stands_out(
    pane: CachePane, style: Style, log: EventModel, theme: Theme
) -> None:
    style.set_theme(theme)
    log.add(LOG)
    image = picture(pane.events.list)
    first = image.copy(0, 0, image.width(), 22)
    second = image.copy(0, 22, image.width(), 22)
    assert count(first, theme.warn) > 0
    assert count(second, theme.warn) == 0
    assert count(second, theme.text2) > 0


def test_buffers_and_what_mlx_keeps_are_details(pane: CachePane, model: TrieModel) -> None:
    before = pane.head.height()
    model.show(replace(view(), live_bytes=97_000_000, live_allocated_bytes=120_000_000, mlx_cache_bytes=64_000_000))
    said = "Live buffers 120\u00a0MB, 97\u00a0MB of them used. MLX keeps 64\u00a0MB for reuse."
    assert pane.head.accessibleDescription() == pane.head.toolTip() == said
    assert pane.head.height() == before
    assert pane.tree.y() > pane.head.geometry().bottom()
    model.show(replace(model.view, overhead_bytes=64_000_000))
    assert pane.head.toolTip() == f"{said} MLX overhead 64\u00a0MB, counted in the budget."


ON_DISK = replace(view(), disk_bytes=4_600_000_000, disk_allowed_bytes=20_000_000_000)
TROUBLE = Problem("Little space is left on the disk: snapshots are off", "Free some space.")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_disk_has_its_own_bar_and_numbers(pane: CachePane, style: Style, model: TrieModel, theme: Theme) -> None:
    style.set_theme(theme)
    model.show(ON_DISK)
    image = picture(pane.head)
    disk = round(16 + 312 * 0.68 + 8)
    middle = next(y for y in range(image.height()) if image.pixelColor(disk + 60, y) == theme.track)
    assert image.pixelColor(disk + 4, middle + 3) == theme.mute
    assert image.pixelColor(disk - 4, middle + 3) == image.pixelColor(2, middle + 3)
    assert image.pixelColor(disk - 12, middle + 3) == theme.track
    name = pane.head.accessibleName()
    assert "4.6 of 20\u00a0GB on disk" in name
    assert "On disk 4.6\u00a0GB" in name
    model.show(replace(view(), serial=5))
    assert "disk" not in pane.head.accessibleName()


@pytest.mark.parametrize(("width", "body"), [(300, 14), (300, 24), (352, 14), (352, 20), (640, 14)])
def test_everything_of_the_head_keeps_to_the_pane(
    pane: CachePane, style: Style, model: TrieModel, width: int, body: int
) -> None:
    style.set_text_size(body)
    pinned = [replace(each, is_pinned=True) for each in view().nodes]
    model.show(replace(ON_DISK, nodes=tuple(pinned), live_bytes=3_400_000_000, disk_bytes=19_900_000_000))
    pane.show_disk("/caches", TROUBLE)
    pane.resize(width, 900)
    image = picture(pane.head)
    for edge in (image.copy(width - 15, 0, 15, image.height()), image.copy(0, image.height() - 9, width, 9)):
        assert count(edge, style.theme.text2) == count(edge, style.theme.warn) == 0
    assert count(image, style.theme.warn) > 0


def test_why_nothing_goes_to_the_disk_stands_in_the_pane(pane: CachePane, model: TrieModel) -> None:
    model.show(replace(ON_DISK, disk_allowed_bytes=0, disk_bytes=0))
    pane.show_disk("/Users/ana/Caches/snapshots", None)
    height, tree = pane.head.height(), pane.tree.y()
    assert "Cache files are in /Users/ana/Caches/snapshots." in pane.head.toolTip()
    pane.show_disk("/Users/ana/Caches/snapshots", TROUBLE)
    assert pane.head.height() > height
    assert pane.tree.y() > tree
    assert pane.head.accessibleDescription().startswith(f"{TROUBLE.title}. {TROUBLE.sentence}")
    pane.show_disk("/Users/ana/Caches/snapshots", None)
    assert pane.head.height() == height


def test_a_disk_that_is_to_be_used_has_its_room_before_the_engine_tells_of_it(
    pane: CachePane, model: TrieModel
) -> None:
    """The bar of the memory does not shrink while the engine gets ready."""
    model.show(TrieView(serial=0))
    pane.show_disk("/caches", None, is_awaited=True)
    waiting = pane.head._has_disk
    model.show(replace(EMPTY, disk_allowed_bytes=1 << 30))
    assert waiting == pane.head._has_disk is True
    model.show(replace(EMPTY, serial=10))
    assert not pane.head._has_disk, "what the engine says counts"


def test_files_that_were_lost_are_counted_in_the_pane(pane: CachePane, model: TrieModel) -> None:
    model.show(replace(ON_DISK, dropped_files=2))
    assert "2\u00a0cache files were dropped" in pane.head.toolTip()


def test_what_is_pinned_is_part_of_the_legend(pane: CachePane, model: TrieModel) -> None:
    assert "Pinned" not in pane.head.accessibleName()
    model.show(view(replace(NODES[7], is_pinned=True), *NODES[:2]))
    assert "Pinned 7.7\u00a0MB" in pane.head.accessibleName()


def test_the_disk_is_told_to_whoever_has_an_empty_cache(pane: CachePane) -> None:
    assert "On disk: in a file, read back in a moment" in pane.empty.accessibleDescription()


@pytest.mark.parametrize("width", [300, 352, 640])
def test_the_disks_entry_stands_below_its_bar_and_none_runs_into_another(style: Style, width: int) -> None:
    pinned = tuple(replace(each, is_pinned=True) for each in view().nodes)
    whole = replace(ON_DISK, nodes=pinned)
    parts = entries(whole, sum(map(pinned_bytes, whole.nodes)), has_disk=True)
    assert [part.word for part in parts] == ["Live", "In memory", "Pinned", "On disk"]
    room = width - 32.0
    disk_left = (room - 8) * 0.68 + 8
    legend = Legend(style)
    corners = legend._corners(parts, room, disk_left)
    assert corners[-1] == (disk_left, 0.0) or corners[-1][1] > 0
    assert corners[-1] == (disk_left, 0.0) or width == 300
    boxes = [QRectF(left, top, legend._width(part), 14) for part, (left, top) in zip(parts, corners, strict=True)]
    assert all(box.right() <= room for box in boxes)
    assert not any(one.intersects(other) for one, other in combinations(boxes, 2))


def test_what_is_on_disk_is_told_with_its_limit_at_any_size_of_text(
    pane: CachePane, style: Style, model: TrieModel
) -> None:
    """It gets a line of its own where it does not stand beside the memory's, as soon as the figures are that long."""
    for seed in range(20):
        rng = random.Random(seed)
        style.set_text_size(rng.choice((10, 14, 20, 24)))
        pane.resize(rng.choice((300, 352, 640)), 900)
        model.show(replace(ON_DISK, serial=100 + 2 * seed, live_bytes=0, paged_bytes=0, disk_bytes=0))
        model.show(
            replace(
                ON_DISK,
                serial=101 + 2 * seed,
                live_bytes=rng.randrange(8_000_000_000),
                disk_bytes=rng.randrange(1, 20_000_000_000),
            )
        )
        small, medium = style.text_style(TextRole.SMALL), style.text_style(TextRole.SMALL_MEDIUM)
        title, share = pane.head._title(), disk_text.shares(model.view)[1]
        is_beside = medium.width(title) + 8 + small.width(share) <= pane.width() - 32
        top = 12 + (0 if is_beside else medium.line)
        told = picture(pane.head).copy(0, top, pane.width(), small.line)
        assert count(told, style.theme.text2) > 0, f"seed {seed}"
        bar = top + medium.line + 8
        assert count(picture(pane.head).copy(0, bar, pane.width(), 8), style.theme.track) > 0, f"seed {seed}"
        assert pane.head.height() == pane.head.heightForWidth(pane.width()), f"seed {seed}"


def test_what_the_engine_tells_paints_no_part_of_which_it_tells_nothing(pane: CachePane, model: TrieModel) -> None:
    """As after every few tokens of an answer: the events are as before."""
    model.show(view())
    parts = [pane.events.list.viewport(), pane.tree.viewport()]
    grown = [replace(each, bytes=each.bytes + 1_000_000) for each in view().nodes]
    told = replace(view(), serial=6, nodes=tuple(grown))
    assert painted_by(lambda: model.show(told), parts) == [pane.tree.viewport()]
