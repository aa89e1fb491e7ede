"""What is a formula and what is money; and nothing is lost by looking for it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from app.widgets.chat.markdown.inlines import InlineKind, exchanged, find_inlines, restored
from tests.seeds import each_seed


def formulas(text: str) -> list[str]:
    return [inline.text for inline in find_inlines(text) if inline.kind is not InlineKind.FOOTNOTE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"so \(E = mc^2\) holds", ["E = mc^2"]),
        ("\\[\n\\int x\n\\]", [r"\int x"]),
        ("$$ a $$ and $b$", ["a", "b"]),
        ("$x$, $y$; ($z$)-$2n$.", ["x", "y", "z", "2n"]),
        (r"$O(n \log n)$ and $f(x) = 1$", [r"O(n \log n)", "f(x) = 1"]),
        (r"$P(\text{rain today})$", [r"P(\text{rain today})"]),
        ("**$x$** and *$y$*", ["x", "y"]),
        ("| $|x|$ | b |", ["|x|"]),
        (r"$a\$b$", [r"a\$b"]),
        ("$a\nb$", ["a\nb"]),
    ],
)
def test_formulas_are_found(text: str, expected: list[str]) -> None:
    assert formulas(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("costs $5 and $6", "$5", "$5-$6", "$5–$10", "US$5 or A$6", "($5)–($6)", "$5/month, then $7/month"),
        *("$5 or 5$", "$100 million and 5$", "$1,000 dollars, $2,000", "$HOME and $PATH", "$HOME/$PATH", "$ x $"),
        *(r"\$x\$", "`$x$`", "``a ` $x$``", "$x\n\ny$", "$", "$$", "$$$$", r"\( \)", r"\(x", "$$x", "$a `b$ c`"),
        *(r"\\(x\\)", "$from the price to the cost$", "a$b$c"),
    ],
)
def test_money_code_and_prose_are_none(text: str) -> None:
    assert formulas(text) == []


def test_footnotes_are_found_with_their_text() -> None:
    found = [(inline.text, inline.source) for inline in find_inlines("a[^1] b[^note]: c\n[^1]: The text.")]
    assert found == [("1", "[^1]"), ("note", "[^note]"), ("1", "[^1]:")]


PIECES = [
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "`",
    "``",
    "x",
    "5",
    " ",
    "\n",
    "\n\n",
    "[^1]",
    "[^1]:",
    "\\",
    "é😀",
    "|",
]


@each_seed(range(6))
def test_what_is_exchanged_comes_back(seed: int) -> None:
    for number in range(300):
        chance = random.Random(seed * 1000 + number)
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(40)))
        inlines = list(find_inlines(text))
        assert all(text[inline.start : inline.end] == inline.source for inline in inlines), text
        assert all(one.end <= other.start for one, other in pairwise(inlines)), text
        changed, known = exchanged(text)
        assert restored(changed, known).replace("\n", "") == text.replace("\n", ""), text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("attack", [*PIECES, "$x", "$$x", "\\(x", "`$", "$ ", "$a ", "[^", "a$1$"])
def test_looking_takes_time_in_proportion_to_the_length(attack: str) -> None:
    """Whatever took the square of the length would take hours here."""
    list(find_inlines(attack * (300_000 // len(attack))))
