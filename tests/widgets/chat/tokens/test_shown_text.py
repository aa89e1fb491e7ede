"""Where the characters of a message are shown, for Markdown of every kind."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count, pairwise
from typing import Any

import pytest

from app.viewmodels.chat.rows import Segment, SegmentKind
from app.widgets.chat.markdown.blocks import Block, Kind, markdown
from app.widgets.chat.markdown.document import shown as as_shown
from app.widgets.chat.messages.block_layout import BlockLayout
from app.widgets.chat.messages.message_body import MessageBody
from app.widgets.chat.tokens import shown_text as room
from app.widgets.chat.tokens.block_source import plain_text, set_text
from app.widgets.chat.tokens.shown_text import ShownText, shown_text
from app.widgets.kit.style import Style
from tests.seeds import each_seed


def blocks_of(text: str, style: Style, kind: SegmentKind = SegmentKind.MARKDOWN) -> list[BlockLayout]:
    body = MessageBody([Segment(kind, text)], style)
    body.set_width(500)
    return body._split()


def shown_of(text: str, laid: BlockLayout, style: Style) -> ShownText:
    return shown_text(text, laid.block, laid.document, style, laid.footnotes)


def seen(text: str, start: int, end: int, style: Style) -> str:
    """What of a text is seen for these characters of it."""
    found = []
    for laid in blocks_of(text, style):
        first, last = shown_of(text, laid, style).span(start, end)
        found.append(as_units(laid.document.toPlainText())[2 * first : 2 * last].decode("utf-16-le"))
    return "|".join(filter(None, found))


def as_units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("text", "of", "wanted"),
    [
        ("It is **very** cold.", "**very", "very"),
        ("It is **very** cold.", "** ", " "),
        ("It is **very** cold.", "**", ""),
        ("A `x = 1` b", "`x", "x"),
        ("- one\n- two", "\n- t", "t"),
        ("1. one\n2. two", "2. two", "two"),
        ("| a | b |\n|---|---|\n| c1 | d |", "|\n| c1", "c1"),
        ("see [the page](http://e.com/the.) the. end", ") the.", " the."),
        ("see [the page](http://e.com/the.) end", "com/the", ""),
        ("see [a.](http://e.com).", "com).", "."),
        ("5 \\* 3 * 2", "\\* 3", "* 3"),
        ("A &amp; B &lt; C", "&lt;", "<"),
        ("A &amp; B &lt; C", " B", " B"),
        ("`&amp;` &amp;", "amp;` ", "amp; "),
        ("Ein 👩‍👧 Kind und 𝔘 mehr", "und 𝔘 mehr", "und 𝔘 mehr"),
        ("שלום **עולם** סוף", "עולם** סוף", "עולם סוף"),
        ("```py\nx = 1\ny = 2\n```\nafter", "y = 2\n```", "y = 2"),
        ("  ```\n  x = 1\n    y = 2\n  ```\n", "y =", "y ="),
        ("```py\nx = 1\nnever closed", "never", "never"),
        ("- [x] done\n- [ ] open", "[ ] op", "op"),
        ("![a cat](cat.png) sits", "a cat](cat", "a cat"),
        ("[ref]: http://a.b\n[one][ref] two", "[one][ref", "one"),
        ("[ref]: http://a.b\n[one][ref] two", "ref]: http", "ref]: http"),
        ("[one][ref] two\n\n[ref]: http://a.b", "one][ref] t", "one t"),
        ("a<b>c</b>", "<b>c", "<b>c"),
        ("# Head\n\nbody", "# He", "He"),
        ("soft\nbreak", "t\nb", "t b"),
        ("a\\\nb", "\\\n", ""),
        ("<https://a.b/c> d", "//a", "//a"),
    ],
)
def test_what_is_seen_of_some_characters(style: Style, text: str, of: str, wanted: str) -> None:
    start = text.index(of)
    assert seen(text, start, start + len(of), style) == wanted


def test_a_formula_and_a_footnote_are_seen_for_all_they_were_written_with(style: Style) -> None:
    text = "Let $x^2 + y^2$ be,[^1] as 𝔘 said.\n\n[^1]: He *did*."
    for of in ("$x", "y^2", "y^2$ be"):
        start = text.index(of)
        assert seen(text, start, start + len(of), style).startswith("\ufffc")
    start = text.index("^1]")
    assert seen(text, start, start + 2, style) == "¹"
    start = text.index(" as 𝔘")
    assert seen(text, start, start + 5, style) == " as 𝔘"


def test_a_place_without_anything_to_see_is_that_of_what_follows(style: Style) -> None:
    text = "one **two** three"
    (laid,) = blocks_of(text, style)
    shown = shown_of(text, laid, style)
    assert shown.span(4, 6) == (4, 4)
    assert shown.span(9, 11) == (7, 7)
    assert shown.character(4) == 6
    assert shown.span(len(text), len(text)) == (13, 13)


def test_the_thought_stands_as_it_was_written(style: Style) -> None:
    text = "First **this**.\n\nThen that 👩‍👧.\r\nEnd"
    (laid,) = blocks_of(text, style, SegmentKind.THINKING)
    shown = shown_of(text, laid, style)
    first, last = shown.span(text.index("**this"), text.index("\n\n"))
    assert laid.document.toPlainText()[first:last] == "**this**."
    first, last = shown.span(text.index("End"), len(text))
    assert laid.document.toPlainText().endswith("End")
    assert last == laid.document.characterCount() - 1


INLINE = [
    "{v} ",
    "**{v}** ",
    "*{v}*, ",
    "`{v}` ",
    "[{v}](http://{u}.com/{u}?q={u}) ",
    "~~{v}~~ ",
    "{v}\\* ",
    "_{v}_. ",
    "{v} &amp; ",
]
INLINE += [
    "![{v}]({u}.png) ",
    "**{v} *{v}* {v}** ",
    "$x^2$ ",
    "{v}[^1] ",
    "<{v}> ",
    "{v} & {v}: ",
    "👩‍👧{v} ",
    "日本{v} ",
    "שלום {v} ",
]
INLINE += [
    "[{v}.](http://{u}.e) ",
    "{v}_{v} ",
    "{v}$5 ",
    "\\({u}\\) ",
    "`` {v} ` {v} `` ",
    "[{v}][{u}] ",
    "{v}\n{v} ",
    "{v}  \n{v} ",
    "{v}<br>{v} ",
    "{v} <br/> {v} ",
]
LINES = [
    "{i}\n\n",
    "- {i}\n",
    "  - {i}\n",
    "1. {i}\n",
    "> {i}\n",
    "## {i}\n\n",
    "\n| {v} | {c} |\n|---|:--:|\n| {c} | - |\n| `{v}\\|{v}` | {v}<br>{v} |\n\n",
]
LINES += [
    "```{u}\n{v} = [\n  {v}]\n```\n",
    "  ~~~\n  {v}\n {v}\n\n    {v}\n  ~~~\n",
    "---\n\n",
    "- [x] {i}\n",
    "\n    {v} in code\n\n",
    "{i}\n===\n\n",
]
LINES += [
    "1. {i}\n\n",
    "1. {v}\n   ```\n   {v}\n   ```\n\n",
    "    - {i}\n    - {v}\n      - {v}\n",
    "\t1) {v}\n\t\t- {v}\n\n",
]
LINES += ["[{v}]: {i}\n", "[1]: http://{v}.e '{v}'\n", "> [{v} [^1]]: {v}\n\n", "- [{v}]:\n  {v}\n", "{v} [{v}][1]\n\n"]
LINES += ["$$\n{u}\n$$\n\n", "[^1]: {i}\n\n", "{i}\r\n", "> - {i}\n> {i}\n\n", "\t{v}\n", "* {i}\n\n  {i}\n\n"]


def random_markdown(draw: random.Random) -> tuple[str, list[str], list[str]]:
    """A text, its words that are seen, and those that are not."""
    numbers, visible, hidden = count(), list[str](), list[str]()

    def filled(form: str) -> str:
        while "{" in form:
            for sign, words in (("{v}", visible), ("{c}", visible), ("{u}", hidden)):
                if sign in form:
                    words.append(draw.choice("abcx") + f"q{next(numbers)}z")
                    form = form.replace(sign, words[-1], 1)
            if "{i}" in form:
                form = form.replace("{i}", "".join(draw.choice(INLINE) for _ in range(draw.randrange(1, 6))), 1)
        return form

    text = "".join(filled(draw.choice(LINES)) for _ in range(draw.randrange(1, 14)))
    if draw.random() < 0.2:
        text += "```py\n" + filled("{v} never {v}")
    return text, visible, hidden


@each_seed(range(6))
def test_every_word_of_any_markdown_is_shown(style: Style, seed: int) -> None:
    for number in range(60):
        text, words, _hidden = random_markdown(random.Random(seed * 1000 + number))
        there = "\n".join(laid.searched_text for laid in blocks_of(text, style))
        assert not [word for word in words if word not in there], (seed, number, text)


@each_seed(range(6))
def test_every_word_of_any_markdown_is_found_where_it_is_shown(style: Style, seed: int) -> None:
    for number in range(40):
        draw = random.Random(seed * 1000 + number)
        text, words, hidden = random_markdown(draw)
        for laid in blocks_of(text, style):
            shown, there = shown_of(text, laid, style), laid.document.toPlainText()
            units = as_units(there)
            for word in words + hidden:
                start, at = text.index(word), units.find(as_units(word))
                first, last = shown.span(start, start + len(word))
                if at >= 0 and laid.text_start <= at // 2:
                    assert (first, last) == (at // 2, at // 2 + len(word)), (seed, number, word, text, there)
                elif at < 0:
                    what = units[2 * first : 2 * last].decode("utf-16-le")
                    assert what in ("", "\ufffc"), (seed, number, word, text, there)


@each_seed(range(4))
def test_the_tokens_of_a_text_are_shown_in_its_order_and_share_nothing_but_what_is_one_character(
    style: Style, seed: int
) -> None:
    for number in range(40):
        draw = random.Random(seed * 1000 + number)
        text, _words, _hidden = random_markdown(draw)
        ends = sorted({draw.randrange(len(text) + 1) for _ in range(len(text) // 3)} | {0, len(text)})
        for laid in blocks_of(text, style):
            shown, units = shown_of(text, laid, style), as_units(laid.document.toPlainText())
            done = 0
            for start, end in pairwise(ends):
                first, last = shown.span(start, end)
                assert first <= last <= laid.document.characterCount()
                twice = units[2 * first : 2 * max(first, done)].decode("utf-16-le")
                assert not twice.strip("\ufffc¹&"), (seed, number, text)  # shown for all they were written with
                done = max(done, last)


@each_seed(range(4))
def test_the_source_of_every_block_is_what_it_is_set_from(style: Style, seed: int) -> None:
    for number in range(60):
        draw = random.Random(seed * 1000 + number)
        text, _words, _hidden = random_markdown(draw)
        for laid in blocks_of(text, style):
            block: Block = laid.block
            source = set_text(text, block) if block.kind is Kind.MARKDOWN else plain_text(text, block)
            assert block.kind is not Kind.MARKDOWN or source.text == as_shown(markdown(block)), (seed, number, text)
            assert len(source.starts) == len(source.ends) == len(source.text)
            for letter, start, end in zip(source.text, source.starts, source.ends, strict=True):
                assert start == end or text[start:end] == letter or letter == "\n", (seed, number, text)


def test_letters_are_found_by_letters_that_stand_for_them(style: Style, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them a word could be found where it is written but not shown."""
    outcomes = Counter[bool]()
    init = room._Finder.__init__

    def counted(self: room._Finder, *arguments: Any) -> None:
        init(self, *arguments)
        outcomes[bool(self._marked)] += 1

    monkeypatch.setattr(room._Finder, "__init__", counted)
    for number in range(120):
        text, _words, _hidden = random_markdown(random.Random(number))
        for laid in blocks_of(text, style):
            shown_of(text, laid, style)
    assert outcomes[True] > 50 * outcomes[False]
