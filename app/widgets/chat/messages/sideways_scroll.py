"""Code and tables that are wider than their message, scrolled sideways by the wheel and by their buttons."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QWheelEvent

from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.row_view import RowView


class SidewaysScroll:
    """Scrolls what is wide in the rows of a view, each block by itself."""

    def __init__(self, view: RowView) -> None:
        self._view = view

    def take(self, event: QWheelEvent) -> bool:
        """Scroll what is under the mouse where the wheel goes sideways; return whether it does."""
        delta = event.angleDelta() if event.pixelDelta().isNull() else event.pixelDelta()
        is_turned = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and not delta.x()
        across, along = (delta.y(), 0) if is_turned else (delta.x(), delta.y())
        if abs(across) <= abs(along):
            return False
        self._scroll_at(event.position(), -across)
        return True

    def step(self, message_id: str, block: int, step: int) -> None:
        """Scroll a block by a third of its width."""
        number = self._view.layout_of_rows.row_of(message_id)
        if number >= 0:
            item = self._view.layout_of_rows.item(number)
            self._scroll(item, block, step * item.text.width() / 3)

    def _scroll_at(self, at: QPointF, by: float) -> None:
        rows, y = self._view.layout_of_rows, at.y() + self._view.verticalOffset()
        number = rows.row_at(y)
        if number >= 0:
            item = rows.item(number)
            block = item.body.wide_at(y - rows.top(number) - item.text.top())
            if block is not None:
                self._scroll(item, block, by)

    def _scroll(self, item: RowItem, block: int, by: float) -> None:
        if item.body.scroll_wide(block, by):
            self._view.viewport().update()
