from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from app.viewmodels.chat.rows import MessageRow
from app.widgets.chat.column import centred, column
from app.widgets.chat.messages.layout import ChatLayout
from app.widgets.kit.style import Style
from tests.seeds import each_seed
from tests.widgets.chat.sample_messages import PLAN, Listed, answer, question, talk


@pytest.fixture
def rows(style: Style) -> ChatLayout:
    layout = ChatLayout(style, Listed())
    layout.set_pane(840)
    return layout


def fill(layout: ChatLayout, rows: Sequence[MessageRow]) -> Listed:
    """Show these rows, which can be changed in what is returned."""
    source = layout._source
    assert isinstance(source, Listed)
    source.list[:] = rows
    layout.cut(0)
    layout.extend()
    return source


def settle(layout: ChatLayout, top: float, bottom: float) -> float:
    """Measure until nothing changes; returns by how much what was in sight moved."""
    moved = 0.0
    for _ in range(10):
        settled = layout.settle(top + moved, bottom + moved)
        moved += settled.shift
        if not settled.changed:
            return moved
    raise AssertionError("heights never came to rest")


def test_the_column_of_the_pictures() -> None:
    assert (column(840).left, column(840).width, column(840).rail) == (108, 680, 76)


def test_a_wide_pane_gets_wider_margins_and_a_larger_text_a_wider_column() -> None:
    assert (column(1040).left, column(1040).width) == (208, 680)
    assert column(1400, 1.5).width == 1020


@pytest.mark.parametrize("pane", [200, 360, 479, 480, 632, 2000])
def test_text_never_leaves_the_pane(pane: int) -> None:
    assert 0 < column(pane).left < column(pane).right <= pane
    assert 0 < centred(pane).left < centred(pane).right <= pane


def test_rows_follow_each_other(rows: ChatLayout) -> None:
    fill(rows, talk(3))
    tops = [rows.top(number) for number in range(7)]
    assert tops == sorted(tops)
    assert [rows.row_at(top + 1) for top in tops[:-1]] == list(range(6))
    assert rows.row_at(-1) == rows.row_at(rows.top(6) + 1) == -1


def test_an_empty_path_has_no_height(rows: ChatLayout) -> None:
    assert (rows.total, rows.row_at(0), list(rows.in_sight(0, 100))) == (0, -1, [])


def test_gaps_depend_on_who_spoke_before(rows: ChatLayout) -> None:
    fill(rows, talk(2))
    assert [rows.item(number).above for number in range(4)] == [20, 24, 28, 24]


def test_a_row_that_nobody_has_seen_is_thought_to_be_as_high_as_it_would_be_made(style: Style) -> None:
    rng = random.Random(2)
    texts = ["", "  \n", "word", "Words. " * 300, "a\nb\nc", "long" * 5000]
    made = [rng.choice([question, answer])(f"m{number}", rng.choice(texts)) for number in range(100)]
    rows = ChatLayout(style, Listed(made))
    rows.set_pane(rng.randrange(300, 1200))
    rows.extend()
    for number in range(100):
        assert rows.height(number) == rows.item(number).height, made[number]


def test_five_thousand_messages_open_without_being_laid_out(rows: ChatLayout) -> None:
    fill(rows, talk(2500))
    settle(rows, rows.total - 700, rows.total)
    assert len(rows._items) < 20


def test_items_out_of_sight_are_let_go(rows: ChatLayout) -> None:
    fill(rows, talk(2500))
    for top in range(0, 200_000, 600):
        settle(rows, top, top + 700)
    assert 0 < len(rows._items) <= 256


@each_seed(range(3))
def test_what_is_in_sight_stays_there_however_far_one_scrolls(style: Style, seed: int) -> None:
    """Wheel and pages: not one row jumps, also where rows come into sight that nobody has estimated."""
    rng = random.Random(seed)
    rows = ChatLayout(style, Listed(talk(10_000)))
    rows.set_pane(840)
    rows.extend()
    top = rows.total - 700
    top += settle(rows, top, top + 700)
    for _ in range(6):
        top = rng.random() * (rows.total - 700)
        top += settle(rows, top, top + 700)
        for _ in range(12):
            seen = rng.choice(rows.in_sight(top + 1, top + 699))
            before, by = rows.top(seen) - top, rng.choice([-650, -300, -44, 44, 300, 650])
            top += by
            top += settle(rows, top, top + 700)
            if min(before, before - by) >= 0 and max(before, before - by) < 700:
                assert rows.top(seen) - top == pytest.approx(before - by), (seed, seen)


