"""The warmth of the conversations in the sidebar, and the price of going on with one, or with a branch of one."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint

from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.warmth.price_card import PricedBranch
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.window.price_hover import Priced, PriceHover


class SidebarPrices:
    """Watches the list of conversations and branches; what is open has its price in the chat."""

    def __init__(self, hover: PriceHover, conversations: ConversationList, warmth: WarmthIndex) -> None:
        self._list, self._warmth = conversations, warmth
        conversations.mark_warmth(warmth.warmth_of_conversation)
        conversations.mark_branches(warmth.warmth_of_branch)
        warmth.changed.connect(conversations.viewport().update)
        hover.watch(conversations.viewport(), self._under)
        hover.watch(conversations, None, lambda: self._of(conversations.currentIndex()))
        conversations.verticalScrollBar().valueChanged.connect(hover.hide)

    def _under(self, at: QPoint) -> Priced | None:
        return self._of(self._list.indexAt(at))

    def _of(self, index: QModelIndex | QPersistentModelIndex) -> Priced | None:
        row: ConversationRow | None = index.data(RowRole.ROW) if index.isValid() else None
        if row is None or row.is_folder or row.is_open or not row.can_change:
            return None
        home = row.conversation_id or row.id
        end = self._warmth.end_of(row.id, home) if row.is_branch else ""
        return Priced(PricedBranch(row.title, row.age, home, end), self._list.row_rect(index))
