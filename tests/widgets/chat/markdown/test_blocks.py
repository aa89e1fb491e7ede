from __future__ import annotations

import random

import pytest

import app.widgets.chat.markdown.blocks as blocks_module
from app.widgets.chat.markdown.blocks import Block, Kind, markdown, split, split_plain, split_source, split_typed
from tests.seeds import each_seed

TEXT = (
    "Intro\nsecond line\n\n- one\n\n  - nested, after a blank line\n- two\n\nBefore code:\n"
    "```python\nx = 1\n\ny = 2\n```\nAfter.\n\n1. item\n   ```sh\n   ls\n   ```\n2. item\n\n~~~\nopen at the end"
)


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(block.kind, block.text) for block in split(text)]


def test_paragraphs_lists_and_code_are_parts() -> None:
    assert kinds(TEXT) == [
        (Kind.MARKDOWN, "Intro\nsecond line"),
        (Kind.MARKDOWN, "- one\n\n  - nested, after a blank line\n- two"),
        (Kind.MARKDOWN, "Before code:"),
        (Kind.CODE, "x = 1\n\ny = 2"),
        (Kind.MARKDOWN, "After."),
        (Kind.MARKDOWN, "1. item"),
        (Kind.CODE, "ls"),
        (Kind.MARKDOWN, "2. item"),
        (Kind.CODE, "open at the end"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So\n\n$$\na\n\nb\n$$\n\nend", ["So", "$$\na\n\nb\n$$", "end"]),
        ("\\[\na\n\nb\n\\]\nend", ["\\[\na\n\nb\n\\]\nend"]),
        ("So\n\n\\begin{align}\na\n\nb\n\\end{align}\n\nend", ["So", "\\begin{align}\na\n\nb\n\\end{align}", "end"]),
        ("$$ a\n\nb", ["$$ a\n\nb"]),
        ("$$a$$\n\nb", ["$$a$$", "b"]),
        ("in $$\n\nb $$", ["in $$", "b $$"]),
        ("$$\n\n" + "much " * 450 + "\n\n$$", ["$$", ("much " * 450), "$$"]),
        ("$$\n\n```\n$$\n```\n\na", ["$$", "$$", "a"]),
    ],
)
def test_a_display_is_one_part_with_its_blank_lines(text: str, expected: list[str]) -> None:
    assert [block.text for block in split(text)] == expected


def test_a_long_table_has_its_head_again_where_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    head, rows = "| a | b |\n|---|--:|", [f"| {number} | x |" for number in range(200)]
    blocks = split("\n".join(["Here:", head, *rows]) + "\n\nAfter.")
    assert [block.kind for block in blocks] == [Kind.MARKDOWN] * len(blocks)
    assert len(blocks) > 3
    first, *more, after = blocks
    assert (first.state.head, after.state.head, after.text) == ("", "", "After.")
    for block in more:
        assert (block.state.head, block.joint) == (head, "\n")
        assert markdown(block) == f"{head}\n{block.text}"
    assert "\n".join(block.text for block in blocks[:-1]).split("\n") == ["Here:", *head.split("\n"), *rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. one\n\n1. two\n1. three\n\n1. four", ["1. one", "2. two\n1. three", "4. four"]),
        ("Steps:\n3) a\n4) b\n\n5) c\n\n9) d\n\n1) e", ["Steps:\n3) a\n4) b", "5) c", "9) d", "10) e"]),
        ("1. a\n   ```\n   x\n   ```\n\n   more\n\n1. b", ["1. a", "more", "2. b"]),
        ("1. a\n\nwords\n\n1. b", ["1. a", "words", "1. b"]),
        ("1. a\n```\nx\n```\n1. b", ["1. a", "1. b"]),
        ("1. a\n\n1) b\n\n# c\n\n1) d\n- e\n\n1. f", ["1. a", "1) b", "# c", "1) d\n- e", "1. f"]),
        ("1.5 is\n\n1. a", ["1.5 is", "1. a"]),
    ],
)
def test_a_list_that_is_cut_counts_on(text: str, expected: list[str]) -> None:
    assert [markdown(block) for block in split(text) if block.kind is Kind.MARKDOWN] == expected
    assert [markdown(one) for one in grown(text, list(range(1, len(text)))) if one.kind is Kind.MARKDOWN] == expected


