from __future__ import annotations

import random
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPalette

import app.widgets.chat.messages.block_layout as laid_part
from app.viewmodels.chat.rows import Segment, SegmentKind, segments_of
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.messages.message_body import MessageBody, TextPoint
from app.widgets.chat.messages.segment_layout import LAYOUTS
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import TextRole
from tests.seeds import chosen, each_seed
from tests.widgets.chat.sample_messages import CODE, PLAN
from tests.widgets.pictures import count, painted

WIDTH = 600


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of which documents are made, in order."""
    texts: list[str] = []
    for name in ("markdown_document", "code_document", "plain_document"):
        original = getattr(laid_part, name)

        def noting(text: str, *rest: object, original: Any = original, **named: object) -> object:
            texts.append(text)
            return original(text, *rest, **named)

        monkeypatch.setattr(laid_part, name, noting)
    return texts


def segments(text: str, *, is_plain: bool = False) -> tuple[Segment, ...]:
    return segments_of("user" if is_plain else "assistant", text)


def body(text: str, style: Style, *, is_plain: bool = False, is_growing: bool = False) -> MessageBody:
    made = MessageBody(segments(text, is_plain=is_plain), style, is_growing=is_growing)
    made.set_width(WIDTH)
    return made


def settled(text: str, style: Style, *, is_growing: bool = False) -> MessageBody:
    made = body(text, style, is_growing=is_growing)
    made.settle(0, 1e6)
    return made


def kept_shapes(shown: MessageBody) -> list[bool]:
    """Whether the shapes of the letters are kept of each paragraph and line of code."""
    kept = []
    for laid in shown._blocks or ():
        block = laid.document.begin()
        while block.isValid():
            kept.append(block.layout().cacheEnabled())
            block = block.next()
    return kept


def test_nothing_is_laid_out_before_it_is_seen(style: Style, made: list[str]) -> None:
    shown = body(PLAN, style)
    assert shown.height > 0
    assert made == []
    shown.settle(0, 30)
    assert len(made) == 1


def test_what_is_measured_is_exact(style: Style) -> None:
    line = style.text_style(TextRole.BODY).line
    assert settled("one line", style).height == line
    assert settled("one\n\ntwo", style).height == 2 * line + 12


def test_settling_says_whether_the_height_changed(style: Style) -> None:
    shown = body("word " * 400, style)
    assert shown.settle(0, 1e6)
    assert not shown.settle(0, 1e6)


def test_new_text_lays_out_only_the_part_that_grows(style: Style, made: list[str]) -> None:
    shown = settled("First part.\n\nSecond", style)
    made.clear()
    shown.set_segments(segments("First part.\n\nSecond part"))
    assert made == []  # words are added to a paragraph of nothing else
    shown.set_segments(segments("First part.\n\nSecond part of *it*"))
    assert made == ["Second part of *it*"]
    shown.set_segments(segments("First part.\n\nSecond part of *it*\n\nThird"))
    shown.settle(0, 1e6)
    assert made == ["Second part of *it*", "Third"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Tom &am", "p; co"),
        ("see www.", "example.org and"),
        ("see www", ".example.org and"),
        ("words ", "that"),
        ("words  ", "that"),
        ("words", "  that"),
        ("write to a@b", ".org now"),
        ("at http://a", ".org now"),
        ("the *way", "* it"),
        ("1", ". one"),
        ("words\n", "- item"),
        ("**So** www", ".example.org"),
        ("- one\n- [x", "] two"),
        ("it is $x", " and y"),
        ("So it is\\(x", " and so"),
        ("So it is\\(x and", " so"),
        ("[x]: word", " and more"),
        ("```\nx\r", " y"),
        ("é\r", "[^1]: "),
        ("[x](y (of", " z) it)"),
        ("[x]: y 'of", " it'"),
        ('[x]: y "of', ' it"'),
        ("[x]: <y", "z>"),
        ('[x](y "a of', ' it") and'),
        ("[x]: y 'a of", " it'"),
        ("- 2", ". two"),
        ("http:", "//a.org now"),
        ("it is 2", ". two"),
    ],
)
def test_what_comes_makes_something_of_what_came_before(style: Style, before: str, after: str) -> None:
    shown = settled(before, style, is_growing=True)
    shown.set_segments(segments(before + after), is_growing=True)
    fresh = settled(before + after, style, is_growing=True)
    assert [one.document.toHtml() for one in shown._blocks or ()] == [
        one.document.toHtml() for one in fresh._blocks or ()
    ]


@pytest.mark.parametrize("seed", chosen(range(200)))
def test_words_that_come_one_by_one_are_what_they_are_at_once(style: Style, seed: int) -> None:
    """Whatever stands among them: where it means something to Markdown, nothing is added to a paragraph as it is."""
    dice = random.Random(seed)
    often = ["word", " word", " and", ".", ", ", " 3", "é", " 語", "?", "’s", " -", " ...", ": "]
    often += ['"', ' "', "'", " (", ")", " >", " =", " +", "/", "%", "—", "。", "（", "🦊", "\u0301", " م", " 2."]
    marks = [*"*_`[]()<>&#~$\\|!1.-+=\n\t\r ", "www.", "http:", "//a.b", "@a.b", "amp;", "#35;", "https://a.b", "<br>"]
    wholes = [
        "**So** ",
        "*it",
        "`x` ",
        "_a_",
        "~~b~~",
        "\n\n",
        "\n- ",
        "\n1. ",
        "\n> ",
        "\n# ",
        "[x]: ",
        "[^1] ",
        "[^1]: ",
        "- [ ] ",
    ]
    wholes += [
        "[a](b)",
        "![a](b)",
        "| a | b |\n|---|---|\n| c ",
        "\n\n    ",
        "<b>",
        "\n```\n",
        "\n---\n",
        "$x$ ",
        "\\(x",
    ]
    seldom = dice.sample([*marks, *wholes], 3)
    text = dice.choice(["A", "1", "é"])
    shown = settled(text, style, is_growing=True)
    for _ in range(30):
        text += dice.choice(often if dice.random() < 0.8 else seldom)
        shown.set_segments(segments(text), is_growing=True)
        shown.settle(0, 1e6)
        fresh = settled(text, style, is_growing=True)
        assert [one.document.toHtml() for one in shown._blocks or ()] == [
            one.document.toHtml() for one in fresh._blocks or ()
        ], text
        assert shown.height == fresh.height, text


@pytest.mark.parametrize("begun", ["Words", "Words *so*", "```\ncode"])
def test_only_of_the_last_lines_that_grow_the_shapes_of_letters_are_kept(style: Style, begun: str) -> None:
    """Those of every line of a long answer would take memory for as long as it is in sight."""
    shown = settled(begun, style, is_growing=True)
    for more in (" and", " more\n", "of it", "\nand of that"):
        begun += more
        shown.set_segments(segments(begun), is_growing=True)
        shown.settle(0, 1e6)
        assert kept_shapes(shown) == [*[False] * (len(kept_shapes(shown)) - 1), True]
    shown.set_segments(segments(begun))
    shown.settle(0, 1e6)
    assert not any(kept_shapes(shown))


def test_code_that_grows_is_appended_to_and_gets_its_colours_when_it_ends(style: Style, made: list[str]) -> None:
    shown = settled("```python\nx = 1", style, is_growing=True)
    made.clear()
    shown.set_segments(segments("```python\nx = 1\ny = 2"), is_growing=True)
    assert made == []
    shown.set_segments(segments("```python\nx = 1\ny = 2\n```\nafter"), is_growing=True)
    shown.settle(0, 1e6)
    assert made == ["x = 1\ny = 2", "after"]
    assert shown.selected_text(*shown.all_of_it()) == "x = 1\ny = 2\n\nafter"


@pytest.mark.parametrize(
    "start", ["word **bold** " * 200, "- item **bold** of many\n" * 120, "| a |\n|---|\n" + "| **b** |\n" * 60]
)
def test_a_long_part_is_markdown_while_it_grows_and_when_it_has_ended(style: Style, start: str) -> None:
    shown = settled(start, style, is_growing=True)
    for text in (start, start + "more **bold**"):
        for is_growing in (True, False):
            shown.set_segments(segments(text), is_growing=is_growing)
            assert "**" not in shown.selected_text(*shown.all_of_it())
            again = settled(text, style)
            assert "**" not in again.selected_text(*again.all_of_it())


def colours(shown: MessageBody) -> int:
    """How many runs of its first line have a colour of their own."""
    assert shown._blocks is not None
    return len(shown._blocks[0].document.begin().layout().formats())


def test_code_without_its_end_is_coloured_when_the_answer_has_ended(style: Style) -> None:
    shown = settled("```python\nx = 1", style, is_growing=True)
    grey, coloured = colours(shown), colours(settled("```python\nx = 1", style))
    assert grey == 0 < coloured
    shown.set_segments(segments("```python\nx = 1"))
    assert colours(shown) == coloured


def test_streaming_ends_with_the_height_of_the_whole(style: Style) -> None:
    shown = settled("T", style)
    for end in range(2, len(PLAN) + 1):
        shown.set_segments(segments(PLAN[:end]))
    shown.settle(0, 1e6)
    assert shown.height == settled(PLAN, style).height


def test_another_text_is_shown_anew(style: Style) -> None:
    shown = settled("one\n\ntwo", style)
    shown.set_segments(segments("three"))
    shown.settle(0, 1e6)
    assert shown.height == style.text_style(TextRole.BODY).line


def test_another_width_makes_estimates_again(style: Style) -> None:
    shown = settled("word " * 100, style)
    wide = shown.height
    shown.set_width(WIDTH / 3)
    shown.settle(0, 1e6)
    assert shown.height > 2 * wide


def test_text_is_found_under_the_mouse_and_selected(style: Style) -> None:
    shown = settled(PLAN, style)
    first = shown.point_at(QPointF(0, 5))
    assert first == TextPoint(0, 0)
    word = shown.word_at(TextPoint(0, 5))
    assert shown.selected_text(*word) == "plan"
    whole = shown.selected_text(*shown.all_of_it())
    assert whole.startswith("The plan holds at about 284 euros each.")
    assert CODE in whole
    assert whole.endswith("at the end of the trip.")


def test_a_selection_is_drawn_where_it_is(style: Style) -> None:
    shown = settled("one two three", style)
    rect = QRectF(0, 0, WIDTH, 30)

    def marked(selection: tuple[TextPoint, TextPoint] | None) -> int:
        image = painted(
            WIDTH, 30, lambda painter, _rect: shown.paint(painter, QPointF(0, 0), QPalette(), rect, selection)
        )
        return count(image, LIGHT.softline)

    assert marked(None) == 0
    assert 0 < marked((TextPoint(0, 0), TextPoint(0, 3))) < marked((TextPoint(0, 0), TextPoint(0, 13)))


def test_links_are_found(style: Style) -> None:
    shown = settled("[all of it](https://example.org)", style)
    assert shown.link_at(QPointF(10, 10)) == "https://example.org"
    assert shown.link_at(QPointF(500, 10)) == ""


def test_cards_in_sight_say_what_they_copy(style: Style) -> None:
    shown = settled(PLAN, style)
    (card,) = shown.cards(0, 1e6)
    assert (card.code(), card.language) == (CODE, "python")
    assert card.head.height() == 30
    assert shown.cards(0, card.head.top() - 1) == []


def test_the_caret_stands_after_the_last_character(style: Style) -> None:
    short, long = settled("one", style).end(), settled("one two", style).end()
    assert long.left() > short.left() > 0
    assert abs(short.center().y() - style.text_style(TextRole.BODY).line / 2) < 2
    assert settled("```\nx", style).end().top() > 30


def test_typed_text_stays_as_it_was_typed(style: Style) -> None:
    shown = body("**not bold**\n  - no list", style, is_plain=True)
    assert shown.selected_text(*shown.all_of_it()) == "**not bold**\n  - no list"


def test_freed_documents_come_back_the_same(style: Style) -> None:
    shown = settled(PLAN, style)
    height = shown.height
    shown.drop_documents()
    assert shown.height == height
    shown.settle(0, 1e6)
    assert shown.height == height


CODE_OF_MANY_LINES = "\n".join(f"line_{number} = {number}" for number in range(500))


def test_long_code_is_laid_out_as_far_as_it_is_seen_and_copied_whole(style: Style, made: list[str]) -> None:
    shown = body(f"Before.\n\n```python\n{CODE_OF_MANY_LINES}\n```\nAfter.", style)
    shown.settle(0, 600)
    assert sum(map(len, made)) < 4000
    shown.settle(0, 1e6)
    (card,) = shown.cards(0, 1e6)
    assert card.code() == CODE_OF_MANY_LINES
    copied = shown.selected_text(*shown.all_of_it())
    assert copied == f"Before.\n\n{CODE_OF_MANY_LINES}\n\nAfter."


LONG_LINE = "x = " + "1 + " * 200 + "2"


def test_a_long_line_of_code_is_one_line_and_is_scrolled_sideways(style: Style) -> None:
    short, long = settled("```py\nx\n```", style), settled(f"```py\n{LONG_LINE}\n```", style)
    assert long.height == short.height
    at = QPointF(WIDTH / 2, long.height - 20)
    first = long.point_at(at)
    assert first is not None
    assert long.wide_at(long.height - 20) == 0
    assert long.scroll_wide(0, 100)
    moved = long.point_at(at)
    assert moved is not None
    assert moved.position > first.position + 5
    assert long.scroll_wide(0, 1e6)
    assert not long.scroll_wide(0, 1e6), "its end is the end"
    assert long.point_at(QPointF(WIDTH - 16, long.height - 20)) == (0, len(LONG_LINE))
    assert long.scroll_wide(0, -1e6)
    assert long.point_at(at) == first


def test_a_line_that_nobody_would_scroll_is_broken(style: Style) -> None:
    shown = settled("```py\n" + "x" * 1001 + "\n```", style)
    assert shown.height > settled("```py\n" + "x" * 1000 + "\n```", style).height
    assert not shown.scroll_wide(0, 50)


def torn(shown: MessageBody, words: str) -> bool:
    """Whether any of these words goes over the end of a line."""
    assert shown._blocks is not None
    for laid in shown._blocks:
        block = laid.document.begin()
        while block.isValid():
            layout = block.layout()
            lines = [layout.lineAt(number) for number in range(layout.lineCount())]
            ends = {line.textStart() + line.textLength() for line in lines[:-1]}
            text = block.text()
            if any(text[end - 1] in words and text[end : end + 1] in words for end in ends):
                return True
            block = block.next()
    return False


@each_seed(range(12))
def test_no_word_of_a_table_is_torn_and_what_is_too_wide_is_scrolled(style: Style, seed: int) -> None:
    draw = random.Random(seed)
    style.set_text_size(draw.choice([12, 14, 24]))
    columns = draw.randint(1, 12)
    cells = ["of", "considerations", "a few words", "", "unmistakably", "12,480", "a sentence of many words that wraps"]
    rows = [[draw.choice(cells) for _ in range(columns)] for _ in range(draw.randint(1, 6))]
    lines = ["|" + "|".join(row) + "|" for row in rows]
    shown = settled("\n".join([lines[0], "|" + "---|" * columns, *lines[1:]]), style)
    assert shown._blocks is not None
    letters = "abcdefghijklmnopqrstuvwxyz0123456789,"
    for width in (WIDTH, draw.randint(200, 900), WIDTH):
        shown.set_width(width)
        shown.settle(0, 1e6)
        (laid,) = shown._blocks
        assert not torn(shown, letters)
        over = laid.overhang(width)
        assert laid.document.idealWidth() <= laid.document.textWidth() == width + over
        assert shown.scroll_wide(0, 1e6) is (over > 0)
        paint(shown, 0)
        shown.scroll_wide(0, -1e6)
    assert shown.height == settled("\n".join([lines[0], "|" + "---|" * columns, *lines[1:]]), style).height


def test_a_table_of_any_length_is_a_table_and_copied_once(style: Style) -> None:
    rows = [f"| **{number}** | two | three | four |" for number in range(120)]
    text = "\n".join(["| a | b | c | d |", "|---|---|---|---|", *rows])
    shown = settled(text, style)
    words = shown.selected_text(*shown.all_of_it())
    assert words.split("\n") == ["a\tb\tc\td", *(f"{number}\ttwo\tthree\tfour" for number in range(120))]
    assert shown.selected_markdown(*shown.all_of_it()) == text


def test_the_head_of_a_table_is_copied_once_whatever_follows_its_rows(style: Style) -> None:
    """Qt makes no table of many columns with few cells in each row."""
    for columns, end in ((3, "# And"), (3, "> And"), (3, "- And"), (80, "")):
        text = "|h" * columns + "|\n" + "|-" * columns + "|\n" + "| x | y |\n" * 160 + end
        shown = body(text, style)
        copied = shown.selected_text(*shown.all_of_it())
        assert (copied.count("h"), copied.count("x"), copied.count("y")) == (columns, 160, 160), (columns, end)
        assert copied.endswith(end[2:]), (columns, end)


def test_code_that_fits_does_not_move(style: Style) -> None:
    shown = settled("text\n\n```py\nx\n```", style)
    assert shown.wide_at(2) is None
    assert not shown.scroll_wide(1, 50)


def test_pieces_of_long_code_move_together(style: Style) -> None:
    shown = settled("```py\n" + f"{LONG_LINE}\n" * 150 + "```", style)
    assert shown.wide_at(shown.height - 20) == 0
    shown.scroll_wide(0, 120)
    points = [shown.point_at(QPointF(100, y)) for y in (200, shown.height - 40)]
    assert len({point.position % (len(LONG_LINE) + 1) for point in points if point is not None}) == 1
    assert None not in points


def test_long_code_that_grows_ends_with_the_height_of_the_whole(style: Style) -> None:
    whole = f"```python\n{CODE_OF_MANY_LINES[:4000]}\n```\nAfter."
    shown = settled(whole[:5], style)
    for end in range(5, len(whole), 41):
        shown.set_segments(segments(whole[:end]))
    shown.set_segments(segments(whole))
    shown.settle(0, 1e6)
    assert shown.height == settled(whole, style).height


def test_long_code_keeps_its_colours_from_piece_to_piece(style: Style) -> None:
    """A string that begins in one piece ends in another."""
    text = 'x = """\n' + "words\n" * 100 + '"""\ny = 1\n' + "z = 2\n" * 100
    shown = settled(f"```python\n{text}```\n", style)
    inks = {}
    for block in shown._blocks or ():
        text_block = block.document.begin()
        while text_block.isValid():
            inks.setdefault(text_block.text(), set()).update(
                piece.format.foreground().color().name() for piece in text_block.layout().formats()
            )
            text_block = text_block.next()
    assert inks["words"] == {LIGHT.string.name()}
    assert inks["z = 2"] == {LIGHT.number.name()}


def test_a_long_line_is_cut_but_copied_whole(style: Style, made: list[str]) -> None:
    line = "word " * 20_000
    for text, is_plain in ((line, True), (line, False), (f"```\n{line}\n```", False)):
        shown = body(text, style, is_plain=is_plain)
        made.clear()
        shown.settle(0, 600)
        assert sum(map(len, made)) < 13_000
        assert shown.selected_text(*shown.all_of_it()).strip() == line.strip()


def test_documents_of_one_long_message_are_freed(style: Style, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.widgets.chat.messages.message_body._MOST_LAID", 16)
    shown = body(f"{CODE_OF_MANY_LINES}\n" * 40, style, is_plain=True)
    for top in range(0, int(shown.height), 500):
        shown.settle(top, top + 600)
    assert 0 < sum(block._document is not None for block in shown._blocks or ()) <= 16


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| `c` | *d* |"


def test_a_table_is_copied_as_rows_with_tabs(style: Style) -> None:
    shown = settled(f"Before\n\n{TABLE}\n\nafter", style)
    assert "a\tb\n1\t2\nc\td" in shown.selected_text(*shown.all_of_it())


MARKDOWN = [
    *(f"{TABLE}\n", "| | |\n|-|-|\n", "- item\n", "  - inner\n", "1. one\n", "> quoted\n", "# Head\n", "---\n", "\n\n"),
    *(
        "**bold** ",
        "`code` ",
        "![pic](a.png) ",
        "[link](http://x.y) ",
        "~~gone~~ ",
        "<b>html</b> ",
        "&amp; ",
        "- [x] done\n",
        "$x^2$ ",
        "$$y$$ ",
        "[^1] ",
        "\n[^2]: note\n",
    ),
    *(
        "```py\nx = 1\n```\n",
        "\ufffc",
        "\ufdd0",
        "\ufdd1x",
        "\0",
        "\ud800",
        "\u2028",
        "\r\n",
        "\u202e",
        "a\u0301",
        "👩‍👧 ",
        "日本 ",
    ),
]


@each_seed(range(4))
def test_any_selection_of_any_markdown_is_copied_clean(style: Style, seed: int) -> None:
    for number in range(60):
        draw = random.Random(seed * 1000 + number)
        text = "".join(draw.choice(MARKDOWN) for _ in range(draw.randrange(1, 25)))
        shown = settled(text, style)
        _, end = shown.all_of_it()
        ends = sorted(TextPoint(draw.randrange(end.block + 1), draw.randrange(120)) for _ in range(2))
        for first, last in (shown.all_of_it(), (ends[0], ends[1])):
            copied = shown.selected_text(first, last)
            strange = [f"{ord(letter):x}" for letter in copied if letter in UNCLEAN]
            assert not strange, (seed, number, strange, text)


UNCLEAN = {
    *map(chr, range(0xFDD0, 0xFDF0)),
    *map(chr, range(9)),
    *map(chr, range(11, 32)),
    "\ufffc",
    "\u2028",
    "\u2029",
    "\0",
    "\ud800",
    "\ufffe",
}


ATOMS = [
    *(
        "> ",
        "- ",
        "* ",
        "1. ",
        "\n",
        "\n\n",
        "  ",
        "    ",
        "\t",
        "`",
        "``",
        "```\n",
        "```py\n",
        "~~~\n",
        "|",
        "|-|-|\n",
        "[",
        "]",
    ),
    *(
        "(",
        ")",
        "![",
        "](",
        "<",
        "<b>",
        "<!--",
        "<![CDATA[",
        "</",
        "&amp;",
        "&#0;",
        "&#x110000;",
        "&",
        "*",
        "**",
        "_",
        "~~",
    ),
    *(
        "\\",
        "\\(",
        "\\)",
        "\\[",
        "$$",
        "# ",
        "---\n",
        "===\n",
        "http://a.b/",
        "a@b.c",
        "[a]: /b\n",
        "- [ ] ",
        "\0",
        "\ufffc",
    ),
    *(
        "\ufdd0",
        "\ufdd1",
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\u0301",
        "\u200d",
        "👩",
        "日",
        "א",
        "x",
        "word ",
        "\ud800",
        "\r",
    ),
    *("<div>\n", "javascript:alert(1)", "data:image/png;base64,AAAA", "![a](file:///etc/passwd)"),
    *("![](http://127.0.0.1/a.png)", "![a](data:image/png;base64,AAAA)", "<img src='/etc/passwd'>", "[a](b:c)"),
    *("[^1]", "\n[^1]: ", "[^a]", "\\begin{align}", "\\end{align}\n", "###### ", "| a ", "👩\u200d👧", "\x1b[1m"),
]


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What a document was to load, and what files were opened."""
    asked: list[object] = []
    monkeypatch.setattr(QuietDocument, "loadResource", lambda _document, _kind, name: asked.append(name))
    for name in ("builtins.open", "io.open", "os.open"):
        monkeypatch.setattr(name, lambda path, *_rest, **_named: asked.append(path))
    return asked


