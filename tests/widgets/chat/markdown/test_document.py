from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QTextCharFormat, QTextDocument

from app.widgets.chat.markdown.blocks import Block, markdown
from app.widgets.chat.markdown.copied import selected_text
from app.widgets.chat.markdown.document import DecorationKind, QuietDocument, code_document, plain_document
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.marks import cursor_x
from app.widgets.chat.markdown.written import written_markdown
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import LARGEST_BODY, SMALLEST_BODY, TextRole
from tests.widgets.pictures import count, painted

RED = QColor("#ff0000")


@pytest.fixture
def red_picture(tmp_path: Path) -> Path:
    """A picture that would be seen at once if it were loaded."""
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(RED)
    path = tmp_path / "red.png"
    assert image.save(str(path))
    return path


def formats(document: QTextDocument) -> dict[str, QTextCharFormat]:
    """The format of each run of text."""
    found = {}
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            found[iterator.fragment().text()] = iterator.fragment().charFormat()
            iterator += 1
        block = block.next()
    return found


def drawn(document: QuietDocument) -> QImage:
    document.setTextWidth(400)
    return painted(400, 300, lambda painter, _rect: document.drawContents(painter))


@pytest.mark.parametrize("form", ["![a tree]({0})", "![a tree]({1})", "[![a tree]({0})](https://example.org)"])
def test_a_picture_is_never_loaded(style: Style, red_picture: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(QuietDocument, "loadResource", lambda self, kind, name: asked.append(name))
    address = QUrl.fromLocalFile(str(red_picture)).toString()
    document = markdown_document(form.format(address, red_picture), style)
    assert count(drawn(document), RED) == 0
    assert asked == []
    assert document.toPlainText() == "Image: a tree"


def test_without_the_exchange_of_images_the_picture_would_be_seen(style: Style, red_picture: Path) -> None:
    """The test above looks at something that can happen: Qt loads the same text's picture from the disk."""
    document = QTextDocument()
    document.setMarkdown(f"![a tree]({red_picture})")
    document.setTextWidth(400)
    assert count(painted(400, 300, lambda painter, _rect: document.drawContents(painter)), RED) > 1000


def test_a_resource_asked_for_all_the_same_is_an_empty_picture(style: Style, red_picture: Path) -> None:
    document = plain_document("x", style)
    found = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(str(red_picture)))
    assert isinstance(found, QImage)
    assert found.width() == 1


def test_an_address_on_the_network_becomes_a_link(style: Style) -> None:
    document = markdown_document(markdown(Block(0, "![](http://example.org/a.png)")), style)
    assert formats(document)["Image: picture"].anchorHref() == "http://example.org/a.png"


def test_html_stays_text(style: Style) -> None:
    assert markdown_document("a <b>b</b> <img src='file:///x.png'>", style).toPlainText() == (
        "a <b>b</b> <img src='file:///x.png'>"
    )


@pytest.mark.parametrize("text", ["one<br>two", "one<br/> two", "one<BR /> two", "one<br>\ntwo"])
def test_a_break_begins_a_line(style: Style, text: str) -> None:
    assert markdown_document(text, style).toPlainText() == "one\ntwo"


def test_what_stands_out_may_stand_beside_a_break(style: Style) -> None:
    found = formats(markdown_document("_one_<br>_two_ <br/>~~three~~<br>", style))
    assert [found[word].fontItalic() for word in ("one", "two")] == [True, True]
    assert found["three"].fontStrikeOut()


def test_a_cell_of_a_table_may_have_several_lines(style: Style) -> None:
    document = markdown_document("| a | b |\n|---|---|\n| one<br>two | 3 |", style)
    assert "one\ntwo" in document.toPlainText()
    assert selected_text(document, 0, document.characterCount()).strip() == "a\tb\none two\t3"


def test_roles_of_the_look(style: Style) -> None:
    found = formats(markdown_document("# one\n\n## two\n\n### three\n\nplain **bold** `code` [link](x:y)", style))
    sizes = {text: found[text].font().pixelSize() for text in ("one", "two", "three", "code")}
    assert sizes == {"one": 17, "two": 15, "three": 14, "code": 12}
    assert found["bold"].fontWeight() == QFont.Weight.DemiBold
    assert found["code"].background().color() == LIGHT.fill2
    assert found["link"].foreground().color() == LIGHT.accent
    assert found["link"].fontUnderline()


@pytest.mark.parametrize("mark", ["_", "__", "___", "_**", "**_"])
def test_underscores_mean_what_asterisks_do(style: Style, mark: str) -> None:
    def shown_with(mark: str) -> tuple[bool, int, bool]:
        found = formats(markdown_document(f"So {mark}it{mark[::-1]} is", style))["it"]
        return found.fontItalic(), found.fontWeight(), found.fontUnderline()

    assert shown_with(mark) == shown_with(mark.replace("_", "*"))
    assert not shown_with(mark)[2]


