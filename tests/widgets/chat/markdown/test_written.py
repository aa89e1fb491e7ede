"""Markdown that is written of a document reads again as the same document."""

from __future__ import annotations

import random
import re

import pytest
from PySide6.QtGui import QTextCursor

from app.widgets.chat.markdown.copied import selected_text
from app.widgets.chat.markdown.document import UNSHOWN, DecorationKind, QuietDocument
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.written import fenced, written_markdown
from app.widgets.kit.style import Style
from tests.seeds import each_seed

Shape = tuple[object, ...]
INLINE = [
    "plain",
    "**bold words**",
    "*slanted*",
    "`code * here`",
    "`either \\| or`",
    "[a link](http://x.org/a_b)",
    "~~gone~~",
    "1 < 2 & 3",
]
INLINE += [
    "_slanted, too_",
    "__bold, too__",
    "over<br>two lines",
    "<br>",
    "snake_case_word",
    "a\\*b",
    "***both***",
    "emoji 😀 here",
    "\\# no heading",
    "é",
]


def words(dice: random.Random) -> str:
    return " ".join(dice.choices(INLINE, k=dice.randint(1, 4)))


def block(dice: random.Random) -> str:
    kinds = [
        lambda: words(dice),
        lambda: f"{'#' * dice.randint(1, 4)} {words(dice)}",
        lambda: "\n".join(f"{'  ' * dice.randint(0, number)}- {words(dice)}" for number in range(2)),
        lambda: "\n".join(f"{number}. {words(dice)}" for number in range(3, 6)),
        lambda: f"1. {words(dice)}\n   - {words(dice)}\n2. {words(dice)}",
        lambda: f"- [x] {words(dice)}\n- [ ] {words(dice)}",
        lambda: f"- {words(dice)}\n\n  ```python\n  x = '`'\n\n  y = 1\n  ```",
        lambda: "> " + words(dice),
        lambda: f"| a | {words(dice)} |\n|:-:|--:|\n| {words(dice)} | |\n| 1 | 2 |",
        lambda: "---",
        lambda: "1986\\. A year",
        lambda: "- \\- dash",
    ]
    return dice.choice(kinds)()


def shape(document: QuietDocument) -> list[Shape]:
    """What a reader sees: each block with its place in lists, tables and quotations, and its runs."""
    beside = {(one.block, one.kind): one.level for one in document.decorations}
    found: list[Shape] = []
    at = document.begin()
    while at.isValid():
        number, listed = at.blockNumber(), at.textList()
        table = QTextCursor(at).currentTable()
        cell = table.cellAt(at.position()) if table else None
        runs: list[list[object]] = []
        iterator = at.begin()
        while not iterator.atEnd():
            char, text = iterator.fragment().charFormat(), iterator.fragment().text()
            kind = [
                char.fontWeight() >= 600,
                char.fontItalic(),
                char.fontStrikeOut(),
                char.fontFixedPitch(),
                char.anchorHref(),
            ]
            if (not text.strip() and runs) or (runs and runs[-1][1] == kind):
                runs[-1][0] = f"{runs[-1][0]}{text}"
            else:
                runs.append([text, kind])
            iterator += 1
        found.append(
            (
                at.blockFormat().headingLevel(),
                (listed.itemText(at), listed.format().indent()) if listed else None,
                (cell.row(), cell.column(), table.columns(), at.blockFormat().alignment()) if cell else None,
                [key[1] for key in beside if key[0] == number],
                [(str(text).strip(), kind) for text, kind in runs],
            )
        )
        at = at.next()
    return [one for one in found if one[4] or one[1] or one[2] or one[3]]


@each_seed(range(300))
def test_what_is_written_has_the_structure_of_what_was_seen(style: Style, seed: int) -> None:
    dice = random.Random(seed)
    source = "\n\n".join(block(dice) for _ in range(dice.randint(1, 5)))
    seen = markdown_document(source, style)
    written = written_markdown(seen, 0, seen.characterCount())
    assert shape(markdown_document(written, style)) == shape(seen), f"{source}\n=====\n{written}"


@each_seed(range(300))
def test_a_piece_has_the_words_of_the_piece(style: Style, seed: int) -> None:
    dice = random.Random(seed)
    seen = markdown_document("\n\n".join(block(dice) for _ in range(dice.randint(1, 4))), style)
    start, end = sorted(dice.choices(range(seen.characterCount()), k=2))
    written = written_markdown(seen, start, end)
    assert not UNSHOWN.search(written)
    assert not UNSHOWN.search(selected_text(seen, start, end))
    again = markdown_document(written, style).toPlainText()
    for word in selected_text(seen, start, end).split():
        assert word in again or re.fullmatch(r"-|\d+\.", word), (word, written)


@pytest.mark.parametrize(
    "text", ["one<br>two", "**one**<br>two", "one<BR/><br>two<br>", "# one<br>two", "| a |\n|---|\n| one<br>two |"]
)
def test_breaks_of_lines_are_copied_as_they_were_written(style: Style, text: str) -> None:
    seen = markdown_document(text, style)
    assert written_markdown(seen, 0, seen.characterCount()) == text


def test_a_heading_keeps_the_signs_at_its_end(style: Style) -> None:
    seen = markdown_document("## In C\\#\n\n# F \\##", style)
    assert markdown_document(written_markdown(seen, 0, seen.characterCount()), style).toPlainText() == "In C#\nF ##"


def test_lists_and_tables_are_copied_as_they_are_read(style: Style) -> None:
    seen = markdown_document("1. one\n2. two\n   - sub\n\n| a | b |\n|---|---|\n| 1 | 2 |", style)
    text = selected_text(seen, 0, seen.characterCount())
    assert text.strip() == "1. one\n2. two\n  - sub\n\na\tb\n1\t2" or text.split() == [
        *("1.", "one", "2.", "two", "-", "sub", "a", "b", "1", "2")
    ]
    assert selected_text(seen, 1, 3) == "ne"


@pytest.mark.parametrize(("code", "fence"), [("x", "```"), ("a ``` b", "````"), ("", "```")])
def test_a_fence_is_longer_than_those_in_the_code(code: str, fence: str) -> None:
    assert fenced(code, "py") == f"{fence}py\n{code}\n{fence}"


def test_lines_of_quotations_stand_beside_them_below_a_table_too(style: Style) -> None:
    seen = markdown_document("> first\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> last\n\n- item", style)
    quoted = [one.block for one in seen.decorations if one.kind is DecorationKind.QUOTE]
    assert [seen.findBlockByNumber(number).text() for number in quoted] == ["first", "last"]
