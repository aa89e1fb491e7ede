"""The beginning of a text, where there is room for one line."""

from __future__ import annotations


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
