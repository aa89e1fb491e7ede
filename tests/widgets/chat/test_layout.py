from __future__ import annotations

import pytest

from app.widgets.chat.column import centred, column
from app.widgets.chat.layout import ChatLayout
from app.widgets.kit.look import Look
from tests.widgets.chat.messages import PLAN, answer, question, talk


@pytest.fixture
def rows(look: Look) -> ChatLayout:
    layout = ChatLayout(look)
    layout.set_pane(840)
    return layout


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
    rows.insert(0, talk(3))
    tops = [rows.top(number) for number in range(7)]
    assert tops == sorted(tops)
    assert [rows.row_at(top + 1) for top in tops[:-1]] == list(range(6))
    assert rows.row_at(-1) == rows.row_at(rows.top(6) + 1) == -1


def test_an_empty_path_has_no_height(rows: ChatLayout) -> None:
    assert (rows.total, rows.row_at(0), list(rows.in_sight(0, 100))) == (0, -1, [])


def test_gaps_depend_on_who_spoke_before(rows: ChatLayout) -> None:
    rows.insert(0, talk(2))
    assert [item.above for item in rows.items] == [20, 24, 28, 24]
    rows.remove(0, 0)
    assert rows.items[0].above == 20


def test_five_thousand_messages_open_without_being_laid_out(rows: ChatLayout) -> None:
    rows.insert(0, talk(2500))
    settle(rows, rows.total - 700, rows.total)
    assert sum(item.body._parts is not None for item in rows.items) < 20


def test_documents_out_of_sight_are_freed(rows: ChatLayout) -> None:
    rows.insert(0, talk(200))
    for top in range(0, 20_000, 400):
        settle(rows, top, top + 700)
    held = [item for item in rows.items if any(part._document for part in item.body._parts or ())]
    assert 0 < len(held) < 120


def test_correcting_an_estimate_does_not_move_what_is_in_sight(rows: ChatLayout) -> None:
    """Scrolling up brings rows into sight whose guessed heights are wrong."""
    rows.insert(0, talk(40))
    top = rows.total - 700
    top += settle(rows, top, top + 700)
    seen = rows.row_at(top + 600)
    before = rows.top(seen) - top
    top -= 300
    top += settle(rows, top, top + 700)
    assert rows.top(seen) - top == pytest.approx(before + 300)


def test_a_row_that_grows_moves_only_what_is_below(rows: ChatLayout) -> None:
    rows.insert(0, [question("q"), answer("a", "short"), question("q2")])
    settle(rows, 0, 2000)
    above, below = rows.top(1), rows.top(2)
    rows.set_row(1, answer("a", "short and now\n\nlonger"))
    settle(rows, 0, 2000)
    assert rows.top(1) == above
    assert rows.top(2) > below


def test_another_message_at_the_same_place_is_laid_out_anew(rows: ChatLayout) -> None:
    rows.insert(0, [question("q"), answer("a", PLAN)])
    settle(rows, 0, 2000)
    rows.set_row(1, answer("b", "short"))
    assert rows.items[1].row.id == "b"
    assert rows.items[1].body.text == "short"
