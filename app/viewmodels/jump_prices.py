"""What going to a place costs that is listed while somebody types where to go, and what a command there costs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.viewmodels.chat.command_prices import CommandPrices
from app.viewmodels.jump.jump import JumpKind, JumpRow
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth_index import WarmthIndex


class JumpPrices(QObject):
    """Says the price of the row that somebody looks at, and asks for it then.

    Signal: changed(), a price may be another one.
    """

    changed = Signal()

    def __init__(
        self,
        warmth: WarmthIndex,
        prices: CommandPrices,
        about: Callable[[str], str | None],
        parent: QObject | None = None,
    ) -> None:
        """about: returns the message that a command would begin at, None for where it begins by itself."""
        super().__init__(parent)
        self._warmth, self._prices, self._about = warmth, prices, about
        prices.changed.connect(self.changed)

    def look_at(self, row: JumpRow) -> None:
        """Have the price of a row asked for before all others."""
        if row.kind is JumpKind.COMMAND:
            self._prices.renew()
            self._prices.hurry(row.id, self._about(row.id))
        elif row.kind is not JumpKind.SEARCH:
            self._warmth.hurry(self._end_of(row), _home_of(row))

    def price(self, row: JumpRow) -> str:
        """Say what a row costs, "" while that is not known, and for what costs nothing or can do nothing."""
        if row.kind is JumpKind.SEARCH:
            return ""
        if row.kind is JumpKind.COMMAND:
            return self._prices.price(row.id, self._about(row.id)) if row.is_enabled else ""
        end, home = self._end_of(row), _home_of(row)
        warmth = self._warmth.warmth_of(end, home) if end else self._warmth.warmth_of_conversation(home)
        return "" if warmth is None else price_sentence(warmth)

    def _end_of(self, row: JumpRow) -> str:
        """Return the message that ends the branch a row leads to, "" for the path that a conversation is left on."""
        return "" if row.kind is JumpKind.CONVERSATION else self._warmth.end_of(row.id, row.conversation_id)


def _home_of(row: JumpRow) -> str:
    return row.id if row.kind is JumpKind.CONVERSATION else row.conversation_id
