"""Tips in the chat: over an answer's figures the settings that it was written with, over a link where it leads."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtGui import QHelpEvent

from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.tips import show_tip


class FooterTips(QObject):
    """Shows what `settings_of` says of a message while the mouse rests on its figures, and where a link leads."""

    def __init__(self, view: ChatView, settings_of: Callable[[str], str]) -> None:
        super().__init__(view)
        self._view, self._settings_of = view, settings_of
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip:
            return False
        show_tip(event.globalPos(), self.tip(QPointF(event.pos())), self._view)
        return True

    def tip(self, at: QPointF) -> str:
        """Return the tip at a place in the view, "" where there is none."""
        number = self._view.indexAt(at.toPoint()).row()
        if number < 0:
            return ""
        rows = self._view.layout_of_rows
        item = rows.item(number)
        place = at - QPointF(0, rows.top(number) - self._view.verticalOffset())
        if item.footer.contains(place):
            return self._settings_of(item.row.id)
        if not item.text.contains(place):
            return ""
        return item.body.link_tip(item.body.link_at(place - item.text.topLeft()))
