"""Words are found in the TeX of formulas too, and the formula is what is marked."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QTextCursor

from app.widgets.chat.markdown.copied import selected_text
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.searched import searched_text, shown_place
from app.widgets.chat.markdown.written import written_markdown
from app.widgets.kit.formulas import Drawing, Formulas
from app.widgets.kit.style import Style
from tests.seeds import each_seed


class SomeFormulas(Formulas):
    """Knows that one of them cannot be drawn, and of the others how they are not."""

    def is_known(self, tex: str, *, is_display: bool) -> bool:
        return "broken" in tex

    def drawing(self, tex: str, *, is_display: bool) -> Drawing | None:
        return None


@pytest.fixture
def style(style: Style) -> Style:
    style.formulas = SomeFormulas()
    return style


def marked(document: QuietDocument, words: str) -> str:
    """What a copy of the first place of some words has."""
    text = searched_text(document)
    start = len(text[: text.index(words)].encode("utf-16-le")) // 2
    place = shown_place(document, start, start + len(words.encode("utf-16-le")) // 2)
    return selected_text(document, *place)


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("so $x^2$ holds", "x^2", "$x^2$"),
        ("so $x^2$ holds", "^", "$x^2$"),
        ("so $x^2$ holds", "2$ ho", "$x^2$ ho"),
        ("so $x^2$ holds", "holds", "holds"),
        ("$a$ so $x^2$ holds", "so $x", "so $x^2$"),
        (r"\(a\)\(a\) b", r"a\) b", r"\(a\) b"),
        ("😀 $a$ 👩‍👧 $b$ é", "b", "$b$"),
        ("so $broken{$ holds", "broken", "$broken{$"),
        ("| a | b |\n|---|---|\n| $|x|$ | $y$ and |", "$ an", "$y$ an"),
        ("> $$\n> a\n>\n> b\n> $$", "b", "$$\n> a\n>\n> b\n> $$"),
        ("no formula[^1] here", "here", "here"),
    ],
)
def test_a_formula_is_marked_whose_tex_is_found(style: Style, text: str, words: str, expected: str) -> None:
    assert marked(markdown_document(text, style), words) == expected


PIECES = [
    "$x$",
    "$broken$",
    r"\(y\)",
    "\n\n$$\nz\n\nw\n$$\n\n",
    "é",
    "😀",
    "word ",
    "**b** ",
    "\n- ",
    "\n\n",
    "[^1]",
    "|a|",
]


@each_seed(range(3))
def test_every_place_is_shown_with_what_is_found_in_it(style: Style, seed: int) -> None:
    """Also in what is copied of it, as text and as Markdown."""
    for number in range(40):
        draw = random.Random(seed * 1000 + number)
        document = markdown_document("".join(draw.choice(PIECES) for _ in range(draw.randrange(1, 25))), style)
        text = searched_text(document)
        assert "\ufffc" not in text
        for at in range(len(text)):
            start = len(text[:at].encode("utf-16-le")) // 2
            first, last = shown_place(document, start, start + (2 if text[at] > "\uffff" else 1))
            assert 0 <= first < last <= document.characterCount(), (number, at)
            if not text[at].isspace():
                assert text[at] in selected_text(document, first, last), (number, at)
                cursor = QTextCursor(document)
                cursor.setPosition(last)
                if cursor.currentTable() is None:
                    assert text[at] in written_markdown(document, first, last), (number, at)
