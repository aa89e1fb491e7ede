"""Formulas in messages: in their line, copied as TeX, and coming without moving what is looked at."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import segments_of
from app.widgets.chat.markdown.blocks import Block
from app.widgets.chat.markdown.copied import selected_text
from app.widgets.chat.markdown.document import QuietDocument, shown
from app.widgets.chat.markdown.formula_object import OBJECT
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.marks import Mark
from app.widgets.chat.messages.block_layout import BlockLayout
from app.widgets.chat.messages.message_body import MessageBody
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.formulas import Drawing, Formulas
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from tests.fakes.shown import Shown
from tests.seeds import chosen, each_seed
from tests.widgets.chat.sample_messages import answer, question
from tests.widgets.pictures import count, painted, show

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -75 100 100">'
    b'<rect y="-75" width="100" height="100" fill="black"/></svg>'
)


class GivenFormulas(Formulas):
    """Formulas that are known from when a test gives them. A height is told by the TeX: "h9" is nine em high."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.given: dict[str, Drawing | None] = {}

    def is_known(self, tex: str, *, is_display: bool) -> bool:
        if tex not in self.given and tex not in self.asked:
            self.asked.append(tex)
        return tex in self.given

    def drawing(self, tex: str, *, is_display: bool) -> Drawing | None:
        return self.given.get(tex)

    def give(self, *every: str) -> None:
        for tex in every or tuple(self.asked):
            height = float(tex[1:]) if tex[:1] == "h" else 1.0
            self.given[tex] = None if tex.startswith("broken") else Drawing(SVG, 1.0, 0.75 * height, 0.25 * height)
        self.drawn.emit()


@pytest.fixture
def given(style: Style) -> GivenFormulas:
    style.formulas = GivenFormulas()
    return style.formulas


def document(text: str, style: Style) -> QuietDocument:
    made = markdown_document(shown(text), style)
    made.setTextWidth(600)
    return made


def copied(text: str, style: Style) -> str:
    return selected_text(document(text, style), 0, 1 << 30)


@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.parametrize(
    "text", ["so $x^2$ holds", "😀 $a$ 👩‍👧 \\(b\\) é $c$$d$", "$a$ $a$", "# Head $x$", "[$x$](http://a.b)", "**$x$**"]
)
def test_a_copy_has_the_tex_as_it_was_written(style: Style, given: GivenFormulas, text: str, is_given: bool) -> None:
    if is_given:
        given.give("x^2", "a", "b", "c", "d", "x")
    plain = text.removeprefix("# ").replace("**", "").replace("[$x$](http://a.b)", "$x$")
    assert copied(text, style) == plain


def test_a_part_of_it_is_copied_with_what_is_in_it(style: Style, given: GivenFormulas) -> None:
    made = document("😀 a $x$ b $y$ c", style)
    assert selected_text(made, 3, 9) == "a $x$ b "
    assert selected_text(made, 8, 10) == " $y$"


def test_what_cannot_be_drawn_stands_as_code(style: Style, given: GivenFormulas) -> None:
    given.give("broken{")
    made = document("so $broken{$ holds", style)
    assert made.toPlainText() == "so broken{ holds"
    assert made.waiting == []


def test_no_dollar_is_seen_while_a_formula_is_waited_for(style: Style, given: GivenFormulas) -> None:
    made = document("so $x$ holds", style)
    assert made.toPlainText() == f"so {OBJECT} holds"
    assert made.waiting == [("x", False)]


def test_a_display_stands_on_a_line_of_its_own(style: Style, given: GivenFormulas) -> None:
    for text in ("a $$x$$ b", "a\n\\[\nx\n\\]\nb"):
        assert document(text, style).firstBlock().text() == f"a \u2028{OBJECT}\u2028b"
    assert document("$$x$$", style).toPlainText() == OBJECT
    assert "$" not in document("- a\n\n  $$x$$\n- b", style).toPlainText()


def test_a_formula_has_the_ink_of_the_mark_it_stands_in(style: Style, given: GivenFormulas) -> None:
    given.give("h2")
    laid = BlockLayout(Block(0, "$h2$"), 0, style)

    def drawn(*marks: Mark) -> QColor:
        def paint(painter: QPainter, rect: QRectF) -> None:
            laid.paint(painter, rect, QPalette(), None, rect, marks)

        return painted(60, 60, paint).pixelColor(8, 15)

    assert drawn() == LIGHT.text
    # Qt lays half of the ground over what is selected and no text.
    assert drawn(Mark(1, 3, is_current=True)).lightness() > LIGHT.accentfill.lightness() + 60


def test_an_address_keeps_its_dollars(style: Style, given: GivenFormulas) -> None:
    made = document("[a](http://b.c/$d$) ![e](http://b.c/$f$)", style)
    assert made.firstBlock().begin().fragment().charFormat().anchorHref() == "http://b.c/$d$"


def test_high_formulas_make_their_line_higher(style: Style, given: GivenFormulas) -> None:
    given.give("h1", "h6")
    low, high = document("a $h1$ b", style).size().height(), document("a $h6$ b", style).size().height()
    assert high > low + 4 * 14


def test_a_formula_wider_than_the_column_is_drawn_smaller(style: Style, given: GivenFormulas) -> None:
    given.given["wide"] = Drawing(SVG, 100.0, 0.75, 0.25)
    made = document("$$wide$$", style)
    assert made.idealWidth() <= 600


