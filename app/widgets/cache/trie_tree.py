"""The prefix trie, one row to an edge: discs on espalier lines, the active path in accent."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTreeView, QWidget

from app.protocol.trie_view import TrieNodeView
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.kit.differing import differing
from app.viewmodels.kit.lists import AnyIndex
from app.widgets.cache.trie_delegate import Clock, TrieDelegate
from app.widgets.cache.trie_lines import TrieLines
from app.widgets.kit.item_views import menu_target, set_up_view
from app.widgets.kit.marks import paint_disc
from app.widgets.kit.style import Style

_LEFT, _STEP, _TO_TEXT = 26.0, 18.0, 14.0
_WORDS_NEED = 170.0
_AGES_MS = 30_000
_PATIENCE = 3.0  # seconds for which nothing else moves what a person has scrolled


class TrieTree(QTreeView):
    """Always wholly open. All of a row's indentation is drawn here, so that its item spans the pane.

    Steps of 18 points shrink in a very deep trie, so that the words keep room.

    Attributes: marked, ids of the rows that hold the current message; lit, of those that a price speaks of. Signals:
    chosen(int), the id of the row that is current, 0 for none; picked(), a person chose it; shownInChat() and
    evicted(), by keys; menuAsked(object), a place on screen.
    """

    chosen = Signal(int)
    picked = Signal()
    shownInChat = Signal()
    evicted = Signal()
    menuAsked = Signal(object)

    def __init__(self, style: Style, model: TrieModel, clock: Clock = time.time, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._trie = model
        self._drawn, self._shape = model.shown, model.shape
        self._followed = model.shown
        self._known_lines = TrieLines(model.shown)
        self._hovered = QPersistentModelIndex()
        self.marked: frozenset[int] = frozenset()
        self.lit: frozenset[int] = frozenset()
        self._scrolled_at = -_PATIENCE
        self._is_told = True  # that a person chose the current row, or nobody did
        self._delegate = TrieDelegate(style, self, self.text_left, self._paint_lines, clock)
        self.setItemDelegate(self._delegate)
        self._set_up()
        self.setModel(model)
        self.pressed.connect(self._tell_pick)
        self.expandAll()
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self.viewport().update)
        model.rowsInserted.connect(self._open)
        model.rowsMoved.connect(self._open_destination)
        model.viewChanged.connect(self._follow)

    def _set_up(self) -> None:
        set_up_view(self, self._style, "Prefix trie")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)

    def text_left(self, node_id: int) -> float:
        """Return the abscissa at which an edge's words begin."""
        return self._disc_x(node_id) + _TO_TEXT

    def _step(self) -> float:
        room = self.viewport().width() - _LEFT - _TO_TEXT - _WORDS_NEED
        return max(4.0, min(_STEP, room / max(1, self._lines.deepest)))

    def _disc_x(self, node_id: int) -> float:
        return _LEFT + self._lines.level(node_id) * self._step()

    @property
    def _lines(self) -> TrieLines:
        """Of the present view; worked out when it is first drawn, not while the pane is hidden."""
        if self._shape != self._trie.shape:
            self._shape, self._drawn = self._trie.shape, self._trie.shown
            self._known_lines = TrieLines(self._drawn)
        elif self._drawn is not self._trie.shown:
            self._drawn = self._trie.shown
            self._known_lines.show_states(self._drawn)
        return self._known_lines

    def _follow(self) -> None:
        """Have the rows painted that differ from those of the picture before, or all of them where lines do.

        Where rows came, went or moved, Qt has all of them painted.
        """
        before, self._followed = self._followed, self._trie.shown
        old, new = differing(before.nodes, self._followed.nodes)
        gone, come = before.nodes[old], self._followed.nodes[new]
        if _live(gone) != _live(come):
            self.viewport().update()
        else:
            known = {node.id: node for node in gone}
            self._update_rows({node.id for node in come if known.get(node.id) is not node})

    def _update_rows(self, rows: set[int]) -> None:
        """Have those of the rows painted that are in sight; all are equally high."""
        place, width = self.visualRect(self.indexAt(QPoint(0, 0))), self.viewport().width()
        for top in range(place.top(), self.viewport().height(), place.height()) if place.isValid() else ():
            if self.indexAt(QPoint(0, top + 1)).internalId() in rows:
                self.viewport().update(0, top - 1, width, place.height() + 2)  # lines end between the pixels

    def mark(self, rows: frozenset[int]) -> None:
        """Give the rows that hold the current message the ground of selected ones."""
        if rows != self.marked:
            self.marked = rows
            self.viewport().update()

    def light(self, rows: frozenset[int]) -> None:
        """Give the rows that a price speaks of the ground of hovered ones."""
        if rows != self.lit:
            self.lit = rows
            self.viewport().update()

    def come_to(self, row: int, is_chosen: bool = False) -> None:
        """Bring a row into sight, unless the person scrolls here. is_chosen: make it the current one too."""
        index = self._trie.index_of(row)
        if not index.isValid():
            return
        if is_chosen:
            self.setCurrentIndex(index)
            self._is_told = True
        is_free = time.monotonic() - self._scrolled_at > _PATIENCE and not self.verticalScrollBar().isSliderDown()
        if is_free and not self.viewport().underMouse():
            self.scrollTo(index)

    def dataChanged(self, topLeft: AnyIndex, bottomRight: AnyIndex, roles: Sequence[int] = ()) -> None:
        """Leave it to the picture, which follows at once: Qt would look for the place of each row that differs.

        A screen reader is told, which it does.
        """
        if QAccessible.isActive():
            super().dataChanged(topLeft, bottomRight, list(roles))

    def reset(self) -> None:
        """Take rows of which none was there before: no row is the current one any more, which Qt does not tell."""
        super().reset()
        self.currentChanged(QModelIndex(), QModelIndex())

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        self._is_told = not current.isValid()
        node = self._trie.node(current)
        self.chosen.emit(node.id if node is not None else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the row's message with Return, evict with Delete."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.shownInChat.emit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and not event.modifiers():
            self.evicted.emit()
        else:
            self._is_told = True  # unless this key goes to another row
            super().keyPressEvent(event)
            self._tell_pick()

    def _tell_pick(self) -> None:
        """Tell that a person chose the current row, once."""
        if not self._is_told:
            self._is_told = True
            self.picked.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._scrolled_at = time.monotonic()
        super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the mouse, or of the current one."""
        index, at = menu_target(self, event)
        if index.isValid():
            self.setCurrentIndex(index)
            self.menuAsked.emit(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if self.indexAt(event.position().toPoint()).isValid():
            self.shownInChat.emit()

    def _open(self, parent: QModelIndex) -> None:
        if parent.isValid():
            self.expand(parent)

    def _open_destination(self, source: QModelIndex, first: int, last: int, destination: QModelIndex) -> None:
        self._open(destination)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ages.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(QModelIndex())

    def _hover(self, index: QModelIndex) -> None:
        if self._hovered != index:
            self._hovered = QPersistentModelIndex(index)
            self.viewport().update()

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: AnyIndex) -> None:
        option = QStyleOptionViewItem(options)
        node = self._trie.node(index)
        if self.selectionModel().isSelected(index) or (node is not None and node.id in self.marked):
            option.state |= QStyle.StateFlag.State_Selected
        if index == self._hovered or (node is not None and node.id in self.lit):
            option.state |= QStyle.StateFlag.State_MouseOver
        option.state &= ~QStyle.StateFlag.State_HasFocus  # which each row of a tree has that has it
        if index == self.currentIndex():
            option.state |= QStyle.StateFlag.State_HasFocus
        self._delegate.paint(painter, option, index)

    def _paint_lines(self, painter: QPainter, row: QRectF, node: TrieNodeView) -> None:
        theme = self._style.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in self._lines.strokes(node.id, row, _LEFT, self._step()):
            painter.setPen(QPen(theme.accentgfx, 2.0) if stroke.is_live else QPen(theme.line2, 1.4))
            painter.drawPath(stroke.path)
        paint_disc(painter, theme, QPointF(self._disc_x(node.id), row.center().y()), node.residency)


def _live(nodes: Iterable[TrieNodeView]) -> set[int]:
    """Return the edges along which lines are those of what is live."""
    return {node.id for node in nodes if node.residency == "live"}
