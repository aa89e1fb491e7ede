from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPalette

import app.widgets.chat.laid_part as laid_part
from app.widgets.chat.body import Body, TextPoint
from app.widgets.look import Look
from app.widgets.theme import LIGHT
from app.widgets.typography import Type
from tests.widgets.chat.messages import CODE, PLAN
from tests.widgets.pictures import count, painted

WIDTH = 600


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts of which documents are made, in order."""
    texts: list[str] = []
    for name in ("markdown_document", "code_document", "plain_document"):
        original = getattr(laid_part, name)

        def noting(text: str, *rest: object, original: object = original) -> object:
            texts.append(text)
            return original(text, *rest)  # type: ignore[operator]

        monkeypatch.setattr(laid_part, name, noting)
    return texts


def body(text: str, look: Look, *, is_plain: bool = False) -> Body:
    made = Body(text, look, is_plain=is_plain)
    made.set_width(WIDTH)
    return made


def settled(text: str, look: Look) -> Body:
    made = body(text, look)
    made.settle(0, 1e6)
    return made


def test_nothing_is_laid_out_before_it_is_seen(look: Look, made: list[str]) -> None:
    shown = body(PLAN, look)
    assert shown.height > 0
    assert made == []
    shown.settle(0, 30)
    assert len(made) == 1


def test_what_is_measured_is_exact(look: Look) -> None:
    line = look.face(Type.BODY).line
    assert settled("one line", look).height == line
    assert settled("one\n\ntwo", look).height == 2 * line + 12


def test_settling_says_whether_the_height_changed(look: Look) -> None:
    shown = body("word " * 400, look)
    assert shown.settle(0, 1e6)
    assert not shown.settle(0, 1e6)


def test_new_text_lays_out_only_the_part_that_grows(look: Look, made: list[str]) -> None:
    shown = settled("First part.\n\nSecond", look)
    made.clear()
    shown.set_text("First part.\n\nSecond part")
    assert made == ["Second part"]
    shown.set_text("First part.\n\nSecond part\n\nThird")
    shown.settle(0, 1e6)
    assert made == ["Second part", "Third"]


def test_code_that_grows_is_appended_to_and_gets_its_colours_when_it_ends(look: Look, made: list[str]) -> None:
    shown = settled("```python\nx = 1", look)
    made.clear()
    shown.set_text("```python\nx = 1\ny = 2")
    assert made == []
    shown.set_text("```python\nx = 1\ny = 2\n```\nafter")
    shown.settle(0, 1e6)
    assert made == ["x = 1\ny = 2", "after"]
    assert shown.selected_text(*shown.all_of_it()) == "x = 1\ny = 2\n\nafter"


def test_a_very_long_part_grows_as_plain_text_and_is_set_once_when_it_ends(look: Look, made: list[str]) -> None:
    start = "word **bold** " * 200
    shown = settled(start, look)
    made.clear()
    for more in range(1, 6):
        shown.set_text(start + "more " * more)
    assert made == []
    shown.set_text(start + "more " * 5 + "\n\nend")
    assert len(made) == 1
    assert "**" not in shown.selected_text(*shown.all_of_it())


def test_streaming_ends_with_the_height_of_the_whole(look: Look) -> None:
    shown = settled("T", look)
    for end in range(2, len(PLAN) + 1):
        shown.set_text(PLAN[:end])
    shown.settle(0, 1e6)
    assert shown.height == settled(PLAN, look).height


def test_another_text_is_shown_anew(look: Look) -> None:
    shown = settled("one\n\ntwo", look)
    shown.set_text("three")
    shown.settle(0, 1e6)
    assert shown.height == look.face(Type.BODY).line


def test_another_width_makes_estimates_again(look: Look) -> None:
    shown = settled("word " * 100, look)
    wide = shown.height
    shown.set_width(WIDTH / 3)
    shown.settle(0, 1e6)
    assert shown.height > 2 * wide


def test_text_is_found_under_the_mouse_and_selected(look: Look) -> None:
    shown = settled(PLAN, look)
    first = shown.point_at(QPointF(0, 5))
    assert first == TextPoint(0, 0)
    word = shown.word_at(TextPoint(0, 5))
    assert shown.selected_text(*word) == "plan"
    whole = shown.selected_text(*shown.all_of_it())
    assert whole.startswith("The plan holds at about 284 euros each.")
    assert CODE in whole
    assert whole.endswith("at the end of the trip.")


def test_a_selection_is_drawn_where_it_is(look: Look) -> None:
    shown = settled("one two three", look)
    rect = QRectF(0, 0, WIDTH, 30)

    def marked(selection: tuple[TextPoint, TextPoint] | None) -> int:
        image = painted(
            WIDTH, 30, lambda painter, _rect: shown.paint(painter, QPointF(0, 0), QPalette(), rect, selection)
        )
        return count(image, LIGHT.softline)

    assert marked(None) == 0
    assert 0 < marked((TextPoint(0, 0), TextPoint(0, 3))) < marked((TextPoint(0, 0), TextPoint(0, 13)))


def test_links_are_found(look: Look) -> None:
    shown = settled("[all of it](https://example.org)", look)
    assert shown.link_at(QPointF(10, 10)) == "https://example.org"
    assert shown.link_at(QPointF(500, 10)) == ""


def test_cards_in_sight_say_what_they_copy(look: Look) -> None:
    shown = settled(PLAN, look)
    (card,) = shown.cards(0, 1e6)
    assert (card.code, card.language) == (CODE, "python")
    assert card.head.height() == 30
    assert shown.cards(0, card.head.top() - 1) == []


def test_the_caret_stands_after_the_last_character(look: Look) -> None:
    short, long = settled("one", look).end(), settled("one two", look).end()
    assert long.left() > short.left() > 0
    assert abs(short.center().y() - look.face(Type.BODY).line / 2) < 2
    assert settled("```\nx", look).end().top() > 30


def test_typed_text_stays_as_it_was_typed(look: Look) -> None:
    shown = body("**not bold**\n  - no list", look, is_plain=True)
    assert shown.selected_text(*shown.all_of_it()) == "**not bold**\n  - no list"


def test_freed_documents_come_back_the_same(look: Look) -> None:
    shown = settled(PLAN, look)
    height = shown.height
    shown.drop_documents()
    assert shown.height == height
    shown.settle(0, 1e6)
    assert shown.height == height
