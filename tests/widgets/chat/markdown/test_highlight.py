from __future__ import annotations

import pytest

from app.widgets.chat.markdown.highlight import Ink, runs


def inked(code: str, language: str) -> list[tuple[str, Ink]]:
    return [(code[start : start + length], ink) for start, length, ink in runs(code, language)]


def test_python() -> None:
    assert inked('def f(x):  # why\n    return g("a\\"b") + 0x1F', "python") == [
        ("def", Ink.KEYWORD),
        ("f", Ink.NAME),
        ("# why", Ink.COMMENT),
        ("return", Ink.KEYWORD),
        ("g", Ink.NAME),
        ('"a\\"b"', Ink.STRING),
        ("0x1F", Ink.NUMBER),
    ]


def test_a_string_ends_with_its_line_unless_it_is_a_long_one() -> None:
    assert inked("x = 'open\ny = 1", "python") == [("'open", Ink.STRING), ("1", Ink.NUMBER)]
    assert inked('"""a\nb""" + 1', "py") == [('"""a\nb"""', Ink.STRING), ("1", Ink.NUMBER)]


def test_each_family_has_its_comments() -> None:
    assert inked("// a\nx /* b\n c */", "rust") == [("// a", Ink.COMMENT), ("/* b\n c */", Ink.COMMENT)]
    assert inked("SELECT a -- b", "sql") == [("SELECT", Ink.KEYWORD), ("-- b", Ink.COMMENT)]
    assert inked("# plain", "rust") == []


@pytest.mark.parametrize("language", ["", "brainfuck", "text"])
def test_an_unknown_language_stays_plain(language: str) -> None:
    assert inked("def f(): return 1", language) == []


def test_digits_inside_a_name_are_no_number() -> None:
    assert inked("x1 = a.b2", "python") == []
