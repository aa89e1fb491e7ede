"""The list of conversations, the one used last first, each with its named branches below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QListView, QWidget

from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.library.conversation_model import ConversationModel, dragged_ids
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.warmth.warmth import Warmth
from app.widgets.kit.accessible import speak_rows
from app.widgets.kit.drawing import smooth, stroke_rounded
from app.widgets.kit.item_views import ROW_MARGIN, menu_target, set_up_view
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style
from app.widgets.sidebar.conversation_delegate import ConversationDelegate

_PASSING = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)
_BESIDE = QPoint(12, 18)  # from the mouse to what is dragged
_DRAGGED, _MOST_DRAGGED = 0.8, 5  # how opaque it is, and how many rows of it are shown
_CMD, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_Cursor = QAbstractItemView.CursorAction
_MOVES = {
    Qt.Key.Key_Up: _Cursor.MoveUp,
    Qt.Key.Key_Down: _Cursor.MoveDown,
    Qt.Key.Key_Home: _Cursor.MoveHome,
    Qt.Key.Key_End: _Cursor.MoveEnd,
    Qt.Key.Key_PageUp: _Cursor.MovePageUp,
    Qt.Key.Key_PageDown: _Cursor.MovePageDown,
}


class ConversationList(QListView):
    """The list whose selection is the open conversation, or several that something is to be done with.

    Return and F2 rename a row in its place. Shift and Cmd, by mouse or keys, select several: no other is opened, and a
    plain click, Escape or leaving the list end it. Keys lead past a conversation that another window shows: a click or
    Space brings that window to the front.

    Attributes: may_edit, returns whether anything can be changed here; where it cannot, it tells; is_elsewhere, returns
    whether another window shows a conversation.

    Signals: chosen(str) the id of another conversation that the person turned to; branchChosen(str, str) a conversation
    and a branch of it; foldAsked(str, bool) a folder or a conversation with branches, and whether it is to be folded;
    deleteAsked(ConversationRow); menuAsked(ConversationRow, QPoint), the place on screen; left, a click beside them;
    filed(tuple, str) conversations were dropped on a folder of this id, "" for none; severalChanged(), others are
    selected, or several no more; severalDeleteAsked().
    """

    chosen = Signal(str)
    branchChosen = Signal(str, str)
    foldAsked = Signal(str, bool)
    deleteAsked = Signal(object)
    menuAsked = Signal(object, QPoint)
    left = Signal()
    filed = Signal(tuple, str)
    severalChanged = Signal()
    severalDeleteAsked = Signal()

    def __init__(self, style: Style, model: ConversationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._home: str | None = None
        self._is_picking = False
        self.may_edit: Callable[[], bool] = lambda: True
        self.is_elsewhere: Callable[[str], bool] = lambda _conversation_id: False
        self._anchor = ""
        self._pressed = self._clicked = QPersistentModelIndex()  # the row that may be dragged, or chosen
        self._turned = ("", "")  # to which conversation, while which was open: it may still be opening
        self._told: tuple[str, ...] = ()
        self._delegate = ConversationDelegate(style, self)
        self.row_focus = self._delegate.focus
        self.setItemDelegate(self._delegate)
        set_up_view(self, style, "Conversations")
        speak_rows(self, press=lambda _index: self._press())
        self._conversations = model
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        for change in (model.rowsInserted, model.rowsMoved, model.rowsRemoved, model.dataChanged, model.modelReset):
            change.connect(self._follow_model)
        self._follow_model()

    def indexAt(self, p: QPoint) -> QModelIndex:
        """Return the row under a point; the captions between sections belong to none."""
        index = super().indexAt(p)
        is_on_row = index.isValid() and self._delegate.row_rect(self.visualRect(index), index).contains(p)
        return index if is_on_row else QModelIndex()

    def row_rect(self, index: AnyIndex) -> QRect:
        """Return the rectangle of a row in the viewport, without the caption above it."""
        return self._delegate.row_rect(self.visualRect(index), index)

    def mark_branches(self, warmth_of: Callable[[str, str], Warmth | None]) -> None:
        """Mark each branch, by the ids of its first message and of its conversation, with what is known of it."""
        self._delegate.branch_warmth_of = warmth_of
        self.viewport().update()

    def mark_warmth(self, warmth_of: Callable[[str], Warmth | None]) -> None:
        """Mark each conversation with what is known of its warmth."""
        self._delegate.warmth_of = warmth_of
        self.viewport().update()

    @property
    def row(self) -> ConversationRow | None:
        """The row that the keyboard is on, if there is one."""
        current = self.currentIndex()
        row: ConversationRow | None = current.data(RowRole.ROW) if current.isValid() else None
        return row

    @property
    def several(self) -> tuple[str, ...]:
        """The ids of the conversations that are selected, from above downwards, where they are more than one."""
        if not self._is_picking:
            return ()
        rows = [index.row() for index in self.selectedIndexes()]
        ids = tuple(row.id for row in (self._conversations.rows[one] for one in sorted(rows)) if _can_join(row))
        return ids if len(ids) > 1 else ()

    def pick_all(self) -> None:
        """Select all conversations."""
        self._is_picking = True
        self.selectAll()

    @property
    def _is_shown_elsewhere(self) -> bool:
        row = self.row
        return row is not None and not row.is_folder and self.is_elsewhere(row.conversation_id or row.id)

    def _extend_to(self, index: QModelIndex) -> None:
        """Select from where the last one was chosen to this row."""
        start = self._conversations.row_of(self._anchor) if self._is_picking else self._chosen_last
        if not index.isValid() or start < 0:
            return
        self._is_picking = True
        self._anchor = self._conversations.rows[start].id
        first, last = sorted((start, index.row()))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.NoUpdate)
        rows = QItemSelection(self._conversations.index(first), self._conversations.index(last))
        self.selectionModel().select(rows, flags.ClearAndSelect)
        self._tell_several()

    @property
    def _chosen_last(self) -> int:
        """The row that the person chose last: of a conversation that is opening, else the current one."""
        chosen, was_open = self._turned
        number = self._conversations.row_of(chosen) if chosen and was_open == self._open_id else -1
        return number if number >= 0 else self.currentIndex().row()

    @property
    def _open_id(self) -> str:
        number = self._conversations.open_row
        return self._conversations.rows[number].id if number >= 0 else ""

    def _end_picking(self) -> None:
        """Select the open conversation alone again."""
        if self._is_picking:
            self._is_picking = False
            self.clearSelection()
            self._follow_model()
            self._tell_several()

    def selectionCommand(self, index: AnyIndex, event: QEvent | None = None, /) -> QItemSelectionModel.SelectionFlag:
        """Select a row alone that no key or click in the list has chosen, whatever keys are held at that moment."""
        if event is None:
            return QItemSelectionModel.SelectionFlag.ClearAndSelect
        return super().selectionCommand(index, event)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Leave folders and branches out where several are selected: what is done to several is not for them."""
        super().selectionChanged(selected, deselected)
        if self._is_picking:
            for index in selected.indexes():
                if not _can_join(self._conversations.rows[index.row()]):
                    self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Deselect)
        self._tell_several()

    def _tell_several(self) -> None:
        if self.several != self._told:
            self._told = self.several
            self.severalChanged.emit()

    def rename(self, row_id: str) -> None:
        """Let the person write another title into this row."""
        number = self._conversations.row_of(row_id)
        if number >= 0:
            index = self._conversations.index(number)
            self.scrollTo(index)
            self.setCurrentIndex(index)
            is_to_edit = bool(index.flags() & Qt.ItemFlag.ItemIsEditable) and self.indexWidget(index) is None
            if is_to_edit and self.may_edit():
                self.edit(index)

    def event(self, event: QEvent) -> bool:
        """Keep from the menus F2, about a row that has a name, and Escape, about several that are selected."""
        is_about_row = self.row is not None and self.row.can_change and claim_key(event, Qt.Key.Key_F2)
        is_about_several = claim_key(event, Qt.Key.Key_Escape, when=lambda: bool(self.several))
        return is_about_row or is_about_several or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            return  # what the field in the row has no use for, Return that ends it above all
        row, key = self.row, event.key()
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if self.several and is_plain and self._use_key_on_several(Qt.Key(key)):
            return
        if row is not None and is_plain and self._use_key(row, Qt.Key(key)):
            return
        if key in _MOVES and event.modifiers() & _SHIFT:
            self._extend_to(self.moveCursor(_MOVES[Qt.Key(key)], Qt.KeyboardModifier.NoModifier))
            return
        if key in _MOVES:
            self._is_picking = False
        super().keyPressEvent(event)
        self._tell_several()
        if not self._is_picking and not self._is_shown_elsewhere:  # Shift alone is a key, too
            self._tell_choice()

    def _use_key_on_several(self, key: Qt.Key) -> bool:
        """Keys that do something with all that are selected."""
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.severalDeleteAsked.emit()
        elif key == Qt.Key.Key_Escape:
            self._end_picking()
        else:
            return False
        return True

    def _use_key(self, row: ConversationRow, key: Qt.Key) -> bool:
        """Keys that do something with the row itself."""
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.rename(row.id)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.deleteAsked.emit(row)
        elif (row.is_folder or row.branches) and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.foldAsked.emit(row.id, key == Qt.Key.Key_Left)
        elif row.is_branch and key == Qt.Key.Key_Left:
            self.foldAsked.emit(row.conversation_id, True)
        elif key == Qt.Key.Key_Space and self._is_shown_elsewhere:
            self._tell_choice()
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select what is pressed. A whole click chooses it, so that it can be dragged without being opened."""
        self._pressed = self._clicked = QPersistentModelIndex()
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        under = self.indexAt(event.position().toPoint())
        if not under.isValid():
            self.left.emit()
            return
        pressed: ConversationRow = under.data(RowRole.ROW)
        if pressed.branches and self._delegate.is_on_arrow(event.position(), self.row_rect(under), pressed):
            self.foldAsked.emit(pressed.id, not pressed.is_folded)
            return
        self._pressed = QPersistentModelIndex(under)
        if event.modifiers() & _SHIFT:
            self._extend_to(under)
            return
        if event.modifiers() & _CMD:
            self._is_picking = True
            self._anchor = pressed.id
            super().mousePressEvent(event)
            return
        self._clicked = QPersistentModelIndex(under)
        self._is_picking = pressed.id in self.several
        super().mousePressEvent(event)
        self._tell_several()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag what can be dragged: the mouse selects no rows on its way."""
        is_held = bool(event.buttons() & Qt.MouseButton.LeftButton)
        if not is_held or self._pressed.flags() & Qt.ItemFlag.ItemIsDragEnabled:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked, where the mouse has not left it."""
        super().mouseReleaseEvent(event)
        if event.button() is not Qt.MouseButton.LeftButton or not self._clicked.isValid():
            return
        clicked = self._conversations.index(self._clicked.row())
        self._clicked = QPersistentModelIndex()
        if self.indexAt(event.position().toPoint()) == clicked:
            self.setCurrentIndex(clicked)
            self._press()
        else:
            self._follow_model()

    def _press(self) -> None:
        """Do what a click on the current row does."""
        self._is_picking = False
        self._tell_several()
        self._tell_choice()
        row = self.row
        if row is not None and row.is_folder:
            self.foldAsked.emit(row.id, not row.is_folded)
        if self._is_shown_elsewhere:
            self._follow_model()

    def startDrag(self, supportedActions: Qt.DropAction) -> None:
        """Drag what was pressed, or the several that it is one of, unless nothing can be filed.

        It hangs beside the mouse and hides no folder.
        """
        pressed = self._conversations.index(self._pressed.row())
        self._pressed = self._clicked = QPersistentModelIndex()
        indexes = self.selectedIndexes() if self.several and self.selectionModel().isSelected(pressed) else [pressed]
        can_be = Qt.ItemFlag.ItemIsDragEnabled
        indexes = [index for index in indexes if self._conversations.flags(index) & can_be]
        if not indexes or not self.may_edit():
            return
        drag = QDrag(self)
        drag.setMimeData(self._conversations.mimeData(indexes))
        drag.setPixmap(self._picture_of(indexes))
        drag.setHotSpot(-_BESIDE)
        drag.exec(supportedActions, Qt.DropAction.MoveAction)
        self._follow_model()

    def _picture_of(self, indexes: Sequence[QModelIndex]) -> QPixmap:
        """Return a picture of rows, one below the other, that lets through what it is dragged over."""
        rects = [self.row_rect(index) for index in indexes]
        rects = [rect for rect in rects if rect.intersects(self.viewport().rect())][:_MOST_DRAGGED]
        size, scale = QSize(self.viewport().width(), sum(rect.height() for rect in rects)), self.devicePixelRatio()
        picture = QPixmap(size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        painter, top = QPainter(picture), 0
        painter.setOpacity(_DRAGGED)
        for rect in rects:
            painter.drawPixmap(0, top, self.viewport().grab(rect))
            top += rect.height()
        painter.end()
        return picture

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take conversations wherever they come in: Qt tells a widget that does not of no further move."""
        if _dragged(event):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Mark the folder that what is dragged would come to. Qt scrolls near an edge: it may stand further down."""
        super().dragMoveEvent(event)
        self._show_home(self._home_under(event))
        if self._home is None:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.MoveAction)
            event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._show_home(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """File what is dropped. The list shows it in its place when the database has it there."""
        home = self._home_under(event)
        self.stopAutoScroll()
        self._show_home(None)
        if home is None:
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.MoveAction)
        event.accept()
        self.filed.emit(_dragged(event), home)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._home is not None:
            painter = smooth(QPainter(self.viewport()))
            rect = QRectF(self._home_rect).adjusted(ROW_MARGIN + 1, 1, -ROW_MARGIN - 1, -1)
            stroke_rounded(painter, rect, 6, self._style.theme.accentgfx, 2)
            painter.end()

    @property
    def _home_rect(self) -> QRect:
        """The row of the folder that what is dragged would come to; all that is in sight for no folder."""
        number = self._conversations.row_of(self._home) if self._home else -1
        if number < 0:
            return self.viewport().rect()
        index = self._conversations.index(number)
        return self._delegate.row_rect(self.visualRect(index), index)

    def _home_under(self, event: QDropEvent) -> str | None:
        dragged = _dragged(event)
        return self._conversations.home_at(dragged, self.indexAt(event.position().toPoint()).row()) if dragged else None

    def _show_home(self, home: str | None) -> None:
        if home != self._home:
            self._home = home
            self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave a folder that the keyboard was on for the conversation that is open."""
        super().focusOutEvent(event)
        if event.reason() not in _PASSING:
            self._end_picking()
            self._follow_model()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Leave a folder that was just named, where the keyboard has gone elsewhere meanwhile."""
        super().closeEditor(editor, hint)
        self._follow_model()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, at = menu_target(self, event)
        if index.isValid():
            self.menuAsked.emit(index.data(RowRole.ROW), at)

    def _tell_choice(self) -> None:
        """Only keys and clicks choose: a current row also changes when rows come and go."""
        row = self.row
        self._turned = ("", "")
        if row is None or row.is_folder:
            return
        self._turned = (row.id, self._open_id)
        if row.is_branch and not row.is_open:
            self.branchChosen.emit(row.conversation_id, row.id)
        elif not row.is_branch and not row.is_open:
            self.chosen.emit(row.id)

    def _follow_model(self) -> None:
        """Select the row that is open; nothing when none is."""
        if self.state() == QAbstractItemView.State.EditingState:
            return
        if self._is_picking:
            self._tell_several()
            return
        at = self.row
        if at is not None and at.is_folder and self.hasFocus():
            return
        number = self._conversations.open_row
        if number >= 0:
            index = self._conversations.index(number)
            if index != self.currentIndex() or not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            return
        self.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)


def _can_join(row: ConversationRow) -> bool:
    """Return whether a row may be one of several that are selected: a conversation that is stored."""
    return row.can_change and not row.is_folder and not row.is_branch


def _dragged(event: QDropEvent) -> tuple[str, ...]:
    """Return the ids of the conversations that are dragged; none for anything else."""
    return dragged_ids(event.mimeData())
