"""Messages to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import Footer, MessageRow, PrefillRow, segments_of

CODE = 'def split(costs):\n    """Who owes whom."""\n    return sum(costs) / 2'
PLAN = (
    "The plan holds at about **284 euros each**. Two changes do most of the work:\n"
    "- Stay in **Arroios** instead of Baixa.\n"
    "- The 72-hour card covers the train.\n\n"
    f"```python\n{CODE}\n```\n\n"
    "Run it [once](https://example.org/once) at the end of the trip."
)
DONE = Footer(3412, 168, 214, 38.2, 0.48, "finished")


def question(
    message_id: str, text: str = "Make it cheaper, please.", version: int = 1, versions: int = 1
) -> MessageRow:
    return MessageRow(
        message_id, "user", "You", segments_of("user", text), "live", version, versions, ("live",) * versions
    )


def answer(message_id: str, text: str = PLAN, *, is_streaming: bool = False) -> MessageRow:
    footer = None if is_streaming else DONE
    return MessageRow(
        message_id,
        "assistant",
        "Guide",
        segments_of("assistant", text),
        "live",
        1,
        1,
        ("live",),
        footer=footer,
        is_streaming=is_streaming,
    )


def talk(pairs: int = 2) -> list[MessageRow]:
    """Questions and answers, the second question being version 2 of 3."""
    rows = []
    for number in range(pairs):
        asked = question(f"q{number}", f"Question {number}, please.")
        rows += [
            replace(asked, version=2, versions=3, sibling_residencies=("memory", "live", "none"))
            if number == 1
            else asked
        ]
        rows += [answer(f"a{number}")]
    return rows


def reading() -> MessageRow:
    """An answer whose prompt is being read."""
    return replace(
        answer("r", "", is_streaming=True),
        residency="none",
        prefill=PrefillRow(512, 1840, 3012, 392.0, "Why: it is new."),
    )


class Listed:
    """Rows for a layout, as a list."""

    has_rail = True

    def __init__(self, rows: Sequence[MessageRow] = ()) -> None:
        self.list = list(rows)

    @property
    def rows(self) -> PathRows:
        return PathRows.of(self.list)
