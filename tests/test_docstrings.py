"""The first line of a docstring is all that an editor shows: it must make sense alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import app

FOLDER = Path(app.__file__).parent
PLACES = (
    "conversation",
    "engine",
    "prompting",
    "exchange",
    "kvcache",
    "hub",
    "launch",
    "models",
    "protocol",
    "worker",
    "viewmodels",
    "widgets",
    "main.py",
    "__main__.py",
)
# Words that point at something outside of the sentence, or begin no sentence at all.
REFUSED = {"It", "Its", "They", "This", "That", "These", "What", "Where", "Who", "How", "Nothing", "Everything", "As"}
REFUSED |= {"Another", "Those"}
POINTING = ("The same ", "All that ", "All of them")
NO_VERB = {"Whether", "Which", "When", "For", "The", "A", "An", "All", "In", "Of", "From", "Points", "About"}


def refused(source: str) -> Iterator[str]:
    """The names and first lines in a file that do not make sense alone."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            line = (ast.get_docstring(node) or "").split("\n", 1)[0]
            word = line.split(" ", 1)[0].rstrip(",.:;")
            is_property = any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)
            is_called = isinstance(node, ast.FunctionDef) and not is_property
            if word in REFUSED or line.startswith(POINTING) or (is_called and word in NO_VERB):
                yield f"{node.name}: {line}"


@pytest.mark.parametrize("place", PLACES)
def test_first_lines_stand_alone(place: str) -> None:
    whole = FOLDER / place
    files = [whole] if whole.is_file() else sorted(whole.rglob("*.py"))
    assert files
    bad = [
        f"{path.relative_to(FOLDER)} {found}" for path in files for found in refused(path.read_text(encoding="utf-8"))
    ]
    assert bad == []


def test_a_line_that_does_not_is_found() -> None:
    called = "    def {}(self):\n        '''{}'''\n"
    source = "class A:\n    '''What one sees.'''\n" + called.format("_b", "The end.") + called.format("c", "End it.")
    assert list(refused(source)) == ["A: What one sees.", "_b: The end."]
    assert list(refused(called.format("d", "Another theme: it goes.").replace("    ", "", 1)))
    assert list(refused("class E:\n    '''All that is chosen.'''"))
    assert not list(refused("class F:\n    '''All rows, in order.'''"))
