"""Where the parts of a message stand, whatever was changed of it, and what of it is to be drawn again."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRectF

from app.viewmodels.chat.rows import Footer, PrefillRow, ThoughtRow
from app.widgets.chat.column import column
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.kit.style import Style
from tests.seeds import each_seed
from tests.widgets.chat.sample_messages import answer, question

FOOTER = Footer(10, 1, 1, 38.2, 0.4, "")


def places(item: RowItem) -> list[Any]:
    """All that is told of where things stand."""
    rects: list[QRectF] = [item.name, item.bubble, item.thought, item.prefill, item.text, item.note, item.footer]
    return [*[(one.x(), one.y(), one.width(), one.height()) for one in rects], item.height, item.disc.y()]


@each_seed(range(30))
def test_everything_stands_where_it_would_had_the_row_been_made_so(style: Style, seed: int) -> None:
    dice = random.Random(seed)
    row = dice.choice((question("m", "Why is that?"), answer("m", "Words", is_streaming=True)))
    before, width = None, 700
    item = RowItem(row, style)
    item.set_column(column(width, 1.0))
    text = row.text
    for _ in range(12):
        kind = dice.randrange(6)
        if kind == 0:
            before = dice.choice((None, "user", "assistant"))
            item.follow(before)
        elif kind == 1:
            width = dice.choice((500, 700, 900))
            item.set_column(column(width, 1.0))
        else:
            text += dice.choice((" more", "\n\nAnother one " * 8))
            segments = tuple(one._replace(text=text) for one in row.segments)
            changed: dict[str, Any] = {
                "note": dice.choice(("", "Stopped")),
                "footer": dice.choice((None, FOOTER)),
                "segments": segments,
            }
            if row.role == "assistant":
                changed["thought"] = dice.choice((None, ThoughtRow("Hm", 3.0)))
                changed["prefill"] = dice.choice((None, None, PrefillRow(3, 5, 9, 120.0, "")))
            row = replace(row, **{name: changed[name] for name in dice.sample(list(changed), 2)})
            item.set_row(row)
        item.settle(0, 1e6)
        fresh = RowItem(row, style)
        fresh.follow(before)
        fresh.set_column(column(width, 1.0))
        fresh.settle(0, 1e6)
        assert places(item) == places(fresh)


OTHERS: dict[str, Any] = {"note": "Stopped", "branch": "cheaper", "residency": "disk", "versions": 3}


@pytest.mark.parametrize("name", OTHERS)
def test_all_of_a_row_is_drawn_again_when_more_of_it_changes_than_words(style: Style, name: str) -> None:
    row = answer("m", "Words", is_streaming=True)
    item = RowItem(row, style)
    item.set_column(column(700, 1.0))
    item.settle(0, 1e6)
    assert item.take_changed() == (0.0, math.inf)
    item.set_row(replace(row, segments=tuple(one._replace(text="Words and more") for one in row.segments)))
    assert item.take_changed().top >= item.text.top()
    item.set_row(replace(item.row, **{name: OTHERS[name]}))
    assert item.take_changed() == (0.0, math.inf)
