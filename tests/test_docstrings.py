"""The first line of a docstring is all that an editor shows: it must make sense alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import app.widgets

FOLDER = Path(app.widgets.__file__).parent
REGIONS = ("kit", "chat", "sidebar", "cache")
# Words that point at something outside of the sentence, or begin no sentence at all.
REFUSED = {"It", "Its", "They", "This", "That", "These", "What", "Where", "Who", "How", "Nothing", "Everything", "As"}
NO_VERB = {"Whether", "Which", "When", "For", "The", "A", "An", "All", "In", "Of", "From", "Points", "About"}


def first_lines(tree: ast.AST) -> Iterator[tuple[str, str, bool]]:
    """Name, first line, and whether it is that of a function that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node)
            if text:
                is_property = any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)
                yield node.name, text.splitlines()[0], isinstance(node, ast.FunctionDef) and not is_property


def test_first_lines_stand_alone() -> None:
    bad: list[str] = []
    for path in sorted(path for region in REGIONS for path in (FOLDER / region).rglob("*.py")):
        for name, line, is_called in first_lines(ast.parse(path.read_text(encoding="utf-8"))):
            word = line.split(" ", 1)[0].rstrip(",.:;")
            if word in REFUSED or line.startswith("The same ") or (is_called and word in NO_VERB):
                bad.append(f"{path.relative_to(FOLDER)} {name}: {line}")
    assert bad == []
