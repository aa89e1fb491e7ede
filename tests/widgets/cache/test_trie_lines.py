from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF

from app.protocol.trie_view import TrieView
from app.widgets.cache.trie_lines import TrieLines
from tests.widgets.samples import node, view

ROW = QRectF(0, 0, 300, 40)


@pytest.fixture
def lines() -> TrieLines:
    return TrieLines(view())


def levels(lines: TrieLines, *ids: int) -> list[int]:
    return [position.level for node_id in ids if (position := lines.position(node_id))]


def test_branches_step_to_the_right_and_continuations_stay(lines: TrieLines) -> None:
    assert levels(lines, 1, 2, 3, 4, 5, 6, 7, 8) == [0, 1, 2, 2, 2, 2, 1, 0]
    assert lines.deepest == 2


def test_a_long_conversation_is_a_straight_trunk() -> None:
    chain = [node(number, number - 1 or None, number, number + 1, "turn") for number in range(1, 200)]
    assert TrieLines(view(*chain)).deepest == 0


def test_an_empty_trie_has_no_lines() -> None:
    empty = TrieLines(TrieView(serial=0))
    assert (len(empty), empty.deepest) == (0, 0)
    assert empty.strokes(7, ROW, 26, 18) == []


def test_an_arm_leads_from_its_parents_trunk_to_the_disc(lines: TrieLines) -> None:
    box = lines.strokes(7, ROW, 26, 18)[0].path.boundingRect()
    assert (box.left(), box.right()) == (26, 26 + 18 - 6)
    assert (box.top(), box.bottom()) == (0, 20)


def test_the_trunk_goes_on_past_a_branch_while_others_follow(lines: TrieLines) -> None:
    def trunks(node_id: int, x: float) -> list[bool]:
        found = lines.strokes(node_id, ROW, 26, 18)
        return [stroke.is_live for stroke in found if (box := stroke.path.boundingRect()).left() == box.right() == x]

    assert trunks(3, 44) == [True]
    assert trunks(4, 44) == [False]
    assert trunks(5, 44) == []
    assert trunks(3, 26) == [False]
    assert trunks(7, 26) == []


def test_the_active_path_is_drawn_last(lines: TrieLines) -> None:
    drawn = [stroke.is_live for stroke in lines.strokes(2, ROW, 26, 18)]
    assert drawn == sorted(drawn)
    assert drawn.count(True) == 2


def test_a_continuation_hangs_straight_under_its_parent(lines: TrieLines) -> None:
    boxes = [stroke.path.boundingRect() for stroke in lines.strokes(6, ROW, 26, 18)]
    (box,) = [box for box in boxes if box.left() > 26]
    assert box.left() == box.right() == 26 + 2 * 18
    assert (box.top(), box.bottom()) == (0, 14)


def test_roots_hang_on_nothing(lines: TrieLines) -> None:
    assert lines.strokes(8, ROW, 26, 18) == []