def test_documents_out_of_sight_are_freed(rows: ChatLayout) -> None:
    fill(rows, talk(200))
    for top in range(0, 20_000, 400):
        settle(rows, top, top + 700)
    held = [item for item in rows._items.values() if any(block._document for block in item.body._blocks or ())]
    assert 0 < len(held) < 120


def test_correcting_an_estimate_does_not_move_what_is_in_sight(rows: ChatLayout) -> None:
    """Scrolling up brings rows into sight whose guessed heights are wrong."""
    fill(rows, talk(40))
    top = rows.total - 700
    top += settle(rows, top, top + 700)
    seen = rows.row_at(top + 600)
    before = rows.top(seen) - top
    top -= 300
    top += settle(rows, top, top + 700)
    assert rows.top(seen) - top == pytest.approx(before + 300)


def test_a_row_that_grows_moves_only_what_is_below(rows: ChatLayout) -> None:
    source = fill(rows, [question("q"), answer("a", "short"), question("q2")])
    settle(rows, 0, 2000)
    above, below = rows.top(1), rows.top(2)
    source.list[1] = answer("a", "short and now\n\nlonger")
    rows.renew(1)
    settle(rows, 0, 2000)
    assert rows.top(1) == above
    assert rows.top(2) > below


def test_another_message_at_the_same_place_is_laid_out_anew(rows: ChatLayout) -> None:
    source = fill(rows, [question("q"), answer("a", PLAN)])
    settle(rows, 0, 2000)
    source.list[1] = answer("b", "short")
    rows.renew(1)
    assert rows.item(1).row.id == "b"
    assert rows.item(1).body.selected_text(*rows.item(1).body.all_of_it()) == "short"


def test_what_was_seen_of_a_path_is_not_laid_out_again_when_one_comes_back(rows: ChatLayout) -> None:
    first, second = [question("q"), answer("a", PLAN)], [question("q"), answer("b", PLAN)]
    fill(rows, first)
    settle(rows, 0, 2000)
    items = [rows.item(number) for number in range(2)]
    fill(rows, second)
    settle(rows, 0, 2000)
    assert rows.item(0) is items[0]
    assert rows.item(1) is not items[1]
    fill(rows, first)
    settle(rows, 0, 2000)
    assert [rows.item(number) for number in range(2)] == items


def test_of_the_paths_that_were_left_a_few_windowfuls_are_kept(rows: ChatLayout) -> None:
    for number in range(40):
        fill(rows, [answer(f"{number} {place}", PLAN) for place in range(5)])
        settle(rows, 0, 2000)
    assert 0 < len(rows._left) <= 64


@each_seed(range(8))
def test_whatever_was_shown_before_a_path_stands_as_it_does_alone(style: Style, seed: int) -> None:
    """At random: other paths, other texts of the same messages, other places on the path, other widths."""
    rng = random.Random(seed)
    layout = ChatLayout(style, Listed())
    texts = [PLAN, "short", "a\n\nb\n\n```\ncode\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "word " * 300]
    said = {f"m{number}": rng.choice(texts) for number in range(12)}
    for _ in range(30):
        said[rng.choice(list(said))] = rng.choice(texts)
        path = rng.sample(list(said), rng.randint(1, 6))
        shown = [(answer if int(one[1:]) % 2 else question)(one, said[one]) for one in path]
        width = rng.choice([420, 840, 840, 1200])
        alone = ChatLayout(style, Listed())
        for one in (layout, alone):
            one.set_pane(width)
            fill(one, shown)
            settle(one, 0, 100_000)
        assert [layout.top(number) for number in range(len(path) + 1)] == [
            alone.top(number) for number in range(len(path) + 1)
        ]
        for number in range(len(path)):
            (now, there) = layout.item(number), alone.item(number)
            assert (now.row, now.text, now.footer, now.note) == (there.row, there.text, there.footer, there.note)
            assert now.body.selected_text(*now.body.all_of_it()) == there.body.selected_text(*there.body.all_of_it())
