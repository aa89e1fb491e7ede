"""A selection stays with its words, whatever becomes of the message, or selects nothing."""

from __future__ import annotations

import random
import re
from itertools import count

import pytest

from app.viewmodels.chat.rows import Segment, SegmentKind
from app.widgets.chat.messages.message_body import MessageBody, TextPoint
from app.widgets.chat.messages.text_selection import TextSelection
from app.widgets.kit.style import Style
from tests.seeds import each_seed

PIECES = ["{w} ", "**{w} ", "**", "`{w}", "`", "\n\n", "\n- {w}", "\n\n1. {w}", "$x$ {w} ", "_{w} {w}_ ", "{w}[^1] "]
PIECES += [
    "\n```py\n{w}\n",
    "\n```\n",
    "\n\n[^1]: {w}",
    "\n# {w}\n",
    "\n| {w} | {w} |\n|---|---|\n| {w} | ",
    "👩‍👧{w} ",
]


def made(style: Style, *segments: Segment) -> tuple[MessageBody, TextSelection]:
    body = MessageBody(segments, style, is_growing=True)
    body.set_width(500)
    return body, TextSelection(lambda _row: body)


def selected(body: MessageBody, selection: TextSelection) -> str:
    span = selection.of(0)
    return "" if span is None else body.selected_text(*span)


def markdown(text: str) -> Segment:
    return Segment(SegmentKind.MARKDOWN, text)


@pytest.mark.parametrize(
    ("position", "later", "kept"),
    [
        (5, "Take **very ripe pears** now", "Take"),
        (16, "Take **very ripe pears** now", ""),
        (16, "Take **very ripe pears and", "ripe"),
        (16, "Take something else", ""),
    ],
)
def test_words_of_an_answer_that_grows_stay_selected_while_they_are_shown_alike(
    style: Style, position: int, later: str, kept: str
) -> None:
    body, selection = made(style, markdown("Take **very ripe pears"))
    start = 12 if position == 16 else 0
    selection.take(0, (TextPoint(0, start), TextPoint(0, position)))
    body.set_segments([markdown(later)], is_growing=True)
    assert selected(body, selection).strip() == kept
    assert bool(selection.rows) is bool(kept)


def test_all_of_an_answer_stays_selected_while_it_grows(style: Style) -> None:
    body, selection = made(style, markdown("One **two"))
    selection.take(0, body.all_of_it())
    body.set_segments([markdown("One **two** three")], is_growing=True)
    assert selected(body, selection) == "One two three"


def test_a_selection_goes_with_its_words_when_a_thought_is_opened_above_them(style: Style) -> None:
    said, thought = markdown("One two.\n\nThree."), Segment(SegmentKind.THINKING, "One two.\n\nThree.")
    body, selection = made(style, said)
    selection.take(0, (TextPoint(0, 4), TextPoint(1, 5)))
    for segments in ([thought, said], [said], [thought, said]):
        body.set_segments(segments)
        assert selected(body, selection) == "two.\n\nThree"
        assert selection.of(0) == (TextPoint(len(segments) - 1, 4), TextPoint(len(segments), 5))
    selection.take(0, (TextPoint(0, 0), TextPoint(0, 3)))
    body.set_segments([said])
    assert (selected(body, selection), selection.is_begun) == ("", False)


@each_seed(range(12))
def test_never_are_other_words_selected(style: Style, seed: int) -> None:
    draw, numbers, kept = random.Random(seed), count(), 0
    for _ in range(8):
        text, thought = "w00z ", Segment(SegmentKind.THINKING, "w01z\nw02z " * draw.randrange(1, 4))
        body, selection = made(style, markdown(text))
        before = ""
        for _step in range(14):
            if not before and draw.random() < 0.6:
                counts = [body.document(number).characterCount() for number in range(len(body._split()))]
                places = [
                    body.word_at(TextPoint(number, draw.randrange(many)))[0] for number, many in enumerate(counts)
                ]
                selection.begin(0, draw.choice(places))
                selection.extend(0, draw.choice(places))
                before = selected(body, selection)
            if draw.random() < 0.8:
                text += re.sub(r"\{w\}", lambda _found: f"w{next(numbers)}z", draw.choice(PIECES))
            segments = [thought, markdown(text)] if draw.random() < 0.3 else [markdown(text)]
            body.set_segments(segments, is_growing=draw.random() < 0.9)
            after = selected(body, selection)
            assert words_of(after) in ([], words_of(before)), (seed, text, before, after)
            assert bool(after) is bool(selection.rows), (seed, text)
            kept += bool(words_of(after))
            before = after
    assert kept > 5


def random_place(body: MessageBody, number: int, draw: random.Random) -> TextPoint:
    """Return the beginning of a word of a block."""
    return body.word_at(TextPoint(number, draw.randrange(body.document(number).characterCount())))[0]


def words_of(text: str) -> list[str]:
    return re.findall(r"w\d+z", text)