def paint(shown: MessageBody, top: float) -> None:
    rect = QRectF(0, 0, WIDTH, 100)
    painted(WIDTH, 100, lambda painter, _rect: shown.paint(painter, QPointF(0, -top), QPalette(), rect, None))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", chosen(range(4)))
def test_any_text_is_laid_out_painted_and_copied(
    style: Style, seed: int, made: list[str], reached: list[object]
) -> None:
    """Runs of anything, some long enough to nest thousands deep; of each no more is laid out than is seen.

    Nothing is loaded from anywhere, and a text that comes in pieces ends as one that is there at once.
    """
    for number in range(60):
        draw = random.Random(seed * 1000 + number)
        atoms = draw.sample(ATOMS, draw.choice([1, 2, 3, 6, 20]))
        text = "".join(draw.choice(atoms) * draw.choice([1, 1, 2, 5, 50, 1000]) for _ in range(30))[:20_000]
        shown = body(text, style, is_plain=draw.random() < 0.2)
        made.clear()
        top = draw.random() * shown.height
        shown.settle(top, top + 100)
        paint(shown, top)
        assert all(len(piece) <= 6200 for piece in made), (seed, number)
        point = shown.point_at(QPointF(30, top + 50))
        if point is not None:
            shown.word_at(point)
        shown.end()
        copied = shown.selected_text(*shown.all_of_it())
        assert not [letter for letter in copied if letter in UNCLEAN], (seed, number)
        assert reached == [], (seed, number)
        if number % 3 == 0:
            ends_as_at_once(style, text[:1500], draw)


