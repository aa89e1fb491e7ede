"""What is a formula and what is money; and nothing is lost by looking for it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from app.widgets.chat.markdown.inlines import (
    STAND_IN,
    Inline,
    InlineKind,
    exchanged,
    find_inlines,
    number_of,
    restored,
)
from tests.seeds import each_seed


def formulas(text: str) -> list[str]:
    return [inline.text for inline in find_inlines(text) if inline.kind is not InlineKind.FOOTNOTE]


ALIGNED = "\\begin{align*}a &= b \\\\\n&= c\\end{align*}"


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
        ("$$\na\n\n \nb\n$$", ["a\nb"]),
        ("- so\n  \\[\n  a\n\n  b\n  \\]", ["a\n  b"]),
        ("> $$\n> a\n>\n> b\n> $$", ["a\nb"]),
        ("So \\begin{align*}\na &= b \\\\\n&= c\n\\end{align*} holds", [ALIGNED]),
        ("> \\begin{align*}\n> a &= b \\\\\n>\n> &= c\n> \\end{align*}", [ALIGNED]),
        (r"$$\begin{matrix}a\end{matrix}$$", [r"\begin{matrix}a\end{matrix}"]),
        ("> > \\[\n> > a\n> > \\]", ["a"]),
        (r"$x \text{ such that we have } y$", [r"x \text{ such that we have } y"]),
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
        *("in $$a\n\nb$$", "$$ is the process.\n\nSo is $$", r"\( a", "\\(a\n\nb\\)"),
        *(r"`\begin{align}a\end{align}`", r"\\begin{align}a\\end{align}", r"\begin{align}a\end{align*}"),
        *(r"\begin{document}a\end{document}", r"\begin{itemize}\end{itemize}", "in \\begin{align}\n\na\\end{align}"),
    ],
)
def test_money_code_and_prose_are_none(text: str) -> None:
    assert formulas(text) == []


def seen(text: str) -> str:
    """What is to be seen of a text that is being written, a formula in parentheses."""
    shown, inlines = exchanged(text, is_growing=True)
    return STAND_IN.sub(lambda found: told(inlines[number_of(found)]), shown)


def told(inline: Inline) -> str:
    return inline.text if inline.kind is InlineKind.UNFINISHED else f"({inline.text})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("so $", "so "), ("so $x", "so "), ("so $x^2$", "so "), ("so $x^2$ ", "so (x^2) "), ("so $$", "so ")),
        *(("so $$x", "so x"), ("so $$x$", "so x"), ("so $$x$$", "so (x)"), ("a \\", "a "), ("a \\(x", "a ")),
        *(("\\[x\n\ny\\", "x\ny"), ("\\[x\\]", "(x)"), ("a \\\\", "a \\\\"), ("> $$\n> a\n> b", "> a\nb")),
        *(("it costs $5 and", "it costs $5 and"), ("$5 and $", "$5 and "), ("$5 to $10 and", "$5 to $10 and")),
        *(("$HOME is set to", "$HOME is set to"), ("so $x\ny", "so $x\ny"), ("`$x", "`"), ("so $ 5", "so $ 5")),
        *((r"so \begin{al", "so "), (r"\begin{align}a", r"\begin{align}a"), (r"so \begins", r"so \begins")),
        *(("| $5 |\n| 3", "| $5 |\n| 3"), ("in $$ the words go", "in $$ the words go"), ("$$a\n\nb c d", "a\nb c d")),
    ],
)
def test_what_may_become_a_formula_is_not_seen_as_it_is_written(text: str, expected: str) -> None:
    assert seen(text) == expected


REAL = (
    "The root of $x^2 = 2$ is $\\sqrt{2}$, so \\(y\\) holds.\n\n"
    "$$\na = b\n\n+ c\n$$\n\n| $|x|$ | $y$ |\n|---|---|\n| $z$ | 1 |\n"
    "\n- first $a_1$\n- then\n  \\[\n  q\n  \\]\n\n> $$\n> w\n> $$\n\n"
    "\\begin{gather*}\nu\n\n= v\n\\end{gather*}\n\nThe end costs $5 and $10, not $20."
)


def test_no_dollar_of_a_formula_is_ever_seen_while_it_is_written() -> None:
    for end in range(len(REAL)):
        rest = seen(REAL[:end])
        for price in ("$5 and $10, not $20", "$5 and $10, not $2", "$5 and $10", "$5 and $1", "$5"):
            rest = rest.replace(price, "")
        assert "$" not in rest, REAL[:end]
        assert not set(rest) & set("\\") - set(told_tex(REAL[:end])), REAL[:end]


def told_tex(text: str) -> str:
    return "".join(one.text for one in find_inlines(text, is_growing=True))


def test_footnotes_are_found_with_their_text() -> None:
    found = [(inline.text, inline.source) for inline in find_inlines("a[^1] b[^note]: c\n[^1]: The text.")]
    assert found == [("1", "[^1]"), ("note", "[^note]"), ("1", "[^1]:")]


def test_breaks_are_found_outside_of_code() -> None:
    text = "a<br>b <BR/> c<br />d `<br>` <b r> <brx> \\<br>"
    assert [inline.source for inline in find_inlines(text)] == ["br", "BR/", "br /"]


PIECES = [
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "\\begin{align}",
    "\\end{align}",
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
    "<br>",
    "<BR />",
]


@each_seed(range(6))
def test_what_is_exchanged_comes_back(seed: int) -> None:
    for number in range(300):
        chance = random.Random(seed * 1000 + number)
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(40)))
        is_growing = chance.random() < 0.5
        inlines = list(find_inlines(text, is_growing=is_growing))
        assert all(text[inline.start : inline.end] == inline.source for inline in inlines), text
        assert all(one.end <= other.start for one, other in pairwise(inlines)), text
        changed, known = exchanged(text, is_growing=is_growing)
        assert restored(changed, known).replace("\n", "") == text.replace("\n", ""), text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("attack", [*PIECES, "$x", "$$x", "\\(x", "`$", "$ ", "$a ", "[^", "a$1$"])
def test_looking_takes_time_in_proportion_to_the_length(attack: str) -> None:
    """Whatever took the square of the length would take hours here."""
    for is_growing in (False, True):
        list(find_inlines(attack * (300_000 // len(attack)), is_growing=is_growing))