@pytest.mark.parametrize("indent", [1, 2, 3, 4, 6, 8])
def test_what_is_moved_in_alike_stays_alike(indent: int) -> None:
    """After code that stands in an item of a list: the levels below it are those that were written."""
    lines = ["- a", "- b", "  - c", "", "- d", "      more"]
    inner = " " * indent
    text = f"- item\n\n{inner}```\n{inner}x\n{inner}```\n\n" + "\n".join(
        f"{inner}{one}" if one else "" for one in lines
    )
    _item, _code, block = split(text)
    assert markdown(block) == "\n".join(lines)


def test_tabs_move_in_too() -> None:
    assert markdown(Block(0, "\t- a\n\t\t- b\n    - c\nlazy")) == "- a\n\t- b\n- c\nlazy"


def test_a_fence_names_its_language_and_may_hold_shorter_fences() -> None:
    (code,) = split("````md\n```\ninner\n```\n````\n")
    assert (code.language, code.text) == ("md", "```\ninner\n```")


def test_a_fence_closed_by_the_last_line_has_no_fence_in_it() -> None:
    assert kinds("```\nx\n```") == [(Kind.CODE, "x")]


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_nothing_has_no_parts(text: str) -> None:
    assert split(text) == []


def test_only_the_last_part_is_open() -> None:
    blocks = split(TEXT)
    assert [block.is_closed for block in blocks] == [True] * (len(blocks) - 1) + [False]


def grown(text: str, cuts: list[int]) -> list[Block]:
    """The blocks of a text that arrives in pieces, each time cut again from the block that was open on."""
    blocks: list[Block] = []
    for end in [*sorted(cuts), len(text)]:
        tail = blocks[-1] if blocks else Block(0, "")
        blocks[-1:] = split(text[tail.start : end], tail.start, tail.state)
    return blocks


@each_seed(range(5))
def test_a_text_that_grows_has_the_parts_of_the_whole(seed: int) -> None:
    """Cutting again from the open block on gives what cutting everything gives, wherever the pieces end."""
    chance = random.Random(seed)
    assert grown(TEXT, chance.sample(range(1, len(TEXT)), 30)) == split(TEXT)


