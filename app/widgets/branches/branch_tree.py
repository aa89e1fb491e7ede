"""The outline of branches: lines, words and figures; gone through by keys as outlines of the Mac are."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QTreeView, QWidget

from app.viewmodels.branches.branches_region import BranchesRegion
from app.viewmodels.branches.outline_nodes import OutlineNode
from app.viewmodels.kit.lists import AnyIndex
from app.widgets.branches.branch_delegate import BranchDelegate
from app.widgets.branches.branch_lines import LEFT, BranchLines
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import menu_target, set_up_view
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WORDS_NEED = 120.0
_ARROW, _REACH = 10, 9
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DELETE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class BranchTree(QTreeView):
    """Up and Down choose a row and open nothing; Return and a click open its branch, F2 and a double click name it.

    Right shows what hangs below a row, then the questions in it; Left puts them away, then goes up. With Option all
    below go with it, with Command only this row and what hangs below it is listed, or everything again.

    Signals: menuAsked(str, QPoint), of a row, at a place on screen; left, the person goes back to writing; wentUp, Up
    was pressed in the first row.
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
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setModel(region.model)
        self._has_new_rows, self._scrolled = True, 0
        region.model.rowsInserted.connect(self._note_rows)
        region.model.rowsMoved.connect(self._note_rows)
        region.model.replaced.connect(self._forget_open)
        region.model.shown.connect(self._open_new)
        region.chosen.connect(self._choose)
        self._open_new()

    # Where things stand

    def trunk(self, level: int) -> float:
        """Return the abscissa of the lines that lead to rows of a level."""
        return self._lines.x(level, self._room)

    @property
    def _room(self) -> float:
        words = self.delegate.figures_width() + self._style.typography.scaled(_WORDS_NEED)
        return self.viewport().width() - LEFT - words

    # What is open

    @property
    def row_id(self) -> str:
        """The id of the current row, "" without one."""
        return self._id(self.currentIndex())

    def rows_height(self, most: int) -> int:
        """Return the points that the rows take which are not put away; no more than `most` are measured."""
        height, taken, index = self._style.typography.two_line_row, 0, self._branches.index(0, 0)
        while index.isValid() and taken < most:
            taken, index = taken + height, self.indexBelow(index)
        return taken

    def set_open(self, index: QModelIndex, is_open: bool, *, with_all: bool = False) -> None:
        """Show what hangs below a row, or put it away. with_all: so it shall be with all rows below it."""
        for one in self._below(index) if with_all else [index]:
            (self._region.collapsed.discard if is_open else self._region.collapsed.add)(self._id(one))
            self.setExpanded(one, is_open)

    def edit_name(self, row_id: str) -> None:
        """Let the person name a row in its place."""
        index = self._branches.index_of(row_id)
        if index.isValid():
            self.scrollTo(index)
            self.setCurrentIndex(index)
            if self.indexWidget(index) is None:
                self.edit(index)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        if current.isValid():
            self._region.choose(self._id(current))

    def _id(self, index: AnyIndex) -> str:
        node = self._branches.node(index)
        return "" if node is None else node.id

    def _below(self, index: QModelIndex) -> list[QModelIndex]:
        """Return a row that has others below it, and all such rows there."""
        found, waiting = list[QModelIndex](), [index]
        while waiting:
            at = waiting.pop()
            if rows := self._branches.rowCount(at):
                found.append(at)
                waiting += [self._branches.index(row, 0, at) for row in range(rows)]
        return found

    def _forget_open(self) -> None:
        """Let go of which rows are open, each of which would be looked at for every row that comes or goes."""
        self._scrolled = self.verticalScrollBar().value()
        with QSignalBlocker(self):
            self.collapseAll()
        self._has_new_rows = True

    def _note_rows(self) -> None:
        self._has_new_rows = True

    def _open_new(self) -> None:
        """Open what has come in or moved, but for what the person has put away; all at once, so it is laid out once."""
        if self._has_new_rows:
            self._has_new_rows = False
            self.scheduleDelayedItemsLayout()  # until then a row that is opened is only noted
            for node in self._branches.nodes():
                index = self._branches.index_of(node.id)
                if self._branches.rowCount(index):
                    with QSignalBlocker(self):
                        self.setExpanded(index, node.id not in self._region.collapsed)
            self._choose_again()
            self.executeDelayedItemsLayout()
        if self._scrolled:
            self.verticalScrollBar().setValue(self._scrolled)
            self._scrolled = 0
        self.viewport().update()

    def _choose_again(self) -> None:
        """Have the chosen row be the current one where all rows were taken out and came in again."""
        index = self._branches.index_of(self._region.chosen_id)
        if not self.currentIndex().isValid() and index.isValid():
            self.setAutoScroll(False)
            self.setCurrentIndex(index)
            self.setAutoScroll(True)

    def _choose(self, row_id: str) -> None:
        """Follow the branch that was opened elsewhere."""
        index = self._branches.index_of(row_id)
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)
            QTimer.singleShot(0, self, self._show_current)  # once all is laid out

    def _show_current(self) -> None:
        self.scrollTo(self.currentIndex())

    # Keys and mouse

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            return  # what the field in the row has no use for, Return that ends it above all
        index, key, modifiers = self.currentIndex(), Qt.Key(event.key()), event.modifiers()
        held = modifiers & ~(Qt.KeyboardModifier.KeypadModifier)
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_Up and not self.indexAbove(index).isValid() and not held:
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
            self._region.open(row_id)
        elif key == Qt.Key.Key_F2:
            self.edit_name(row_id)
        elif key in _DELETE:
            self._region.delete(row_id)
        else:
            return False
        return True

    def _go_sideways(self, index: QModelIndex, *, is_right: bool, held: Qt.KeyboardModifier) -> None:
        row_id, has_below = self._id(index), self._branches.rowCount(index) > 0
        is_open = has_below and self.isExpanded(index)
        if held == Qt.KeyboardModifier.ControlModifier:
            self._region.hoist(row_id if is_right else "")
        elif held == Qt.KeyboardModifier.AltModifier:
            self.set_open(index, is_right, with_all=True)
        elif held:
            return
        elif is_right and has_below and not is_open:
            self.set_open(index, is_open=True)
        elif is_right and self._region.can_unfold(row_id):
            self._region.unfold(row_id, is_unfolded=True)
        elif not is_right and self._region.is_unfolded(row_id):
            self._region.unfold(row_id, is_unfolded=False)
        elif not is_right and is_open:
            self.set_open(index, is_open=False)
        elif not is_right and index.parent().isValid():
            self.setCurrentIndex(index.parent())

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
            self.set_open(index, not self.isExpanded(index), with_all=with_all)
        elif (chip := self.delegate.chip(self.visualRect(index), node)) is not None and chip.contains(at):
            self._region.unfold(node.id, not self._region.is_unfolded(node.id))
        else:
            super().mousePressEvent(event)
            self._region.open(node.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        node = self._branches.node(index)
        if node is not None and event.button() is Qt.MouseButton.LeftButton:
            words = self.delegate.words(self.visualRect(index), node)
            if words.contains(event.position()):
                self.edit_name(node.id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(QModelIndex())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, at = menu_target(self, event)
        if index.isValid():
            self.menuAsked.emit(self._id(index), at)

    def _hover(self, index: QModelIndex) -> None:
        if self._hovered != index:
            self._hovered = QPersistentModelIndex(index)
            self.viewport().update()

    # Painting

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: AnyIndex) -> None:
        option = QStyleOptionViewItem(options)
        if self.selectionModel().isSelected(index):
            option.state |= QStyle.StateFlag.State_Selected
        if index == self._hovered:
            option.state |= QStyle.StateFlag.State_MouseOver
        option.state &= ~QStyle.StateFlag.State_HasFocus  # which each row of a tree has that has it
        if index == self.currentIndex():
            option.state |= QStyle.StateFlag.State_HasFocus
        self.delegate.paint(painter, option, index)

    def _paint_lines(self, painter: QPainter, row: QRectF, index: AnyIndex) -> None:
        theme = self._style.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        is_open = self.isExpanded(index) and self._branches.rowCount(index) > 0
        for stroke in self._lines.strokes(index, row, self._room, is_open):
            painter.setPen(QPen(theme.accentgfx, 2.0) if stroke.is_open else QPen(theme.line2, 1.4))
            painter.drawPath(stroke.path)
        if self._has_arrow(index):
            icon = Icon.FOLD if self.isExpanded(index) else Icon.RIGHT
            center = self._arrow(row, index)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.soft if self.selectionModel().isSelected(index) else theme.panel)
            painter.drawEllipse(center, _ARROW / 2 + 1, _ARROW / 2 + 1)
            self._style.icons.paint(painter, icon, center, theme.text2, _ARROW)

    def _has_arrow(self, index: AnyIndex) -> bool:
        """Return whether a row shows the arrow that opens it: put away, or under the mouse."""
        return self._branches.rowCount(index) > 0 and (not self.isExpanded(index) or index == self._hovered)

    def _arrow(self, row: QRectF, index: AnyIndex) -> QPointF:
        """Return the middle of a row's arrow: beside its first line, on the trunk that goes down from it."""
        node = self._branches.node(index)
        line = self._style.text_style(TextRole.UI).line
        return QPointF(self.trunk(0 if node is None else node.level), row.top() + 3 + line / 2)

    def _is_on_arrow(self, at: QPointF, index: QModelIndex, node: OutlineNode) -> bool:
        if not self._branches.rowCount(index):
            return False
        center = self._arrow(QRectF(self.visualRect(index)), index)
        return abs(at.x() - center.x()) <= _REACH and abs(at.y() - center.y()) <= _REACH + 3
