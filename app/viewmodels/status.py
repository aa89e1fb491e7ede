"""What the toolbar, the status line, the composer's foot, the banner and the problem card say."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.protocol.reports import Problem
from app.viewmodels.chat.problem_cards import ProblemCard


@dataclass(frozen=True, slots=True)
class StatusValues:
    """Everything `Status` shows, as one value. Token counts are exact; fractions run from 0 to 1.

    title, subtitle, warmth: the open conversation, its warmth in words ("Warm · 3 794 tokens") and as a share, None
    while unknown; is_on_disk: some of that share must be read from the disk first. model_detail: precision, "built
    in" or "not found". context_used: tokens of the open path. engine_line, engine_fraction: what the engine does,
    with a bar where it can be measured; engine_cached is the bar's reused part. send_price, send_parts: the
    composer's foot in words, and (reused, computed) tokens for its bar, None where nothing is known. editing: first
    words of the message being forked, or None. can_answer: sending nothing has the question answered that ends the
    open path. is_waiting: the words in the composer are sent when the answer that is being written ends. problem,
    notice: the card and the banner, one sentence; is_notice_good: it asks nothing of the person; notice_label:
    its button. undo, redo: what Undo would take back among conversations
    ("Delete"), or nothing; disk_trouble: why no cached state is written
    although it is wanted, or None. greeting, suggestions: what an empty conversation shows. enabled: ids of the actions
    that can act now; checked: of those that have a mark.
    """

    title: str = ""
    subtitle: str = ""
    warmth: float | None = None
    is_on_disk: bool = False
    model_name: str = ""
    model_detail: str = ""
    model_missing: bool = False
    context_used: int = 0
    context_length: int = 0
    can_stop: bool = False
    is_writing: bool = False
    engine_line: str = ""
    engine_fraction: float | None = None
    engine_cached: float = 0.0
    cache_line: str = ""
    placeholder: str = ""
    send_price: str = ""
    send_parts: tuple[int, int] | None = None
    can_answer: bool = False
    is_waiting: bool = False
    editing: str | None = None
    problem: ProblemCard | None = None
    notice: str = ""
    is_notice_good: bool = False
    notice_label: str = ""
    undo: str = ""
    redo: str = ""
    disk_trouble: Problem | None = None
    greeting: str = ""
    suggestions: tuple[str, ...] = ()
    enabled: frozenset[str] = frozenset()
    checked: frozenset[str] = frozenset()


class Status(QObject):
    """The figures and sentences around the chat. Read them from `now`; `changed` is sent when any of them differs."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = StatusValues()

    @property
    def now(self) -> StatusValues:
        """All values at once."""
        return self._now

    def show(self, values: StatusValues) -> None:
        """Views hear of it once, and only when something differs."""
        if values != self._now:
            self._now = values
            self.changed.emit()
