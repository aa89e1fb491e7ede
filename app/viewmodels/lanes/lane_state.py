"""What the window says about several answers to one question."""

from __future__ import annotations

from app.protocol.dataclass import dataclass
from app.protocol.trie_view import Residency
from app.viewmodels.text.formatting import DOT


@dataclass(frozen=True, slots=True)
class LaneState:
    """One of the answers. letter: its name, A to H. seed: that it is written with, in words, "" while unknown.

    settings: the others that it is written with, in words, where those differ: a preset, or the temperature. figures:
    its tokens and their speed, in words. status: a word for what becomes of it. is_writing: it is read or written now.
    is_favourite: its branch is one. residency: of its state. other: letter of the answer that it is compared with;
    can_compare: both have ended.
    """

    answer_id: str
    letter: str
    settings: str = ""
    seed: str = ""
    figures: str = ""
    status: str = ""
    is_writing: bool = False
    is_favourite: bool = False
    residency: Residency = "none"
    other: str = ""
    can_compare: bool = False

    def spoken(self, count: int) -> str:
        """Return what a screen reader says of it among so many."""
        parts = (f"Answer {self.letter} of {count}", self.settings, self.status, self.figures)
        return ", ".join(part for part in parts if part)

    @property
    def made_with(self) -> str:
        """Return what it is written with, that first in which it differs from the others."""
        return DOT.join(part for part in (self.settings, self.seed) if part)


@dataclass(frozen=True, slots=True)
class LanesState:
    """Answers beside each other; none while the chat is shown. question: that they answer, in its own words.

    prefix: what they share, in words, and saved: what that spares, "" while unknown. focused: the number of the answer
    that the next question goes to, -1 for all of them. placeholder: of the message field meanwhile.
    """

    question: str = ""
    prefix: str = ""
    saved: str = ""
    lanes: tuple[LaneState, ...] = ()
    focused: int = -1

    @property
    def is_open(self) -> bool:
        """Return whether answers are shown beside each other now."""
        return bool(self.lanes)

    @property
    def placeholder(self) -> str:
        """Return what stands in the empty message field, "" while nothing is shown beside each other."""
        count = len(self.lanes)
        if not count:
            return ""
        if self.focused >= 0:
            return f"Ask answer {self.lanes[self.focused].letter}, or press {self.focused + 1} to ask all"
        which = "both at once, or press 1 or 2" if count == 2 else f"all {count} at once, or press 1 to {count}"
        return f"Ask {which} to ask one"
