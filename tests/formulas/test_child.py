"""Formulas are drawn, or refused, within bounds, whatever stands in them."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import pytest

from app.formulas import EM, FLAG, LONGEST
from app.formulas.child import draw
from app.processes.child_process import start_child

GOOD = [
    r"e^{i\pi}+1=0",
    r"\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac{1}{n^2}",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    r"\begin{aligned}a&=b\\&=c\end{aligned}",
    r"\begin{cases}1&x>0\\0&\text{else}\end{cases}",
    r"\mathbb{R}\mathcal{L}\mathfrak{g}\mathrm{d}x\ \text{a b}",
    "a < b",
    "日本",
]
ENVIRONMENTS = [
    *("align", "align*", "aligned", "flalign", "equation", "equation*", "gather", "gather*", "gathered", "multline"),
    *("eqnarray", "split", "matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix"),
    *("cases", "dcases", "displaymath"),
]
REFUSED = [
    *(r"\frac{a", "", " ", "%", r"\left(", "&lt;", "x" * (LONGEST + 1)),
    *(r"\def\x{\x\x}\x", r"\newcommand{\x}{\x\x}\x", r"\gdef\x{1}", r"\let\x\y"),
]


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Python 3.11 warns of a function by which the library reads its fonts, and 3.13 does not any more."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        import ziamath  # noqa: F401


@pytest.mark.parametrize("tex", GOOD)
@pytest.mark.parametrize("is_display", [False, True])
def test_a_formula_is_lines_and_nothing_else(tex: str, is_display: bool) -> None:
    svg = draw(tex, is_display=is_display)
    assert {part.tag.rpartition("}")[2] for part in ElementTree.fromstring(svg).iter()} <= {"svg", "path", "rect", "g"}
    assert "href" not in svg


def test_environments_are_drawn_without_numbers() -> None:
    for name in ENVIRONMENTS:
        bare = draw(rf"\begin{{{name}}}a = b \\ c = d\end{{{name}}}", is_display=True)
        assert bare, name
        numbered = rf"\begin{{{name}}}\label{{eq:1}}a = b\nonumber \\ c = d\notag\end{{{name}}}"
        assert draw(numbered, is_display=True) == bare, name
    starred = draw(r"\begin{align*}a &= b\end{align*}", is_display=True)
    assert draw(r"\begin{align}a &= b\end{align}", is_display=True) == starred
    tagged = draw(r"\begin{align*}a &= b \tag{1} \\ c &= d \tag{2}\end{align*}", is_display=True)
    assert tagged == draw(
        r"\begin{align*}a &= b \qquad\text{(1)} \\ c &= d \qquad\text{(2)}\end{align*}", is_display=True
    )
    assert draw(r"\begin{alignat}{2}a &= b\end{alignat}", is_display=True) == starred


def test_rows_of_fractions_do_not_touch() -> None:
    row = r"a &= \frac{b}{c}"
    for name in ("align", "aligned", "split"):
        one, two = (
            float(
                ElementTree.fromstring(draw(rf"\begin{{{name}}}{rows}\end{{{name}}}", is_display=True)).attrib["height"]
            )
            for rows in (row, rf"{row} \\ {row}")
        )
        assert two > 2 * one + 0.2 * EM, name


def width(tex: str) -> float:
    return float(ElementTree.fromstring(draw(tex, is_display=True)).get("width", 0))


@pytest.mark.parametrize("name", [r"\det", r"\gcd", r"\Pr", r"\operatorname{rank}", r"\log_2"])
def test_a_name_stands_apart_from_the_letter_after_it(name: str) -> None:
    """By a thin space: "det A", not "detA". A bracket needs none."""
    after_letter = width(rf"{name} x") - width("x")
    after_bracket = width(rf"{name} (x)") - width("(x)")
    assert after_letter - after_bracket > 0.15 * EM


@pytest.mark.parametrize("tex", REFUSED)
def test_what_cannot_be_drawn_is_nothing(tex: str) -> None:
    assert draw(tex, is_display=True) == ""


@pytest.mark.parametrize(
    "tex", [r"\href{file:///etc/passwd}{x}", r"\includegraphics{/etc/passwd}", r"\input{/etc/passwd}"]
)
def test_nothing_is_named_that_lies_elsewhere(tex: str) -> None:
    assert "/etc" not in draw(tex, is_display=False)


def test_the_process_answers_line_by_line_and_opens_no_file() -> None:
    """What it draws after its first formula, it draws without the disk."""
    process = start_child(FLAG)
    asked = [{"tex": tex, "is_display": False} for tex in [*GOOD, r"\frac{a"]]
    said, _ = process.communicate("".join(f"{json.dumps(each)}\n" for each in asked).encode(), timeout=60)
    svgs = [json.loads(line)["svg"] for line in said.splitlines()]
    assert [bool(svg) for svg in svgs] == [True] * len(GOOD) + [False]
    assert svgs[:-1] == [draw(tex, is_display=False) for tex in GOOD]
    assert process.returncode == 0


def test_it_is_not_imported_by_who_only_asks() -> None:
    program = "import sys, app.formulas.child, app.widgets.kit.formulas; print('ziamath' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == "False"


def test_a_formula_without_an_end_ends_with_its_process() -> None:
    """Each brace within another doubles the time."""
    process = start_child(FLAG)
    endless = "{" * 60 + "x" + "}" * 60
    said, _ = process.communicate(json.dumps({"tex": endless, "is_display": False}).encode() + b"\n", timeout=60)
    assert said == b""
    assert process.returncode != 0