def ends_as_at_once(style: Style, text: str, draw: random.Random) -> None:
    """Show a text in pieces, of which some are seen, and compare it with the whole."""
    grown = of_segments(style, is_growing=True)
    for end in sorted(draw.randrange(len(text) + 1) for _ in range(6)):
        grown.set_segments(segments(text[:end]), is_growing=True)
        if draw.random() < 0.7:
            grown.settle(draw.random() * 100, draw.random() * 2000)
    grown.set_segments(segments(text))
    grown.settle(0, 1e6)
    whole = settled(text, style)
    assert grown.selected_text(*grown.all_of_it()) == whole.selected_text(*whole.all_of_it()), text
    assert grown.selected_markdown(*grown.all_of_it()) == whole.selected_markdown(*whole.all_of_it()), text
    assert (grown.links(), grown.end(), grown.height) == (whole.links(), whole.end(), pytest.approx(whole.height)), text


def test_twice_the_text_makes_twice_the_documents_at_most(style: Style, made: list[str]) -> None:
    """And twice the cells, lines and letters in them, however it is made."""
    for seed in chosen(range(12)):
        draw = random.Random(seed)
        unit = "".join(draw.choices(ATOMS, k=6))
        sizes = []
        for times in (1, 2):
            made.clear()
            shown = body(unit * (times * 3000 // len(unit)), style)
            shown.settle(0, 1e6)
            blocks = shown._split()
            sizes.append((len(made), sum(map(len, made)), sum(laid.document.blockCount() for laid in blocks)))
        for once, twice in zip(*sizes, strict=True):
            assert twice <= 2.5 * once + 2500, (seed, unit, sizes)


AS_TYPED, AS_MARKDOWN = SegmentKind.TYPED, SegmentKind.MARKDOWN


def of_segments(style: Style, *said: Segment, is_growing: bool = False) -> MessageBody:
    made = MessageBody(said, style, is_growing=is_growing)
    made.set_width(WIDTH)
    made.settle(0, 1e6)
    return made


def test_every_kind_of_segment_has_one_layout() -> None:
    assert set(LAYOUTS) == set(SegmentKind)


def test_segments_stand_one_below_the_other_each_in_its_way(style: Style, made: list[str]) -> None:
    line = style.text_style(TextRole.BODY).line
    shown = of_segments(
        style, Segment(AS_TYPED, "**as**"), Segment(AS_MARKDOWN, "**set**"), Segment(AS_TYPED, "*typed*")
    )
    assert made == ["**as**", "**set**", "*typed*"]
    assert shown.height == 3 * line + 2 * 12
    assert shown.selected_text(*shown.all_of_it()) == "**as**\n\nset\n\n*typed*"
    two = of_segments(style, Segment(AS_TYPED, "one"), Segment(AS_TYPED, "two"))
    assert two.height == 2 * line + 12


def test_a_segment_that_is_followed_is_laid_out_as_what_ends_there(style: Style, made: list[str]) -> None:
    """Code without its end is coloured, and a long paragraph is Markdown, once another segment has begun."""
    for text in ("```python\nx = 1", "so $x"):
        shown = of_segments(style, Segment(AS_MARKDOWN, text), is_growing=True)
        shown.set_segments((Segment(AS_MARKDOWN, text), Segment(AS_MARKDOWN, "After.")))
        shown.settle(0, 1e6)
        assert shown.selected_text(*shown.all_of_it()) == of_segments(
            style, Segment(AS_MARKDOWN, text), Segment(AS_MARKDOWN, "After.")
        ).selected_text(*shown.all_of_it())


def test_segments_that_stay_are_not_laid_out_again(style: Style, made: list[str]) -> None:
    thought = Segment(AS_MARKDOWN, PLAN)
    shown = of_segments(style, thought)
    made.clear()
    for end in range(0, 60, 7):
        shown.set_segments((thought, Segment(AS_MARKDOWN, ("Now, " * 12)[:end])))
        shown.settle(0, 1e6)
    assert all("Now," in text or "Now,".startswith(text) for text in made[1:])  # the first is the thought's last block
    made.clear()
    shown.set_segments((thought,))
    shown.settle(0, 1e6)
    assert made == []


def test_segments_that_come_grow_and_go_leave_what_would_be_laid_out_afresh(style: Style) -> None:
    pieces = [
        "words ",
        "\n\n",
        "**bold** ",
        "```python\nx = 1\n",
        "```\n",
        "# head\n",
        "- item\n",
        "long " * 500,
        "| a |\n",
        "$$\n",
        "so $x$",
        "\\[x",
        "\\] ",
        "\n\\begin{align}\na",
        "\n\\end{align}\n",
        "words[^1] ",
        "[^a] and [^2] ",
        "\n\n[^1]: note\n",
        "\n[^A]: note\n",
    ]
    for seed in chosen(range(40)):
        draw = random.Random(seed)
        said: tuple[Segment, ...] = (Segment(draw.choice([AS_TYPED, AS_MARKDOWN]), ""),)
        shown = of_segments(style, *said)
        for step in range(12):
            what = draw.random()
            if what < 0.55:
                said = (*said[:-1], Segment(said[-1].kind, said[-1].text + draw.choice(pieces)))
            elif what < 0.8:
                said = (*said, Segment(draw.choice([AS_TYPED, AS_MARKDOWN]), draw.choice(["", *pieces])))
            elif what < 0.9 and len(said) > 1:
                said = said[:-1]
            else:
                at = draw.randrange(len(said))
                said = (*said[:at], Segment(draw.choice([AS_TYPED, AS_MARKDOWN]), draw.choice(pieces)), *said[at + 1 :])
            shown.set_segments(said, is_growing=draw.random() < 0.5)
            if draw.random() < 0.7:
                shown.settle(draw.random() * 100, draw.random() * 2000)
            is_growing = draw.random() < 0.5
            shown.set_segments(said, is_growing=is_growing)
            copy, fresh = MessageBody(said, style), of_segments(style, *said, is_growing=is_growing)
            assert copy.is_empty == shown.is_empty, (seed, step)
            assert shown.selected_text(*shown.all_of_it()) == fresh.selected_text(*fresh.all_of_it()), (seed, step)
        shown.settle(0, 1e6)
        assert shown.height == pytest.approx(fresh.height), seed
        assert shown.end() == fresh.end(), seed
        assert shown.links() == fresh.links(), seed


def test_text_that_was_copied_before_it_was_seen_goes_on(style: Style) -> None:
    """Copying makes documents that are not laid out: what is written afterwards must not be missing from them."""
    for start in ("First.", "```python\nx = 1\n", "word " * 600):
        shown = body(start, style)
        shown.selected_text(*shown.all_of_it())
        shown.selected_text(TextPoint(0, 0), TextPoint(0, 3))
        shown.set_segments(segments(start + "second"))
        shown.settle(0, 1e6)
        shown.set_segments(segments(start + "second third"))
        shown.settle(0, 1e6)
        copied = shown.selected_text(*shown.all_of_it())
        assert copied.endswith("second third"), start[:10]
        assert shown.end() == settled(start + "second third", style).end(), start[:10]


def test_a_footnote_is_a_link_as_soon_as_its_note_is_there(style: Style) -> None:
    """And is copied as it is seen, never as an address."""
    text = "One[^1] and [^x].\n\nMore.\n\n[^1]: Note."
    shown = of_segments(style, Segment(AS_MARKDOWN, ""), is_growing=True)
    for end in range(len(text) + 1):
        shown.set_segments(segments(text[:end]), is_growing=True)
        shown.settle(0, 1e6)
        assert [link.says for link in shown.links()] == ["Link"] * (2 if "[^1]:" in text[:end] else 0), text[:end]
    assert shown.selected_text(*shown.all_of_it()) == "One¹ and x.\n\nMore.\n\n¹ Note."
    shown.set_segments(segments(text))
    shown.settle(0, 1e6)
    assert shown.selected_text(*shown.all_of_it()) == "One¹ and [^x].\n\nMore.\n\n¹ Note."
    assert shown.selected_markdown(TextPoint(0, 0), TextPoint(0, 6)) == "One¹ a"


def test_words_after_a_name_with_a_colon_are_shown(style: Style) -> None:
    """To Markdown they are the address that goes by the name, which is not shown."""
    for text in ("[Answer]: 42", "[Alice]: Hello\n\n[Bob]: Hi", "- [x]: y\n- [y]:\n  z", "> [a]: b", "1. [ ] [a]: 'b'"):
        shown = settled(text, style)
        read = shown.selected_text(*shown.all_of_it())
        assert [letter for letter in read if letter.isalnum()] == [letter for letter in text if letter.isalnum()]
    code = settled("`a\n[x]: y`\n\n    [x]: z", style)
    assert code.selected_text(*code.all_of_it()) == "a [x]: y\n[x]: z"


def test_a_name_leads_to_the_address_that_it_is_given_anywhere(style: Style) -> None:
    """As soon as that is whole; the line that gives it stays. Words that are no address give none."""
    text = "See [the docs][1] or [Here].\n\nMore.\n\n[1]: https://a.b/c 'The docs'\n[here]: 42\n"
    shown = of_segments(style, Segment(AS_MARKDOWN, ""), is_growing=True)
    for end in range(len(text) + 1):
        shown.set_segments(segments(text[:end]), is_growing=True)
        shown.settle(0, 1e6)
        links = [link.link for link in shown.links() if link.first[0] == 0]
        assert links == ["https://a.b/c"] * ("/c " in text[:end]), text[:end]
    read = "See the docs or [Here].\n\nMore.\n\n[1]: https://a.b/c 'The docs'\n[here]: 42"
    assert shown.selected_text(*shown.all_of_it()) == read
    assert shown.selected_markdown(TextPoint(0, 0), TextPoint(0, 12)) == "See [the docs](<https://a.b/c>)"


@pytest.mark.parametrize(
    "text",
    [
        "1. First do this.\n\n2. Then that",
        "- Open\n\n- Close",
        "1. Install:\n\n```bash\npip\n```\n\n2. Run:\n\n```\nx\n```",
        "Steps\n\n- one\n  - two\n\nand\n\n- three",
        "- only",
    ],
)
def test_marks_of_items_are_copied_with_more_than_the_words_of_one(style: Style, text: str) -> None:
    """Wherever the blocks of the list end. A word that is all of an item is copied alone."""
    shown, lines = settled(text, style), text.split("\n")
    wanted = "\n".join(line for line in lines if not line.startswith("```"))
    read = shown.selected_text(*shown.all_of_it())
    assert [line for line in read.split("\n") if line] == [line for line in wanted.split("\n") if line]
    last = len(shown._split()) - 1
    end = TextPoint(last, shown.document(last).characterCount() - 1)
    if last:
        assert shown.selected_text(TextPoint(0, 0), end) == read
    assert shown.selected_text(*shown.word_at(end)) == read.split()[-1]
