"""A conversation's row in the sidebar, with the caption of its section above the first of each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionViewItem, QWidget

from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.warmth.warmth import Warmth
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import ROW_MARGIN, RowDelegate
from app.widgets.kit.marks import paint_warmth
from app.widgets.kit.name_field import NameField
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.typography import TextRole

_GAP = 12
_INNER = 12
_ICON, _STEP, _STAR = 14, 18, 11
_LEAD = 14  # points before a title, in which the sign of its branches stands
_TRUNK, _ARM, _CORNER = 19.5, 10.0, 5.0
_MARK = (22, 4)  # points that a warmth takes


def _unknown(*_ids: str) -> Warmth | None:
    return None


class ConversationDelegate(RowDelegate):
    """Paints a conversation or a folder, and above the first of a section its caption.

    warmth_of: what is known of a conversation's warmth, which is painted in the place of its age;
    branch_warmth_of: of a branch's, by the ids of its first message and of its conversation.
    """

    warmth_of: Callable[[str], Warmth | None] = staticmethod(_unknown)
    branch_warmth_of: Callable[[str, str], Warmth | None] = staticmethod(_unknown)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._head(index) + self._style.typography.row)

    def row_rect(self, rect: QRect, index: AnyIndex) -> QRect:
        """Return the rectangle of the row itself, below its section's caption."""
        return rect.adjusted(0, self._head(index), 0, 0)

    def _head(self, index: AnyIndex) -> int:
        """Height of what stands above the row: gap and caption, for the first of a section."""
        if not _begins_section(index):
            return 0
        return self._style.typography.scaled(20) + 4 + (_GAP if index.row() else 0)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ConversationRow = index.data(RowRole.ROW)
        item = QRectF(option.rect)
        if rect.top() > item.top():
            self._paint_caption(painter, QRectF(item.left(), item.top(), item.width(), rect.top() - item.top()), row)
        self._paint_row(painter, rect.adjusted(_INNER, 0, -_INNER, 0), row, option)

    def _warmth(self, row: ConversationRow) -> Warmth | None:
        if row.is_folder:
            return None
        return self.branch_warmth_of(row.id, row.conversation_id) if row.is_branch else self.warmth_of(row.id)

    def _paint_caption(self, painter: QPainter, rect: QRectF, row: ConversationRow) -> None:
        text_style = self._style.text_style(TextRole.CAP_STRONG)
        height = self._style.typography.scaled(20)
        line = QRectF(rect.left() + ROW_MARGIN + _INNER, rect.bottom() - height - 4, rect.width() - 40, height)
        draw_text(painter, text_style, line, row.section, self._style.theme.text3)

    def _paint_row(self, painter: QPainter, rect: QRectF, row: ConversationRow, option: QStyleOptionViewItem) -> None:
        theme = self._style.theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if row.is_folder:
            self._paint_folder(painter, rect, row)
        else:
            self._paint_lead(painter, rect, row)
        if row.is_writing:
            caret = QRectF(rect.right() - 6, rect.center().y() - 6, 6, 12)
            fill_rounded(painter, caret, 2, theme.accentgfx)
            rect.setRight(caret.left() - 10)
        elif (warmth := self._warmth(row)) is not None:
            width, height = _MARK
            mark = QRectF(rect.right() - width, rect.center().y() - height / 2, width, height)
            paint_warmth(painter, theme, mark, warmth.share, warmth.is_on_disk)
            rect.setRight(mark.left() - 10)
        else:
            faint = theme.text2 if is_selected else theme.text3
            age = self._style.text_style(TextRole.CAP)
            rect.setRight(
                rect.right() - draw_text(painter, age, rect, row.age, faint, Qt.AlignmentFlag.AlignRight) - 10
            )
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        if row.is_favourite:
            size = self._style.typography.icon(_STAR)
            star = QPointF(rect.left() + size / 2, rect.center().y() - 0.5)
            self._style.icons.paint(painter, Icon.STAR, star, theme.accentgfx, size)
            rect.setLeft(rect.left() + size + 6)
        text_style = self._style.text_style(TextRole.UI_MEDIUM if is_selected or row.is_open else TextRole.UI)
        draw_text(painter, text_style, rect, row.title, color)

    def is_on_arrow(self, at: QPointF, rect: QRect, row: ConversationRow) -> bool:
        """Return whether a point lies on the sign that shows and puts away a conversation's branches."""
        left = rect.left() + ROW_MARGIN + (_STEP if row.folder_id else 0)
        return left <= at.x() < left + _INNER + _LEAD - 2

    def _paint_lead(self, painter: QPainter, rect: QRectF, row: ConversationRow) -> None:
        """Paint what stands before a title: the sign of branches, or the line that leads to one."""
        left = rect.left() + (_STEP if row.folder_id else 0)
        if row.is_branch:
            trunk, middle = left + _TRUNK, rect.center().y()
            path = QPainterPath(QPointF(trunk, rect.top()))
            path.lineTo(trunk, middle - _CORNER)
            path.quadTo(trunk, middle, trunk + _CORNER, middle)
            path.lineTo(trunk + _ARM, middle)
            if not row.is_last:
                path.moveTo(trunk, rect.top())
                path.lineTo(trunk, rect.bottom())
            painter.setPen(QPen(self._style.theme.line2, 1.3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(path)
        elif row.branches:
            icon = Icon.RIGHT if row.is_folded else Icon.FOLD
            center = QPointF(left + 3, rect.center().y())
            self._style.icons.paint(painter, icon, center, self._style.theme.text2, self._style.typography.icon(12))
        rect.setLeft(left + _LEAD + (_STEP + 2 if row.is_branch else 0))

    def _paint_folder(self, painter: QPainter, rect: QRectF, row: ConversationRow) -> None:
        """Paint the sign that a folder is open or not, and its icon; its name begins after them."""
        middle, color, typography = rect.center().y(), self._style.theme.text2, self._style.typography
        arrow = Icon.RIGHT if row.is_folded else Icon.FOLD
        self._style.icons.paint(painter, arrow, QPointF(rect.left() + 3, middle), color, typography.icon(12))
        left, size = rect.left() + _STEP - 5, typography.icon(_ICON)
        self._style.icons.paint(painter, Icon.FOLDER, QPointF(left + size / 2, middle), color, size)
        rect.setLeft(left + size + 9)

    # Renaming

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """Return a field to be shown in the row's place."""
        return NameField(self._style, "Title", parent)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ConversationRow = index.data(RowRole.ROW)
        left = ROW_MARGIN + _INNER + _LEAD - 6 + (_STEP if row.is_branch else 0)
        editor.setGeometry(self.row_rect(option.rect, index).adjusted(left, 3, -ROW_MARGIN, -3))

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """Put the title into the field; what is typed meanwhile stays when the row changes."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)


def _begins_section(index: AnyIndex) -> bool:
    if index.row() == 0:
        return True
    above: ConversationRow = index.sibling(index.row() - 1, 0).data(RowRole.ROW)
    here: ConversationRow = index.data(RowRole.ROW)
    return above.section != here.section
