"""A conversation's row in the sidebar, with the caption of its section above the first of each."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.viewmodels.rows import ConversationRow, RowRole
from app.widgets.drawing import draw_text, fill_rounded, smooth
from app.widgets.look import Look
from app.widgets.row_focus import RowFocus, is_in_active_window, paint_row_ground, paint_row_ring
from app.widgets.typography import Type

AnyIndex = QModelIndex | QPersistentModelIndex
_GAP = 12
_OUTER, _INNER = 8, 12


class ConversationDelegate(QStyledItemDelegate):
    """Draws the row whole. `focus` is set by the list that it draws for."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.focus: RowFocus | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._head(index) + self._look.type.row)

    def row_rect(self, rect: QRect, index: AnyIndex) -> QRect:
        """The part of an item that is the row itself, below its section's caption."""
        return rect.adjusted(0, self._head(index), 0, 0)

    def _head(self, index: AnyIndex) -> int:
        """Height of what stands above the row: gap and caption, for the first of a section."""
        if not _begins_section(index):
            return 0
        return self._look.type.scaled(20) + 4 + (_GAP if index.row() else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ConversationRow = index.data(RowRole.ROW)
        painter.save()
        smooth(painter)
        item = QRectF(option.rect)
        line = QRectF(self.row_rect(option.rect, index))
        if line.top() > item.top():
            self._paint_caption(painter, QRectF(item.left(), item.top(), item.width(), line.top() - item.top()), row)
        ground = line.adjusted(_OUTER, 0, -_OUTER, 0)
        paint_row_ground(painter, self._look, ground, option, self._look.theme.fill2)
        self._paint_row(painter, ground.adjusted(_INNER, 0, -_INNER, 0), row, option)
        if option.state & QStyle.StateFlag.State_HasFocus and self.focus is not None and self.focus.is_shown:
            paint_row_ring(painter, self._look, ground)
        painter.restore()

    def _paint_caption(self, painter: QPainter, rect: QRectF, row: ConversationRow) -> None:
        face = self._look.face(Type.CAP_STRONG)
        height = self._look.type.scaled(20)
        line = QRectF(rect.left() + _OUTER + _INNER, rect.bottom() - height - 4, rect.width() - 40, height)
        draw_text(painter, face, line, row.section, self._look.theme.text3)

    def _paint_row(self, painter: QPainter, rect: QRectF, row: ConversationRow, option: QStyleOptionViewItem) -> None:
        theme = self._look.theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if row.is_writing:
            caret = QRectF(rect.right() - 6, rect.center().y() - 6, 6, 12)
            fill_rounded(painter, caret, 2, theme.accentgfx)
            rect.setRight(caret.left() - 10)
        else:
            faint = theme.text2 if is_selected else theme.text3
            age = self._look.face(Type.CAP)
            rect.setRight(
                rect.right() - draw_text(painter, age, rect, row.age, faint, Qt.AlignmentFlag.AlignRight) - 10
            )
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        face = self._look.face(Type.UI_MEDIUM if is_selected else Type.UI)
        draw_text(painter, face, rect, row.title, color)


def _begins_section(index: AnyIndex) -> bool:
    if index.row() == 0:
        return True
    above: ConversationRow = index.sibling(index.row() - 1, 0).data(RowRole.ROW)
    here: ConversationRow = index.data(RowRole.ROW)
    return above.section != here.section
