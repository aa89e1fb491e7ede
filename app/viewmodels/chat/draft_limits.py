"""How much text the message field takes: more would make every letter wait."""

from __future__ import annotations

from app.viewmodels.text import formatting

MOST, LONGEST_LINE = 150_000, 20_000


def excess(text: str, beside: int = 0, on_its_line: int = 0) -> str:
    """Return what is too long about a text for the message field, as a clause; "" when it fits.

    beside, on_its_line: characters that stand in the field already, and on the line where the text comes in.
    """
    if len(text) + beside > MOST:
        so_far = f" besides the {formatting.number(beside)} that stand there," if beside else ""
        length, most = formatting.plural(len(text), "character"), formatting.number(MOST)
        return f"it has {length},{so_far} and the message field takes {most}"
    longest = _longest_line(text, on_its_line)
    if longest > LONGEST_LINE:
        return (
            f"it makes a line of {formatting.plural(longest, 'character')}, and the message field takes lines of "
            f"{formatting.number(LONGEST_LINE)}"
        )
    return ""


def _longest_line(text: str, on_its_line: int) -> int:
    lines = text.split("\n")
    lengths = [len(line) for line in lines]
    lengths[0] += on_its_line
    return max(lengths)
