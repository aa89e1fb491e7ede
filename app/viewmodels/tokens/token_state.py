"""What the window says of a token, and of what could stand in its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.protocol.choices import WHOLE, Candidate
from app.protocol.dataclass import dataclass
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT, HARD
from app.viewmodels.tokens.answer_tokens import AnswerTokens

ENDS, NOTHING, HERE = "ends here", "part of a character", "the one that stands here"
_SIGNS = {"\n": "⏎", "\t": "⇥", "\r": "␍"}
_SPOKEN = {"\n": "line end", "\t": "tab", "\r": "line end"}
_SIGN = re.compile("[\n\t\r]")
KEYS = f"Token mode{DOT}← → token, ↑ ↓ alternative, ⏎ fork, Esc leave"


class TokenRow(NamedTuple):
    """A token that stands or could stand at a place. share: in ten-thousandths, None of one that was given.

    is_there: it is the one that stands there. is_below: it was none of the likeliest. is_end: the answer ends with it.
    """

    id: int
    text: str
    share: int | None
    is_there: bool = False
    is_below: bool = False
    is_end: bool = False

    @property
    def shown(self) -> str:
        """Return its text in one line, with a sign for each blank at its ends that is a line end or a tab."""
        if self.is_end:
            return ENDS
        return shown(self.text) or NOTHING

    @property
    def percent(self) -> str:
        """Return its share: "41.2 %", "given", "< 0.1 %"."""
        if self.share is None:
            return "given"
        return percent(self.share)

    @property
    def spoken(self) -> str:
        """Say it: "four, 41.2 %, the one that stands here"."""
        words = ENDS if self.is_end else spoken(self.text) or NOTHING
        below = "below the likeliest" if self.is_below else ""
        return ", ".join(filter(None, [words, self.percent, below, HERE if self.is_there else ""]))


@dataclass(frozen=True, slots=True)
class TokenState:
    """The token that is looked at, and what could stand in its place; position -1 while there is none.

    message_id: of the answer in token mode, "" for none. is_reading: its tokens are read from the database. place:
    "token 12 of 214". rows: likeliest first; chosen: the one of them that Return takes, -1 for none. deed: what Return
    does: "fork with “Gra”". price: what that costs, "" while unknown; note: a sentence on it, or "". is_written: own
    words are typed in the place of the token, which deed, price and note are about then.
    """

    message_id: str = ""
    is_reading: bool = False
    position: int = -1
    title: str = ""
    place: str = ""
    rows: tuple[TokenRow, ...] = ()
    chosen: int = -1
    deed: str = ""
    price: str = ""
    note: str = ""
    is_written: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether an answer is shown by its tokens."""
        return bool(self.message_id)

    @property
    def line(self) -> str:
        """Return the status line, "" while no answer is in token mode."""
        if not self.is_open:
            return ""
        return "Token mode: reading what the model would have said" if self.is_reading else KEYS

    @property
    def spoken(self) -> str:
        """Say the token: what it is, and the others that could stand there."""
        there = next((one.spoken.removesuffix(f", {HERE}") for one in self.rows if one.is_there), "")
        others = [one.spoken for one in self.rows if not one.is_there]
        return ", ".join([self.place, there]) + (f"; others: {'; '.join(others)}" if others else "; nothing else known")

    @property
    def spoken_words(self) -> str:
        """Say what going on with own words costs, "" while none are typed."""
        return ", ".join(filter(None, [self.deed, self.price, self.note])) if self.is_written else ""

    @property
    def spoken_choice(self) -> str:
        """Say what Return takes, and what it costs."""
        if self.chosen < 0:
            return ""
        return ", ".join(filter(None, [self.rows[self.chosen].spoken, self.deed, self.price, self.note]))


def rows_of(tokens: AnswerTokens, number: int) -> tuple[TokenRow, ...]:
    """Return what stands at a place and what could, the likeliest first; one that was given stands before the rest."""
    choice, answer = tokens.choices[number], tokens.answer
    there = TokenRow((answer.ids or ())[number], tokens.text(number), choice.share, True, choice.is_below)
    others = [_row(one) for one in choice.candidates if one.id != there.id]
    first = sum((one.share or 0) > choice.share for one in others) if choice.share is not None else 0
    if choice.is_below:
        first = len(others)
    return (*others[:first], there, *others[first:])


def deed_of(row: TokenRow) -> str:
    """Say what taking a token does."""
    if row.is_there:
        return "say what follows anew"
    if row.is_end:
        return "end the answer here"
    return f"fork with {quoted(row.text) if row.text.strip() else row.shown}"


def title_of(row: TokenRow) -> str:
    """Return the heading over what could stand in the place of a token."""
    return f"Instead of {quoted(row.text) if row.text.strip() else row.shown}"


def percent(share: int) -> str:
    """Write a share of ten-thousandths with one place: "41.2 %"."""
    if 0 < share < 10:
        return f"< 0.1{HARD}%"
    return f"100{HARD}%" if share >= WHOLE else f"{min(share, WHOLE - 10) / 100:.1f}{HARD}%"


def quoted(text: str) -> str:
    """Return the words of a token between quotation marks."""
    return f"“{formatting.first_words(text.strip(), 24)}”"


def shown(text: str) -> str:
    """Return a token’s text in one line: with a dot for the blank that it begins with, and signs for line ends."""
    text = _SIGN.sub(lambda found: _SIGNS[found[0]], text)
    return f"·{text[1:]}" if text.startswith(" ") else text


def spoken(text: str) -> str:
    """Say a token’s text."""
    words = _SIGN.sub(lambda found: f" {_SPOKEN[found[0]]} ", text).strip()
    return words or ("blank" if text else "")


def _row(candidate: Candidate) -> TokenRow:
    return TokenRow(candidate.id, candidate.text, candidate.share, is_end=candidate.is_end)
