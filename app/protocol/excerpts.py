"""The beginning of a text, where there is room for one line."""

from __future__ import annotations

import re

_LOOKED_AT = 8  # characters of Markdown to one that is shown, at most
# What Markdown writes beside the words, in the order in which it is taken away, and what stays of it.
_MARKS = tuple(
    (re.compile(pattern, re.MULTILINE), kept)
    for pattern, kept in (
        (r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", ""),  # fences of code
        (r"^[ \t]*(?:[-*_=][ \t]*){3,}$", ""),  # rules, and lines under headings
        (r"^[ \t]*\|[-:| \t]+$", ""),  # below the head of a table
        (r"^[ \t]*\|(.+?)\|?[ \t]*$", r"\1"),
        (r"[ \t]\|[ \t]", "  "),
        (r"^[ \t]*(?:>[ \t]?)+", ""),
        (r"^[ \t]*#{1,6}[ \t]+", ""),
        (r"^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?", ""),
        (r"(`+)(?=[^`])(.+?)(?<=[^`])\1(?!`)", r"\2"),
        (r"!?\[([^\]\n]*)\]\([^()\n]*\)", r"\1"),
        (r"(\*\*|~~)(?=\S)(.+?)(?<=\S)\1", r"\2"),
        (r"(?<![\w*\\])\*(?=[^\s*])(.+?)(?<=[^\s*\\])\*(?![\w*])", r"\1"),
        (r"\A\s*(?:\*\*+|`+)(?=\S)", ""),  # what ends further down, or is still being written
        (r"\\([*`#])", r"\1"),
    )
)


def first_words(text: str, most: int = 48) -> str:
    """Cut a text to one line of `most` characters, between words where one can: "Three days in Lisbon, late…".

    However long the text, no more than that many of its words are looked at.
    """
    line = " ".join(text.split(maxsplit=most)[:most])
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    space = cut.rfind(" ")
    return cut[: space if space > most // 2 else most - 1].rstrip(" ,.;:") + "…"


def plain_words(text: str, most: int = 48) -> str:
    """Cut a text as `first_words` does, to the words alone that a reader of its Markdown sees.

    Headings, lists, quotes, tables, code, links and what stands out lose their marks.
    """
    beginning = text.lstrip()[: _LOOKED_AT * most]
    for pattern, kept in _MARKS:
        beginning = pattern.sub(kept, beginning)
    return first_words(beginning, most)
