"""Rows of lists and trees: whether the keyboard is what moves through them, and the ground each row is drawn on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from app.widgets.kit.drawing import fill_rounded, stroke_rounded
from app.widgets.kit.letters import is_letter
from app.widgets.kit.style import Style

_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_RADIUS = 6


class RowFocus(QObject):
    """Watches a view; `is_shown` while it has the focus and was last moved in by keys, not by the mouse.

    No list is gone through by letters. They are left to the window, which has them typed into the message field, unless
    `take_letter` takes them: it returns whether it has. Attribute: take_letter.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._is_by_keyboard = False
        self.take_letter: Callable[[QKeyEvent], bool] = lambda _event: False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    @property
    def is_shown(self) -> bool:
        """Whether the current row is to show a ring."""
        return self._is_by_keyboard and self._view.hasFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress and is_letter(event):
            if not self.take_letter(event):
                event.ignore()
            return True
        if kind == QEvent.Type.MouseButtonPress:
            self._is_by_keyboard = False
        elif kind == QEvent.Type.KeyPress:
            self._is_by_keyboard = True
        elif isinstance(event, QFocusEvent) and kind == QEvent.Type.FocusIn:
            self._is_by_keyboard = event.reason() in _BY_KEYBOARD
        return False


def paint_row_ground(
    painter: QPainter, style: Style, rect: QRectF, option: QStyleOptionViewItem, hover: QColor
) -> None:
    """Paint what lies under a row: nothing, hover, the selection of an active or an inactive window.

    hover: one step darker than the pane.
    """
    theme, state = style.theme, option.state
    if state & QStyle.StateFlag.State_Selected:
        fill_rounded(painter, rect, _RADIUS, theme.soft if is_in_active_window(option) else theme.fill2)
    elif state & QStyle.StateFlag.State_MouseOver:
        fill_rounded(painter, rect, _RADIUS, hover)


def paint_row_ring(painter: QPainter, style: Style, rect: QRectF) -> None:
    """Paint the ring of the keyboard, inside the row and over its content."""
    stroke_rounded(painter, rect, _RADIUS, style.theme.accentgfx, 2)


def is_in_active_window(option: QStyleOptionViewItem) -> bool:
    """Return whether a row's window is active; off the Mac, State_Active asks for the view's own focus instead."""
    view = option.widget
    return isinstance(view, QWidget) and view.isActiveWindow()
