"""The prices of what the chat leads to: arrows, discs on the rail, the marks that begin a branch, and Answer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRect, QSize
from PySide6.QtWidgets import QWidget

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.command_prices import CommandPrices
from app.viewmodels.kit.action import Actions
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.warmth.price_card import PricedBranch, version_branch
from app.viewmodels.warmth.warmth import Warmth
from app.widgets.chat.messages.row_controls import ActionStrip
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.chat.messages.view import ChatView
from app.widgets.chat.rail import version_at
from app.widgets.kit.action_button import native_keys
from app.widgets.kit.controls import Button
from app.widgets.window.price_hover import Priced, PriceHover

_DISC = 16
_ANYWHERE = QPoint()


@dataclass(frozen=True, slots=True)
class _CommandWarmth:
    """A way to what is known of a command's branch, where no message ends it. Two of the same command are equal."""

    prices: CommandPrices
    action_id: str
    message_id: str

    def __call__(self) -> Warmth | None:
        return self.prices.warmth(self.action_id, self.message_id)


class ChatPrices:
    """Watches the chat, and each control of its messages from when it is made."""

    def __init__(
        self, hover: PriceHover, view: ChatView, library: LibraryRegion, prices: CommandPrices, actions: Actions
    ) -> None:
        self._hover, self._view, self._library = hover, view, library
        self._prices, self._actions = prices, actions
        hover.watch(view.viewport(), self._disc)
        view.verticalScrollBar().valueChanged.connect(hover.hide)
        view.controls.made.connect(self._watch)

    def _watch(self, widget: QWidget, message_id: str) -> None:
        if isinstance(widget, VersionSwitcher):
            under = partial(self._arrow, widget, message_id)
            self._hover.watch(widget, under, partial(self._both_arrows, widget, message_id))
        elif isinstance(widget, ActionStrip):
            for action_id, button in widget.acts.items():
                begins = partial(self._beginning, button, action_id, message_id)
                self._hover.watch(button, begins, begins)
        elif isinstance(widget, Button):
            answers = partial(self._beginning, widget, "answer", message_id)
            self._hover.watch(widget, answers, answers)

    def _arrow(self, switcher: VersionSwitcher, message_id: str, at: QPoint) -> Priced | None:
        """Return where the arrow at a point leads."""
        step = switcher.side_at(QPointF(at))
        return self._step(switcher, message_id, step) if switcher.can_step(step) else None

    def _both_arrows(self, switcher: VersionSwitcher, message_id: str) -> Priced | None:
        """Return where both arrows lead, the right one first; at the first and the last version one does."""
        ways = [self._step(switcher, message_id, step) for step in (1, -1) if switcher.can_step(step)]
        found = [way for way in ways if way is not None]
        if not found:
            return None
        return found[0] if len(found) == 1 else found[0]._replace(beside=found[1].branch)

    def _step(self, switcher: VersionSwitcher, message_id: str, step: int) -> Priced | None:
        if not step:
            return None
        branch = self._version(message_id, switcher.version - 1 + step, "next" if step > 0 else "previous")
        return None if branch is None else Priced(branch, switcher.arrow(step))

    def _disc(self, at: QPoint) -> Priced | None:
        """Return where the disc of another version at a point leads."""
        rows, y = self._view.layout_of_rows, at.y() + self._view.verticalOffset()
        number = rows.row_at(y)
        if number < 0:
            return None
        item, top = rows.item(number), rows.top(number) - self._view.verticalOffset()
        row, center = item.row, item.disc + QPointF(0, top)
        found = version_at(center, row.version, len(row.sibling_residencies), QPointF(at))
        if found is None:
            return None
        disc, index = found
        branch = self._version(row.id, index, "")
        rect = QRect(QPoint(round(disc.x()) - _DISC // 2, round(disc.y()) - _DISC // 2), QSize(_DISC, _DISC))
        return None if branch is None else Priced(branch, rect)

    def _version(self, message_id: str, index: int, action_id: str) -> PricedBranch | None:
        branch = version_branch(self._library.tree, message_id, index)
        keys = native_keys(self._actions[action_id]) if action_id else ""
        return branch._replace(keys=((keys, "open"),)) if branch is not None and keys else branch

    def _beginning(self, button: QWidget, action_id: str, message_id: str, _at: QPoint = _ANYWHERE) -> Priced | None:
        """Return where a button begins another branch, or has a question answered."""
        action, branch = self._actions[action_id], self._prices.branch(action_id, message_id)
        if branch is None or not button.isEnabled():
            return None
        keys = native_keys(action)
        named = branch._replace(title=action.title, keys=((keys, "begin"),) if keys else ())
        if branch.message_id:
            return Priced(named, button.rect())
        if not self._hover.is_over(button):
            self._prices.renew()
        return Priced(named, button.rect(), warmth=_CommandWarmth(self._prices, action_id, message_id))
