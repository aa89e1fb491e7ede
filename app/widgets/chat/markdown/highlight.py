"""Code in five colours: keywords, strings, numbers, comments and the names that are called.

One pass of one regular expression for each family of languages. It knows words, not grammars: enough to read by, quick
enough for long answers, and never wrong about where a string ends on its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache


class Ink(Enum):
    """The names of the theme's five colours for code."""

    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    NAME = "name"


Run = tuple[int, int, Ink]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HASH = _words("python py sh bash zsh shell console ruby rb yaml yml toml r perl make makefile dockerfile")
_SLASH = _words(
    "c h cpp c++ cc objc cs csharp java js javascript jsx ts typescript tsx go rust rs swift kotlin kt scala php "
    "dart zig css scss json jsonc"
)
_DASHES = _words("sql lua haskell hs elm")
_KEYWORDS = _words(
    "and as assert async await break case class const continue def default defer del do elif else end enum except "
    "export extends extern final finally fn for foreach from func function global go if impl implements import in "
    "interface is lambda let local loop match mod module move mut namespace new nil none nonlocal not null or package "
    "pass private protected protocol pub public raise ref return select self static struct super switch then this "
    "throw throws trait true false try type typedef union unless until unsafe use using var virtual void when where "
    "while with yield None True False echo fi esac done exit"
)
_SQL_KEYWORDS = _words(
    "select from where insert into values update set delete create table index view join left right inner outer on "
    "group order by having limit offset union all distinct as and or not null primary key foreign references begin "
    "commit rollback with case when then else end is in exists between like asc desc"
)
_COMMENTS = {"hash": r"#[^\n]*", "slash": r"//[^\n]*|/\*.*?(?:\*/|\Z)", "dashes": r"--[^\n]*"}
_REST = (
    r"(?P<string>[rbfuRBFU]{0,2}(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z))"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?)"
    r"|(?P<number>(?<![\w.])(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?))"
    r"|(?P<word>[^\W\d]\w*)(?P<call>!?(?=\())?"
)


def runs(code: str, language: str) -> Iterator[Run]:
    """Return (start, length, ink) of what is not plain, in order; nothing for a language that is not known."""
    name = language.lower()
    family = _family(name)
    if not family:
        return
    is_sql = name == "sql"
    for found in _pattern(family).finditer(code):
        ink = _ink(found, is_sql=is_sql)
        if ink is not None:
            yield found.start(), found.end() - found.start(), ink


def _family(name: str) -> str:
    for family, names in (("hash", _HASH), ("slash", _SLASH), ("dashes", _DASHES)):
        if name in names:
            return family
    return ""


def _ink(found: re.Match[str], *, is_sql: bool) -> Ink | None:
    kind = found.lastgroup
    if kind in ("word", "call"):
        word = found["word"]
        if (word.lower() in _SQL_KEYWORDS) if is_sql else (word in _KEYWORDS):
            return Ink.KEYWORD
        return Ink.NAME if found["call"] is not None else None
    return Ink(kind)


@cache
def _pattern(family: str) -> re.Pattern[str]:
    return re.compile(f"(?P<comment>{_COMMENTS[family]})|{_REST}", re.DOTALL)
