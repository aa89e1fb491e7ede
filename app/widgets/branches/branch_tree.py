"""The outline of branches: lines, words and figures; gone through by keys as outlines of the Mac are."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.viewmodels.branches.branches_region import BranchesRegion
from app.viewmodels.branches.outline_nodes import OutlineNode
from app.viewmodels.kit.lists import AnyIndex
from app.widgets.branches.branch_delegate import BranchDelegate
from app.widgets.branches.branch_lines import LEFT, BranchLines
from app.widgets.kit.accessible import speak_rows
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import menu_target, set_up_view
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WORDS_NEED = 120.0
_ARROW, _REACH = 10, 9
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DELETE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class BranchTree(QListView):
    """Up and Down choose a row and open nothing; Return and a click open its branch, F2 and a double click name it.

    Right shows what hangs below a row, then the questions in it; Left puts them away, then goes up. With Option all
    below go with it, with Command only this row and what hangs below it is listed, or everything again. Escape is left
    to the pane.

    Signals: menuAsked(str, QPoint), of a row, at a place on screen; left, a click beside the rows; wentUp, Up was
    pressed in the first row.
    """

    menuAsked = Signal(str, QPoint)
    left = Signal()
    wentUp = Signal()

    def __init__(self, style: Style, region: BranchesRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._region, self._branches = style, region, region.model
        self._lines = BranchLines(region.model)
        self._hovered = QPersistentModelIndex()
        self.delegate = BranchDelegate(style, self, region.model, self.trunk, self._paint_lines, region.is_unfolded)
        self.row_focus = self.delegate.focus
        self.setItemDelegate(self.delegate)
        set_up_view(self, style, "Branches")
        speak_rows(self, press=lambda index: self._open(self._id(index)))
        self.setUniformItemSizes(True)
        self.setModel(region.model)
        region.model.shown.connect(self._follow)
        region.chosen.connect(self._choose)
        self._follow()

    # Where things stand

    def trunk(self, level: int) -> float:
        """Return the abscissa of the lines that lead to rows of a level."""
        return self._lines.x(level, self._room)

    @property
    def _room(self) -> float:
        words = self.delegate.figures_width() + self._style.typography.scaled(_WORDS_NEED)
        return self.viewport().width() - LEFT - words

    @property
    def row_id(self) -> str:
        """The id of the current row, "" without one."""
        return self._id(self.currentIndex())

    @property
    def rows_height(self) -> int:
        """Points that all rows take."""
        return self._style.typography.two_line_row * self._branches.rowCount()

    def edit_name(self, row_id: str) -> None:
        """Let the person name a row in its place. One that stands for several branches has no name."""
        index = self._branches.index_of(row_id)
        if index.isValid():
            self.scrollTo(index)
            self.setCurrentIndex(index)
            is_to_edit = bool(index.flags() & Qt.ItemFlag.ItemIsEditable) and self.indexWidget(index) is None
            if is_to_edit and self._region.may_edit():
                self.edit(index)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._branches.is_changing:
            self._region.choose(self._id(current))

    def _id(self, index: AnyIndex) -> str:
        node = self._branches.node(index)
        return "" if node is None else node.id

    def _follow(self) -> None:
        """Have the chosen row be the current one, also where it was taken out and came in again; nothing is scrolled.

        Which row was current while rows came and went says nothing of what the person has chosen.
        """
        index = self._branches.index_of(self._region.chosen_id)
        if index.isValid() and index != self.currentIndex():
            self.setAutoScroll(False)
            self.setCurrentIndex(index)
            self.setAutoScroll(True)
        self.viewport().update()

    def _choose(self, row_id: str) -> None:
        """Follow the branch that was opened elsewhere."""
        index = self._branches.index_of(row_id)
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)
            QTimer.singleShot(0, self, self._show_current)  # once all is laid out

    def _show_current(self) -> None:
        self.scrollTo(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current row in sight that was, where what stands below the outline takes more room."""
        super().resizeEvent(event)
        current = self.visualRect(self.currentIndex())
        if current.intersects(QRect(QPoint(), event.oldSize())):
            self.scrollTo(self.currentIndex())

    # Keys and mouse

    def event(self, event: QEvent) -> bool:
        """Keep F2 from the menus, which rename the open conversation: it is about the row."""
        is_about_row = self.currentIndex().isValid() and claim_key(event, Qt.Key.Key_F2)
        return is_about_row or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            return  # what the field in the row has no use for, Return that ends it above all
        index, key, modifiers = self.currentIndex(), Qt.Key(event.key()), event.modifiers()
        held = modifiers & ~(Qt.KeyboardModifier.KeypadModifier)
        if key == Qt.Key.Key_Escape:
            event.ignore()
        elif key == Qt.Key.Key_Up and index.row() <= 0 and not held:
            self.wentUp.emit()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and index.isValid():
            self._go_sideways(index, is_right=key == Qt.Key.Key_Right, held=held)
        elif index.isValid() and not held and self._use_key(self.row_id, key):
            pass
        elif key != Qt.Key.Key_Space:
            super().keyPressEvent(event)

    def _use_key(self, row_id: str, key: Qt.Key) -> bool:
        """Keys that do something with the row itself."""
        if key in _RETURN:
            self._open(row_id)
        elif key == Qt.Key.Key_F2:
            self.edit_name(row_id)
        elif key in _DELETE:
            self._region.delete(row_id)
        else:
            return False
        return True

    def _open(self, row_id: str) -> None:
        """Show the branch of a row in the chat, or the branches that it stands for in the outline."""
        node = self._branches.node(self._branches.index_of(row_id))
        if node is not None and node.folded:
            self._region.unfold(row_id, node.is_closed)
        else:
            self._region.open(row_id)

    def _go_sideways(self, index: QModelIndex, *, is_right: bool, held: Qt.KeyboardModifier) -> None:
        node = self._branches.node(index)
        if node is None:
            return
        is_open = node.has_below and not node.is_closed
        if held == Qt.KeyboardModifier.ControlModifier:
            self._region.hoist(node.id if is_right else "")
        elif held == Qt.KeyboardModifier.AltModifier:
            self._region.put_away(node.id, not is_right, with_all=True)
        elif held:
            return
        elif is_right and node.has_below and not is_open:
            self._region.put_away(node.id, is_away=False)
        elif is_right and self._region.can_unfold(node.id):
            self._region.unfold(node.id, is_unfolded=True)
        elif not is_right and self._region.is_unfolded(node.id):
            self._region.unfold(node.id, is_unfolded=False)
        elif not is_right and is_open:
            self._region.put_away(node.id, is_away=True)
        elif not is_right and node.parent_id is not None:
            self.setCurrentIndex(self._branches.index_of(node.parent_id))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        index = self.indexAt(at.toPoint())
        node = self._branches.node(index)
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if node is None:
            self.left.emit()
        elif self._is_on_arrow(at, index, node):
            with_all = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            self._region.put_away(node.id, not node.is_closed, with_all=with_all)
        elif (chip := self.delegate.chip(self.visualRect(index), node)) is not None and chip.contains(at):
            self._region.unfold(node.id, not self._region.is_unfolded(node.id))
        else:
            super().mousePressEvent(event)
            self._open(node.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        node = self._branches.node(index)
        if node is not None and event.button() is Qt.MouseButton.LeftButton:
            words = self.delegate.words(self.visualRect(index), node)
            if not node.folded and words.contains(event.position()):
                self.edit_name(node.id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(QModelIndex())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, at = menu_target(self, event)
        node = self._branches.node(index)
        if node is not None and not node.folded:
            self.menuAsked.emit(node.id, at)

    def _hover(self, index: QModelIndex) -> None:
        if self._hovered != index:
            self._hovered = QPersistentModelIndex(index)
            self.viewport().update()

    # Painting

    def _paint_lines(self, painter: QPainter, row: QRectF, number: int) -> None:
        theme, node = self._style.theme, self._branches.rows[number]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in self._lines.strokes(number, row, self._room):
            painter.setPen(QPen(theme.accentgfx, 2.0) if stroke.is_open else QPen(theme.line2, 1.4))
            painter.drawPath(stroke.path)
        if node.has_below and (node.is_closed or number == self._hovered.row()):
            icon = Icon.RIGHT if node.is_closed else Icon.FOLD
            center = self._arrow(row, node)
            painter.setPen(Qt.PenStyle.NoPen)
            is_selected = self.selectionModel().isSelected(self._branches.index(number))
            painter.setBrush(theme.soft if is_selected else theme.panel)
            painter.drawEllipse(center, _ARROW / 2 + 1, _ARROW / 2 + 1)
            self._style.icons.paint(painter, icon, center, theme.text2, _ARROW)

    def _arrow(self, row: QRectF, node: OutlineNode) -> QPointF:
        """Return the middle of a row's arrow: beside its first line, on the trunk that goes down from it."""
        line = self._style.text_style(TextRole.UI).line
        return QPointF(self.trunk(node.level), row.top() + 3 + line / 2)

    def _is_on_arrow(self, at: QPointF, index: QModelIndex, node: OutlineNode) -> bool:
        center = self._arrow(QRectF(self.visualRect(index)), node)
        return node.has_below and abs(at.x() - center.x()) <= _REACH and abs(at.y() - center.y()) <= _REACH + 3
