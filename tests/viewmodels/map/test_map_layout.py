"""Where runs stand: nothing crosses, nothing overlaps, and the work grows with their number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

import app.viewmodels.map.map_layout as map_layout
from app.viewmodels.map.map_layout import ARM, Box, MapLayout, MapRun
from tests.seeds import each_seed

_EPSILON = 0.01


def lay_out(runs: list[MapRun]) -> MapLayout:
    found: list[MapLayout] = []

    def keep() -> Iterator[None]:
        found.append((yield from map_layout.lay_out(runs)))

    for _step in keep():
        pass
    return found[0]


def grown(rng: random.Random, count: int) -> list[MapRun]:
    """A tree of runs in the order that they are told: each after the one above it, and before its next sibling."""
    below: dict[int, list[int]] = {-1: []}
    for number in range(count):
        below.setdefault(rng.choice([-1, *range(number)][-rng.choice((2, 6, 30)) :]), []).append(number)
    runs: list[MapRun] = []
    waiting = [(one, -1, 0) for one in reversed(below[-1])]
    while waiting:
        number, parent, start = waiting.pop()
        end = start + rng.choice((0, 5, 80, 900))
        label = (rng.uniform(20, 120), rng.choice((14.0, 32.0))) if rng.random() < 0.7 else (0.0, 0.0)
        runs.append(MapRun(parent, end, *label, keeps_label=rng.random() < 0.3))
        here = len(runs) - 1
        waiting += [(one, here, end) for one in reversed(below.get(number, []))]
    return runs


def meet(a: Box, b: Box) -> bool:
    return (
        a.left < b.right - _EPSILON
        and b.left < a.right - _EPSILON
        and a.top < b.bottom - _EPSILON
        and b.top < a.bottom - _EPSILON
    )


def lines(layout: MapLayout) -> tuple[list[Box], list[Box]]:
    """The upright lines and the level arms of all runs."""
    upright = [Box(one.x, one.top + ARM, 0.02, one.bottom - one.top - ARM) for one in layout.runs]
    arms = [
        Box(min(one.x, one.from_x), one.top + ARM, abs(one.x - one.from_x), 0.02)
        for one in layout.runs
        if one.x != one.from_x
    ]
    return upright, arms


@each_seed(range(150))
def test_no_lines_cross_and_no_labels_overlap(seed: int) -> None:
    rng = random.Random(seed)
    layout = lay_out(grown(rng, rng.randrange(1, 60)))
    labels = [one.label for one in layout.runs if one.label is not None]
    assert not [pair for pair in combinations(labels, 2) if meet(*pair)]
    upright, arms = lines(layout)
    assert not [(label, line) for label in labels for line in (*upright, *arms) if meet(label, line)]
    assert not [pair for pair in combinations(upright, 2) if meet(*pair)]
    # An upright line touches an arm where it begins; nothing crosses it below that.
    shorter = [line._replace(top=line.top + 1, height=line.height - 1) for line in upright]
    assert not [(line, arm) for line in shorter for arm in arms if meet(line, arm)]


@each_seed(range(50))
def test_every_run_hangs_below_its_own_and_ends_at_its_tokens_where_there_is_room(seed: int) -> None:
    rng = random.Random(seed)
    runs = grown(rng, 40)
    layout = lay_out(runs)
    for run, placed in zip(runs, layout.runs, strict=True):
        above = layout.runs[run.parent] if run.parent >= 0 else None
        assert placed.top == (above.bottom if above else 0.0)
        assert placed.from_x == (above.x if above else placed.x)
        assert placed.bottom >= run.end * layout.scale - _EPSILON
        if placed.label is not None:
            assert placed.box.left < placed.label.left < placed.label.right < placed.box.right
            assert placed.box.top < placed.label.top < placed.label.bottom < placed.box.bottom
        assert (placed.label is not None) >= (run.keeps_label and run.label_width > 0)
        if placed.bottom - placed.top > 64 > map_layout._LEAST_LENGTH:
            assert abs(placed.bottom - run.end * layout.scale) < _EPSILON


@each_seed(range(30))
def test_what_lies_in_a_rectangle_is_found(seed: int) -> None:
    rng = random.Random(seed)
    layout = lay_out(grown(rng, 80))
    box = Box(rng.uniform(-300, 300), rng.uniform(-100, 3000), rng.uniform(1, 500), rng.uniform(1, 900))
    expected = [number for number, one in enumerate(layout.runs) if map_layout._meet(one.box, box)]
    assert layout.within(box) == expected


def test_the_deepest_goes_on_straight_older_versions_left_newer_ones_right() -> None:
    runs = [MapRun(-1, 1000), MapRun(0, 1300), MapRun(0, 4000), MapRun(0, 1200)]
    root, older, deepest, newer = lay_out(runs).runs
    assert deepest.x == root.x
    assert older.x < deepest.x < newer.x


def test_short_branches_of_a_long_trunk_stay_near_it() -> None:
    """Sixty branches that leave at sixty places need the room of one."""
    runs: list[MapRun] = []
    trunk = -1
    for number in range(60):
        runs.append(MapRun(trunk, 1000 * (number + 1), 80, 14))
        trunk = len(runs) - 1
        runs.append(MapRun(trunk, 1000 * (number + 1) + 200, 80, 14))
    layout = lay_out(runs)
    assert layout.box.width < 400


def test_a_short_conversation_is_drawn_larger() -> None:
    assert map_layout.scale_for([MapRun(-1, 661)]) > map_layout.scale_for([MapRun(-1, 50_000)]) == 0.11
    assert map_layout.scale_for([]) == 2.0


def test_lengths_of_many_short_runs_are_true_to_their_tokens_and_short_leaves_stand_in_one_column() -> None:
    runs: list[MapRun] = []
    trunk = -1
    for number in range(60):
        runs.append(MapRun(trunk, 80 * (number + 1)))
        trunk = len(runs) - 1
        runs.append(MapRun(trunk, 80 * (number + 1) + 30))
    layout = lay_out(runs)
    assert layout.runs[trunk].bottom == 80 * 60 * layout.scale
    assert layout.box.width < 90


@each_seed(range(3))
def test_the_work_grows_with_the_number_of_runs(seed: int) -> None:
    """Trees of many forms: what is taken from the outlines is counted, not timed."""
    looked = 0
    reach = map_layout._reach

    def counted(one: map_layout._Outline, other: map_layout._Outline) -> float:
        nonlocal looked
        a, b = one.pieces, other.pieces
        end = min(a[0][1], b[0][1])
        looked += sum(piece[0] < end for outline in (a, b) for piece in outline)
        return reach(one, other)

    rng = random.Random(seed)
    comb, trunk = list[MapRun](), -1
    for number in range(1_500):
        comb.append(MapRun(trunk, 900 * (number + 1), 80, 14))
        trunk = len(comb) - 1
        comb.append(MapRun(trunk, 900 * (number + 1) + 300, 80, 14))
    fan = [MapRun(-1, 500), *(MapRun(0, 500 + rng.randrange(900), 60, 14) for _ in range(3_000))]
    map_layout._reach = counted
    try:
        for runs in (comb, fan, grown(rng, 3_000)):
            looked = 0
            lay_out(runs)
            assert looked < 30 * len(runs)
    finally:
        map_layout._reach = reach


def test_nothing_is_laid_out_of_nothing() -> None:
    layout = lay_out([])
    assert (layout.runs, layout.within(Box(0, 0, 100, 100))) == ([], [])


def test_what_is_in_sight_of_a_wide_picture_is_found_without_looking_at_all_of_it() -> None:
    runs = [MapRun(-1, 10), *(MapRun(0, 20, 100.0, 14.0) for _ in range(3000))]
    layout = lay_out(runs)
    middle = Box(layout.box.left + layout.box.width * 0.9, layout.box.top, 500, 500)
    looked_at: list[Box] = []
    meet = map_layout._meet

    def counted(a: Box, b: Box) -> bool:
        looked_at.append(a)
        return meet(a, b)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_layout, "_meet", counted)
        found = layout.within(middle)
    assert found == [number for number, one in enumerate(layout.runs) if meet(one.box, middle)]
    assert 0 < len(found) <= len(looked_at) < 600
    assert layout.within(Box(layout.box.right + 10, 0, 100, 100)) == []
