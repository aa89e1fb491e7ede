from __future__ import annotations

import random
from itertools import pairwise

import pytest

from app.widgets.chat.parts import Kind, Part, markdown, split, split_plain

TEXT = (
    "Intro\nsecond line\n\n- one\n\n  - nested, after a blank line\n- two\n\nBefore code:\n"
    "```python\nx = 1\n\ny = 2\n```\nAfter.\n\n1. item\n   ```sh\n   ls\n   ```\n2. item\n\n~~~\nopen at the end"
)


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(part.kind, part.text) for part in split(text)]


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


def test_a_fence_names_its_language_and_may_hold_shorter_fences() -> None:
    (code,) = split("````md\n```\ninner\n```\n````\n")
    assert (code.language, code.text) == ("md", "```\ninner\n```")


def test_a_fence_closed_by_the_last_line_has_no_fence_in_it() -> None:
    assert kinds("```\nx\n```") == [(Kind.CODE, "x")]


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_nothing_has_no_parts(text: str) -> None:
    assert split(text) == []


def test_only_the_last_part_is_open() -> None:
    parts = split(TEXT)
    assert [part.is_closed for part in parts] == [True] * (len(parts) - 1) + [False]


@pytest.mark.parametrize("seed", range(5))
def test_a_text_that_grows_has_the_parts_of_the_whole(seed: int) -> None:
    """Cutting again from the open part on gives what cutting everything gives, wherever the pieces end."""
    chance = random.Random(seed)
    cuts = [0, *sorted(chance.sample(range(1, len(TEXT)), 30)), len(TEXT)]
    parts: list[Part] = []
    for _, end in pairwise(cuts):
        shown = TEXT[:end]
        start = parts[-1].start if parts else 0
        parts[-1:] = split(shown[start:], start)
        assert parts == split(shown)


def test_a_paste_is_cut_into_pieces_that_join_to_the_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(200))
    parts = split_plain(text)
    assert len(parts) > 2
    assert "\n".join(part.text for part in parts) == text
    assert all(text[part.start :].startswith(part.text) for part in parts)


def test_formulas_stand_as_code() -> None:
    assert markdown(Part(0, r"so \(E = mc^2\) holds")) == "so `E = mc^2` holds"
    assert markdown(Part(0, "\\[\n\\int x\n\\]")) == r"`\int x`"


def test_text_after_code_in_a_list_is_no_indented_code() -> None:
    part = split("1. a\n   ```\n   x\n   ```\n      more\n")[-1]
    assert markdown(part) == "more"