@each_seed(range(12))
def test_so_has_one_in_which_every_limit_is_reached(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lines, long code, long runs, and more than is read as Markdown."""
    for name, value in LIMITS.items():
        monkeypatch.setattr(blocks_module, name, value)
    for number in range(60):
        chance = random.Random(seed * 1000 + number)
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(2, 60)))
        cuts = chance.sample(range(1, len(text)), min(len(text) - 1, 25))
        whole = split(text)
        assert merged(grown(text, cuts)) == merged(whole), (seed, number)
        assert all(len(block.text) <= LIMITS["_MOST_OF_BLOCK"] for block in whole), (seed, number)
        shown = "".join(block.text for block in whole)
        assert [letter for letter in shown if letter.isalnum()] == [
            letter for letter in without_fences(text, whole) if letter.isalnum()
        ], (seed, number)


def merged(blocks: list[Block]) -> list[tuple[int, Kind, str, str]]:
    """The blocks with all pieces of the same code or typed text as one: where they are cut tells nobody anything."""
    found: list[tuple[int, Kind, str, str]] = []
    for block in blocks:
        is_plain = block.kind is Kind.PLAIN and block.joint != "\n\n"
        if found and (block.continues_code or (is_plain and found[-1][1] is Kind.PLAIN)):
            start, kind, language, text = found[-1]
            found[-1] = (start, kind, language, text + block.joint + block.text)
        else:
            found.append((block.start, block.kind, block.language, block.text))
    return [(start, kind, language, text.rstrip("\n")) for start, kind, language, text in found]


LIMITS = {"_PIECE": 40, "_CODE_LINES": 4, "_MOST_OF_BLOCK": 60, "_MOST_OF_MARKDOWN": 1500, "_COLOURED": 90}
PIECES = [
    *("a\n", "word\n\n", "- item\n", "  more\n", "|x|y|\n", "\n", "    ", "\r\n", "> q\n", "b", "\n\n\n"),
    *("```\n", "```py\n", "~~~\n", "``", "`", "~", "````\n", "  ```\n", "x" * 90, "y" * 30 + "\n", "~~~~ `z`\n"),
    *("$$", "$$\n", "\\[\n", "\\]", "|a|b|\n|-|-|\n", "|a|b|\n" * 9),
]


def without_fences(text: str, whole: list[Block]) -> str:
    """The text without what a fence says, which is shown in the head of its card or not at all."""
    for block in whole:
        if block.kind is Kind.CODE and not block.continues_code:
            end = text.find("\n", block.start)
            text = text[: block.start] + "`" * (end - block.start) + text[end:]
    return text


ATTACKS = [
    *("~" * 2000 + " `", "`" * 2000 + " ` "),
    *("~~~ ` ~~~\n", "~~~\n~~~\n", "```\n", "  ```\n", "\\[", "\\(", "$$ ", "![ "),
    *(">", "\n", " \n", "x", "x\n", "a\n\n", "|", "- ", "# a\n", "[", "*", "<", "&amp;", "\0", "\ufffc", "\ud800"),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("before", ["", "```py\n", "- a\n  "])
def test_cutting_takes_time_in_proportion_to_the_length(before: str) -> None:
    """Whatever took the square of the length would take hours here."""
    for attack in ATTACKS:
        text = before + attack * (1_000_000 // len(attack))
        blocks = split(text)
        assert len(blocks) < 10_000, attack
        assert max((len(block.text) for block in blocks), default=0) <= 6000, attack
        for block in blocks[:20]:
            markdown(block)


@pytest.mark.parametrize("before", ["", "```py\n"])
def test_a_text_that_grows_is_cut_again_in_bounded_steps(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in lines that are looked at: as many for the last piece of a long text as for the first."""
    looked_at = 0
    line = blocks_module._Splitter._line

    def counting(self: blocks_module._Splitter) -> str:
        nonlocal looked_at
        looked_at += 1
        return line(self)

    monkeypatch.setattr(blocks_module._Splitter, "_line", counting)
    for attack in ATTACKS:
        text = before + attack * (60_000 // len(attack))
        looked_at = 0
        grown(text, list(range(300, len(text), 300)))
        assert looked_at < 200 * 500, attack


def test_a_paste_is_cut_into_pieces_that_join_to_the_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(2000))
    blocks = split_plain(text)
    assert len(blocks) > 2
    assert text == "".join(block.joint * (number > 0) + block.text for number, block in enumerate(blocks))
    assert all(text[block.start :].startswith(block.text) for block in blocks)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```py\nx = 1\n```\nb", [("PLAIN", "a"), ("CODE", "x = 1"), ("PLAIN", "b")]),
        ("```\nx\n```", [("CODE", "x")]),
        ("```\nx", [("PLAIN", "```\nx")]),
        ("# a\n\n- *b*\n~~~\n$x$\n~~~", [("PLAIN", "# a\n\n- *b*"), ("CODE", "$x$")]),
        ("say ``` once", [("PLAIN", "say ``` once")]),
        ("```\n```", [("CODE", "")]),
        ("", [("PLAIN", "")]),
    ],
)
def test_code_between_fences_is_code_in_what_is_typed(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(block.kind.name, block.text) for block in split_typed(text)] == expected


@each_seed(range(4))
def test_whatever_is_typed_is_there_in_order(seed: int) -> None:
    for number in range(200):
        chance = random.Random(seed * 1000 + number)
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 40)))
        blocks = split_typed(text)
        assert [block.start for block in blocks] == sorted(block.start for block in blocks), text
        assert {block.kind for block in blocks} <= {Kind.PLAIN, Kind.CODE}, text
        shown = "".join(block.text for block in blocks)
        expected = without_fences(text, blocks)
        assert [one for one in shown if one.isalnum()] == [one for one in expected if one.isalnum()], text


def test_text_after_code_in_a_list_is_no_indented_code() -> None:
    block = split("1. a\n   ```\n   x\n   ```\n      more\n")[-1]
    assert markdown(block) == "more"


@each_seed(range(20))
def test_source_is_code_to_its_end_whatever_stands_in_it(seed: int) -> None:
    """In one card, and joined to the whole: fences in it end nothing."""
    dice = random.Random(seed)
    lines = ["", "a = 1", "    b()", "```", "````py", "~~~", "\t```", "| a |", "$x$", "x" * 5000]
    text = "\n".join(dice.choices(lines, k=dice.choice((1, 5, 300)))).rstrip("\n")
    blocks = split_source(text, "py")
    assert {(block.kind, block.language) for block in blocks} <= {(Kind.CODE, "py"), (Kind.CODE, "")}
    assert [block.continues_code for block in blocks] == [False] + [True] * (len(blocks) - 1)
    assert "".join(block.joint * (at > 0) + block.text for at, block in enumerate(blocks)) == text
    assert all(text[block.start :].startswith(block.text) for block in blocks)
