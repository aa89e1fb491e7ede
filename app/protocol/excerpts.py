"""Names, and the beginning of a text, where there is room for one line.

Whatever was typed, imported or is the name of a file: it stands on its line and changes nothing of the words around it.
"""

from __future__ import annotations

import re

# Controls, what turns the direction of the text that follows, noncharacters, and halves of a surrogate pair.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffc\ufffe\uffff]"
)
_HALF = re.compile("[\ud800-\udfff]")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ISOLATE, _END = "\u2068", "\u2069"
_LOOKED_AT = 8  # characters of Markdown to one that is shown, at most
_CODE = r"(`+)(?=[^`])(.+?)(?<=[^`])\1(?!`)"
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
        (r"(?<!`)<[Bb][Rr][ \t]*/?>(?!`)", " "),
        # Code, or what underscores stand around: those within code stay, and those of __names__.
        (rf"{_CODE}|(?<![\w\\])(?!__\w+__)(_{{1,3}})(?=[^\s_])(.+?)(?<=[^\s_\\])\3(?!\w)", r"\2\4"),
        (r"!?\[([^\]\n]*)\]\([^()\n]*\)", r"\1"),
        (r"(\*\*|~~)(?=\S)(.+?)(?<=\S)\1", r"\2"),
        (r"(?<![\w*\\])\*(?=[^\s*])(.+?)(?<=[^\s*\\])\*(?![\w*])", r"\1"),
        (r"\A\s*(?:\*\*+|`+)(?=\S)", ""),  # what ends further down, or is still being written
        (r"\\([*_`#])", r"\1"),
    )
)


def one_line(words: str) -> str:
    """Put a name on one line, without what cannot be seen and what would change the order of the words around it.

    What joins the parts of an emoji or of a letter stays.
    """
    line = " ".join(words.split())
    if line.isprintable():
        return line
    return " ".join(_HALF.sub("\ufffd", _UNSEEN.sub("", line)).split())


def isolated(words: str) -> str:
    """Return words as they stand among others: those of a script from right to left move no number after them."""
    return f"{_ISOLATE}{words}{_END}" if _RIGHT_TO_LEFT.search(words) else words


def first_words(text: str, most: int = 48) -> str:
    """Cut a text to one line of `most` characters, between words where one can: "Three days in Lisbon, late…".

    However long the text, no more than that many of its words are looked at.
    """
    line = one_line(" ".join(text.split(maxsplit=most)[:most]))
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    space = cut.rfind(" ")
    return cut[: space if space > most // 2 else most - 1].rstrip(" ,.;:") + "…"


def is_cut(title: str) -> bool:
    """Return whether a title in quotes leaves out words of its message."""
    return title.endswith("…”")


def plain_words(text: str, most: int = 48) -> str:
    """Cut a text as `first_words` does, to the words alone that a reader of its Markdown sees.

    Headings, lists, quotes, tables, code, links and what stands out lose their marks.
    """
    return first_words(unmarked(text.lstrip()[: _LOOKED_AT * most]), most)


def unmarked(text: str) -> str:
    """Return Markdown without what it writes beside the words. For the beginning of a text: it looks at all of it."""
    for pattern, kept in _MARKS:
        text = pattern.sub(kept, text)
    return text