@pytest.mark.parametrize("text", ["---\ntitle: x\n---\n\nText", "---\ntitle: x\n---\nText"])
def test_what_stands_between_lines_at_the_beginning_is_shown(style: Style, text: str) -> None:
    assert "title: x" in markdown_document(text, style).toPlainText()


@pytest.mark.parametrize(("text", "lines"), [("one", 1), ("one\n\ntwo", 2), ("- one\n- two", 2)])
def test_lines_are_as_high_as_the_roles(style: Style, text: str, lines: int) -> None:
    document = markdown_document(text, style)
    document.setTextWidth(400)
    between = {"one": 0, "one\n\ntwo": 12, "- one\n- two": 4}[text]
    assert document.size().height() == lines * style.text_style(TextRole.BODY).line + between


def test_the_line_height_holds_for_other_scripts_too(style: Style) -> None:
    heights = []
    for text in ("plain", "日本語", "مرحبا", "🎉"):
        document = plain_document(text, style)
        document.setTextWidth(400)
        heights.append(document.size().height())
    assert set(heights) == {style.text_style(TextRole.BODY).line}


def test_signs_are_left_to_be_drawn(style: Style) -> None:
    document = markdown_document("- a\n  - b\n- [ ] c\n- [x] d\n\n> e\n\n---\n", style)
    assert [(decoration.kind, decoration.level) for decoration in document.decorations] == [
        (DecorationKind.BULLET, 1),
        (DecorationKind.BULLET, 2),
        (DecorationKind.UNCHECKED, 1),
        (DecorationKind.CHECKED, 1),
        (DecorationKind.QUOTE, 1),
        (DecorationKind.RULE, 1),
    ]


def test_numbers_of_a_list_go_on_after_code(style: Style) -> None:
    document = markdown_document("2. second", style)
    assert document.begin().textList().format().start() == 2


@pytest.mark.parametrize("before", ["", "A line\n", "> a quote\n\n"])
def test_a_tables_head_is_one_line(style: Style, before: str) -> None:
    """Qt's importer puts an empty line into the first cell when something stands before the table."""
    document = markdown_document(f"{before}\n| a | b |\n|---|---|\n| 1 | 2 |\n", style)
    cells = [line for line in document.toPlainText().split("\n") if line]
    assert cells[-4:] == ["a", "b", "1", "2"]
    document.setTextWidth(400)
    tops = {}
    block = document.begin()
    while block.isValid():
        tops[block.text()] = document.documentLayout().blockBoundingRect(block).top()
        block = block.next()
    assert tops["a"] == tops["b"]


def test_code_has_its_colours_and_stays_plain(style: Style) -> None:
    document = code_document('def f():\n    """a\n    b"""', "python", style)
    assert document.toPlainText() == 'def f():\n    """a\n    b"""'
    inks = []
    block = document.begin()
    while block.isValid():
        inks.append([piece.format.foreground().color().name() for piece in block.layout().formats()])
        block = block.next()
    assert inks == [[LIGHT.keyword.name(), LIGHT.name.name()], [LIGHT.string.name()], [LIGHT.string.name()]]


def test_long_words_are_broken(style: Style) -> None:
    document = markdown_document("x" * 400, style)
    document.setTextWidth(200)
    assert document.idealWidth() <= 200


def test_text_from_right_to_left_begins_at_the_right(style: Style) -> None:
    document = plain_document("مرحبا", style)
    document.setTextWidth(400)
    image = painted(400, 30, lambda painter, _rect: draw(document, painter))
    dark = [x for x in range(400) for y in range(30) if image.pixelColor(x, y).lightness() < 128]
    assert min(dark) > 300


def draw(document: QuietDocument, painter: QPainter) -> None:
    document.drawContents(painter)


def test_a_stroke_in_the_code_of_a_table_is_shown_as_what_it_is(style: Style) -> None:
    """It is written with a backslash there only to divide no cells. Elsewhere the backslash is meant."""
    source = "`a \\| b`\n\n| `h \\| h` | x |\n|---|---|\n| `string \\| null` and `\\|\\|` | **1** \\| 2 |"
    shown = markdown_document(source, style)
    assert " ".join(shown.toPlainText().split()) == "a \\| b h | h x string | null and || 1 | 2"
    written = written_markdown(shown, 0, shown.characterCount() - 1)
    assert markdown_document(written, style).toPlainText() == shown.toPlainText()


@pytest.mark.parametrize("size", [SMALLEST_BODY, LARGEST_BODY])
def test_a_tab_is_as_wide_as_four_columns_of_code(style: Style, size: int) -> None:
    style.set_text_size(size)
    quoted = markdown_document("> ```\n> ab\tx\n> ab  x\n> ```", style)
    for document in (code_document("ab\tx\nab  x", "", style), quoted):
        document.setTextWidth(400)
        document.documentLayout().documentSize()
        tab, blanks = (document.findBlockByNumber(number).layout().lineAt(0) for number in range(2))
        assert cursor_x(tab, 3) == pytest.approx(cursor_x(blanks, 4), abs=1)