def test_it_has_the_colour_of_the_text(style: Style, given: GivenFormulas) -> None:
    given.give("x")
    style.set_theme(DARK)
    made = document("$x$", style)
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(DARK.window)
    painter = QPainter(image)
    made.documentLayout().draw(painter, QAbstractTextDocumentLayout.PaintContext())
    painter.end()
    assert count(image, DARK.text) > 50


def test_footnotes_are_raised_and_their_texts_begin_lines(style: Style, given: GivenFormulas) -> None:
    assert copied("a[^1] b[^12].\n[^1]: One.\n[^12]: Two.", style) == "a¹ b¹².\n¹ One.\n¹² Two."
    assert copied("a[^note].\n\n[^Note]: One.", style) == "anote.\nNote One."
    assert copied("no letter is [^note], nor [^1]", style) == "no letter is [^note], nor [^1]", "where there is no note"
    assert copied("`a[^1]`", style) == "a[^1]"


PIECES = [
    "$a$ ",
    "$broken$ ",
    "$$b$$ ",
    "\\(c\\)",
    "word ",
    "**",
    "*",
    "`",
    "[^1]",
    "\n",
    "\n\n",
    "- ",
    "| x | $a$ |\n",
    "|-|-|\n",
    "😀",
    "# ",
    "> ",
    "[",
    "](http://a)",
    "![",
    "    ",
]


@each_seed(range(4))
def test_any_markdown_has_its_formulas_known_or_not(style: Style, given: GivenFormulas, seed: int) -> None:
    """No stand-in is ever seen, and giving formulas later ends as giving them before does."""
    for number in range(60):
        draw = random.Random(seed * 1000 + number)
        text = "".join(draw.choice(PIECES) for _ in range(draw.randrange(30)))
        given.given.clear()
        body = MessageBody(segments_of("assistant", text), style)
        body.set_width(400)
        body.settle(0, 1e6)
        given.give("a", "b", "c", "broken")
        body.renew_formulas()
        body.settle(0, 1e6)
        fresh = MessageBody(segments_of("assistant", text), style)
        fresh.set_width(400)
        fresh.settle(0, 1e6)
        words = body.selected_text(*body.all_of_it())
        assert words == fresh.selected_text(*fresh.all_of_it()), text
        assert body.height == fresh.height, text
        assert not any("\ufdd0" <= letter <= "\ufdef" for letter in words), text


@pytest.mark.parametrize("seed", chosen(range(4)))
def test_formulas_that_come_move_nothing_that_is_looked_at(
    qtbot: QtBot, style: Style, given: GivenFormulas, seed: int
) -> None:
    """What stands at the top of the window stays there, whichever formulas come, above it or below."""
    draw = random.Random(seed)
    chat = ChatModel()
    view = ChatView(style, chat, Shown(ChatState()), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 600)
    rows = []
    for number in range(30):
        formulas = " ".join(f"Words and words. $h{draw.randrange(1, 9)}.{number}{part}$\n\n" for part in range(6))
        rows += [question(f"q{number}", "Words. " * number), answer(f"a{number}", formulas)]
    chat.show([*rows, question("q"), answer("s", "It begins.\n\n", is_streaming=True)])
    for _ in range(3):
        QApplication.processEvents()
    for step in range(30):
        if step % 3 == 0:
            view.verticalScrollBar().setValue(draw.randrange(view.verticalScrollBar().maximum() - 50))
            QApplication.processEvents()
        waiting = [tex for tex in given.asked if tex not in given.given]
        coming = draw.sample(waiting, min(len(waiting), draw.randrange(1, 6))) if draw.random() < 0.7 else []
        still = first_that_stays(view, coming)
        before = None if still is None else top_of(view, *still)
        if coming:
            given.give(*coming)
        else:
            chat.append_tail("s", "More $h3$ text.\n\n")
            qtbot.waitUntil(lambda: not view._growing.is_waiting)
        for _ in range(3):
            QApplication.processEvents()
        if still is not None:
            assert abs(top_of(view, *still) - before) <= 1, (seed, step)


def test_a_formula_is_shown_as_soon_as_it_is_drawn(qtbot: QtBot, style: Style, given: GivenFormulas) -> None:
    chat = ChatModel()
    view = ChatView(style, chat, Shown(ChatState()), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 600)
    chat.show([question("q"), answer("a", "A formula: $h9$ and $broken$.")])
    for _ in range(3):
        QApplication.processEvents()
    low = view.layout_of_rows.height(1)
    given.give()
    for _ in range(3):
        QApplication.processEvents()
    assert view.layout_of_rows.height(1) > low + 60
    assert "broken" in view.layout_of_rows.item(1).body._split()[0].document.toPlainText()


def first_that_stays(view: ChatView, coming: list[str]) -> tuple[int, int] | None:
    """The row and block of what stands first in sight and has none of these formulas."""
    rows, top = view.layout_of_rows, view.verticalOffset()
    for number in rows.in_sight(top, top + view.viewport().height()):
        item, start = rows.item(number), rows.top(number)
        inner = top - start - item.text.top()
        for block, laid, _rect in item.body._placed(inner, inner + view.viewport().height()):
            if laid.is_exact and not {tex for tex, _ in laid.document.waiting} & set(coming):
                return number, block
    return None


def top_of(view: ChatView, number: int, block: int) -> float:
    item = view.layout_of_rows.item(number)
    return view.layout_of_rows.top(number) + item.text.top() + item.body.top_of(block) - view.verticalOffset()
